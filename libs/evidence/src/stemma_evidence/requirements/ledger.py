"""A ledger of demands that is read again and again: ids that last, and what one reading has that another has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise

from stemma_contracts.v1.ledger import (
    MOST_QUOTED,
    MOST_ROWS,
    ChangedRow,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
)
from stemma_markdown import Quotable, differing

from .amending import moved, read_deadlines
from .extraction import Requirement, requirements
from .matching import partners
from .sources import Source


def joined(rows: Sequence[LedgerRow]) -> tuple[list[LedgerRow], dict[str, list[LedgerRow]]]:
    """The rows with the parts of each one joined again, under the id of the whole, and those parts by that id."""
    parts: dict[str, list[LedgerRow]] = {}
    for row in rows:
        parts.setdefault(row.part_of or row.requirement_id, []).append(row)
    wholes = [own[0].model_copy(update={"requirement_id": name, "quote": _words(own)}) for name, own in parts.items()]
    return wholes, {name: own for name, own in parts.items() if own[0].part_of}


def cut_again(row: LedgerRow, parts: Sequence[LedgerRow]) -> Iterator[LedgerRow]:
    """The parts of a row as it reads now; one whose words are gone is none of them.

    Words that are new where two parts meet belong to the first of them.
    """
    words = row.quote.split(" ")
    for part, (start, end) in zip(parts, pairwise(_edges(parts, words)), strict=True):
        if start < end:
            about = {"requirement_id": part.requirement_id, "quote": " ".join(words[start:end])}
            yield row.model_copy(update=about | {"part_of": part.part_of, "parts_given": part.parts_given})


def _edges(parts: Sequence[LedgerRow], words: Sequence[str]) -> list[int]:
    """Where each part begins among the words of now, and where the last one ends."""
    before = _words(parts).split(" ")
    begins = list(accumulate(len(part.quote.split(" ")) for part in parts[:-1]))
    runs = [*differing(before, words)]
    return [0, *(_moved(begin, runs) for begin in begins), len(words)]


def _moved(place: int, runs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    """The place of now that was a place of before."""
    shift = 0
    for (start, end), (now, now_end) in runs:
        if place < start:
            break
        if place < end:
            return min(now + place - start, now_end)
        shift = now_end - end
    return place + shift


def _words(parts: Sequence[LedgerRow]) -> str:
    return " ".join(part.quote for part in parts)


MOST_HEADING = 300
MOST_HEADINGS = 6


def read_ledger(sources: Sequence[Source], previous: LedgerRows) -> LedgerRows:
    """The demands and deadlines of all sources; each that was in the previous reading has the id that it had there.

    Rows of one source are compared with those that it had before: equal ones first, then the most similar, of those
    the ones with the fewest rows between. What is left is looked for in the other sources. Rows that a person or a
    model added stay as long as their words stand in their source. A row that a person cut is cut where it was.
    """
    found = [(source.name, one) for source in sources for one in requirements(source.text, source.language)]
    kept, by_rules = _added(sources, previous), [row for row in previous.rows if row.found_by == "rules"]
    earlier, parts = joined(by_rules)
    room = MOST_ROWS - len(kept) - (len(by_rules) - len(earlier))
    rows = [_row(name, one) for name, one in islice(found, room)]
    same = partners(earlier, rows)
    given = previous.given
    named: list[LedgerRow] = []
    for number, unnamed in enumerate(rows):
        given += number not in same
        own = earlier[same[number]].requirement_id if number in same else f"R{given}"
        row = unnamed.model_copy(update={"requirement_id": own})
        named += cut_again(row, parts[own]) if own in parts else [row]
    told = read_deadlines(sources, named, previous.deadlines)
    return LedgerRows(given=given, rows=(*named, *kept), more=max(0, len(found) - room), deadlines=told)


def difference(before: LedgerRows, after: LedgerRows) -> LedgerDifference:
    """What changed from one reading to another; a row that only moved did not change."""
    old = {row.requirement_id: row for row in before.rows}
    new = {row.requirement_id: row for row in after.rows}
    both = ((row, new[name]) for name, row in old.items() if name in new)
    return LedgerDifference(
        new=tuple(row for name, row in new.items() if name not in old),
        changed=tuple(
            ChangedRow(requirement_id=row.requirement_id, before=row, after=now)
            for row, now in both
            if _demands(row) != _demands(now)
        ),
        withdrawn=tuple(row for name, row in old.items() if name not in new),
        deadlines=moved(before.deadlines, after.deadlines),
    )


def _demands(row: LedgerRow) -> tuple[str, str, str]:
    return row.quote, row.kind, row.obligation


def _row(source: str, found: Requirement) -> LedgerRow:
    return LedgerRow(
        requirement_id="R0",
        source=source,
        line=found.unit.line,
        headings=tuple(title[:MOST_HEADING] for title in found.unit.path[-MOST_HEADINGS:]),
        quote=found.unit.text[:MOST_QUOTED],
        announced_by=found.announced_by[:MOST_QUOTED],
        kind=found.kind,
        obligation=found.obligation,
    )


def _added(sources: Sequence[Source], previous: LedgerRows) -> list[LedgerRow]:
    """The rows that no rule found, as far as their words are still there, where they are now."""
    texts = {source.name: Quotable(source.text) for source in sources}
    added = [row for row in previous.rows if row.found_by != "rules"]
    found = ((row, texts[row.source].find(row.quote)) for row in added if row.source in texts)
    return [row.model_copy(update={"line": _line(texts[row.source].text, place)}) for row, place in found if place]


def _line(text: str, place: tuple[int, int]) -> int:
    return text.count("\n", 0, place[0]) + 1
