"""A Markdown text as passages: each paragraph, item, row and code block with the headings that it stands under."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from stemma_markdown import Document, Prose, without_templates

from .claim import Claim
from .extraction import claims
from .tabular import in_column, rows_of

FACTS = ("amount", "date", "name")


@dataclass(frozen=True)
class Passage:
    """``path`` are the headings above it, the nearest last; ``place`` the same as numbers, for two of one name.

    ``facts`` are its amounts, dates and names, of a row of a table its other numbers too; ``numbers`` are those that a
    paragraph may round or leave out; ``line`` counts from 1.
    """

    text: str
    path: tuple[str, ...]
    place: tuple[int, ...]
    line: int
    facts: tuple[Claim, ...]
    numbers: tuple[Claim, ...] = ()


def rows(text: str, media_type: str, language: str) -> Iterator[Passage]:
    """The rows of a table or JSON, each a passage of the cells that have words; numbers are facts of their row.

    What has its unit from the name of its column may stand without it under that name.
    """
    for line, cells in rows_of(text, media_type):
        found = claims("\n\n".join(in_column(cell, name, language) for name, cell in cells), language)
        facts = tuple(_also_bare(claim) for claim in found if claim.kind in (*FACTS, "quantity"))
        words = " ".join(" ".join(cell.split()) for _, cell in cells if any(map(str.isalpha, cell)))
        yield Passage(words, (), (), line, facts)


def _also_bare(claim: Claim) -> Claim:
    bare = tuple(value.partition(" ")[0] for value in claim.values) if claim.units else ()
    return replace(claim, values=(*claim.values, *bare))


def passages(text: str, language: str) -> Iterator[Passage]:
    """The passages of a text in their order, without headings and without the descriptions of images."""
    document = Document(_without_images(without_templates(text)))
    facts = [
        claim for claim in claims(document.text, language, document=document) if claim.kind in (*FACTS, "quantity")
    ]
    starts = [claim.start for claim in facts]
    above: list[tuple[int, str, int]] = []
    number = 0
    for pieces in _rows(document.prose):
        first = pieces[0]
        if first.kind == "heading" and not first.quoted:
            number += 1
            above = [*(entry for entry in above if entry[0] < first.level), (first.level, first.text, number)]
            continue
        found = facts[bisect_left(starts, first.start) : bisect_left(starts, pieces[-1].end)]
        yield Passage(
            text=" ".join(" ".join(piece.text.split()) for piece in pieces),
            path=tuple(" ".join(title.split()) for _, title, _ in above),
            place=tuple(number for _, _, number in above),
            line=first.line,
            facts=tuple(claim for claim in found if claim.kind in FACTS),
            numbers=tuple(claim for claim in found if claim.kind not in FACTS),
        )


def _rows(pieces: Sequence[Prose]) -> Iterator[list[Prose]]:
    """Each piece by itself, the cells of a row together."""
    for cell, group in groupby(pieces, lambda piece: piece.line if piece.kind == "cell" else 0):
        if cell:
            yield list(group)
        else:
            yield from ([piece] for piece in group)


def _without_images(text: str) -> str:
    """The text with spaces in place of images: whether one is shown, skipped or described is no matter of words."""
    if "![" not in text and "<img" not in text.lower():
        return text
    kept, at = list[str](), 0
    for image in Document(text).images:
        if image.start >= at:
            kept += [text[at : image.start], "".join(c if c == "\n" else " " for c in text[image.start : image.end])]
            at = image.end
    return "".join([*kept, text[at:]])
