"""Fold what becomes of a proposed edit into its section. The event is a fact: no rule is applied here."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e

from .persons import NOBODY, person_of
from .proposal_state import EndedProposal, ProposalEnd, Proposed, Proposing
from .state import Section


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
    event: e.SectionEditProposed | e.SectionEditChecked | e.SectionEditRejected | e.SectionEditVoided,
    check: str,
    at: datetime | None,
) -> Section:
    """The section with a proposal that waits, or that has ended; ``check`` is the job that validates it."""
    match event:
        case e.SectionEditProposed():
            return replace(section, proposal=_proposed(section, event, check, at))
        case e.SectionEditChecked():
            return _checked(section, event)
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
    )


def _checked(section: Section, event: e.SectionEditChecked) -> Section:
    if not isinstance(section.proposal, Proposed):
        return section
    unchecked = "" if event.validation else event.detail or "unknown"
    found = replace(section.proposal, check=None, validation=event.validation, unchecked=unchecked)
    return replace(section, proposal=found)


def accepted(section: Section, event: e.SectionEdited) -> Section:
    """The section without the proposal that is its text now, if it is one."""
    return _ended(section, event.proposal_id, "accepted") if event.proposal_id else section


def _ended(section: Section, proposal_id: str, how: ProposalEnd) -> Section:
    version = section.proposal.version if section.proposal else section.current_number
    ended = {**section.ended_proposals, proposal_id: EndedProposal(version, how)}
    return replace(section, proposal=None, ended_proposals=ended)
