"""Decide a command: the events that it gives, or none if it was decided before.

A refusal is an event too, with the problem. What follows from an event for the whole document
(sections that may start, completion, nothing left to do) is added here, once for every command.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import EraseDocument, Request, SectionRequest
from stemma_contracts.v1.section import SectionStatus

from .commands import NOT_COMPARED, Asked, Command, Compared, Differences, Elapsed, Record, not_decidable
from .evolve import evolve, with_usage_before
from .features.budget import Renew, renewed, within
from .features.documents import Create
from .features.erasure import Erase, being_erased, certified
from .features.library.feature import Notice, noticed
from .hands import with_merge, with_waiting_edits
from .staleness import Staleness, stale_changes, staleness
from .state import Document, Erased, Failed, Lifecycle, NoDocument, Queued, State, status_of
from .table import FEATURES
from .texts import AnyTextEvent
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
    return _decided(command if isinstance(command, Compared) else Compared(command, NOT_COMPARED), state)


def texts_to_compare(command: Command, document: Document) -> list[tuple[ArtifactRef, ArtifactRef]]:
    """The texts that a command replaces where written sections rest on them, each with the one that comes."""
    if not any(map(partial(_is_rested_on, document), _sections_of(command, document))):
        return []
    texts = [event for event in decide(command, document) if isinstance(event, AnyTextEvent)]
    changed = ((document.sections[event.section_id], event) for event in texts)
    return [
        (section.current.draft, event.draft)
        for section, event in changed
        if section.current
        and _is_rested_on(document, section.plan.section_id)
        and section.current.draft.digest != event.draft.digest
    ]


def _sections_of(command: Command, document: Document) -> Iterable[str]:
    match command:
        case Record(outcome=o.Outcome(section_id=str(name))) | Asked(request=SectionRequest(section_id=name)):
            return [name] if name in document.sections else []
        case Asked():
            return document.sections
        case _:
            return []


def _is_rested_on(document: Document, section_id: str) -> bool:
    below = (one for one in document.sections.values() if section_id in one.plan.depends_on)
    return document.sections[section_id].current is not None and any(one.current for one in below)


def _decided(compared: Compared, state: State) -> Sequence[e.AnyEvent]:
    command = compared.command
    match state:
        case Erased():
            return []
        case NoDocument():
            return _complete(state, [command.requested], compared) if isinstance(command, Create) else []
        case Document():
            state = replace(state, allowance=compared.allowance)
            return _complete(state, _decide(command, state), compared)
        case _:
            assert_never(state)


def _compared(event: e.AnyEvent, document: Document, differences: Differences) -> e.AnyEvent:
    """An event that brings a text with what that changes, if it was compared with the text that there is."""
    if not isinstance(event, AnyTextEvent):
        return event
    current = document.sections[event.section_id].current
    difference = differences.get((current.draft.digest, event.draft.digest)) if current else None
    return event.model_copy(update={"difference": difference}) if difference else event


def _decide(command: Command, document: Document) -> Sequence[e.AnyEvent]:
    if isinstance(command, Record):
        return _recorded(command.outcome, document)
    if isinstance(command, Erase):
        return certified(command, document)
    if isinstance(command, Elapsed):
        return ELAPSED[command.timer.name](command.timer, document)
    if isinstance(command, Notice):
        return noticed(command, document)
    if isinstance(command, Renew):
        return renewed(document)
    assert isinstance(command, Asked)
    if command.asked["request_id"] in document.requests:
        return []
    if document.erasure is not None and not isinstance(command.request, EraseDocument):
        return [being_erased(command)]
    if isinstance(command.request, SectionRequest) and (refusal := not_decidable(command, document)):
        return [refusal]
    return _DECIDE[type(command.request)](command, document)


def _recorded(outcome: o.Outcome, document: Document) -> Sequence[e.AnyEvent]:
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


def _complete(state: State, events: Sequence[e.AnyEvent], compared: Compared) -> Sequence[e.AnyEvent]:
    """The events with what follows from them; the last one names the sections that it starts and makes stale."""
    if not events:
        return events
    if isinstance(state, Document):
        events = with_merge(events, state, compared.command.merged)
        for follow in _FOLLOW:
            events = follow(state, events)
        events = with_waiting_edits(events, state, compared.command)
        events = [_compared(event, state, compared.differences) for event in events]
    after, told = state, list[e.AnyEvent]()
    for event in events:
        told.append(with_usage_before(event, after.usage) if isinstance(after, Document) else event)
        before, after = after, evolve(after, event)
        if after is before:
            raise UnfittingEvent(type(event).__name__)
    if isinstance(after, Document):
        after = replace(after, allowance=compared.allowance)
    was, now = staleness(state), staleness(after)
    starts, more = next_steps(after, now)
    named = {"starts": starts, **stale_changes(was, now)} if isinstance(after, Document) else {}
    last = told[-1].model_copy(update={name: value for name, value in named.items() if value})
    due = chain.from_iterable(due(after) for due in _DUE) if isinstance(after, Document) and not after.erasure else ()
    return [*told[:-1], last, *due, *more]


_AT_REST = frozenset({SectionStatus.QUEUED, SectionStatus.FAILED, SectionStatus.APPROVED, SectionStatus.EDITED})
_MAY_START = [feature.may_start for feature in FEATURES if feature.may_start]
_MAY_END = [feature.may_end for feature in FEATURES if feature.may_end]


def next_steps(state: State, stale: Staleness) -> tuple[tuple[str, ...], list[e.AnyEvent]]:
    """The sections to start now, and the event that ends the document or asks about its budget if nothing can go on."""
    if not isinstance(state, Document) or state.lifecycle is not Lifecycle.RUNNING:
        return (), []
    wanted = tuple(
        name
        for name, section in state.sections.items()
        if isinstance(section.phase, Queued) and all(may_start(state, section, stale) for may_start in _MAY_START)
    )
    if wanted:
        return within(state, wanted)
    return (), [] if stale else _end(state)


def _end(document: Document) -> list[e.AnyEvent]:
    if all(may_end(document) for may_end in _MAY_END):
        return [e.DocumentCompleted()]
    failed = tuple(name for name, section in document.sections.items() if isinstance(section.phase, Failed))
    if failed and all(status_of(section.phase) in _AT_REST for section in document.sections.values()):
        return [e.DocumentFailed(failed_sections=failed)]
    return []
