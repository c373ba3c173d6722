"""Stretches of a text that may name a place of a source: brackets behind a sentence, cells, captions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stemma_markdown import Document, Prose

LONGEST = 400
_FILE = re.compile(r"\.(?:md|markdown|txt|csv|tsv|json|ya?ml|docx?|pdf)\s{0,2}(?=[,;:)）])", re.IGNORECASE)
_BRACKET = re.compile(r"[()（）]")


class Aside(NamedTuple):
    """A stretch of a draft that may name a place, as it reads without markup."""

    start: int
    end: int
    text: str
    bracketed: bool = False


def asides(document: Document, places: Sequence[int]) -> Iterator[Aside]:
    """The brackets, cells and short paragraphs of a draft that hold one of the places."""
    for piece in document.prose:
        if bisect_left(places, piece.start) == bisect_left(places, piece.end):
            continue
        if piece.kind == "cell" or len(piece.text) <= LONGEST:
            yield Aside(piece.start, piece.end, piece.text)
        for start, end in brackets(piece.text):
            yield Aside(*piece.source(start, end), piece.text[start + 1 : end - 1], True)


def brackets(text: str) -> Iterator[tuple[int, int]]:
    """The outer brackets of a text that are not too long for a reference."""
    depth = start = 0
    for mark in _BRACKET.finditer(text):
        if mark[0] in "(（":
            start = start if depth and mark.start() - start <= LONGEST else mark.start()
            depth = depth + 1 if start != mark.start() else 1
        elif depth:
            depth -= 1
            if not depth and mark.end() - start <= LONGEST:
                yield start, mark.end()


def without_references(piece: Prose) -> str:
    """The text of a piece with spaces in place of brackets that name a file: they belong to no sentence."""
    text = piece.text
    if not _FILE.search(text):
        return text
    parts, at = list[str](), 0
    for start, end in brackets(text):
        if _FILE.search(text, start, end):
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*parts, text[at:]])
