"""Pandoc, confined: GitHub's Markdown in, other formats out; and how programs of a conversion are run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from stemma_confinement import Limits, OutOfTime
from stemma_confinement.programs import run_program

from .errors import ConversionError
from .tree import Node, parse, serialize

# YAML metadata and raw blocks of other formats would let a draft speak to the writers.
READER = "gfm-yaml_metadata_block"


@dataclass(frozen=True)
class Pandoc:
    """The pandoc program and the limits of one run."""

    program: Path
    limits: Limits = field(default_factory=Limits)

    async def read(self, markdown: str) -> list[Node]:
        with TemporaryDirectory(prefix="stemma-") as folder:
            tree = await self._run(["--from", READER, "--to", "json"], markdown.encode(), Path(folder))
        return await asyncio.to_thread(parse, tree)

    async def write(
        self,
        to: str,
        blocks: list[Node],
        meta: dict[str, Node] | None = None,
        *,
        folder: Path,
        options: Sequence[str | Path] = (),
    ) -> bytes:
        """A document in the format ``to``; files that it needs lie in ``folder``. Raises `ConversionError`."""
        arguments = ["--from", "json", "--to", to, "--output", "-", *options]
        return await self._run(arguments, await asyncio.to_thread(serialize, blocks, meta or {}), folder)

    async def _run(self, arguments: Sequence[str | Path], data: bytes, folder: Path) -> bytes:
        runtime = ("+RTS", f"-M{self.limits.memory_mb}m", "-RTS")
        command = (self.program, *runtime, "--sandbox", *arguments)
        return await run_confined("pandoc", command, data, folder=folder, limits=self.limits)


async def run_confined(
    what: str, command: Sequence[str | Path], data: bytes, *, folder: Path, limits: Limits, address_space: bool = False
) -> bytes:
    """Run a program in ``folder`` with ``data`` as its input and return its output.

    ``address_space`` applies the memory limit to all that the program maps; a program that reserves more
    than it uses limits itself. Raises `ConversionError`: ``timeout`` or ``<what>_failed``. There is no clock: the call
    that this is part of has one, and ends as `Stalled`, which is tried again.
    """
    counted: Literal["addresses", "own"] = "addresses" if address_space else "own"
    try:
        finished = await run_program(command, data, folder=folder, limits=limits, memory=counted)
    except OutOfTime:
        raise ConversionError("timeout", what, why=f"{what} took more than {limits.seconds:g} s of CPU time") from None
    if finished.status != 0:
        raise ConversionError(f"{what}_failed", what, finished.status)
    return finished.stdout
