"""Progress events: the log of a document, and at once its state, its audit trail and its feed.

The subject is ``stemma.event.v1.<tenant>.<document>.<name>``. Events hold references, never text.
``starts`` names the sections that the event sets to work, so that no event per dependent is needed.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, JobId, Token

from .requests import Actor
from .values import (
    Activity,
    ArtifactRef,
    Evaluation,
    ExportFormat,
    ExportWarning,
    InputFile,
    Need,
    Provenance,
    SectionPlan,
    SectionStatus,
    UpstreamVersion,
    Usage,
    ValidationSummary,
)


class Event(Contract):
    """What every event carries: the request behind it, if a request led to it directly."""

    request_id: Token | None = None
    request_digest: Digest | None = None
    actor: Actor | None = None
    starts: tuple[Token, ...] = Field(default=(), description="sections that begin to be generated")


class SectionEvent(Event):
    """An event about one section."""

    section_id: Token


@registry.contract("stemma.document.requested.v1", Family.EVENT)
class DocumentRequested(Event):
    """A document begins. The plan is a copy: later changes of configuration do not touch it."""

    tenant: Token
    document_id: Token
    kind: Token
    title: ArtifactRef | None = None
    brief: ArtifactRef
    inputs: tuple[InputFile, ...] = ()
    sections: tuple[SectionPlan, ...]
    blueprint_digest: Digest
    created_at: AwareDatetime


@registry.contract("stemma.document.paused.v1", Family.EVENT)
class DocumentPaused(Event):
    """No new work is started until the document is resumed."""


@registry.contract("stemma.document.resumed.v1", Family.EVENT)
class DocumentResumed(Event):
    """Work goes on."""


@registry.contract("stemma.document.cancelled.v1", Family.EVENT)
class DocumentCancelled(Event):
    """The document ended by request; its open jobs are closed."""


@registry.contract("stemma.document.completed.v1", Family.EVENT)
class DocumentCompleted(Event):
    """Every section is settled and none is stale."""


@registry.contract("stemma.document.failed.v1", Family.EVENT)
class DocumentFailed(Event):
    """Nothing can go on until one of the failed sections is retried."""

    failed_sections: tuple[Token, ...]


@registry.contract("stemma.section.drafted.v1", Family.EVENT)
class SectionDrafted(SectionEvent):
    """The generator wrote a draft; it is validated next."""

    job_id: JobId
    version: int = Field(ge=1)
    draft: ArtifactRef
    upstream: tuple[UpstreamVersion, ...] = ()
    evaluation: Evaluation
    provenance: Provenance
    usage: Usage = Usage()


@registry.contract("stemma.section.lint.failed.v1", Family.EVENT)
class SectionLintFailed(SectionEvent):
    """The validator found issues; the draft goes back to the generator for another round."""

    job_id: JobId
    version: int = Field(ge=1)
    validation: ValidationSummary
    round: int = Field(ge=1)


@registry.contract("stemma.section.review.requested.v1", Family.EVENT)
class SectionReviewRequested(SectionEvent):
    """The draft waits for a person."""

    job_id: JobId
    version: int = Field(ge=1)
    validation: ValidationSummary


@registry.contract("stemma.section.approved.v1", Family.EVENT)
class SectionApproved(SectionEvent):
    """The version is settled, by a person or by the policy (then ``validation`` and ``job_id`` are set)."""

    version: int = Field(ge=1)
    by_policy: bool = False
    job_id: JobId | None = None
    validation: ValidationSummary | None = None


@registry.contract("stemma.section.revision.requested.v1", Family.EVENT)
class SectionRevisionRequested(SectionEvent):
    """A reviewer sent the version to the editor agent."""

    version: int = Field(ge=1)
    feedback: ArtifactRef


@registry.contract("stemma.section.revised.v1", Family.EVENT)
class SectionRevised(SectionEvent):
    """The editor agent replaced the content; it is validated, then reviewed anew."""

    job_id: JobId
    version: int = Field(ge=1)
    draft: ArtifactRef
    summary: ArtifactRef
    evaluation: Evaluation | None = None
    provenance: Provenance
    usage: Usage = Usage()


@registry.contract("stemma.section.revision.refused.v1", Family.EVENT)
class SectionRevisionRefused(SectionEvent):
    """The editor agent could not follow the instruction; the version waits for review as before."""

    job_id: JobId
    version: int = Field(ge=1)
    reason: ArtifactRef
    usage: Usage = Usage()


class SectionFailure(SectionEvent):
    """A job of a section ended without a result. ``status`` is the status after it."""

    job_id: JobId
    activity: Activity
    status: SectionStatus
    detail: str = Field(default="", max_length=300, description="error class and code, no text")
    usage: Usage = Usage()


@registry.contract("stemma.section.model.unavailable.v1", Family.EVENT)
class SectionModelUnavailable(SectionFailure):
    """The model did not answer within the bounds of its retries."""


@registry.contract("stemma.section.answer.malformed.v1", Family.EVENT)
class SectionAnswerMalformed(SectionFailure):
    """The model's answers did not fit their schema, also after being asked again."""


