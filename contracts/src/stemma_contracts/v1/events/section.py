"""Events about a section: its text and the work on it, comments, and who is asked to see to it."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, JobId, Token
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.events.base import PaidEvent, SectionEvent, TextEvent
from stemma_contracts.v1.inputs import InputVersion
from stemma_contracts.v1.library import Lapse
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.needs import Answerer, Need
from stemma_contracts.v1.provenance import GenerationWarning, Origin, ProcessingMetadata, Provenance, RetrievedSource
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.requests import Actor
from stemma_contracts.v1.section import Activity, Due, SectionStatus
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.validation import ValidationSummary


@registry.contract("stemma.section.drafted.v1", Family.EVENT)
class SectionDrafted(TextEvent, PaidEvent):
    """The generator wrote a draft; it is validated next."""

    job_id: JobId
    version: int = Field(ge=1)
    draft: ArtifactRef
    upstream: tuple[UpstreamVersion, ...] = ()
    evaluation: Evaluation
    provenance: Provenance
    assets: tuple[InputFile, ...] = Field(default=(), description="images of the draft besides those among the inputs")
    partial: bool = Field(default=False, description="its graph could not go on: this is what there was")
    warnings: tuple[GenerationWarning, ...] = ()
    retrieved_context: tuple[RetrievedSource, ...] | None = Field(default=None, description="sources that fed it")
    processing_metadata: ProcessingMetadata | None = None
    review: ReviewVerdict | None = Field(default=None, description="if the draft is a review of other sections")
    left_out: ArtifactRef | None = Field(default=None, description="LeftOutList as JSON: what of the inputs, and why")
    inputs: tuple[InputVersion, ...] | None = Field(
        default=None, description="what it was written from; absent in old logs: all inputs"
    )
    merge: Merge | None = Field(default=None, description="if the draft holds what people wrote before")


@registry.contract("stemma.section.lint.failed.v1", Family.EVENT)
class SectionLintFailed(SectionEvent):
    """The validator found issues; the draft goes back to the generator for another round."""

    job_id: JobId
    version: int = Field(ge=1)
    validation: ValidationSummary
    round: int = Field(ge=1)
    quote_only: bool = Field(default=False, description="the last round: no model writes, the inputs are quoted")


@registry.contract("stemma.section.review.requested.v1", Family.EVENT)
class SectionReviewRequested(SectionEvent):
    """The draft waits for a person."""

    job_id: JobId
    version: int = Field(ge=1)
    validation: ValidationSummary


class ReviewConclusion(Contract):
    """What follows from a review: another cycle, or going on.

    With ``forced_continuation`` it goes on although ``review_feedback`` asks for a revision.
    """

    needs_revision: bool
    revision_count: int = Field(ge=0)
    forced_continuation: bool = False
    review_feedback: ArtifactRef | None = None


@registry.contract("stemma.section.approved.v1", Family.EVENT)
class SectionApproved(SectionEvent):
    """The version is settled, by a person or by the policy (then ``validation`` and ``job_id`` are set)."""

    version: int = Field(ge=1)
    by_policy: bool = False
    job_id: JobId | None = None
    validation: ValidationSummary | None = None
    conclusion: ReviewConclusion | None = Field(default=None, description="if the section is the review of the others")
    overrides_review: bool = Field(
        default=False, description="it is approved although the last review was not met, or nobody could review"
    )


@registry.contract("stemma.section.approval.given.v1", Family.EVENT)
class SectionApprovalGiven(SectionEvent):
    """A person approved the version, which waits for others: with this one it has ``approvals`` of ``needed``."""

    version: int = Field(ge=1)
    approvals: int = Field(ge=1)
    needed: int = Field(ge=1)


@registry.contract("stemma.section.approval.withdrawn.v1", Family.EVENT)
class SectionApprovalWithdrawn(SectionEvent):
    """A person took back the approval of the version, of several people the own one: it waits for review again."""

    version: int = Field(ge=1)
    stops: tuple[Token, ...] = Field(default=(), description="sections whose writing from it is given up; they wait")


@registry.contract("stemma.section.revision.requested.v1", Family.EVENT)
class SectionRevisionRequested(SectionEvent):
    """A reviewer sent the version to the editor agent."""

    version: int = Field(ge=1)
    feedback: ArtifactRef


@registry.contract("stemma.section.revised.v1", Family.EVENT)
class SectionRevised(TextEvent, PaidEvent):
    """The editor agent replaced the content; it is validated, then reviewed anew."""

    job_id: JobId
    version: int = Field(ge=1)
    draft: ArtifactRef
    summary: ArtifactRef
    evaluation: Evaluation | None = None
    provenance: Provenance


@registry.contract("stemma.section.revision.refused.v1", Family.EVENT)
class SectionRevisionRefused(SectionEvent, PaidEvent):
    """The editor agent could not follow the instruction; the section is as before."""

    job_id: JobId
    version: int = Field(ge=1)
    reason: ArtifactRef
    proposal_id: Token | None = Field(default=None, description="of what was to be proposed")


@registry.contract("stemma.section.edit.requested.v1", Family.EVENT)
class SectionEditRequested(SectionEvent):
    """A person asked the editor agent for a change of the version.

    The result settles the section, is reviewed like a revision, or is proposed: then status and version stay.
    """

    version: int = Field(ge=1)
    instruction: ArtifactRef
    result: Literal["settled", "reviewed", "proposed"] = "settled"
    proposal_id: Token | None = Field(default=None, description="of the result, if it is to be proposed")


@registry.contract("stemma.section.edit.proposed.v1", Family.EVENT)
class SectionEditProposed(SectionEvent, PaidEvent):
    """The editor agent made the change that a person asked for; it waits until a person accepts or rejects it.

    Status, version and dependents stay as they are. What is ``to_be_checked`` is validated while it waits.
    """

    job_id: JobId
    proposal_id: Token
    version: int = Field(ge=1, description="the version that it changes")
    base_digest: Digest = Field(description="digest of the text that it changes")
    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance
    to_be_checked: bool = Field(default=False, description="its check is under way; false in old logs")
    merge: Merge | None = Field(default=None, description="if the editor agent changed an earlier version")


@registry.contract("stemma.section.edit.checked.v1", Family.EVENT)
class SectionEditChecked(SectionEvent, PaidEvent):
    """The text of a proposed edit was validated; without a ``validation`` it could not be, as ``detail`` says."""

    job_id: JobId
    proposal_id: Token
    version: int = Field(ge=1, description="the version that it changes")
    validation: ValidationSummary | None = None
    detail: str = Field(default="", max_length=300, description="error class and code, no text")


@registry.contract("stemma.section.edit.rejected.v1", Family.EVENT)
class SectionEditRejected(SectionEvent):
    """A person dropped a proposed edit, or withdrew the instruction."""

    proposal_id: Token
    version: int = Field(ge=1)


@registry.contract("stemma.section.edit.voided.v1", Family.EVENT)
class SectionEditVoided(SectionEvent):
    """A newer version came: the proposed edit, or the instruction, was about a text that is not current any more."""

    proposal_id: Token
    version: int = Field(ge=1, description="the version that it was about")
    current_version: int = Field(ge=1)


@registry.contract("stemma.section.edit.merged.v1", Family.EVENT)
class SectionEditMerged(SectionEvent):
    """A person made a newer version: the proposed edit waits on, as a change of that one, and is checked anew."""

    proposal_id: Token
    version: int = Field(ge=1, description="the version that it changes now")
    base_digest: Digest = Field(description="digest of the text that it changes now")
    draft: ArtifactRef
    merge: Merge = Field(description="of what was proposed with the person's text, which stays where both changed")


@registry.contract("stemma.section.edited.v1", Family.EVENT)
class SectionEdited(TextEvent, PaidEvent):
    """The section has the text that a person gave, or the change that a person asked for (``job_id`` is set).

    With ``proposal_id`` it is the proposed edit that a person accepted.

    It counts as settled, unless it ``awaits_review``; it is validated and evaluated too, and the results block nothing.
    """

    version: int = Field(ge=1)
    draft: ArtifactRef
    origin: Origin
    upstream: tuple[UpstreamVersion, ...] = ()
    job_id: JobId | None = None
    summary: ArtifactRef | None = None
    provenance: Provenance | None = None
    proposal_id: Token | None = None
    assets: tuple[InputFile, ...] = Field(default=(), description="images that came with the text")
    keeps_edit: Token | None = Field(
        default=None, description="the edit or revision that is under way goes on beside it, as this proposed edit"
    )
    awaits_review: bool = Field(default=False, description="the policy of its section wants several people for it")


@registry.contract("stemma.section.restored.v1", Family.EVENT)
class SectionRestored(TextEvent):
    """The text of an earlier version is current again, as a version of its own."""

    version: int = Field(ge=1)
    restored_version: int = Field(ge=1)
    draft: ArtifactRef
    awaits_review: bool = Field(default=False, description="the policy of its section wants several people for it")


@registry.contract("stemma.section.kept.v1", Family.EVENT)
class SectionKept(SectionEvent):
    """A person kept the version against the current upstream versions, also against those that are stale."""

    version: int = Field(ge=1)
    accepted: tuple[UpstreamVersion, ...]
    inputs: tuple[InputVersion, ...] | None = Field(default=None, description="the inputs of then; absent in old logs")


@registry.contract("stemma.section.regeneration.requested.v1", Family.EVENT)
class SectionRegenerationRequested(SectionEvent):
    """The section is queued to be written anew."""

    version: int = Field(ge=1)
    guidance: ArtifactRef | None = None
    merges: bool = Field(default=False, description="what people wrote stays in it; else it may be replaced")


@registry.contract("stemma.section.checked.v1", Family.EVENT)
class SectionChecked(SectionEvent, PaidEvent):
    """A settled text was validated or evaluated; the result is shown and changes no status."""

    job_id: JobId
    version: int = Field(ge=1)
    validation: ValidationSummary | None = None
    evaluation: Evaluation | None = None


class SectionFailure(SectionEvent, PaidEvent):
    """A job of a section ended without a result. ``status`` is the status after it."""

    job_id: JobId
    activity: Activity
    status: SectionStatus
    detail: str = Field(default="", max_length=300, description="error class and code, no text")
    proposal_id: Token | None = Field(default=None, description="of the edit that was to be proposed")


@registry.contract("stemma.section.model.unavailable.v1", Family.EVENT)
class SectionModelUnavailable(SectionFailure):
    """The model did not answer within the bounds of its retries."""


@registry.contract("stemma.section.answer.malformed.v1", Family.EVENT)
class SectionAnswerMalformed(SectionFailure):
    """The model's answers did not fit their schema, also after being asked again."""


