"""How long a draft is, held against the limit of its section."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1.validation import ValidationIssue
from stemma_forms import too_long_answers
from stemma_languages import count_words
from stemma_markdown import document_of

from .rules import Rule


def too_long(text: str, max_words: int | None) -> Iterator[ValidationIssue]:
    """An issue if a draft has more words than it may have: of text, headings, tables and captions; not of its title."""
    if max_words is None:
        return
    document = document_of(text)
    titles = (heading.text for heading in document.headings if heading.level == 1)
    words = count_words(document.plain) - sum(map(count_words, titles))
    if words > max_words:
        yield Rule.TOO_MANY_WORDS.issue(0, f"{words} words, at most {max_words}: shorten it by {words - max_words}")


def long_answers(text: str) -> Iterator[ValidationIssue]:
    """An issue for each answer to a field of a form that is longer than the field's heading says."""
    for answer in too_long_answers(text):
        most, unit = answer.limit.most, answer.limit.unit.value
        detail = f"{answer.field_id}: {answer.length} {unit}, at most {most}: shorten it by {answer.length - most}"
        yield Rule.LONG_ANSWER.issue(answer.line, detail)
