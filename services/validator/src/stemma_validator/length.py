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
        excess = words - max_words
        yield Rule.TOO_MANY_WORDS.coded(0, "words_too_many", words=words, max_words=max_words, excess=excess)


def long_answers(text: str) -> Iterator[ValidationIssue]:
    """An issue for each answer to a field of a form that is longer than the field's heading says."""
    for answer in too_long_answers(text):
        most, length = answer.limit.most, answer.length
        about = {"length": length, "most": most, "excess": length - most}
        code = f"answer_{answer.limit.unit}_too_many"
        yield Rule.LONG_ANSWER.coded(answer.line, code, field_id=answer.field_id, **about)
