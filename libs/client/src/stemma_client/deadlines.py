"""The deadlines of a ledger in the order of their days, and whether each is past."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from stemma_contracts.v1.deadlines import Deadline, DueTime

DeadlineState = Literal["past", "today", "coming", "open"]
"""Of a day; ``open`` is one that no calendar tells: it is counted from an event, has no year, or may be before or after
today."""


@dataclass(frozen=True)
class ListedDeadline:
    """A deadline with how it stands on a day; ``days_left`` is None where that is open."""

    deadline: Deadline
    state: DeadlineState
    days_left: int | None = None


def listed_deadlines(deadlines: Iterable[Deadline], today: date) -> tuple[ListedDeadline, ...]:
    """The deadlines that count, by their days; those without one last, in the order of their sources."""
    counting = [one for one in deadlines if not one.replaced_by]
    return tuple(_listed(one, today) for one in sorted(counting, key=lambda one: _order(one.due)))


def _listed(deadline: Deadline, today: date) -> ListedDeadline:
    due = deadline.due
    first, last = _first(due.days[0]) if due.days else None, [_last(day) for day in (*due.days, due.until) if day]
    if first is None or None in last:
        return ListedDeadline(deadline, "open")
    if all(day is not None and day < today for day in last):
        return ListedDeadline(deadline, "past", (max(day for day in last if day) - today).days)
    begins = min(day for day in map(_first, due.days) if day)
    if begins > today:
        return ListedDeadline(deadline, "coming", (begins - today).days)
    return ListedDeadline(deadline, "open" if len(due.days) > 1 else "today", None if len(due.days) > 1 else 0)


def _order(due: DueTime) -> tuple[str, str]:
    """Days as they are written sort as they follow each other; one without a year stands behind all that have one."""
    return (due.days[0].replace("--", "~"), due.time or "~") if due.days else ("~~", "")


def _first(day: str) -> date | None:
    """The first day that is meant; None without a year."""
    if day.startswith("-"):
        return None
    return date.fromisoformat(day if len(day) > len("2027-03") else f"{day}-01")


def _last(day: str) -> date | None:
    """The last day that is meant, of a month its last one; None without a year."""
    first = _first(day)
    if first is None or len(day) > len("2027-03"):
        return first
    return date.fromordinal(_next_month(first).toordinal() - 1)


def _next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)
