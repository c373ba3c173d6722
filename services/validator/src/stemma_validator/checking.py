"""The structure checks with a bound on their time: parsing hostile Markdown takes minutes for a megabyte."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import gettempdir

from pydantic import BaseModel, TypeAdapter
from stemma_contracts.v1.values import ValidationIssue

from .errors import EngineCrashed
from .length import too_long
from .processes import Limits, run_limited
from .structure import check_structure

NAME = "structure check"
QUICK_CHARACTERS = 2 * 1024
"""Up to here a draft takes less than a millisecond, the worst input a tenth of a second: a thread costs more."""
SAFE_CHARACTERS = 64 * 1024
"""Up to here the worst input takes a second or two, in a thread; beyond, a process of its own can be ended."""

issues_json: TypeAdapter[list[ValidationIssue]] = TypeAdapter(list[ValidationIssue])


class StructureCheck(BaseModel):
    """What is checked: a draft, the names that it may refer to, the headings that it must have, its longest length."""

    text: str
    assets: tuple[str, ...] = ()
    required_headings: tuple[str, ...] = ()
    max_words: int | None = None

    def run(self) -> list[ValidationIssue]:
        """The issues."""
        structure = check_structure(self.text, frozenset(self.assets), self.required_headings)
        return [*structure, *too_long(self.text, self.max_words)]


async def check_within(check: StructureCheck, limits: Limits) -> list[ValidationIssue]:
    """The issues of a draft of any size; raises `ValidationImpossible` past the limits."""
    if len(check.text) <= QUICK_CHARACTERS:
        return check.run()
    if len(check.text) <= SAFE_CHARACTERS:
        return await asyncio.to_thread(check.run)
    argv = [sys.executable, "-I", "-m", "stemma_validator.check_process"]
    stdin = check.model_dump_json().encode()
    finished = await run_limited(NAME, argv, folder=Path(gettempdir()), limits=limits, stdin=stdin)
    if finished.status != 0:
        raise EngineCrashed(NAME, finished.status, b"")
    return issues_json.validate_json(finished.stdout)
