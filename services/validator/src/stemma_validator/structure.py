"""What the structure of a draft breaks: headings, images, links, length, and the answers to a form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import unquote

from stemma_contracts.v1.forms import FormField, FormFields
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.validation import ValidationIssue
from stemma_forms import Field, Kind, too_long_answers, unaccepted_answers
from stemma_languages import count_words
from stemma_markdown import Document, Inline, Leaf, anchors, document_of

from .confined import Check
from .files import Files
from .lapses import lapses
from .report import Rule

SKIPPED_IMAGE = "Image not supplied: "

_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_REFERENCE = re.compile(r"\[([^\[\]\n]*)\]\[([^\[\]\n]*)\]")
_FOOTNOTE = re.compile(r"\[\^([^\[\]\s]+)\]")
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|XXX+)\b"
    r"|\{\{[^{}\n]{0,200}\}\}"
    r"|[\[\ue000]insert\b[^\[\]\ue000\ue001\n]{0,200}[\]\ue001]"
    r"|\blorem\s{1,9}ipsum\b",
    re.IGNORECASE,
)
_IN_EACH_PLACEHOLDER = ("todo", "tbd", "xxx", "{{", "insert", "lorem")
"""One of them is in all that `_PLACEHOLDER` finds; to look for them takes a tenth of its time."""
_ONLY_AS_CAPITALS = re.compile(r"TODO|TBD|XXX+", re.IGNORECASE)
_READABLE = str.maketrans("\ue000\ue001", "[]")
_CODES = {
    Kind.CHOICE: "answer_no_choice",
    Kind.CHECKBOX: "answer_no_boolean",
    Kind.DATE: "answer_no_date",
    Kind.NUMBER: "answer_no_number",
}
OPAQUE = "\ufffc"
_ESCAPED = {"[": "\ue000", "]": "\ue001"}
_LEADING = frozenset({"image", "link", "footnote"})
_WITH_PROSE = frozenset({"heading", "paragraph", "cell"})


def check_structure(text: str, assets: Collection[str], required_headings: Iterable[str]) -> list[ValidationIssue]:
    """The issues of a draft. ``assets`` are the names that its images and links may lead to."""
    if not text.strip():
        return [Rule.EMPTY.issue(1)]
    document = document_of(text)
    found = document.headings
    written = list(prose(document))
    inline = list(parts(document))
    return [
        *_title(document),
        *_lacking(document, required_headings),
        *_images(inline, assets),
        *_links(inline, assets, anchors(found)),
        *_undefined(written),
        *_nested_footnotes(inline),
        *_placeholders(written),
    ]


def _lacking(document: Document, required: Iterable[str]) -> Iterator[ValidationIssue]:
    """A heading that is missing is put right by the writer; what stands under one that is open a person has to say."""
    title = next((heading.text for heading in document.headings if heading.level == 1), "")
    for heading, line in document.lacking(tuple(required) or (title,) if title else ()).items():
        if line:
            yield Rule.OPEN_HEADING.coded(line, "heading_open", heading=heading)
        else:
            yield Rule.REQUIRED_HEADING.issue(0, heading)


def _title(document: Document) -> Iterator[ValidationIssue]:
    first = next((block for block in document.blocks if block.kind != "blank"), None)
    if first is None or (first.kind, first.level) != ("heading", 1):
        yield Rule.TITLE_FIRST.issue(first.line if first else 1)
    for extra in [heading for heading in document.headings if heading.level == 1][1:]:
        yield Rule.ONE_TITLE.issue(extra.line, extra.text)


def _images(inline: list[Part], assets: Collection[str]) -> Iterator[ValidationIssue]:
    for part in inline:
        target = part.token.target
        if part.token.kind != "image":
            continue
        if _ELSEWHERE.match(target):
            yield Rule.REMOTE_IMAGE.issue(part.line, target)
        elif _file_name(target) not in assets:
            yield Rule.MISSING_IMAGE.issue(part.line, _file_name(target))


def _links(inline: list[Part], assets: Collection[str], known: set[str]) -> Iterator[ValidationIssue]:
    for part in inline:
        target = part.token.target
        if part.token.kind != "link" or not target or _ELSEWHERE.match(target):
            continue
        if target.startswith("#"):
            if unquote(target[1:]).lower() not in known | {"", "top"}:
                yield Rule.MISSING_ANCHOR.issue(part.line, unquote(target))
        elif _file_name(target) not in assets:
            yield Rule.MISSING_FILE.issue(part.line, _file_name(target))


def _undefined(written: list[Prose]) -> Iterator[ValidationIssue]:
    for passage in written:
        for match in _REFERENCE.finditer(passage.text):
            label = match[2] or match[1]
            if not label.startswith("^"):
                yield Rule.UNDEFINED_REFERENCE.issue(passage.line_at(match.start()), label)
        for match in _FOOTNOTE.finditer(passage.text):
            yield Rule.UNDEFINED_FOOTNOTE.issue(passage.line_at(match.start()), match[1])


def _nested_footnotes(inline: list[Part]) -> Iterator[ValidationIssue]:
    for part in inline:
        if part.in_footnote and part.token.kind == "footnote":
            yield Rule.NESTED_FOOTNOTE.issue(part.line, part.token.text)


def _placeholders(written: list[Prose]) -> Iterator[ValidationIssue]:
    for passage in written:
        if passage.quoted and passage.text.startswith(SKIPPED_IMAGE):
            continue
        folded = passage.text.casefold()
        if not any(piece in folded for piece in _IN_EACH_PLACEHOLDER):
            continue
        for match in _PLACEHOLDER.finditer(passage.text):
            if match[0].isupper() or not _ONLY_AS_CAPITALS.fullmatch(match[0]):
                yield Rule.PLACEHOLDER.issue(passage.line_at(match.start()), match[0].translate(_READABLE))


def _file_name(target: str) -> str:
    return unquote(target).removeprefix("./")


async def fields_of(job: ValidateDraft, files: Files) -> tuple[FormField, ...]:
    """The fields of the form that a section answers; none if it answers none, or they are not there any more."""
    found = await files.body(job.section.form.fields, FormFields) if job.section.form else None
    return found.fields if found else ()


def not_accepted(text: str, fields: Sequence[FormField]) -> Iterator[ValidationIssue]:
    """An issue for each answer that is not in its field's list, or no date, number, yes or no where it wants one."""
    if fields:
        for found in unaccepted_answers(text, map(_field, fields)):
            about = {"field_id": found.field_id, "answer": found.answer}
            if found.kind is Kind.CHOICE:
                about["choices"] = found.choices
            yield Rule.UNACCEPTED_ANSWER.coded(found.line, _CODES[found.kind], **about)


