"""What the prepared process does with inputs: it imports this, and nothing of models or of the bus."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stemma_contracts.v1.inputs import Anchor
from stemma_evidence import InputText, coverage

from .passages import SourceDocument, read_source

AT = "at.txt"


class Text(NamedTuple):
    """A name inside the input folder, what the file says, and where in it that stands."""

    name: str
    text: str
    anchors: tuple[Anchor, ...] = ()


def prepare() -> None:
    """Read what the first text would read."""
    coverage([InputText("a.md", "A word. Another.")], "A word. Other.", [])


def read(folder: Path, texts: list[Text], most: int) -> list[SourceDocument] | None:
    """Take texts apart, and say in the folder at which; nothing if they have more pieces."""
    sources, pieces = [], 0
    for given in texts:
        (folder / AT).write_text(given.name, encoding="utf-8")
        source = read_source(*given)
        pieces += len(source.passages) + len(source.images)
        if pieces > most:
            return None
        sources.append(source)
    return sources