@registry.contract("stemma.section.context.too.long.v1", Family.EVENT)
class SectionContextTooLong(SectionFailure):
    """The prompt is longer than the model holds; the tokens are a rough count."""

    prompt_tokens: int = Field(default=0, ge=0)
    context_tokens: int = Field(default=0, ge=0, description="what the model holds, prompt and answer; 0: not known")


@registry.contract("stemma.section.inputs.missing.v1", Family.EVENT)
class SectionInputsMissing(SectionFailure):
    """What the section is to be written from is not there, or too short; no model was called."""

    missing: tuple[Token, ...] = ()


@registry.contract("stemma.section.role.analysis.missing.v1", Family.EVENT)
class SectionRoleAnalysisMissing(SectionFailure):
    """It could not be found out which roles the text needs."""

    processing_metadata: ProcessingMetadata | None = None


@registry.contract("stemma.section.no.role.left.v1", Family.EVENT)
class SectionNoRoleLeft(SectionFailure):
    """No role of the text wrote anything."""

    processing_metadata: ProcessingMetadata | None = None


@registry.contract("stemma.section.thread.lost.v1", Family.EVENT)
class SectionThreadLost(SectionFailure):
    """The paused graph of the section is lost; a retry writes it anew, with what people answered before."""


@registry.contract("stemma.section.job.dead.v1", Family.EVENT)
class SectionJobDead(SectionFailure):
    """A worker could not handle the job; the message lies with the dead letters."""