@registry.contract("stemma.section.job.dead.v1", Family.EVENT)
class SectionJobDead(SectionFailure):
    """A worker could not handle the job; the message lies with the dead letters."""


@registry.contract("stemma.section.retried.v1", Family.EVENT)
class SectionRetried(SectionEvent):
    """A failed section is queued again."""


@registry.contract("stemma.section.need.raised.v1", Family.EVENT)
class SectionNeedRaised(SectionEvent):
    """The graph of a section paused and asks for something."""

    job_id: JobId
    thread_id: str = Field(max_length=250)
    need: Need
    usage: Usage = Usage()


@registry.contract("stemma.section.need.answered.v1", Family.EVENT)
class SectionNeedAnswered(SectionEvent):
    """The need was met; the graph goes on."""

    need_id: Token
    answer: ArtifactRef


@registry.contract("stemma.export.requested.v1", Family.EVENT)
class ExportRequested(Event):
    """A document is being converted to a format."""

    export_id: Token
    format: ExportFormat


@registry.contract("stemma.document.exported.v1", Family.EVENT)
class DocumentExported(Event):
    """The document in a format lies in the artifact store."""

    export_id: Token
    format: ExportFormat
    job_id: JobId
    artifact: ArtifactRef
    warnings: tuple[ExportWarning, ...] = ()


@registry.contract("stemma.export.failed.v1", Family.EVENT)
class ExportFailed(Event):
    """The converter could not make the format."""

    export_id: Token
    format: ExportFormat
    job_id: JobId
    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.export.job.dead.v1", Family.EVENT)
class ExportJobDead(Event):
    """The converter could not handle the job; the message lies with the dead letters."""

    export_id: Token
    format: ExportFormat
    job_id: JobId
    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.outcome.superseded.v1", Family.EVENT)
class OutcomeSuperseded(Event):
    """An outcome came for a job that a later decision had closed; it changed nothing."""

    job_id: JobId
    outcome: str = Field(max_length=100, description="ce-type of the outcome")
    usage: Usage = Usage()


class DecisionRefused(Event):
    """A decision that changed nothing; the type of the event is the reason."""

    request: str = Field(max_length=100, description="ce-type of the request")
    section_id: Token | None = None


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


@registry.contract("stemma.refused.document.status.v1", Family.EVENT)
class RefusedByDocumentStatus(DecisionRefused):
    """The document's status does not allow the request."""

    document_status: str


@registry.contract("stemma.refused.revision.limit.v1", Family.EVENT)
class RefusedRevisionLimit(DecisionRefused):
    """The section was revised as often as its blueprint allows."""

    max_revisions: int


AnyFailure = SectionModelUnavailable | SectionAnswerMalformed | SectionJobDead
AnySectionEvent = (
    SectionDrafted
    | SectionLintFailed
    | SectionReviewRequested
    | SectionApproved
    | SectionRevisionRequested
    | SectionRevised
    | SectionRevisionRefused
    | AnyFailure
    | SectionRetried
    | SectionNeedRaised
    | SectionNeedAnswered
)
AnyExportOutcome = DocumentExported | ExportFailed | ExportJobDead
AnyRefusal = (
    RefusedOldVersion
    | RefusedByStatus
    | RefusedUnknownSection
    | RefusedUnknownNeed
    | RefusedByDocumentStatus
    | RefusedRevisionLimit
)
AnyDocumentEvent = (
    DocumentRequested
    | DocumentPaused
    | DocumentResumed
    | DocumentCancelled
    | DocumentCompleted
    | DocumentFailed
    | ExportRequested
    | AnyExportOutcome
    | OutcomeSuperseded
)
AnyEvent = AnyDocumentEvent | AnySectionEvent | AnyRefusal
