"""From the log of a document to the view of it: what the client reads is folded as the orchestrator folds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import DocumentView
from stemma_domain.evolve import evolve, passed_over
from stemma_domain.state import NoDocument, State
from stemma_domain.view import view_of

from .recorded import RecordedEvent


@dataclass(frozen=True)
class Reading:
    """A document as far as its log was read: to ``last_sequence``, which came at ``updated_at``.

    ``drafts`` are the events that texts came with, by their sequence.
    """

    document_id: str
    state: State = field(default_factory=NoDocument)
    drafts: Mapping[int, e.SectionDrafted] = field(default_factory=dict)
    last_sequence: int = 0
    updated_at: datetime | None = None

    def after(self, event: RecordedEvent) -> Reading:
        """What is known after one more event, in the order of the log."""
        contract, drafts = event.contract, self.drafts
        if isinstance(contract, e.SectionDrafted):
            drafts = {**drafts, event.sequence: contract}
        return Reading(self.document_id, _after(self.state, event), drafts, event.sequence, event.envelope.time)

    @property
    def view(self) -> DocumentView:
        """The document as it is told to people and programs."""
        read_to = {"document_id": self.document_id, "last_sequence": self.last_sequence, "updated_at": self.updated_at}
        if isinstance(self.state, NoDocument):
            return DocumentView(document_id=self.document_id).model_copy(update=read_to)
        return view_of(self.state, self.drafts).model_copy(update=read_to)


def read_document(document_id: str, events: Iterable[RecordedEvent]) -> DocumentView:
    """The document after these events, which are those of its log from its beginning, in their order."""
    reading = Reading(document_id)
    for event in events:
        reading = reading.after(event)
    return reading.view


def _after(state: State, event: RecordedEvent) -> State:
    """The state after an event; one that does not fit what was before changes nothing, for the orchestrator either."""
    if not event.is_known:
        return passed_over(state)
    if not isinstance(event.contract, e.AnyEvent):
        return state
    return evolve(state, event.contract, event.envelope.time, event.sequence)