@registry.contract("stemma.section.retried.v1", Family.EVENT)
class SectionRetried(SectionEvent):
    """A failed section is queued again."""


@registry.contract("stemma.section.check.requested.v1", Family.EVENT)
class SectionCheckRequested(SectionEvent):
    """A text at rest, whose check did not find all out, is checked again; what was decided about it stays."""


@registry.contract("stemma.section.need.raised.v1", Family.EVENT)
class SectionNeedRaised(SectionEvent, PaidEvent):
    """The graph of a section paused and asks for something."""

    job_id: JobId
    thread_id: str = Field(max_length=250)
    need: Need


@registry.contract("stemma.section.need.answered.v1", Family.EVENT)
class SectionNeedAnswered(SectionEvent):
    """The need was met, or could not be (``failed``, and ``detail`` says why); the graph goes on."""

    need_id: Token
    answer: ArtifactRef
    answered_by: Answerer = "person"
    failed: bool = False
    detail: str = Field(default="", max_length=300)
    job_id: JobId | None = Field(default=None, description="the job of the service that was to meet it")


@registry.contract("stemma.section.assigned.v1", Family.EVENT)
class SectionAssigned(SectionEvent):
    """Somebody asked a person to see to the section; it takes the place of what was asked before."""

    assignee: Actor
    due: Due | None = Field(default=None, description="it counts until the section is settled")


