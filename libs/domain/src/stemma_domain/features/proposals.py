"""Proposals: an edit of a settled section is made and checked beside it, and a person accepts or rejects it.

A settled section stays what it is until a person accepts its new text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, assert_never

from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import ProposalView

from stemma_domain.commands import Asked, RequestMeta, old_version, refused_section
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import failed, paid, revision, unfitting
from stemma_domain.state import NO_TRIES, NOBODY, Document, Person, Revising, Section, person_of, status_of
from stemma_domain.texts import AnyTextEvent, next_version

from .checks import validation

ProposalRequest = r.AcceptEdit | r.RejectEdit


@dataclass(frozen=True)
class Proposing:
    """The editor agent has an open job on the version; people may give the section newer ones meanwhile."""

    proposal_id: str
    job_id: str
    version: int
    instruction: ArtifactRef
    asker: Person = NOBODY
    asked_at: datetime | None = None


@dataclass(frozen=True)
class Proposed:
    """The changed text waits for a person; ``check`` is the open job that validates it.

    ``unchecked`` says why that could not be done.
    """

    proposal_id: str
    version: int
    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance
    check: str | None = None
    asker: Person = NOBODY
    asked_at: datetime | None = None
    made_at: datetime | None = None
    base_digest: str = ""
    validation: ValidationSummary | None = None
    unchecked: str = ""
    merge: Merge | None = None


AnyProposalEvent = (
    e.SectionEditProposed | e.SectionEditChecked | e.SectionEditMerged | e.SectionEditRejected | e.SectionEditVoided
)
ProposalEnd = Literal["accepted", "rejected", "voided", "refused", "failed"]
"""By a person, by a newer version, or by the editor agent, which made nothing to be proposed."""


@dataclass(frozen=True)
class EndedProposal:
    """What became of a proposed edit of a version."""

    version: int
    how: ProposalEnd


Proposal = Proposing | Proposed


def proposing(
    section: Section, event: e.SectionEditRequested, proposal_id: str, job_id: str, at: datetime | None
) -> Section:
    """The section with a job of the editor agent beside its phase."""
    asked = (event.version, event.instruction, person_of(event), at)
    return replace(section, proposal=Proposing(proposal_id, job_id, *asked))


def withdrawn(section: Section, event: e.SectionRevisionRefused | e.AnyFailure) -> Section | None:
    """The section without the proposal that a job was to make; None if it is not the job of one."""
    proposal = section.proposal
    if not isinstance(proposal, Proposing) or proposal.job_id != event.job_id:
        return None
    how: ProposalEnd = "refused" if isinstance(event, e.SectionRevisionRefused) else "failed"
    return _ended(section, proposal.proposal_id, how)


def after_proposal(
    section: Section,
    event: AnyProposalEvent,
    check: str,
    at: datetime | None,
) -> Section:
    """The section with a proposal that waits, or that has ended; ``check`` is the job that validates it."""
    match event:
        case e.SectionEditProposed():
            return replace(section, proposal=_proposed(section, event, check, at))
        case e.SectionEditChecked():
            return _checked(section, event)
        case e.SectionEditMerged():
            return _merged(section, event, check)
        case e.SectionEditRejected():
            return _ended(section, event.proposal_id, "rejected")
        case e.SectionEditVoided():
            return _ended(section, event.proposal_id, "voided")
        case _:
            assert_never(event)


def _proposed(section: Section, event: e.SectionEditProposed, check: str, at: datetime | None) -> Proposed:
    asked = section.proposal
    return Proposed(
        event.proposal_id,
        event.version,
        event.draft,
        event.summary,
        event.provenance,
        check=check if event.to_be_checked else None,
        asker=asked.asker if asked else NOBODY,
        asked_at=asked.asked_at if asked else at,
        made_at=at,
        base_digest=event.base_digest,
        merge=event.merge,
    )


def _merged(section: Section, event: e.SectionEditMerged, check: str) -> Section:
    if not isinstance(section.proposal, Proposed):
        return section
    waiting = replace(
        section.proposal,
        version=event.version,
        draft=event.draft,
        base_digest=event.base_digest,
        merge=event.merge,
        check=check,
        validation=None,
        unchecked="",
    )
    return replace(section, proposal=waiting)


def _checked(section: Section, event: e.SectionEditChecked) -> Section:
    if not isinstance(section.proposal, Proposed):
        return section
    unchecked = "" if event.validation else event.detail or "unknown"
    found = replace(section.proposal, check=None, validation=event.validation, unchecked=unchecked)
    return replace(section, proposal=found)


def kept_edit(section: Section, number: int) -> str | None:
    """What the edit or revision that is under way is called once a person gives a text; ``number`` is of that event."""
    return f"p{number}" if isinstance(section.phase, Revising) and section.proposal is None else None


def after_edit(section: Section, event: e.SectionEdited) -> Section:
    """The section without the proposal that is its text now, or with the one that goes on beside it."""
    if event.proposal_id:
        return _ended(section, event.proposal_id, "accepted")
    if event.keeps_edit is None or not isinstance(section.phase, Revising):
        return section
    asked = (section.current_number, section.phase.instruction, section.notes.asker)
    return replace(section, proposal=Proposing(event.keeps_edit, section.phase.job_id, *asked))


def _ended(section: Section, proposal_id: str, how: ProposalEnd) -> Section:
    version = section.proposal.version if section.proposal else section.current_number
    ended = {**section.ended_proposals, proposal_id: EndedProposal(version, how)}
    return replace(section, proposal=None, ended_proposals=ended)


class _About(RequestMeta):
    section_id: str
    proposal_id: str


def decide(command: Asked[ProposalRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The event of a decision about a proposed edit, or the refusal that names the reason."""
    section = document.sections[command.request.section_id]
    proposal = section.proposal
    if proposal is None or proposal.proposal_id != command.request.proposal_id:
        return [refused_section(command, _not_open(command.request.proposal_id, section))]
    return [_of_open(command, section, proposal)]


