"""What the linter mends safely: it changes marks and spaces, and no letter and no digit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from stemma_confinement import Limits
from stemma_markdown import headings

from .confined import Check, checked
from .engines.base import run_engine, without_switches
from .errors import EngineCrashed, ValidationOutOfMemory, ValidationTimeout

NAME = "rumdl"
SAFE_RULES = (
    "MD004", "MD005", "MD007", "MD009", "MD010", "MD012", "MD018", "MD019", "MD022", "MD027", "MD030", "MD031",
    "MD032", "MD034", "MD035", "MD047", "MD048", "MD049", "MD050", "MD055", "MD058",
)  # fmt: skip
_FIX = (
    "check", "--fix", "--no-cache", "--no-code-block-tools", "--config", "rumdl.toml", "--enable",
    ",".join(SAFE_RULES), "draft.md",
)  # fmt: skip
_NO_FAILURE = (0, 1)


class SafeFixes:
    """Runs rumdl in a folder of its own, where it finds the draft and the rules and nothing else."""

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
