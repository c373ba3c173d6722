"""A ledger of demands that is read again and again: ids that last, and what one reading has that another has not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from stemma_contracts.v1.ledger import (
    MOST_QUOTED,
    MOST_ROWS,
    ChangedRow,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
)
from stemma_markdown import Quotable, match_parts

from .extraction import Requirement, requirements
from .parts import cut_again, joined

SAME = 0.3
"""The share of what two rows say, each word weighed by how rare it is, that makes them one row that was changed."""
MOST_HEADING = 300
MOST_HEADINGS = 6

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Source:
    """A text that demands are read from, in Markdown; ``language`` is a BCP 47 tag."""

    name: str
    text: str
    language: str


def read_ledger(sources: Sequence[Source], previous: LedgerRows) -> LedgerRows:
    """The demands of all sources; each that was in the previous reading has the id that it had there.

    Rows of one source are compared with those that it had before: equal ones first, then the most similar, of those
    the ones with the fewest rows between. What is left is looked for in the other sources. Rows that a person or a
    model added stay as long as their words stand in their source. A row that a person cut is cut where it was.
    """
    found = [(source.name, one) for source in sources for one in requirements(source.text, source.language)]
    kept, by_rules = _added(sources, previous), [row for row in previous.rows if row.found_by == "rules"]
    earlier, parts = joined(by_rules)
    room = MOST_ROWS - len(kept) - (len(by_rules) - len(earlier))
    rows = [_row(name, one) for name, one in islice(found, room)]
    partners = _partners(earlier, rows)
    given = previous.given
    named: list[LedgerRow] = []
    for number, unnamed in enumerate(rows):
        given += number not in partners
        own = earlier[partners[number]].requirement_id if number in partners else f"R{given}"
        row = unnamed.model_copy(update={"requirement_id": own})
        named += cut_again(row, parts[own]) if own in parts else [row]
    return LedgerRows(given=given, rows=(*named, *kept), more=max(0, len(found) - room))


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
        announced_by=found.unit.leads[-1][:MOST_QUOTED] if found.unit.leads else "",
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


def _partners(before: Sequence[LedgerRow], after: Sequence[LedgerRow]) -> dict[int, int]:
    """The number of the old row that each new row is, by the number of the new one."""
    found: dict[int, int] = {}
    olds, news = _by_source(before), _by_source(after)
    for source, numbers in news.items():
        found |= _matched(before, after, olds.get(source, []), numbers)
    taken = set(found.values())
    old_left = [number for number in range(len(before)) if number not in taken]
    new_left = [number for number in range(len(after)) if number not in found]
    return found | _matched(before, after, old_left, new_left)


def _by_source(rows: Sequence[LedgerRow]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(row.source, []).append(number)
    return numbers


def _matched(
    before: Sequence[LedgerRow], after: Sequence[LedgerRow], olds: Sequence[int], news: Sequence[int]
) -> dict[int, int]:
    """The partners among the rows of these numbers."""
    old, new = [before[number].quote for number in olds], [after[number].quote for number in news]
    rarity = _rarity([*old, *new])
    pairs = match_parts(old, new).items()
    return {news[now]: olds[then] for now, then in pairs if _is_same(old[then], new[now], rarity)}


def _rarity(quotes: Sequence[str]) -> dict[str, float]:
    """How much a word tells, by how few rows have it: "The contractor shall" makes no two rows the same."""
    counts = Counter(word for quote in quotes for word in _words(quote))
    return {word: math.log(len(quotes) / count) for word, count in counts.items()}


def _is_same(before: str, after: str, rarity: Mapping[str, float]) -> bool:
    """Whether two rows are one that was changed: they have in common enough of the words that tell something."""
    old, new = _words(before), _words(after)
    every = sum(rarity[word] for word in old | new)
    return before == after or sum(rarity[word] for word in old & new) >= SAME * every


def _words(quote: str) -> set[str]:
    return set(_WORD.findall(quote.casefold()))