def _of_open(command: Asked[ProposalRequest], section: Section, proposal: Proposal) -> e.AnyEvent:
    if refusal := old_version(command, proposal.version):
        return refusal
    about = _About(**command.asked, section_id=command.request.section_id, proposal_id=proposal.proposal_id)
    if isinstance(command.request, r.RejectEdit):
        return e.SectionEditRejected(**about, version=proposal.version)
    if isinstance(proposal, Proposing):
        return refused_section(command, of_open(proposal))
    return _accepted(proposal, section, about)


def _accepted(proposal: Proposed, section: Section, about: _About) -> e.SectionEdited:
    return filled_from(
        e.SectionEdited,
        proposal,
        **about,
        version=next_version(section, proposal.draft),
        origin=Origin.EDITED,
        upstream=section.current.rests_on if section.current else (),
    )


def of_open(proposal: Proposal) -> Problem:
    """The problem of what has to wait until an edit is decided, or made."""
    code = "proposal_open" if isinstance(proposal, Proposed) else "proposal_in_work"
    return Problem.of(code, "section_id", proposal_id=proposal.proposal_id)


def _not_open(proposal_id: str, section: Section) -> Problem:
    ended = section.ended_proposals.get(proposal_id)
    if ended is None:
        return Problem.of("proposal_unknown", "proposal_id", proposal_id=proposal_id)
    if ended.how != "voided":
        return Problem.of(f"proposal_{ended.how}", "proposal_id", proposal_id=proposal_id)
    versions = {"version": ended.version, "current_version": section.current_number}
    return Problem.of("proposal_void", "proposal_id", proposal_id=proposal_id, **versions)


