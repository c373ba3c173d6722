"""Edits that are proposed first: a settled section stays what it is until a person accepts its new text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.provenance import Origin
from stemma_document.evolve import evolve
from stemma_document.proposal_state import Proposed, Proposing
from stemma_document.state import Document, Section, State
from stemma_document.versions import next_version

from .commands import AcceptEdit, RejectEdit


def decide_proposal(
    command: AcceptEdit | RejectEdit, section: Section, asked: dict[str, Any], refusal: dict[str, Any]
) -> e.AnyEvent:
    """The event of a decision about a proposed edit, or the refusal that names the reason."""
    proposal = section.proposal
    if proposal is None or proposal.proposal_id != command.proposal_id:
        return _not_open(command, section, refusal)
    if command.version != proposal.version:
        return e.RefusedOldVersion(**refusal, version=command.version, current_version=proposal.version)
    about = {**asked, "section_id": command.section_id, "proposal_id": proposal.proposal_id}
    if isinstance(command, RejectEdit):
        return e.SectionEditRejected(**about, version=proposal.version)
    if isinstance(proposal, Proposing):
        return e.RefusedOpenProposal(**refusal, proposal_id=proposal.proposal_id, made=False)
    return _accepted(proposal, section, about)


def _accepted(proposal: Proposed, section: Section, about: dict[str, Any]) -> e.SectionEdited:
    return e.SectionEdited(
        **about,
        version=next_version(section, proposal.draft),
        draft=proposal.draft,
        origin=Origin.EDITED,
        upstream=section.current.upstream if section.current else (),
        summary=proposal.summary,
        provenance=proposal.provenance,
    )


def _not_open(command: AcceptEdit | RejectEdit, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    ended = section.ended_proposals.get(command.proposal_id)
    named = {**refusal, "proposal_id": command.proposal_id}
    if ended is None:
        return e.RefusedUnknownProposal(**named)
    match ended.how:
        case "voided":
            return e.RefusedVoidProposal(**named, version=ended.version, current_version=section.current_number)
        case "refused" | "failed":
            return e.RefusedWithdrawnProposal(**named, reason=ended.how)
        case "accepted" | "rejected":
            return e.RefusedDecidedProposal(**named, decision=ended.how)
        case _:
            assert_never(ended.how)


def proposal_made(outcome: o.DraftRevised, section: Section, proposal: Proposing) -> e.SectionEditProposed:
    """The event of a text that is proposed in place of the current one."""
    assert section.current is not None
    return e.SectionEditProposed(
        section_id=section.plan.section_id,
        job_id=outcome.job_id,
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        base_digest=section.current.draft.digest,
        draft=outcome.draft,
        summary=outcome.summary,
        provenance=outcome.provenance,
        usage=outcome.usage,
        to_be_checked=True,
    )


def with_voided(state: State, events: Sequence[e.AnyEvent]) -> list[e.AnyEvent]:
    """The events, and before them which open proposals are void because newer versions come."""
    if not isinstance(state, Document) or all(section.proposal is None for section in state.sections.values()):
        return list(events)
    after: State = state
    for event in events:
        after = evolve(after, event)
    assert isinstance(after, Document)
    return [*_voided(state, after), *events]


def _voided(before: Document, after: Document) -> list[e.SectionEditVoided]:
    return [
        e.SectionEditVoided(
            section_id=name,
            proposal_id=section.proposal.proposal_id,
            version=section.proposal.version,
            current_version=after.sections[name].current_number,
        )
        for name, section in before.sections.items()
        if section.proposal is not None
        and section.proposal.proposal_id not in after.sections[name].ended_proposals
        and section.current_number != after.sections[name].current_number
    ]
