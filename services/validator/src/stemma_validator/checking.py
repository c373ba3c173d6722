"""The structure checks of a draft of any size: hostile Markdown takes seconds for a megabyte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stemma_contracts.v1.forms import FormField
from stemma_contracts.v1.validation import ValidationIssue
from stemma_forms import too_long_answers
from stemma_languages import count_words
from stemma_markdown import document_of

from .confined import Check
from .form_answers import not_accepted
from .rules import Rule
from .structure import check_structure


def too_long(text: str, max_words: int | None) -> Iterator[ValidationIssue]:
    """An issue if a draft has more words than it may have: of text, headings, tables and captions; not of its title."""
    if max_words is None:
        return
    document = document_of(text)
    titles = (heading.text for heading in document.headings if heading.level == 1)
    words = count_words(document.plain) - sum(map(count_words, titles))
    if words > max_words:
        excess = words - max_words
        yield Rule.TOO_MANY_WORDS.coded(0, "words_too_many", words=words, max_words=max_words, excess=excess)


def long_answers(text: str) -> Iterator[ValidationIssue]:
    """An issue for each answer to a field of a form that is longer than the field's heading says."""
    for answer in too_long_answers(text):
        most, length = answer.limit.most, answer.length
        about = {"length": length, "most": most, "excess": length - most}
        code = f"answer_{answer.limit.unit}_too_many"
        yield Rule.LONG_ANSWER.coded(answer.line, code, field_id=answer.field_id, **about)


class StructureCheck(Check[list[ValidationIssue]]):
    """What is checked: a draft, the names that it may refer to, the headings that it must have, its longest length, and
    the fields of a form that it answers."""

    name: ClassVar = "structure check"

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
