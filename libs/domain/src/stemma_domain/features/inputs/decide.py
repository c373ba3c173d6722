"""Inputs are added, replaced, staged, applied and withdrawn. Nothing is written anew by that: sections become stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.inputs import BRIEF, Unreadable
from stemma_contracts.v1.references import ArtifactRef, InputFile

from stemma_domain.commands import RequestCommand, refused
from stemma_domain.hooks import Feature
from stemma_domain.job_ids import READ_INPUT
from stemma_domain.staleness import Staleness
from stemma_domain.state import Document, Lifecycle, Section

from .material import is_read
from .state import Input
from .work import next_ids, work


@dataclass(frozen=True)
class Add(RequestCommand):
    """One more input; ``unreadable`` says why nobody needs to try to read it."""

    request = requests.AddInput
    file: InputFile
    to_read: bool
    staged: bool
    unreadable: Unreadable | None = None


@dataclass(frozen=True)
class Replace(RequestCommand):
    """Another file for an input; with ``is_text`` it is its own text."""

    request = requests.ReplaceInput
    input_id: str
    version: int
    artifact: ArtifactRef
    is_text: bool
    staged: bool
    unreadable: Unreadable | None = None


@dataclass(frozen=True)
class Apply(RequestCommand):
    request = requests.ApplyInput
    input_id: str
    version: int


@dataclass(frozen=True)
class Withdraw(RequestCommand):
    request = requests.WithdrawInput
    input_id: str
    version: int


InputCommand = Add | Replace | Apply | Withdraw


def decide(command: InputCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about an input, or the refusal that names the reason."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return [e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)]
    if isinstance(command, Add):
        return [_add(command, document)]
    one = document.inputs.get(command.input_id)
    if one is None or one.withdrawn:
        return [e.RefusedUnknownInput(**refused(command), input_id=command.input_id)]
    return [_old_version(command, one) or _about(command, one)]


def _add(command: Add, document: Document) -> e.AnyEvent:
    file = command.file
    named = (one for one in document.inputs.values() if one.input_id != BRIEF and not one.withdrawn)
    if there := next((one for one in named if one.name == file.name), None):
        return e.RefusedInputName(**refused(command), input_id=there.input_id)
    return e.DocumentInputAdded(
        **command.asked,
        input_id=next(next_ids(document)),
        file=file,
        to_read=command.to_read,
        staged=command.staged,
        unreadable=command.unreadable,
    )


def _old_version(command: Replace | Apply | Withdraw, one: Input) -> e.AnyRefusal | None:
    current = _version_to_decide(command, one)
    nothing_staged = isinstance(command, Apply) and current == 0
    if command.version == current and not nothing_staged:
        return None
    return e.RefusedInputVersion(
        **refused(command), input_id=one.input_id, version=command.version, current_version=current
    )


def _version_to_decide(command: Replace | Apply | Withdraw, one: Input) -> int:
    """What is staged is decided about by its own number."""
    staged = one.pending.number if one.pending and one.pending.staged else None
    if isinstance(command, Replace) or staged is None:
        return one.version if not isinstance(command, Apply) else 0
    return staged


def _about(command: Replace | Apply | Withdraw, one: Input) -> e.AnyEvent:
    match command:
        case Replace():
            return e.DocumentInputReplaced(
                **command.asked,
                input_id=one.input_id,
                version=one.version + 1,
                artifact=command.artifact,
                is_text=command.is_text,
                staged=command.staged,
                unreadable=command.unreadable,
            )
        case Apply():
            return e.DocumentInputApplied(**command.asked, input_id=one.input_id, version=command.version)
        case Withdraw() if one.input_id == BRIEF and not (one.pending and one.pending.staged):
            return e.RefusedBriefWithdrawn(**refused(command))
        case Withdraw():
            return e.DocumentInputWithdrawn(**command.asked, input_id=one.input_id)
        case _:
            assert_never(command)


def may_start(document: Document, _section: Section, _stale: Staleness) -> bool:
    """Whether all is read that a section may be written from."""
    return is_read(document)


FEATURE = Feature[InputCommand](
    commands=(Add, Replace, Apply, Withdraw),
    decide=decide,
    work=work,
    job_owners={READ_INPUT: subjects.CONVERTER},
    may_start=may_start,
    may_end=is_read,
)
