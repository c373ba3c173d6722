"""Pandoc, confined: GitHub's Markdown in, other formats out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from stemma_confinement import Limits

from .confinement import run_confined
from .prose import Aside
from .tree import Node, parse, serialize, with_phrases

# YAML metadata and raw blocks of other formats would let a draft speak to the writers.
READER = "gfm-yaml_metadata_block"

WithoutProse = Callable[[Aside, list[Node]], list[Node]]


@dataclass(frozen=True)
class Pandoc:
    """The pandoc program and the limits of one run."""

    program: Path
    limits: Limits = field(default_factory=Limits)

    async def read(self, markdown: str) -> list[Node]:
        """The blocks of a Markdown text; raises `ConversionError`."""
        aside = Aside()
        tree = await self.tree(await asyncio.to_thread(aside.from_markdown, markdown))
        whole = tree if await asyncio.to_thread(aside.into_tree, tree) else await self.tree(markdown)
        return await asyncio.to_thread(with_phrases, whole)

    async def tree(self, markdown: str) -> list[Node]:
        """The same word by word; nobody has looked how deep they lie."""
        with TemporaryDirectory(prefix="stemma-") as folder:
            tree = await self._run(["--from", READER, "--to", "json"], markdown.encode(), Path(folder))
        return await asyncio.to_thread(parse, tree)

    async def write(
        self, to: str, blocks: list[Node], meta: dict[str, Node], *, folder: Path, options: Sequence[str | Path] = ()
    ) -> bytes:
        """A document in the format ``to``; files that it needs lie in ``folder``. Raises `ConversionError`."""
        arguments = ["--from", "json", "--to", to, "--output", "-", *options]
        return await self._run(arguments, await asyncio.to_thread(serialize, blocks, meta), folder)

    async def write_text(
        self,
        to: str,
        blocks: list[Node],
        without: WithoutProse,
        meta: dict[str, Node] | None = None,
        *,
        folder: Path,
        options: Sequence[str | Path] = (),
    ) -> str:
        """As `write`, in a format of plain text, in which prose stands as it is."""
        aside = Aside()
        spare = await asyncio.to_thread(without, aside, blocks)
        return aside.into_text((await self.write(to, spare, meta or {}, folder=folder, options=options)).decode())

    async def _run(self, arguments: Sequence[str | Path], data: bytes, folder: Path) -> bytes:
        runtime = ("+RTS", f"-M{self.limits.memory_mb}m", "-RTS")
        command = (self.program, *runtime, "--sandbox", *arguments)
        return await run_confined("pandoc", command, data, folder=folder, limits=self.limits)