@registry.contract("stemma.section.unassigned.v1", Family.EVENT)
class SectionUnassigned(SectionEvent):
    """Nobody in particular is asked any more."""

    assignee: Actor = Field(description="who was")


class DueEvent(SectionEvent):
    """A reminder, at most one of a kind for each assignment; there is none once the section is settled."""

    assignee: Actor
    due: Due


@registry.contract("stemma.section.due.soon.v1", Family.EVENT)
class SectionDueSoon(DueEvent):
    """The section is due soon, and not settled yet."""


@registry.contract("stemma.section.overdue.v1", Family.EVENT)
class SectionOverdue(DueEvent):
    """The section was due, and is not settled yet."""


@registry.contract("stemma.section.commented.v1", Family.EVENT)
class SectionCommented(SectionEvent):
    """Somebody commented on this version; all comments of an event were sent together. An answer opens its thread."""

    version: int = Field(ge=1)
    comments: tuple[MadeComment, ...]


@registry.contract("stemma.section.thread.resolved.v1", Family.EVENT)
class SectionThreadResolved(SectionEvent):
    """A thread of comments was resolved; its comments stay."""

    thread_id: Token


@registry.contract("stemma.section.thread.reopened.v1", Family.EVENT)
class SectionThreadReopened(SectionEvent):
    """A thread of comments that was resolved is open again."""

    thread_id: Token


@registry.contract("stemma.entry.described.v1", Family.EVENT)
class EntryDescribed(SectionEvent):
    """A person said who keeps the text for the library, until when it holds, and whether it is withheld."""

    owner: str = Field(default="", max_length=64)
    expires: Due | None = None
    withheld: bool = False


@registry.contract("stemma.entry.expired.v1", Family.EVENT)
class EntryExpired(SectionEvent):
    """The time until which the text holds for the library is over."""

    expires: Due


@registry.contract("stemma.entry.used.v1", Family.EVENT)
class EntryUsed(SectionEvent):
    """Another document of the tenant took a version of the text as an input."""

    version: int = Field(ge=1)
    document_id: Token


@registry.contract("stemma.entry.lapse.told.v1", Family.EVENT)
class EntryLapseTold(SectionEvent):
    """A document that uses the text was told why it may not be used any more."""

    document_id: Token
    lapse: Lapse
