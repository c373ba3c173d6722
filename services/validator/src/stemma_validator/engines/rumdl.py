"""rumdl: the linter that comes with this package as a binary, and what it mends safely.

A safe fix changes marks and spaces, and no letter and no digit.
"""

import asyncio
import sysconfig
from collections import Counter
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import ClassVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from stemma_confinement import Limits
from stemma_confinement.programs import Finished
from stemma_markdown import headings

from stemma_validator.confined import Check, checked
from stemma_validator.errors import EngineCrashed, OutputUnreadable, ValidationOutOfMemory, ValidationTimeout

from .base import RawIssue, read_issues, run_engine, without_switches

NAME = "rumdl"
_NO_FAILURE = (0, 1)
_CHECK = (
    "check", "--output-format", "json", "--no-cache", "--no-code-block-tools", "--config", "rumdl.toml", "draft.md",
)  # fmt: skip


class _Rule(BaseModel):
    code: str
    summary: str


_rules: TypeAdapter[list[_Rule]] = TypeAdapter(list[_Rule])


def packaged_rumdl() -> Path:
    return Path(sysconfig.get_path("scripts")) / NAME


class RumdlEngine:
    name: ClassVar[str] = NAME

    def __init__(self, rules: str, *, executable: Path, limits: Limits, processes: int) -> None:
        self.version = metadata.version(NAME)
        self._rules = rules
        self._executable = executable
        self._limits = limits
        self._free = asyncio.Semaphore(processes)
        self._descriptions: dict[str, str] = {}

    async def lint(self, text: str) -> list[RawIssue]:
        async with self._free:
            with TemporaryDirectory(prefix="stemma-lint-") as folder:
                path = Path(folder)
                (path / "rumdl.toml").write_text(self._rules, encoding="utf-8")
                (path / "draft.md").write_text(without_switches(text), encoding="utf-8", newline="")
                finished = await self._run(path, *_CHECK)
        return await self._described(_read(finished))

    async def _described(self, issues: list[RawIssue]) -> list[RawIssue]:
        if not self._descriptions:
            finished = await self._run(Path(gettempdir()), "rule", "--output-format", "json")
            self._descriptions = _read_descriptions(finished)
        return [_describe(issue, self._descriptions) for issue in issues]

    async def _run(self, folder: Path, *arguments: str) -> Finished:
        finished = await run_engine(NAME, [self._executable, *arguments], folder=folder, limits=self._limits)
        if finished.status not in _NO_FAILURE:
            raise EngineCrashed(NAME, finished.status, finished.stderr)
        return finished


def _read(finished: Finished) -> list[RawIssue]:
    try:
        return read_issues(finished.stdout)
    except ValidationError:
        raise OutputUnreadable(NAME, finished.stderr) from None


def _read_descriptions(finished: Finished) -> dict[str, str]:
    try:
        return {rule.code: rule.summary for rule in _rules.validate_json(finished.stdout)}
    except ValidationError:
        raise OutputUnreadable(NAME, finished.stderr) from None


def _describe(issue: RawIssue, descriptions: dict[str, str]) -> RawIssue:
    known = next((descriptions[name] for name in issue.rule_names if name in descriptions), issue.description)
    return issue.model_copy(update={"description": known})


SAFE_RULES = (
    "MD004", "MD005", "MD007", "MD009", "MD010", "MD012", "MD018", "MD019", "MD022", "MD027", "MD030", "MD031",
    "MD032", "MD034", "MD035", "MD047", "MD048", "MD049", "MD050", "MD055", "MD058",
)  # fmt: skip
_FIX = (
    "check", "--fix", "--no-cache", "--no-code-block-tools", "--config", "rumdl.toml", "--enable",
    ",".join(SAFE_RULES), "draft.md",
)  # fmt: skip


class SafeFixes:
    def __init__(self, rules: str, *, executable: Path, limits: Limits) -> None:
        self._rules = rules
        self._executable = executable
        self._limits = limits

    async def of(self, text: str) -> str:
        """The text mended as far as that is safe; as it is if more would change. Raises `ValidationImpossible`."""
        if without_switches(text) != text:
            return text
        mended = await self._mended(text)
        try:
            return mended if await checked(SameWords(text=text, mended=mended), self._limits) else text
        except (ValidationTimeout, ValidationOutOfMemory):
            return text

    async def _mended(self, text: str) -> str:
        with TemporaryDirectory(prefix="stemma-fix-") as folder:
            path = Path(folder)
            (path / "rumdl.toml").write_text(self._rules, encoding="utf-8")
            (path / "draft.md").write_text(text, encoding="utf-8", newline="")
            finished = await run_engine(NAME, [self._executable, *_FIX], folder=path, limits=self._limits)
            if finished.status not in _NO_FAILURE:
                raise EngineCrashed(NAME, finished.status, finished.stderr)
            return (path / "draft.md").read_bytes().decode()


class SameWords(Check[bool]):
    """Whether both have the same letters and digits in the same order, and as many headings of each level."""

    name: ClassVar = "fixes check"

    text: str
    mended: str

    @property
    def characters(self) -> int:
        return len(self.text) + len(self.mended)

    def run(self) -> bool:
        return _said(self.text) == _said(self.mended)


def _said(text: str) -> tuple[str, Counter[int]]:
    return "".join(filter(str.isalnum, text)), Counter(heading.level for heading in headings(text))
