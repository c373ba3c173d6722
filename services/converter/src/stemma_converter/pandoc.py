"""Pandoc, confined: GitHub's Markdown in, other formats out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from stemma_confinement import Limits

from .confinement import run_confined
from .tree import Node, parse, serialize

# YAML metadata and raw blocks of other formats would let a draft speak to the writers.
READER = "gfm-yaml_metadata_block"


@dataclass(frozen=True)
class Pandoc:
    """The pandoc program and the limits of one run."""

    program: Path
    limits: Limits = field(default_factory=Limits)

    async def read(self, markdown: str) -> list[Node]:
        """The blocks of a Markdown text; raises `ConversionError`."""
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
