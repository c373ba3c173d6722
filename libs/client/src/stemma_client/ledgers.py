"""The requirement ledger of a document: its rows, with what people decided about each."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stemma_contracts import v1
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.deadlines import Deadline
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows, RequirementDecision, RowCuts
from stemma_contracts.v1.references import ArtifactRef

from .deciding import SectionDecisions
from .errors import InvalidCutError, LedgerFailedError, OpinionSupersededError
from .recorded import RecordedEvent

if TYPE_CHECKING:
    from stemma_domain.views import DocumentView, LedgerView, RowView


@dataclass(frozen=True)
class Answer:
    """The words of a block that answers a row, and the line of its section that it begins on."""

    words: str = ""
    line: int = 0


NO_ANSWER = Answer()


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


@dataclass(frozen=True)
class RequirementLedger:
    """The rows of the last reading in the order of their sources, and what that reading changed.

    ``deadlines`` are None if a release read them that looked for none: read the requirements again.
    """

    view: LedgerView
    entries: tuple[LedgerEntry, ...]
    difference: LedgerDifference
    deadlines: tuple[Deadline, ...] | None = None
    more_deadlines: int = 0

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
            raise InvalidCutError(requirement_id, "the ledger has no such row")
        cuts = {_place(entry.row, " ".join(words.split())) for words in beginnings}
        return RowCuts(requirement_id=requirement_id, cuts=tuple(sorted(cuts)))


class LedgerRequests(SectionDecisions):
    """Every way to read the ledger, and to decide about its rows."""

    @abstractmethod
    async def document(self, document_id: str, *, at_least: int = 0) -> DocumentView:
        """A document as its events tell it."""

    @abstractmethod
    async def artifact(self, document_id: str, ref: ArtifactRef) -> bytes:
        """The content behind a reference."""

    @abstractmethod
    def follow(self, document_id: str, *, from_sequence: int = 0) -> AsyncGenerator[RecordedEvent, None]:
        """The events of a document."""

    async def read_requirements(
        self,
        document_id: str,
        *,
        sources: Iterable[str] = (),
        without_brief: bool = False,
        second_opinion: bool = False,
    ) -> RequirementLedger:
        """Have the demands of the brief and of inputs read, and wait for the ledger.

        With a second opinion a model is asked, too, and waited for; that it failed is said in the view of the ledger.
        Raises `LedgerFailedError` if the demands cannot be read or the document is cancelled meanwhile, and
        `OpinionSupersededError` if they are read again without a second opinion before there is one.
        """
        asked = v1.requests.ReadRequirements(
            actor=self.actor,
            document_id=document_id,
            sources=tuple(sources),
            without_brief=without_brief,
            second_opinion=second_opinion,
        )
        accepted = await self.request(asked)
        async with aclosing(self.follow(document_id, from_sequence=accepted.sequence)) as recorded_events:
            async for event in recorded_events:
                _raise_if_ended(event, accepted.sequence, second_opinion=second_opinion)
                if isinstance(
                    event.contract, v1.events.RequirementsAdded if second_opinion else v1.events.RequirementsRead
                ):
                    return await self.ledger(document_id, at_least=event.sequence)
        raise LedgerFailedError("the connection was closed")

    async def decide_requirements(self, document_id: str, decisions: Sequence[RequirementDecision]) -> RequestAccepted:
        """Decide about rows: all of the decisions are made, or none."""
        return await self.request(
            v1.requests.DecideRequirements(actor=self.actor, document_id=document_id, decisions=tuple(decisions))
        )

    async def split_requirements(
        self, document_id: str, found: RequirementLedger, splits: Sequence[RowCuts]
    ) -> RequestAccepted:
        """Cut rows of a ledger as it was found: all of them are cut, or none."""
        about = {"actor": self.actor, "document_id": document_id, "rows_digest": found.rows_digest}
        return await self.request(v1.requests.SplitRequirements.model_validate(about | {"splits": splits}))

    async def ledger(self, document_id: str, *, at_least: int = 0) -> RequirementLedger:
        """The ledger as it is; raises `LedgerFailedError` if nothing was read into it yet."""
        return await self.ledger_of(await self.document(document_id, at_least=at_least))

    async def ledger_of(self, document: DocumentView) -> RequirementLedger:
        """The ledger of a document that was read; raises `LedgerFailedError` if nothing was read into it yet."""
        document_id, view = document.document_id, document.ledger
        if view is None or view.rows is None:
            raise LedgerFailedError((view.failure if view else "") or "nothing was read into it yet")
        read = LedgerRows.model_validate_json(await self.artifact(document_id, view.rows))
        changed = await self.artifact(document_id, view.difference) if view.difference else b"{}"
        answering = {one.section_id for one in view.standings.values() if one.block_id}
        blocks = {name: await self._blocks(document, name) for name in answering}
        entries = tuple(_entry(row, view, blocks) for row in read.rows)
        told = LedgerDifference.model_validate_json(changed)
        if read.deadlines is None:
            return RequirementLedger(view, entries, told)
        return RequirementLedger(view, entries, told, read.deadlines.found, read.deadlines.more)

    async def _blocks(self, document: DocumentView, section_id: str) -> dict[str, Answer]:
        """Each block of a section, by the ids of the blocks."""
        version = document.sections[section_id].current
        if version is None or version.validation is None or version.validation.blocks is None:
            return {}
        text = (await self.artifact(document.document_id, version.draft)).decode()
        index = BlockIndex.model_validate_json(await self.artifact(document.document_id, version.validation.blocks))
        return {
            block.block_id: Answer(" ".join(text[block.start : block.end].split()), block.line)
            for block in index.blocks
        }


def _raise_if_ended(event: RecordedEvent, asked_at: int, *, second_opinion: bool) -> None:
    """Raise why the ledger that was asked for does not come, if an event says so."""
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
    """Where a part of a row begins."""
    places = [found.end() for found in re.finditer(f" (?={re.escape(words)})", row.quote)] if words else []
    if len(places) != 1:
        how_often = f"{len(places)} times" if places else "nowhere"
        detail = f"a part begins with words that are there once, after the first word; {words!r} begins {how_often}"
        raise InvalidCutError(row.requirement_id, detail)
    return places[0]


def _entry(row: LedgerRow, view: LedgerView, blocks: Mapping[str, Mapping[str, Answer]]) -> LedgerEntry:
    from stemma_domain.views import NO_DECISION  # with all events

    standing = view.standings.get(row.requirement_id, NO_DECISION)
    answer = blocks.get(standing.section_id, {}).get(standing.block_id, NO_ANSWER)
    return LedgerEntry(row, standing, answer.words, answer.line)
