"""Decisions that changed nothing: one type of event per reason."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, Token
from stemma_contracts.v1.assignment import Due
from stemma_contracts.v1.forms import MOST_REASONS
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import Actor
from stemma_contracts.v1.section import SectionStatus

from .base import Event


class DecisionRefused(Event):
    """A decision that changed nothing; the type of the event is the reason."""

    request: str = Field(max_length=100, description="ce-type of the request")
    section_id: Token | None = None
    position: int | None = Field(default=None, ge=0, description="in the list of a request about several sections")


@registry.contract("stemma.refused.old.version.v1", Family.EVENT)
class RefusedOldVersion(DecisionRefused):
    """The decision was about a version that is not the current one."""

    version: int
    current_version: int


@registry.contract("stemma.refused.status.v1", Family.EVENT)
class RefusedByStatus(DecisionRefused):
    """The section's status does not allow the decision."""

    status: SectionStatus


@registry.contract("stemma.refused.unknown.section.v1", Family.EVENT)
class RefusedUnknownSection(DecisionRefused):
    """The document has no such section."""


@registry.contract("stemma.refused.unknown.need.v1", Family.EVENT)
class RefusedUnknownNeed(DecisionRefused):
    """The section does not wait for this need."""

    need_id: Token


@registry.contract("stemma.refused.form.fields.v1", Family.EVENT)
class RefusedFormFields(DecisionRefused):
    """The input is no form in which fields were found, or has no such field."""

    input_id: Token
    field_id: Token | None = None
    unconfirmed: bool = Field(default=False, description="it is a form whose fields nobody has confirmed")


@registry.contract("stemma.refused.long.answers.v1", Family.EVENT)
class RefusedLongAnswers(DecisionRefused):
    """Answers to fields of a form are longer than the form says, so that it would not accept them."""

    answers: int = Field(ge=1, description="how many they are")


@registry.contract("stemma.refused.unaccepted.answers.v1", Family.EVENT)
class RefusedUnacceptedAnswers(DecisionRefused):
    """Answers to fields of a form are none of those that the fields accept: not in the list, no date, no number."""

    answers: int = Field(ge=1, description="how many they are")


@registry.contract("stemma.refused.stale.answers.v1", Family.EVENT)
class RefusedStaleAnswers(DecisionRefused):
    """The answers were approved for an older version of the form, and the current version asks something else."""

    input_id: Token
    version: int = Field(description="the version of the form that the answers are for")
    current_version: int
    field_ids: tuple[Token, ...] = Field(
        default=(),
        max_length=MOST_REASONS,
        description="the first fields that only one of the two versions has; none if the same fields accept others",
    )


@registry.contract("stemma.refused.unknown.requirement.v1", Family.EVENT)
class RefusedUnknownRequirement(DecisionRefused):
    """The ledger has no such row; nothing was read yet, or it was withdrawn."""

    requirement_id: Token


@registry.contract("stemma.refused.old.ledger.v1", Family.EVENT)
class RefusedOldLedger(DecisionRefused):
    """The decision was about the words of rows that do not count any more: they were read or cut again since."""

    rows_digest: Digest


@registry.contract("stemma.refused.document.status.v1", Family.EVENT)
class RefusedByDocumentStatus(DecisionRefused):
    """The document's status does not allow the request."""

    document_status: str


@registry.contract("stemma.refused.revision.limit.v1", Family.EVENT)
class RefusedRevisionLimit(DecisionRefused):
    """The section was revised as often as its blueprint allows."""

    max_revisions: int


@registry.contract("stemma.refused.no.cycle.v1", Family.EVENT)
class RefusedNoCycle(DecisionRefused):
    """A new cycle is asked for on the section that is made last in a document with cycles, and on no other."""


@registry.contract("stemma.refused.nothing.written.v1", Family.EVENT)
class RefusedNothingWritten(DecisionRefused):
    """The section has no text yet that the decision could be about."""


@registry.contract("stemma.refused.not.stale.v1", Family.EVENT)
class RefusedNotStale(DecisionRefused):
    """The section is not stale: there is nothing to keep it against."""


