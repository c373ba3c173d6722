"""The structure checks of a draft of any size: hostile Markdown takes seconds for a megabyte."""

from __future__ import annotations

from typing import ClassVar

from pydantic import TypeAdapter
from stemma_contracts.v1.validation import ValidationIssue

from .confined import Check
from .length import long_answers, too_long
from .structure import check_structure


class StructureCheck(Check[list[ValidationIssue]]):
    """What is checked: a draft, the names that it may refer to, the headings that it must have, its longest length."""

    name: ClassVar = "structure check"
    answer: ClassVar = TypeAdapter(list[ValidationIssue])

    text: str
    assets: tuple[str, ...] = ()
    required_headings: tuple[str, ...] = ()
    max_words: int | None = None

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return len(self.text)

    def run(self) -> list[ValidationIssue]:
        """The issues."""
        structure = check_structure(self.text, frozenset(self.assets), self.required_headings)
        return [*structure, *too_long(self.text, self.max_words), *long_answers(self.text)]