def _field(told: FormField) -> Field:
    return Field(told.field_id, told.place, told.group, told.question, Kind(told.kind), told.allowed)


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
    for answer in too_long_answers(text):
        most, length = answer.limit.most, answer.length
        about = {"length": length, "most": most, "excess": length - most}
        code = f"answer_{answer.limit.unit}_too_many"
        yield Rule.LONG_ANSWER.coded(answer.line, code, field_id=answer.field_id, **about)


class StructureCheck(Check[list[ValidationIssue]]):
    """What is checked: a draft, the names that it may refer to, the headings that it must have, its longest length, the
    fields of a form that it answers, and its language."""

    name: ClassVar = "structure check"

    text: str
    assets: tuple[str, ...] = ()
    required_headings: tuple[str, ...] = ()
    max_words: int | None = None
    fields: tuple[FormField, ...] = ()
    language: str = ""

    @property
    def characters(self) -> int:
        return len(self.text)

    def run(self) -> list[ValidationIssue]:
        structure = check_structure(self.text, frozenset(self.assets), self.required_headings)
        answers = (*long_answers(self.text), *not_accepted(self.text, self.fields))
        left = lapses(document_of(self.text), self.language)
        return [*structure, *too_long(self.text, self.max_words), *answers, *left]


@dataclass(frozen=True)
class Prose:
    """The text of one heading, paragraph, cell or HTML block. Code, links' ends and images' ends are `OPAQUE`."""

    line: int
    text: str
    quoted: bool = False

    def line_at(self, position: int) -> int:
        """The line of the draft at a position of ``text``."""
        return self.line + self.text.count("\n", 0, position)


@dataclass(frozen=True)
class Part:
    token: Inline
    line: int
    in_footnote: bool


def prose(document: Document) -> Iterator[Prose]:
    """The text of a draft, block by block, without its code."""
    for leaf in _leaves(document):
        if leaf.kind in _WITH_PROSE:
            yield Prose(document.line(leaf.start), "".join(_written(leaf, document.text)), leaf.quoted)
        elif leaf.kind == "html":
            yield Prose(document.line(leaf.start), "".join(inline.text for inline in leaf.inlines))


def parts(document: Document) -> Iterator[Part]:
    """The images, links and footnote marks of a draft, also those inside links and in the words of images."""
    for leaf in _leaves(document):
        for inline in leaf.inlines:
            if inline.kind in _LEADING:
                yield Part(inline, document.line(inline.start), leaf.in_footnote)


def _leaves(document: Document) -> Iterator[Leaf]:
    return (token for token in document.tokens if isinstance(token, Leaf))


def _written(leaf: Leaf, source: str) -> Iterator[str]:
    ends: list[int] = []
    for inline in leaf.inlines:
        while ends and ends[-1] <= inline.start:
            ends.pop()
            yield OPAQUE
        match inline.kind:
            case "text":
                yield _text(inline, source)
            case "html":
                yield inline.text
            case "softbreak" | "hardbreak":
                yield "\n"
            case "link" | "image":
                ends.append(inline.end)
                yield OPAQUE
            case _:
                yield OPAQUE
    yield OPAQUE * len(ends)


def _text(inline: Inline, source: str) -> str:
    escaped = inline.end - inline.start > len(inline.text) and source[inline.start] == "\\"
    return _ESCAPED.get(inline.text, inline.text) if escaped else inline.text