def follow(document: Document, events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events, and before them which open proposals are void because newer versions come."""
    last = {event.section_id: event for event in events if isinstance(event, AnyTextEvent)}
    voided = (_voided(event, document.sections[name]) for name, event in last.items())
    return [*(event for event in voided if event), *events]


def _voided(event: AnyTextEvent, section: Section) -> e.SectionEditVoided | None:
    proposal = section.proposal
    if proposal is None or event.version == section.current_number:
        return None
    if isinstance(event, e.SectionEdited) and event.proposal_id == proposal.proposal_id:
        return None
    if isinstance(event, e.SectionEdited) and isinstance(proposal, Proposing):
        return None
    return e.SectionEditVoided(
        section_id=event.section_id,
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        current_version=event.version,
    )


def work(document: Document) -> Iterator[Work]:
    """The jobs of proposals that are being made or checked."""
    for section in document.sections.values():
        proposal = section.proposal
        if isinstance(proposal, Proposing):
            yield proposal.job_id, _MAKING, (document, section, proposal)
        elif isinstance(proposal, Proposed) and proposal.check is not None:
            yield proposal.check, _CHECKING, (document, section, proposal)


def _revise(document: Document, section: Section, proposal: Proposing) -> j.ReviseDraft:
    return revision(document, section, proposal.job_id, proposal.instruction, NO_TRIES, proposal.version)


def _validate(document: Document, section: Section, proposal: Proposed) -> j.ValidateDraft:
    """The check that the text would have as a version; ids of blocks are given to versions alone."""
    assert proposal.check is not None
    check = validation(document, section, proposal.check)
    return check.model_copy(update={"draft": proposal.draft, "history": None})


def _made(document: Document, section: Section, proposal: Proposing, outcome: o.Outcome) -> e.AnyEvent:
    """What the editor made is proposed; when it made nothing, the section is as it was."""
    match outcome:
        case o.DraftRevised():
            return _proposal_of(section, proposal, outcome)
        case o.InstructionRefused():
            return e.SectionRevisionRefused(
                **paid(outcome, section),
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                reason=outcome.reason,
            )
        case o.ModelUnavailable() | o.AnswerMalformed() | o.ContextTooLong() | o.JobDead():
            return failed(outcome, section, Activity.EDIT, status_of(section.phase), proposal.proposal_id)
        case _:
            raise unfitting(outcome)


def _proposal_of(section: Section, proposal: Proposing, outcome: o.DraftRevised) -> e.SectionEditProposed:
    assert section.current is not None
    return filled_from(
        e.SectionEditProposed,
        proposal,
        outcome,
        **paid(outcome, section),
        base_digest=section.current.draft.digest,
        to_be_checked=True,
    )


def _check_of(document: Document, section: Section, proposal: Proposed, outcome: o.Outcome) -> e.SectionEditChecked:
    """What is found of a proposed text is shown; the proposal waits on, also when nothing could be found out."""
    if not isinstance(outcome, o.DraftValidated | o.JobDead):
        raise unfitting(outcome)
    return e.SectionEditChecked(
        **paid(outcome, section),
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        validation=outcome.validation if isinstance(outcome, o.DraftValidated) else None,
        detail=outcome.detail if isinstance(outcome, o.JobDead) else "",
    )


_MAKING = Task(_revise, _made)
_CHECKING = Task(_validate, _check_of)


def view(section: Section) -> Mapping[str, Any]:
    """The proposed edit that is being made, or waits."""
    return {"proposal": _view(section.proposal) if section.proposal else None}


def _view(proposal: Proposal) -> ProposalView:
    asked = {"asked_by": proposal.asker.name, "verified": proposal.asker.verified}
    if not isinstance(proposal, Proposed):
        return filled_from(ProposalView, proposal, **asked)
    made = {"model": proposal.provenance.model, "checking": proposal.check is not None}
    return filled_from(ProposalView, proposal, **asked, **made)


FEATURE = Feature[Asked[ProposalRequest]](
    requests=(r.AcceptEdit, r.RejectEdit), decide=decide, follow=follow, work=work, view=view
)
