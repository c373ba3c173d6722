"""The structure checks of a draft of any size: hostile Markdown takes seconds for a megabyte."""

from __future__ import annotations

from typing import ClassVar

from pydantic import TypeAdapter
from stemma_contracts.v1.forms import FormField
from stemma_contracts.v1.validation import ValidationIssue

from .confined import Check
from .form_answers import not_accepted
from .length import long_answers, too_long
from .structure import check_structure


class StructureCheck(Check[list[ValidationIssue]]):
    """What is checked: a draft, the names that it may refer to, the headings that it must have, its longest length, and
    the fields of a form that it answers."""

    name: ClassVar = "structure check"
    answer: ClassVar = TypeAdapter(list[ValidationIssue])

    text: str
    assets: tuple[str, ...] = ()
    required_headings: tuple[str, ...] = ()
    max_words: int | None = None
    fields: tuple[FormField, ...] = ()

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return len(self.text)

    def run(self) -> list[ValidationIssue]:
        """The issues."""
        structure = check_structure(self.text, frozenset(self.assets), self.required_headings)
        answers = (*long_answers(self.text), *not_accepted(self.text, self.fields))
        return [*structure, *too_long(self.text, self.max_words), *answers]
