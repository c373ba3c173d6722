"""What one text says: its claims, its words and its wording, each with the place where it stands."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

from stemma_markdown import document_of, with_prose_of_front_matter

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.extraction import claims
from stemma_evidence.claims.prose import headings_of, prose
from stemma_evidence.claims.quotations import folded

from .contexts import Context, contexts
from .fingerprints import ClaimFingerprints, Fingerprints, fingerprints_of_rows
from .statements import Aside, asides, columns, rows, statements
from .tables import HtmlTables, as_lines, rows_of
from .words import stems

T = TypeVar("T")

DRAFT = "draft"
"""The standing of the text whose claims are looked up."""

_WORD = re.compile(r"[^\W_]+")
_SOURCE_BYTES, _WORD_BYTES, _LINE_BYTES, _CLAIM_BYTES, _FINGERPRINT_BYTES, _SAID_BYTES = 1000, 220, 60, 900, 200, 6
"""What a source takes in memory, and each of what it holds or what is derived of it, measured."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the line in its file, the heading that it is under, the block and the part it is in."""

    line: int
    heading: str
    block: int
    part: int


@dataclass(frozen=True)
class Source:
    """One text that claims may stand in. ``name`` is its file or section, ``standing`` what a claim found there is.

    ``wording`` is its folded text; ``words`` the lines that a word stands on, by block; ``loose`` the claims, by their
    index, that are numbers without a unit in a table; ``columns`` tells of those in tables in which column each is.
    ``contexts`` are the words that each claim stands with. ``fingerprints`` are those of what it says whole, with
    their lines. Of a draft ``claim_fingerprints`` are those of what each claim stands in, ``asides`` what may name a
    place of a source. ``shown`` is the text with all that is no prose blank; of a table it is empty.
    """

    standing: str
    name: str
    claims: tuple[Claim, ...]
    wording: str
    words: dict[str, dict[int, int]]
    loose: frozenset[int] = frozenset()
    columns: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    contexts: tuple[Context, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()
    blocks: tuple[int, ...] = ()
    wording_lines: tuple[tuple[int, int], ...] = ()
    lines: tuple[int, ...] = ()
    language: str = ""
    fingerprints: dict[int, int] = field(default_factory=dict)
    claim_fingerprints: tuple[ClaimFingerprints, ...] = ()
    asides: tuple[Aside, ...] = ()
    shown: str = ""

    @cached_property
    def derived(self) -> dict[Callable[..., Any], Any]:
        """What was derived of it alone, by the function that did; see `kept_with_source`."""
        return {}

    @property
    def memory(self) -> int:
        """About how many bytes it takes in memory: up to some hundred for each character."""
        lines = sum(map(len, self.words.values()))
        prints = len(self.fingerprints) + len(self.claim_fingerprints) + len(self.asides)
        return (
            _SOURCE_BYTES
            + len(self.wording)
            + _WORD_BYTES * len(self.words)
            + _LINE_BYTES * lines
            + _CLAIM_BYTES * (len(self.claims) + len(self.columns))
            + _FINGERPRINT_BYTES * prints
            + _SAID_BYTES * len(self.shown)
        )

    def place(self, line: int) -> Place:
        """The place of a line."""
        part = bisect_right(self.headings, (line, "\uffff"))
        heading = self.headings[part - 1][1] if part else ""
        return Place(self.lines[line - 1] if self.lines else line, heading, bisect_right(self.blocks, line), part)

    @property
    def titles(self) -> frozenset[str]:
        """The headings, folded."""
        return frozenset(folded(heading).casefold() for _, heading in self.headings)

    def line_of_wording(self, position: int) -> int:
        """The line that a position of ``wording`` is on."""
        return self.wording_lines[bisect_right(self.wording_lines, (position, 1 << 60)) - 1][1]


def kept_with_source(function: Callable[[Source], T]) -> Callable[[Source], T]:
    """A function that is asked for a source once, as long as the source is kept: every draft that rests on it asks."""

    @wraps(function)
    def kept(source: Source) -> T:
        if function not in source.derived:
            source.derived[function] = function(source)
        found: T = source.derived[function]
        return found

    return kept


def read(text: str, media_type: str, language: str, *, standing: str, name: str) -> Source:
    """Read a text of a media type; a table or JSON cell by cell. Takes time linear in the text."""
    shown, lines = as_lines(with_prose_of_front_matter(text), media_type, language)
    wording, starts = _wording(shown)
    written = shown.split("\n")
    blocks = tuple(number for number, line in enumerate(written, 1) if not line.strip())
    document, is_draft = document_of(shown), standing == DRAFT
    tables = HtmlTables(document)
    # A comment of a source is for nobody who reads it; of a draft it may leave the house.
    said = prose(document, code=True, comments=is_draft)
    found = claims(shown, language, of_draft=is_draft, document=document, shown=said)
    places = [claim.start for claim in found]
    parts = list(rows(shown)) if lines else statements(document, tables, language, places) if found else []
    fingerprints = Fingerprints(document, parts, found, language)
    return Source(
        standing=standing,
        name=name,
        claims=found,
        wording=wording,
        words=_words(written, blocks),
        contexts=contexts(shown, found, [statement for statement in parts if not statement.title], language),
        loose=_loose(found, written, tables, tabular=bool(lines)),
        columns=columns(parts, places),
        headings=() if lines else tuple((piece.line, piece.text.strip()) for piece in headings_of(document)),
        blocks=blocks,
        wording_lines=starts,
        lines=lines,
        language=language,
        fingerprints=_rows_of(text, media_type) if lines else fingerprints.of_text(),
        claim_fingerprints=fingerprints.of_claims() if is_draft else (),
        asides=tuple(asides(document, places)) if is_draft else (),
        shown="" if lines else said,
    )


def _rows_of(text: str, media_type: str) -> dict[int, int]:
    return fingerprints_of_rows((line, [cell for _, cell in cells]) for line, cells in rows_of(text, media_type))


def _wording(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    parts, starts, position = [], [(0, 1)], 0
    for number, line in enumerate(text.split("\n"), 1):
        words = folded(html.unescape(line)).casefold()
        if words:
            starts.append((position, number))
            parts.append(words)
            position += len(words) + 1
    return " ".join(parts), tuple(starts)


def _words(lines: Iterable[str], blocks: tuple[int, ...]) -> dict[str, dict[int, int]]:
    """For every stem that a word may have, the blocks that it stands in, with the line in each."""
    found: dict[str, dict[int, int]] = {}
    for word, lines_of_word in _lines_of_words(lines, blocks).items():
        for stem in stems(word):
            known = found.get(stem)
            found[stem] = lines_of_word if known is None else merged_lines(known, lines_of_word)
    return found


def _lines_of_words(lines: Iterable[str], blocks: tuple[int, ...]) -> dict[str, dict[int, int]]:
    """For every word as it is written, the blocks that it stands in, with the first line in each."""
    found: dict[str, dict[int, int]] = {}
    for number, line in enumerate(lines, 1):
        block = bisect_right(blocks, number)
        for word in _WORD.findall(line):
            found.setdefault(word, {}).setdefault(block, number)
    return found


def merged_lines(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    """Of two words the first line in each block, the blocks in their order."""
    if one is other:
        return one
    return {block: min(one.get(block, line), line) for block, line in sorted((one | other).items())}


def _loose(found: tuple[Claim, ...], lines: list[str], tables: HtmlTables, *, tabular: bool) -> frozenset[int]:
    """The numbers in cells whose unit stands nowhere beside them: they may be of any."""
    rows = {number for number, line in enumerate(lines, 1) if tabular or "|" in line}
    return frozenset(
        index
        for index, claim in enumerate(found)
        if claim.kind == "quantity" and not claim.units and (claim.line in rows or tables.hold(claim.start))
    )