@registry.contract("stemma.refused.upstream.stale.v1", Family.EVENT)
class RefusedUpstreamStale(DecisionRefused):
    """A section that this one rests on is stale itself; only in logs of before such a section could be kept."""

    upstream_section_id: Token


@registry.contract("stemma.refused.replaces.edit.v1", Family.EVENT)
class RefusedReplacesEdit(DecisionRefused):
    """The version is a person's, and the request does not say that it may be replaced."""

    version: int
    origin: Origin


@registry.contract("stemma.refused.unknown.version.v1", Family.EVENT)
class RefusedUnknownVersion(DecisionRefused):
    """The section has no such earlier version."""

    restore_version: int


@registry.contract("stemma.refused.answer.v1", Family.EVENT)
class RefusedAnswer(DecisionRefused):
    """The answer is none that the question can have; ``forms`` and ``references`` are what it can be about."""

    need_id: Token
    forms: tuple[str, ...] = ()
    references: tuple[str, ...] = Field(default=(), description="the first of those that wait for a decision")


@registry.contract("stemma.refused.unknown.proposal.v1", Family.EVENT)
class RefusedUnknownProposal(DecisionRefused):
    """The section has no such proposed edit."""

    proposal_id: Token


@registry.contract("stemma.refused.void.proposal.v1", Family.EVENT)
class RefusedVoidProposal(DecisionRefused):
    """The proposed edit is void: a newer version came."""

    proposal_id: Token
    version: int = Field(ge=1, description="the version that it was about")
    current_version: int = Field(ge=1)


@registry.contract("stemma.refused.decided.proposal.v1", Family.EVENT)
class RefusedDecidedProposal(DecisionRefused):
    """The proposed edit was accepted or rejected before."""

    proposal_id: Token
    decision: Literal["accepted", "rejected"]


@registry.contract("stemma.refused.withdrawn.proposal.v1", Family.EVENT)
class RefusedWithdrawnProposal(DecisionRefused):
    """The edit was never proposed: the editor agent refused the instruction, or its job failed."""

    proposal_id: Token
    reason: Literal["refused", "failed"]


@registry.contract("stemma.refused.open.proposal.v1", Family.EVENT)
class RefusedOpenProposal(DecisionRefused):
    """An edit of the section is proposed, or being made: one at a time, so that none is lost."""

    proposal_id: Token
    made: bool = Field(description="whether it waits for a person; else the editor agent is at work on it")


@registry.contract("stemma.refused.unknown.input.v1", Family.EVENT)
class RefusedUnknownInput(DecisionRefused):
    """The document has no such input, or it is withdrawn."""

    input_id: Token


@registry.contract("stemma.refused.input.version.v1", Family.EVENT)
class RefusedInputVersion(DecisionRefused):
    """The decision was about a version of an input that is not the current one."""

    input_id: Token
    version: int
    current_version: int


@registry.contract("stemma.refused.input.name.v1", Family.EVENT)
class RefusedInputName(DecisionRefused):
    """An input of that name is there already."""

    input_id: Token


@registry.contract("stemma.refused.brief.withdrawn.v1", Family.EVENT)
class RefusedBriefWithdrawn(DecisionRefused):
    """A document has a brief: it can be replaced, and not withdrawn."""


@registry.contract("stemma.refused.unknown.thread.v1", Family.EVENT)
class RefusedUnknownThread(DecisionRefused):
    """The section has no such thread of comments."""

    thread_id: Token


@registry.contract("stemma.refused.thread.status.v1", Family.EVENT)
class RefusedByThreadStatus(DecisionRefused):
    """The thread of comments was resolved before, or it is open."""

    thread_id: Token
    resolved: bool


@registry.contract("stemma.refused.past.due.v1", Family.EVENT)
class RefusedPastDue(DecisionRefused):
    """A section cannot be made due at a time that is past."""

    due: Due


@registry.contract("stemma.refused.same.assignment.v1", Family.EVENT)
class RefusedSameAssignment(DecisionRefused):
    """The person is asked to see to the section already, by the same time."""

    assignee: Actor
    due: Due | None = None


@registry.contract("stemma.refused.not.assigned.v1", Family.EVENT)
class RefusedNotAssigned(DecisionRefused):
    """Nobody in particular is asked to see to the section."""
