"""Decide a command: the events that it gives, or none if it was decided before.

A refusal is an event too, one type per reason. What follows from an event for the whole document
(sections that may start, completion, nothing left to do) is added here, once for every command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_document.evolve import evolve
from stemma_document.staleness import stale_changes, staleness
from stemma_document.state import Document, NoDocument, State

from .commands import (
    AcceptEdit,
    Answer,
    Approve,
    Cancel,
    Command,
    Create,
    Edit,
    Export,
    Keep,
    KeepSeveral,
    Pause,
    Record,
    Regenerate,
    RegenerateSeveral,
    RejectEdit,
    Restore,
    Resume,
    Retry,
    Revise,
    Write,
)
from .cycles import judged
from .document_commands import decide_document
from .edit_commands import by
from .next_steps import next_steps
from .outcomes import decide_outcome
from .proposals import with_voided
from .review_commands import decide_section
from .several import decide_several


def decide(command: Command, state: State) -> Sequence[e.AnyEvent]:
    """The events of a command; the same command decided again gives none."""
    match state:
        case NoDocument():
            return _complete(state, [_create(command)]) if isinstance(command, Create) else []
        case Document():
            return _complete(state, _decide(command, state))
        case _:
            assert_never(state)


def _decide(command: Command, document: Document) -> Sequence[e.AnyEvent]:
    match command:
        case Record():
            return decide_outcome(command.outcome, document)
        case _ if command.asked.request_id in document.requests:
            return []
        case Create():
            return []
        case Approve() | Revise() | Retry() | Answer() | AcceptEdit() | RejectEdit():
            return [decide_section(command, document)]
        case Write() | Edit() | Keep() | Regenerate() | Restore():
            return [decide_section(command, document)]
        case KeepSeveral() | RegenerateSeveral():
            return decide_several(command, document)
        case Pause() | Resume() | Cancel() | Export():
            return [decide_document(command, document)]
        case _:
            assert_never(command)


def _create(command: Create) -> e.DocumentRequested:
    return e.DocumentRequested(
        **by(command.asked),
        tenant=command.tenant,
        document_id=command.document_id,
        kind=command.kind,
        title=command.title,
        brief=command.brief,
        inputs=command.inputs,
        sections=command.sections,
        blueprint_digest=command.blueprint_digest,
        created_at=command.time,
        cycle=command.cycle,
        language=command.language,
    )


def _complete(state: State, events: Sequence[e.AnyEvent]) -> list[e.AnyEvent]:
    """The events with what follows from them; the last one names the sections that it starts and makes stale."""
    if not events:
        return []
    events = with_voided(state, judged(state, events))
    after = state
    for event in events:
        after = evolve(after, event)
    was, now = staleness(state), staleness(after)
    starts, more = next_steps(after, now)
    named = {"starts": starts, **stale_changes(was, now)}
    last = events[-1].model_copy(update={name: value for name, value in named.items() if value})
    return [*events[:-1], last, *more]
