"""The deadlines of a ledger that is read again: ids that last, and what they were before an amendment changed them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from stemma_contracts.v1.deadlines import (
    MOST_DEADLINE_WORDS,
    MOST_DEADLINES,
    Deadline,
    DeadlineChange,
    Deadlines,
    DueTime,
)
from stemma_contracts.v1.ledger import LedgerRow

from .deadlines import FoundDeadline, deadlines
from .matching import partners
from .sources import Source

WHICH = 1000
"""Characters that are quoted before a time that stands deep in a long sentence."""
Rows = Mapping[tuple[str, int, str], str]
"""The ids of rows by their source, their line and their words."""


def read_deadlines(sources: Sequence[Source], rows: Sequence[LedgerRow], previous: Deadlines | None) -> Deadlines:
    """The deadlines of all sources; each that was in the previous reading has the id that it had there.

    One that names another time than it did has what it was, with the version of its source that changed it. A sentence
    of a later source that says that a deadline moved replaces the one that it names, or the only one of its kind.
    """
    named = {(row.source, row.line, row.quote): row.requirement_id for row in rows}
    found = [(source, one) for source in sources for one in _found(source, named)]
    kept = found[:MOST_DEADLINES]
    old = previous or Deadlines()
    unnamed = [_deadline(source, one, named) for source, one in kept]
    same = _same(old.found, unnamed)
    given, told = old.given, list[Deadline]()
    for number, one in enumerate(unnamed):
        given += number not in same
        about = (
            {"deadline_id": f"D{given}"} if number not in same else _kept(old.found[same[number]], one, kept[number][0])
        )
        told.append(one.model_copy(update=about))
    replaced = _replaced(told, kept)
    return Deadlines(given=given, found=tuple(replaced), more=len(found) - len(kept))


def moved(before: Deadlines | None, after: Deadlines | None) -> tuple[str, ...]:
    """The ids of the deadlines that a reading found changed."""
    known = {one.deadline_id: len(one.changes) for one in before.found} if before else {}
    return (
        tuple(one.deadline_id for one in after.found if len(one.changes) > known.get(one.deadline_id, 0))
        if after
        else ()
    )


def _found(source: Source, rows: Rows) -> Iterator[FoundDeadline]:
    demanded = {(line, quote) for name, line, quote in rows if name == source.name}
    return islice(deadlines(source.text, source.language, demanded), 10 * MOST_DEADLINES)


def _deadline(source: Source, found: FoundDeadline, rows: Rows) -> Deadline:
    unit, when = found.unit, found.when
    begin = 0 if when.end <= MOST_DEADLINE_WORDS else max(0, when.start - WHICH)
    return Deadline(
        deadline_id="D0",
        kind=found.kind,
        due=found.due,
        source=source.name,
        line=unit.line,
        quote=unit.text[begin : begin + MOST_DEADLINE_WORDS],
        requirement_id=rows.get((source.name, unit.line, unit.text), ""),
    )


@dataclass(frozen=True)
class _Undated:
    """The words of a deadline without its time, by which it is known again."""

    source: str
    quote: str


def _same(before: Sequence[Deadline], after: Sequence[Deadline]) -> dict[int, int]:
    """The number of the old deadline that each new one is: what is due is the same, and most of the words, or it is the
    only one of its kind that is left in its source."""
    pairs = partners([_undated(one) for one in before], [_undated(one) for one in after])
    same = {new: old for new, old in pairs.items() if before[old].kind == after[new].kind}
    olds = _alone(before, set(same.values()))
    news = _alone(after, set(same))
    return same | {number: olds[about] for about, number in news.items() if about in olds}


def _undated(one: Deadline) -> _Undated:
    return _Undated(one.source, one.quote.replace(one.due.written, " "))


def _alone(deadlines: Sequence[Deadline], taken: Collection[int]) -> dict[tuple[str, str], int]:
    """The deadlines that are the only ones of their kind in their source, of those that have no partner yet."""
    left: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(deadlines):
        if number not in taken:
            left.setdefault((one.source, one.kind), []).append(number)
    return {about: numbers[0] for about, numbers in left.items() if len(numbers) == 1}


def _kept(before: Deadline, after: Deadline, source: Source) -> dict[str, object]:
    """What a deadline keeps that was there before, with what it was if it changed."""
    changes = before.changes
    if _differs(before.due, after.due):
        change = DeadlineChange(before=before.due, source=source.name, version=source.version, file=source.file)
        changes = (*changes, change)
    return {"deadline_id": before.deadline_id, "changes": changes}


def _differs(before: DueTime, after: DueTime) -> bool:
    if before.days or after.days:
        return (before.days, before.until, before.time) != (after.days, after.until, after.time)
    return before.written.casefold() != after.written.casefold()


def _replaced(told: Sequence[Deadline], found: Sequence[tuple[Source, FoundDeadline]]) -> list[Deadline]:
    """The deadlines, with those of earlier sources that a later one moved marked as replaced."""
    now = list(told)
    for number, (source, one) in enumerate(found):
        if one.moves:
            targets = _targets(now, number, one)
            before = [now[target].due for target in targets] or ([one.before] if one.before else [])
            for target in targets:
                now[target] = now[target].model_copy(update={"replaced_by": now[number].deadline_id})
            if before and not now[number].changes:
                change = DeadlineChange(before=before[0], source=source.name, version=source.version, file=source.file)
                earlier = now[targets[0]].changes if targets else ()
                now[number] = now[number].model_copy(update={"changes": (*earlier, change)})
    return now


def _targets(now: Sequence[Deadline], number: int, one: FoundDeadline) -> list[int]:
    """The deadlines of earlier sources that one of an amendment moves: those it names, else all of one day and kind."""
    mine = now[number]
    earlier = [
        place
        for place, other in enumerate(now[:number])
        if other.source != mine.source and not other.replaced_by and mine.kind in (other.kind, "other")
    ]
    if one.before is not None:
        return [place for place in earlier if now[place].due.days == one.before.days != ()]
    same = [place for place in earlier if now[place].kind == mine.kind != "other" and now[place].due.days]
    return same if len({now[place].due.days for place in same}) == 1 else []
