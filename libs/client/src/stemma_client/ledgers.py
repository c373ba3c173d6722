"""The requirement ledger of a document: its rows, with what people decided about each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from stemma_contracts import v1
from stemma_contracts.v1.bids import BidRules
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.deadlines import Deadline, DueTime
from stemma_contracts.v1.ledger import AnswerStatus, LedgerDifference, LedgerRow, LedgerRows, RowCuts
from stemma_contracts.v1.views import NO_DECISION, LedgerView, RowView

from .errors import InvalidCutError, LedgerFailedError, OpinionSupersededError
from .recorded import RecordedEvent

if TYPE_CHECKING:
    from stemma_contracts.v1.views import DocumentView

    from .client import Client


@dataclass(frozen=True)
class Answer:
    """The words of a block that answers a row, and the line of its section that it begins on."""

    words: str = ""
    line: int = 0


NO_ANSWER = Answer()
UNANSWERED: tuple[AnswerStatus, ...] = ("open", "check")


@dataclass(frozen=True)
class LedgerEntry:
    """A row, what became of it, and the words of the block that answers it, as far as code found one.

    ``answer_line`` is the line of its section that the block begins on, 0 where there is none.
    """

    row: LedgerRow
    standing: RowView
    answer: str = ""
    answer_line: int = 0

    @property
    def decided(self) -> Literal["found", "confirmed", "dropped", "merged"]:
        """Whether the row was only found, or what a person made of it."""
        if self.standing.merged_into:
            return "merged"
        return "dropped" if self.standing.dropped else "confirmed" if self.standing.confirmed else "found"

    @property
    def counts(self) -> bool:
        """Whether it is a demand of its own."""
        return self.decided in ("found", "confirmed")

    @property
    def is_hole(self) -> bool:
        """Whether nothing answers it, as far as anybody said or code is sure."""
        return self.counts and self.standing.status in UNANSWERED


@dataclass(frozen=True)
class RequirementLedger:
    """The rows of the last reading in the order of their sources, and what that reading changed.

    ``deadlines`` and ``bid`` are None if a release read them that looked for none: read the requirements again.
    """

    view: LedgerView
    entries: tuple[LedgerEntry, ...]
    difference: LedgerDifference
    deadlines: tuple[Deadline, ...] | None = None
    more_deadlines: int = 0
    bid: BidRules | None = None

    @property
    def rows_digest(self) -> str:
        """The digest of its rows, by which a request that cuts some says whose words it cuts."""
        return self.view.rows.digest if self.view.rows else ""

    def cuts_before(self, requirement_id: str, beginnings: Iterable[str]) -> RowCuts:
        """Where to cut a row, if its parts but for the first begin with these words.

        Raises `InvalidCutError` for a row that is not there, and for words that do not begin just once in it.
        """
        entry = next((entry for entry in self.entries if entry.row.requirement_id == requirement_id), None)
        if entry is None:
            raise InvalidCutError.of("row_unknown", requirement_id=requirement_id)
        cuts = {_place(entry.row, " ".join(words.split())) for words in beginnings}
        return RowCuts(requirement_id=requirement_id, cuts=tuple(sorted(cuts)))


@dataclass(frozen=True)
class Matrix:
    """Demands by the sections that are to answer them. ``idle`` are sections that no demand of the ledger is given to.

    ``sections`` are the titles of all sections, by their ids.
    """

    entries: tuple[LedgerEntry, ...]
    sections: Mapping[str, str]
    idle: tuple[str, ...]

    def row(self, entry: LedgerEntry) -> tuple[bool, ...]:
        """Of each section whether it is to answer a demand: none is, or one."""
        return tuple(name == entry.standing.section_id for name in self.sections)


def matrix_of(document: DocumentView, ledger: RequirementLedger, entries: Iterable[LedgerEntry]) -> Matrix:
    """The matrix of some rows of a ledger, with the titles of all sections in their order."""
    titles = {name: section.title for name, section in document.sections.items()}
    given = {entry.standing.section_id for entry in ledger.entries if entry.counts}
    return Matrix(tuple(entries), titles, tuple(name for name in titles if name not in given))


async def read_requirements(client: Client, request: v1.requests.ReadRequirements) -> RequirementLedger:
    """Have demands read, and wait for the ledger; see `Client.read_requirements`."""
    accepted = await client.request(request)
    return await _read_since(client, request.document_id, accepted.sequence, second_opinion=request.second_opinion)


async def read_after(client: Client, document_id: str, sequence: int) -> RequirementLedger:
    """Wait for the reading that an input caused; see `Client.requirements_after`."""
    caused = [event for event in await client.history(document_id) if event.sequence >= sequence]
    if any(isinstance(event.contract, v1.events.RequirementsRequested) for event in caused):
        return await _read_since(client, document_id, sequence)
    view = (await client.document(document_id)).ledger
    without_brief = view is None or not view.brief
    return await client.read_requirements(document_id, without_brief=without_brief)


async def _read_since(
    client: Client, document_id: str, sequence: int, *, second_opinion: bool = False
) -> RequirementLedger:
    async with aclosing(client.follow(document_id, from_sequence=sequence)) as recorded_events:
        async for event in recorded_events:
            _raise_if_ended(event, sequence, second_opinion=second_opinion)
            if isinstance(
                event.contract, v1.events.RequirementsAdded if second_opinion else v1.events.RequirementsRead
            ):
                return await client.ledger(document_id, at_least=event.sequence)
    raise LedgerFailedError("the connection was closed")


async def ledger_of(client: Client, document: DocumentView) -> RequirementLedger:
    """The ledger of a document that was read; raises `LedgerFailedError` if nothing was read into it yet."""
    document_id, view = document.document_id, document.ledger
    if view is None or view.rows is None:
        raise LedgerFailedError((view.failure if view else "") or "nothing was read into it yet")
    read = LedgerRows.model_validate_json(await client.artifact(document_id, view.rows))
    changed = await client.artifact(document_id, view.difference) if view.difference else b"{}"
    answering = {one.section_id for one in view.standings.values() if one.block_id}
    blocks = {name: await _blocks(client, document, name) for name in answering}
    entries = tuple(_entry(row, view, blocks) for row in read.rows)
    told = LedgerDifference.model_validate_json(changed)
    if read.deadlines is None:
        return RequirementLedger(view, entries, told, bid=read.bid)
    return RequirementLedger(view, entries, told, read.deadlines.found, read.deadlines.more, read.bid)


async def _blocks(client: Client, document: DocumentView, section_id: str) -> dict[str, Answer]:
    version = document.sections[section_id].current
    if version is None or version.validation is None or version.validation.blocks is None:
        return {}
    text = (await client.artifact(document.document_id, version.draft)).decode()
    index = BlockIndex.model_validate_json(await client.artifact(document.document_id, version.validation.blocks))
    return {
        block.block_id: Answer(" ".join(text[block.start : block.end].split()), block.line) for block in index.blocks
    }


def _raise_if_ended(event: RecordedEvent, asked_at: int, *, second_opinion: bool) -> None:
    match event.contract:
        case v1.events.RequirementsUnread(detail=detail):
            raise LedgerFailedError(detail)
        case v1.events.RequirementsRequested(second_opinion=False) if second_opinion and 0 < asked_at < event.sequence:
            raise OpinionSupersededError
        case v1.events.DocumentCancelled():
            raise LedgerFailedError("the document was cancelled")
        case _:
            return


def _place(row: LedgerRow, words: str) -> int:
    places = [found.end() for found in re.finditer(f" (?={re.escape(words)})", row.quote)] if words else []
    if len(places) != 1:
        about = {"requirement_id": row.requirement_id, "words": words}
        if places:
            raise InvalidCutError.of("cut_ambiguous", count=len(places), **about)
        raise InvalidCutError.of("cut_unknown", **about)
    return places[0]


def _entry(row: LedgerRow, view: LedgerView, blocks: Mapping[str, Mapping[str, Answer]]) -> LedgerEntry:
    standing = view.standings.get(row.requirement_id, NO_DECISION)
    answer = blocks.get(standing.section_id, {}).get(standing.block_id, NO_ANSWER)
    return LedgerEntry(row, standing, answer.words, answer.line)


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
    if due.until and (left := (max(day for day in last if day) - today).days):
        return ListedDeadline(deadline, "coming", left)
    return ListedDeadline(deadline, "open" if len(due.days) > 1 else "today", None if len(due.days) > 1 else 0)


def _order(due: DueTime) -> tuple[str, str]:
    """Days as they are written sort as they follow each other; one without a year stands behind all that have one."""
    return (due.days[0].replace("--", "~"), due.time or "~") if due.days else ("~~", "")


def _first(day: str) -> date | None:
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
