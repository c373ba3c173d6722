"""Checks beyond lint: title, required headings, images, links, footnotes, placeholders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import unquote

from stemma_contracts.v1.validation import ValidationIssue
from stemma_markdown import Document, Heading, anchors, document_of

from .markdown import Part, Prose, parts, prose
from .rules import Rule

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
        *_missing_headings(found, required_headings),
        *_images(inline, assets),
        *_links(inline, assets, anchors(found)),
        *_undefined(written),
        *_nested_footnotes(inline),
        *_placeholders(written),
    ]


def _title(document: Document) -> Iterator[ValidationIssue]:
    first = next((block for block in document.blocks if block.kind != "blank"), None)
    if first is None or (first.kind, first.level) != ("heading", 1):
        yield Rule.TITLE_FIRST.issue(first.line if first else 1)
    for extra in [heading for heading in document.headings if heading.level == 1][1:]:
        yield Rule.ONE_TITLE.issue(extra.line, extra.text)


def _missing_headings(found: Iterable[Heading], required: Iterable[str]) -> Iterator[ValidationIssue]:
    present = {heading.text.casefold() for heading in found}
    for heading in required:
        if " ".join(heading.split()).casefold() not in present:
            yield Rule.REQUIRED_HEADING.issue(0, heading)


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
            if not _leads_somewhere(target, known):
                yield Rule.MISSING_ANCHOR.issue(part.line, unquote(target))
        elif _file_name(target) not in assets:
            yield Rule.MISSING_FILE.issue(part.line, _file_name(target))


def _leads_somewhere(target: str, known: set[str]) -> bool:
    return unquote(target[1:]).lower() in known | {"", "top"}


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
