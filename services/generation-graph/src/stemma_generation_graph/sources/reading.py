"""Taking inputs apart: short ones here, long ones in a process of its own, behind everything else that is at work.

A parser in a thread holds what every other job of this process needs; texts that are hard to read hold it for minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from stemma_confinement import ConfinementError, Limits, Prepared
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.inputs import Anchor
from stemma_messaging import Turns

from .markdown import SourceDocument, read_source

QUICK_CHARACTERS = 64 * 1024
"""Up to here the worst input takes a quarter of a second."""
LIMITS = Limits(seconds=900, memory_mb=4096)
"""Of CPU time: it is read behind everything else that is at work."""
PROCESSES, PROCESSES_OF_A_TENANT = 4, 2
MOST_PIECES = 50_000
"""Passages and images of the texts together: so many are indexed in half a second, and 50 MB of prose have fewer."""
AT = "at.txt"


class Text(NamedTuple):
    """A name inside the input folder, what the file says, and where in it that stands."""

    name: str
    text: str
    anchors: tuple[Anchor, ...] = ()


class UnreadableInputs(Exception):
    """An input that could not be read within the limits, with its name: no repetition makes it right."""


def prepare() -> None:
    """What reads is imported with this module."""


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


# One for all inputs of this process; it starts with the first that are long.
_prepared = Prepared(prepare)


@dataclass(frozen=True)
class Reading:
    """Reads the inputs of every tenant in turn."""

    limits: Limits = LIMITS
    most: int = MOST_PIECES
    turns: Turns = field(default_factory=lambda: Turns(PROCESSES, PROCESSES_OF_A_TENANT))

    async def sources(self, tenant: str, texts: Sequence[Text]) -> list[SourceDocument]:
        if sum(len(given.text) for given in texts) <= QUICK_CHARACTERS:
            return await asyncio.to_thread(lambda: [read_source(*given) for given in texts])
        async with self.turns.turn(tenant):
            with TemporaryDirectory(prefix="stemma-read-") as folder:
                return await self._apart(texts, Path(folder))

    async def _apart(self, texts: Sequence[Text], folder: Path) -> list[SourceDocument]:
        (folder / AT).write_text(texts[0].name, encoding="utf-8")
        try:
            sources = await confined_in(folder, _prepared, self.limits, read, list(texts), self.most)
        except ConfinementError as error:
            raise UnreadableInputs(f"{await _name_in(folder)} could not be read: {error}") from None
        if sources is None:
            many = f"up to it the inputs have more than {self.most} passages and images; give fewer or shorter inputs"
            raise UnreadableInputs(f"{await _name_in(folder)} could not be read: {many}")
        return sources


async def _name_in(folder: Path) -> str:
    """The name of the text that was being read."""
    return await asyncio.to_thread((folder / AT).read_text, "utf-8")
