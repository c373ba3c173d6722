"""What a model calls a demand, as rows of a ledger: its words stand in one block of a source, and no row has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from stemma_contracts.v1.ledger import (
    MOST_QUOTED,
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    Obligation,
    RequirementKind,
)
from stemma_markdown import Document, Quotable, plain

from .sources.markdown import Passage

FEWEST_WORDS = 3
"""Fewer words say nothing that a person could answer."""
MOST_PLACE = 300

Range = tuple[int, int]


class ProposedRows:
    """The rows of a ledger, and those that are new; what came to nothing is counted."""

    def __init__(self, ledger: LedgerRows) -> None:
        self._ledger = ledger
        self._given = ledger.given
        self.new: list[LedgerRow] = []
        self.known = 0
        self.unfounded = 0

    @property
    def rows(self) -> LedgerRows:
        """The ledger with what is new."""
        return self._ledger.model_copy(update={"given": self._given, "rows": (*self._ledger.rows, *self.new)})

    def known_by_rules(self, passages: Sequence[Passage]) -> Iterator[str]:
        """The rows that rules found in passages."""
        for passage in passages:
            text = _read(passage.text)
            yield from (row.quote for row in self._of(passage) if row.found_by == "rules" and text.range_of(row.quote))

    def take(self, quote: str, kind: RequirementKind, obligation: Obligation, passages: Sequence[Passage]) -> None:
        """Make a row of a demand, if its words stand in one block of a passage, and are in no row."""
        found = [(passage, place) for passage in passages if (place := _read(passage.text).block_range_of(quote))]
        free = next((one for one in found if not self._is_known(*one)), None)
        if not found:
            self.unfounded += 1
        elif free is None or len(self._ledger.rows) + len(self.new) >= MOST_ROWS:
            self.known += 1
        else:
            self._given += 1
            self.new.append(_row(f"R{self._given}", *free, kind, obligation))

    def _is_known(self, passage: Passage, place: Range) -> bool:
        text = _read(passage.text)
        held = (text.range_of(row.quote) for row in self._of(passage))
        return any(one is not None and one[0] < place[1] and place[0] < one[1] for one in held)

    def _of(self, passage: Passage) -> Iterator[LedgerRow]:
        return (row for row in (*self._ledger.rows, *self.new) if row.source == passage.source)


class _Text:
    """The text of a passage, read once."""

    def __init__(self, text: str) -> None:
        self._quotable = Quotable(text)
        self.blocks = [block for block in Document(text).blocks if block.kind != "blank"]

    def range_of(self, quote: str) -> Range | None:
        """Where words stand; between the cells of a row nothing is written that is read."""
        return self._quotable.find(quote.replace(" | ", " "))

    def block_range_of(self, quote: str) -> Range | None:
        """Where enough words stand, if that is within one block."""
        place = self.range_of(quote)
        if place is None or len(quote.split()) < FEWEST_WORDS or place[1] - place[0] > MOST_QUOTED:
            return None
        return place if any(one.start <= place[0] and place[1] <= one.end for one in self.blocks) else None


@lru_cache(maxsize=64)
def _read(text: str) -> _Text:
    return _Text(text)


def _row(name: str, passage: Passage, place: Range, kind: RequirementKind, obligation: Obligation) -> LedgerRow:
    words = " ".join(plain(passage.text[slice(*place)]).split())
    return LedgerRow(
        requirement_id=name,
        source=passage.source,
        line=_line(passage, place[0]),
        place=passage.place[:MOST_PLACE],
        headings=(passage.heading,) if passage.heading else (),
        quote=words,
        kind=kind,
        obligation=obligation,
        found_by="model",
    )


def _line(passage: Passage, start: int) -> int:
    """The line in the file: blocks stand closer together in a passage than there."""
    blocks = _read(passage.text).blocks
    number = max((n for n, one in enumerate(blocks) if one.start <= start), default=0)
    if number >= len(passage.lines):
        return passage.lines[0] if passage.lines else 1
    return passage.lines[number] + passage.text.count("\n", blocks[number].start, start)
