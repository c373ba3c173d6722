"""The structure checks with a bound on their time: hostile Markdown takes seconds for a megabyte."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import gettempdir

from pydantic import BaseModel, TypeAdapter
from stemma_contracts.v1.values import ValidationIssue

from .errors import EngineCrashed
from .length import too_long
from .processes import SAFE_CHARACTERS, Limits, beside, run_limited
from .structure import check_structure

NAME = "structure check"
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
    if len(check.text) <= SAFE_CHARACTERS:
        return await beside(check.run, len(check.text))
    argv = [sys.executable, "-I", "-m", "stemma_validator.check_process"]
    stdin = check.model_dump_json().encode()
    finished = await run_limited(NAME, argv, folder=Path(gettempdir()), limits=limits, stdin=stdin)
    if finished.status != 0:
        raise EngineCrashed(NAME, finished.status, b"")
    return issues_json.validate_json(finished.stdout)
