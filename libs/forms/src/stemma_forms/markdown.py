"""Answers as a text: a heading for each field, which begins with its id, and the answer below it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stemma_markdown import Container, Document, split

from .field import Field, Kind, Limit, mismatch_of, shown, stated_limit

_LONGEST_HEADING = 120
_ID = re.compile(r"f-[0-9a-f]{10}(?![0-9a-z])")
_QUESTION = re.compile(rf"(?m)(?<=^#{{3}} ){_ID.pattern}.*$")
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")


def as_markdown(fields: Iterable[Field], answers: Mapping[str, str] | None = None) -> str:
    """The fields as headings, grouped as the form groups them, with the answers that are known below them."""
    lines, group = [], None
    for field in fields:
        if field.group != group and field.group:
            lines.append(f"## {_escaped(field.group)}")
        group = field.group
        lines.append(f"### {heading(field)}")
        if answer := (answers or {}).get(field.id, "").strip():
            lines.append(answer)
    return "".join(f"{line}\n\n" for line in lines).rstrip() + "\n" if lines else ""


@dataclass(frozen=True)
class TooLong:
    """An answer that is longer than the heading of its field says; ``line`` is that of the heading, from 1."""

    line: int
    field_id: str
    limit: Limit
    length: int


def too_long_answers(text: str) -> Iterator[TooLong]:
    """The answers of a text that are longer than the headings of their fields say."""
    if not _ID.search(text):
        return
    answers = answers_in(text)
    for block in split(text):
        found = _ID.search(block.text) if block.kind == "heading" else None
        limit = stated_limit(block.text) if found else None
        if found and limit and (length := limit.measured(answers.get(found[0], ""))) > limit.most:
            yield TooLong(block.line, found[0], limit, length)


@dataclass(frozen=True)
class Unaccepted:
    """An answer that its field does not accept by its kind; ``line`` is that of the heading, from 1."""

    line: int
    field_id: str
    kind: Kind
    answer: str
    choices: str


def unaccepted_answers(text: str, fields: Iterable[Field]) -> Iterator[Unaccepted]:
    """The answers of a text that are not among those that their fields accept, in the order of the text."""
    answers, known = answers_in(text), {field.id: field for field in fields}
    for block in split(text):
        found = _ID.search(block.text) if block.kind == "heading" else None
        field = known.pop(found[0], None) if found else None
        answer = answers.get(field.id, "") if field else ""
        if field and mismatch_of(field, answer):
            yield Unaccepted(block.line, field.id, field.kind, shown(answer), ", ".join(map(shown, field.allowed)))


def without_questions(text: str) -> str:
    """The text with letters in place of the headings of fields, each as long as it was: what is asked is not ours."""
    return _QUESTION.sub(lambda found: "x" * len(found[0]), text)


def heading(field: Field) -> str:
    """The heading of a field: its id, the beginning of what it asks, and how long the answer may be."""
    asked = field.question
    shown = asked if len(asked) <= _LONGEST_HEADING else f"{asked[: _LONGEST_HEADING - 1]}…"
    if field.limit and stated_limit(shown) != field.limit:
        shown = f"{shown} (max. {field.limit.most} {field.limit.unit.value})"
    return f"{field.id}: {_escaped(shown)}"


def answers_in(text: str) -> dict[str, str]:
    """The answers of a text by the ids of their fields, without markup; a field without a word has none.

    A later answer to the same field replaces an earlier one. What stands under no field's heading is no answer.
    """
    answers: dict[str, list[str]] = {}
    current: list[str] = []
    for block in split(text):
        if block.kind == "heading":
            found = _ID.search(block.text)
            current = [] if found is None else answers.setdefault(found[0], [])
            current.clear()
        elif block.kind != "blank" and (plain := "\n".join(_lines(block.text))):
            current.append(plain)
    return {identity: "\n".join(blocks) for identity, blocks in answers.items() if blocks}


def _lines(block: str) -> Iterator[str]:
    """What a block says, line by line: items with their marks, the cells of a row divided by bars."""
    document = Document(block)
    prose, row, mark = iter(document.prose), list[str](), ""
    coming = next(prose, None)
    lists: list[tuple[int, int | None]] = []
    for token in document.tokens:
        if isinstance(token, Container):
            if token.kind == "row" and row:
                yield " | ".join(row)
                row = []
            lists = [(depth, number) for depth, number in lists if depth < token.depth]
            if token.kind == "list":
                lists.append((token.depth, token.detail if isinstance(token.detail, int) else None))
            elif token.kind == "item" and lists:
                depth, number = lists.pop()
                mark = "- " if number is None else f"{number}. "
                lists.append((depth, None if number is None else number + 1))
        elif coming is not None and token.start <= coming.start < max(token.end, token.start + 1):
            words, coming = coming.text, next(prose, None)
            if token.kind == "cell":
                row.append(words)
            else:
                yield f"{mark}{words}"
                mark = ""
    if row:
        yield " | ".join(row)


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
