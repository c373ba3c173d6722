"""Pandoc, confined: GitHub's Markdown in, other formats out; how programs of a conversion run, and how they fail."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from stemma_confinement import Limits, OutOfTime
from stemma_confinement.programs import run_program
from stemma_contracts.v1.answers import Problem

from .tree import Node, is_markup

# YAML metadata and raw blocks of other formats would let a draft speak to the writers.
READER = "gfm-yaml_metadata_block"
API_VERSION = [1, 23, 1]
MAX_DEPTH = 64


@dataclass(eq=False)
class ConversionError(Exception):
    """The document cannot be converted; ``code`` says why in one word and holds no text of it.

    ``program`` is what failed if one did, and ``exit_code`` how it ended: negative for a signal, None if it was killed
    because its time was up. ``why`` says more where there is more to say, such as which limit it was. It is the line of
    the draft of ``section_id`` that cannot be converted, if that was found.
    """

    code: str
    program: str | None = None
    exit_code: int | None = None
    why: str = ""
    section_id: str = ""
    line: int = 0

    @property
    def problem(self) -> Problem:
        at: dict[str, str | int] = {"section_id": self.section_id, "line": self.line} if self.section_id else {}
        how = self.why or (f"exit status {self.exit_code}" if self.exit_code is not None else self.code)
        match self.code:
            case "timeout":
                return Problem.of("conversion_timeout", reason=self.why)
            case "out_of_memory":
                return Problem.of("conversion_out_of_memory", reason=self.why)
            case "nested_too_deeply":
                return Problem.of("conversion_too_deep_at" if at else "conversion_too_deep", **at)
            case "source_too_large":
                about = {"section_id": self.section_id} if at else {}
                return Problem.of("conversion_too_large_at" if at else "conversion_too_large", **about)
            case _:
                program = self.program or "conversion"
                return Problem.of(
                    "conversion_stopped_at" if at else "conversion_stopped", program=program, how=how, **at
                )


@dataclass(frozen=True)
class Pandoc:
    program: Path
    limits: Limits = field(default_factory=Limits)

    async def read(self, markdown: str) -> list[Node]:
        with TemporaryDirectory(prefix="stemma-") as folder:
            tree = await self._run(["--from", READER, "--to", "json"], markdown.encode(), Path(folder))
        return await asyncio.to_thread(_parse, tree)

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
        tree = {"pandoc-api-version": API_VERSION, "meta": meta or {}, "blocks": blocks}
        written = await asyncio.to_thread(json.dumps, tree)
        return await self._run(["--from", "json", "--to", to, "--output", "-", *options], written.encode(), folder)

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


def _parse(data: bytes) -> list[Node]:
    """The blocks of a document as pandoc writes it; raises `ConversionError` for one nested too deeply."""
    try:
        blocks: list[Node] = json.loads(data)["blocks"]
    except RecursionError:
        raise ConversionError("nested_too_deeply") from None
    if _depth(blocks) > MAX_DEPTH:
        raise ConversionError("nested_too_deeply")
    return blocks


def _depth(blocks: list[Node]) -> int:
    """How many nodes that are no words lie in each other at most; without recursion, because this guards it."""
    deepest = 0
    waiting: list[tuple[Any, int]] = [(blocks, 0)]
    while waiting:
        value, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(value, dict):
            waiting.append((value.get("c"), depth + 1))
        elif isinstance(value, list):
            waiting += [(item, depth) for item in value if isinstance(item, list) or is_markup(item)]
    return deepest
