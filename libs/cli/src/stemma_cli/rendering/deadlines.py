"""The deadlines of what a document answers, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import note, say_json, say_table

if TYPE_CHECKING:
    from stemma_client.ledgers import ListedDeadline, RequirementLedger
    from stemma_contracts.v1.deadlines import DeadlineChange, DueTime

COLUMNS = ("id", "day", "time", "state", "due", "source", "as written", "before", "text")
DOUBTS = {
    "order": "day and month may be the other way round",
    "year": "no year is said",
    "weekday": "it is another day of the week",
    "day": "there is no such day",
}


def show_deadlines(ledger: RequirementLedger, *, as_json: bool) -> None:
    """List the deadlines by their days. Raises `CliError` if the ledger was read without looking for any."""
    from stemma_client.ledgers import listed_deadlines

    if ledger.deadlines is None:
        raise CliError(ExitCode.FAILED, "no deadlines were looked for when the requirements were read: `--read` does")
    listed = listed_deadlines(ledger.deadlines, date.today())
    if as_json:
        say_json(listed)
        return
    say_table(COLUMNS, [_cells(one) for one in listed])
    if ledger.more_deadlines:
        note(f"{ledger.more_deadlines} more than a ledger can have were left out")


def moved_deadlines(ledger: RequirementLedger) -> Iterator[str]:
    """Which deadlines the last reading found changed, in words."""
    for one in ledger.deadlines or ():
        if one.deadline_id in ledger.difference.deadlines and one.changes:
            change = one.changes[-1]
            yield f"{one.kind}: was {change.before.written}, now {one.due.written} ({_amendment(change)})"


def next_deadline(ledger: RequirementLedger) -> str:
    """The next deadline in words, and how many there are; empty if there is none to come."""
    from stemma_client.ledgers import listed_deadlines

    listed = listed_deadlines(ledger.deadlines or (), date.today())
    one = next((one for one in listed if one.state in ("today", "coming")), None)
    return (
        f"next: {one.deadline.kind} {one.deadline.due.written} ({_state(one)}); --deadlines lists {len(listed)}"
        if one
        else ""
    )


def _cells(one: ListedDeadline) -> tuple[str, ...]:
    deadline = one.deadline
    return (
        deadline.deadline_id,
        _day(deadline.due),
        " ".join(word for word in (deadline.due.time, deadline.due.zone) if word),
        _state(one),
        deadline.kind,
        f"{deadline.source}, {deadline.place}" if deadline.place else f"{deadline.source}:{deadline.line}",
        "; ".join((deadline.due.written, *(DOUBTS[doubt] for doubt in deadline.due.doubts))),
        "; ".join(f"was {change.before.written} ({_amendment(change)})" for change in reversed(deadline.changes)),
        deadline.quote,
    )


def _day(due: DueTime) -> str:
    """The day as its words decide it; what they leave open is told as that."""
    days = " or ".join(due.days)
    return f"{days} to {due.until}" if due.until else days


def _state(one: ListedDeadline) -> str:
    match one.state:
        case "coming":
            return "in 1 day" if one.days_left == 1 else f"in {one.days_left} days"
        case "open":
            return "" if one.deadline.due.days else "counted"
        case _:
            return one.state


def _amendment(change: DeadlineChange) -> str:
    version = f", version {change.version}" if change.version else ""
    return f"{change.source}{version}{f', {change.file}' if change.file not in ('', change.source) else ''}"
