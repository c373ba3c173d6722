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


def read(folder: Path, texts: list[Text]) -> list[SourceDocument]:
    """Take texts apart, and say in the folder at which."""
    sources = []
    for given in texts:
        (folder / AT).write_text(given.name, encoding="utf-8")
        sources.append(read_source(*given))
    return sources


# One for all inputs of this process; it starts with the first that are long.
_prepared = Prepared(prepare)


@dataclass(frozen=True)
class Reading:
    """Reads the inputs of every tenant in turn."""

    limits: Limits = LIMITS
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
            return await confined_in(folder, _prepared, self.limits, read, list(texts))
        except ConfinementError as error:
            name = await asyncio.to_thread((folder / AT).read_text, "utf-8")
            raise UnreadableInputs(f"{name} could not be read: {error}") from None
