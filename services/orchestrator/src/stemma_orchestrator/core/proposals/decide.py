"""Accept and reject: a settled section stays what it is until a person accepts its new text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.provenance import Origin
from stemma_document.evolve import evolve
from stemma_document.proposal_state import Proposal, Proposed, Proposing
from stemma_document.state import Document, Section, State
from stemma_document.versions import next_version

from stemma_orchestrator.core.commands import Refusal, RequestMeta, VersionCommand, old_version, refused


@dataclass(frozen=True)
class AcceptEdit(VersionCommand):
    """Make a proposed edit the version; ``version`` is the one that it would change."""

    request = requests.AcceptEdit
    proposal_id: str


@dataclass(frozen=True)
class RejectEdit(VersionCommand):
    request = requests.RejectEdit
    proposal_id: str


ProposalCommand = AcceptEdit | RejectEdit


class _About(RequestMeta):
    section_id: str
    proposal_id: str


class _Named(Refusal):
    proposal_id: str


def decide(command: ProposalCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a decision about a proposed edit, or the refusal that names the reason."""
    section = document.sections[command.section_id]
    proposal = section.proposal
    if proposal is None or proposal.proposal_id != command.proposal_id:
        return [_not_open(command, section)]
    return [_of_open(command, section, proposal)]


def _of_open(command: ProposalCommand, section: Section, proposal: Proposal) -> e.AnyEvent:
    if refusal := old_version(command, proposal.version):
        return refusal
    about = _About(**command.asked, section_id=command.section_id, proposal_id=proposal.proposal_id)
    if isinstance(command, RejectEdit):
        return e.SectionEditRejected(**about, version=proposal.version)
    if isinstance(proposal, Proposing):
        return e.RefusedOpenProposal(
            **refused(command, command.section_id), proposal_id=proposal.proposal_id, made=False
        )
    return _accepted(proposal, section, about)


def _accepted(proposal: Proposed, section: Section, about: _About) -> e.SectionEdited:
    return e.SectionEdited(
        **about,
        version=next_version(section, proposal.draft),
        draft=proposal.draft,
        origin=Origin.EDITED,
        upstream=section.current.upstream if section.current else (),
        summary=proposal.summary,
        provenance=proposal.provenance,
    )


def _not_open(command: ProposalCommand, section: Section) -> e.AnyEvent:
    ended = section.ended_proposals.get(command.proposal_id)
    named = _Named(**refused(command, command.section_id), proposal_id=command.proposal_id)
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


def follow(document: Document, events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events, and before them which open proposals are void because newer versions come."""
    if all(section.proposal is None for section in document.sections.values()):
        return events
    after: State = document
    for event in events:
        after = evolve(after, event)
    assert isinstance(after, Document)
    return [*_voided(document, after), *events]


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
