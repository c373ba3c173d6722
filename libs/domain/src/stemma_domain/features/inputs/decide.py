"""Inputs are added, replaced, staged, applied and withdrawn. Nothing is written anew by that: sections become stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.media import READ
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import BRIEF, Unreadable

from stemma_domain.commands import Asked, of_document, of_input_version, refused
from stemma_domain.hooks import Feature
from stemma_domain.job_ids import READ_INPUT
from stemma_domain.staleness import Staleness
from stemma_domain.state import Document, Lifecycle, Section

from .evolve import evolve
from .material import artifact_of, as_input, is_read
from .state import Input
from .work import next_ids, work


@dataclass(frozen=True, kw_only=True)
class Added(Asked[r.AddInput]):
    """One more input; ``unreadable`` says why nobody needs to try to read it."""

    to_read: bool
    unreadable: Unreadable | None = None


@dataclass(frozen=True, kw_only=True)
class Replaced(Asked[r.ReplaceInput]):
    """Another file for an input: a text, or a file that is to be read, unless it is ``unreadable``."""

    to_read: bool
    unreadable: Unreadable | None = None


InputCommand = Added | Replaced | Asked[r.ApplyInput | r.WithdrawInput]


def decide(command: InputCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about an input, or the refusal that names the reason."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    if isinstance(command, Added):
        return [_add(command, document)]
    one = document.inputs.get(command.request.input_id)
    if one is None or one.withdrawn:
        return [refused(command, Problem.of("input_unknown", "input_id", name=command.request.input_id))]
    if old := _old_version(command.request, one):
        return [refused(command, old)]
    return [_replace(command, one) if isinstance(command, Replaced) else _about(command, one)]


def _add(command: Added, document: Document) -> e.AnyEvent:
    file = as_input(command.request.upload)
    named = (one for one in document.inputs.values() if one.input_id != BRIEF and not one.withdrawn)
    if there := next((one for one in named if one.name == file.name), None):
        return refused(command, Problem.of("input_name_taken", "upload.name", input_id=there.input_id))
    return e.DocumentInputAdded(
        **command.asked,
        input_id=next(next_ids(document)),
        file=file,
        to_read=command.to_read,
        staged=command.request.staged,
        unreadable=command.unreadable,
    )


def _old_version(request: r.InputDecision, one: Input) -> Problem | None:
    current = _version_to_decide(request, one)
    if current and request.version == current:
        return None
    return of_input_version(one.input_id, request.version, current)


def _version_to_decide(request: r.InputDecision, one: Input) -> int:
    """What is staged is decided about by its own number."""
    staged = one.pending.number if one.pending and one.pending.staged else None
    if isinstance(request, r.ReplaceInput) or staged is None:
        return one.version if not isinstance(request, r.ApplyInput) else 0
    return staged


def _replace(command: Replaced, one: Input) -> e.DocumentInputReplaced:
    upload = command.request.upload
    return e.DocumentInputReplaced(
        **command.asked,
        input_id=one.input_id,
        version=one.version + 1,
        artifact=artifact_of(upload),
        is_text=not command.to_read and upload.media_type in READ,
        staged=command.request.staged,
        unreadable=command.unreadable,
    )


def _about(command: Asked[r.ApplyInput | r.WithdrawInput], one: Input) -> e.AnyEvent:
    match command.request:
        case r.ApplyInput() as request:
            return e.DocumentInputApplied(**command.asked, input_id=one.input_id, version=request.version)
        case r.WithdrawInput() if one.input_id == BRIEF and not (one.pending and one.pending.staged):
            return refused(command, Problem.of("brief_needed", "input_id"))
        case r.WithdrawInput():
            return e.DocumentInputWithdrawn(**command.asked, input_id=one.input_id)
        case _:
            assert_never(command.request)


def may_start(document: Document, _section: Section, _stale: Staleness) -> bool:
    """Whether all is read that a section may be written from."""
    return is_read(document)


FEATURE = Feature[InputCommand](
    requests=(r.AddInput, r.ReplaceInput, r.ApplyInput, r.WithdrawInput),
    decide=decide,
    events=get_args(e.AnyInputEvent),
    evolve=evolve,
    work=work,
    job_owners={READ_INPUT: subjects.CONVERTER},
    may_start=may_start,
    may_end=is_read,
)
