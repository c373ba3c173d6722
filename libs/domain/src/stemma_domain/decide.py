"""Decide a command: the events that it gives, or none if it was decided before.

A refusal is an event too, with the problem. What follows from an event for the whole document
(sections that may start, completion, nothing left to do) is added here, once for every command.
"""

from collections.abc import Sequence
from itertools import chain
from typing import assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.requests import Request, SectionRequest
from stemma_contracts.v1.section import SectionStatus

from .commands import Asked, Command, Elapsed, Merged, Record, not_decidable
from .evolve import evolve, with_usage_before
from .features.documents import Create
from .hands import with_merge, with_waiting_edit
from .staleness import Staleness, stale_changes, staleness
from .state import Document, Failed, Lifecycle, NoDocument, Queued, State, status_of
from .table import FEATURES
from .work import ELAPSED, is_ahead, work_of

_DECIDE = {request: feature.decide for feature in FEATURES if feature.decide for request in feature.requests}
_DUE = [feature.due for feature in FEATURES if feature.due]
_FOLLOW = [feature.follow for feature in FEATURES if feature.follow]


def is_decidable(request: Request) -> bool:
    """Whether a feature decides requests of its type."""
    return type(request) in _DECIDE


class UnfittingEvent(Exception):
    """A bug: every reader of the log would skip what was decided."""


def decide(command: Command, state: State) -> Sequence[e.AnyEvent]:
    """The events of a command; the same command decided again gives none."""
    match state:
        case NoDocument():
            return _complete(state, [command.requested]) if isinstance(command, Create) else []
        case Document():
            return _complete(state, _decide(command, state), command.merged)
        case _:
            assert_never(state)


def _decide(command: Command, document: Document) -> Sequence[e.AnyEvent]:
    if isinstance(command, Record):
        return _recorded(command.outcome, document)
    if isinstance(command, Elapsed):
        return ELAPSED[command.timer.name](command.timer, document)
    assert isinstance(command, Asked)
    if command.asked["request_id"] in document.requests:
        return []
    if isinstance(command.request, SectionRequest) and (refusal := not_decidable(command, document)):
        return [refusal]
    return _DECIDE[type(command.request)](command, document)


def _recorded(outcome: Outcome, document: Document) -> Sequence[e.AnyEvent]:
    """Only an open job's outcome counts; a late one is recorded and changes nothing, and again not even that.

    An id of a job to come is made up: recorded, it would close that job before it is opened.
    """
    if outcome.job_id in document.settled_jobs or is_ahead(outcome.job_id, document):
        return []
    for job_id, task, about in work_of(document):
        if job_id == outcome.job_id:
            return [task.settle(*about, outcome)]
    wire_name = registry.entry_of(outcome).ce_type
    return [e.OutcomeSuperseded(job_id=outcome.job_id, outcome=wire_name, usage=outcome.usage)]


def _complete(state: State, events: Sequence[e.AnyEvent], merged: Merged | None = None) -> Sequence[e.AnyEvent]:
    """The events with what follows from them; the last one names the sections that it starts and makes stale."""
    if not events:
        return events
    if isinstance(state, Document):
        events = with_merge(events, state, merged)
        for follow in _FOLLOW:
            events = follow(state, events)
        events = with_waiting_edit(events, state, merged)
    after, told = state, list[e.AnyEvent]()
    for event in events:
        told.append(with_usage_before(event, after.usage) if isinstance(after, Document) else event)
        before, after = after, evolve(after, event)
        if after is before:
            raise UnfittingEvent(type(event).__name__)
    was, now = staleness(state), staleness(after)
    starts, more = next_steps(after, now)
    named = {"starts": starts, **stale_changes(was, now)}
    last = told[-1].model_copy(update={name: value for name, value in named.items() if value})
    due = chain.from_iterable(due(after) for due in _DUE) if isinstance(after, Document) else ()
    return [*told[:-1], last, *due, *more]


_AT_REST = frozenset({SectionStatus.QUEUED, SectionStatus.FAILED, SectionStatus.APPROVED, SectionStatus.EDITED})
_MAY_START = [feature.may_start for feature in FEATURES if feature.may_start]
_MAY_END = [feature.may_end for feature in FEATURES if feature.may_end]


def next_steps(state: State, stale: Staleness) -> tuple[tuple[str, ...], list[e.AnyEvent]]:
    """The sections to start now, and the event that ends the document if nothing can go on."""
    if not isinstance(state, Document) or state.lifecycle is not Lifecycle.RUNNING:
        return (), []
    starts = tuple(
        name
        for name, section in state.sections.items()
        if isinstance(section.phase, Queued) and all(may_start(state, section, stale) for may_start in _MAY_START)
    )
    if starts:
        return starts, []
    return (), [] if stale else _end(state)


def _end(document: Document) -> list[e.AnyEvent]:
    if all(may_end(document) for may_end in _MAY_END):
        return [e.DocumentCompleted()]
    failed = tuple(name for name, section in document.sections.items() if isinstance(section.phase, Failed))
    if failed and all(status_of(section.phase) in _AT_REST for section in document.sections.values()):
        return [e.DocumentFailed(failed_sections=failed)]
    return []
