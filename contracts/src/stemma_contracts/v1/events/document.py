"""Events about a document as a whole, and about its inputs."""

from typing import Literal

from pydantic import AwareDatetime, Field, StrictBool

from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, FileName, JobId, Token
from stemma_contracts.v1.bids import RuleChecks
from stemma_contracts.v1.budgets import Budget, BudgetQuestion
from stemma_contracts.v1.coded import Coded
from stemma_contracts.v1.coverage import NotCovered
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.document import BidOutcome
from stemma_contracts.v1.erasure import ErasedStore
from stemma_contracts.v1.events.base import Event, PaidEvent
from stemma_contracts.v1.exports import (
    Contradictions,
    Cover,
    ExportFormat,
    ExportRemark,
    ExportWarning,
    OverlongSection,
    VersionPair,
)
from stemma_contracts.v1.forms import MOST_FIELDS, MOST_REASONS, Reason
from stemma_contracts.v1.inputs import InputDifference, InputReading, Unreadable, UnreadableInput
from stemma_contracts.v1.ledger import LedgerSummary, LedgerWarning, RequirementDecision, RowParts, SecondOpinion
from stemma_contracts.v1.library import EntryRef, Lapse
from stemma_contracts.v1.outline import PlanWording
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.returned import ReturnFigures
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.usage import MonthUsage, Usage


class InputEvent(Event):
    """An event about one input."""

    input_id: Token


@registry.contract("stemma.document.input.added.v1", Family.EVENT)
class DocumentInputAdded(InputEvent):
    """A file became an input; with ``unreadable`` nobody needs to try to read it.

    With ``to_read`` it is read first. What is ``staged`` is read, and does not count before it is applied.
    """

    file: InputFile
    parent: Token | None = Field(default=None, description="the message whose attachment it is")
    to_read: bool = False
    staged: bool = False
    unreadable: Unreadable | None = None


@registry.contract("stemma.document.input.replaced.v1", Family.EVENT)
class DocumentInputReplaced(InputEvent):
    """Another file takes the place of an input. It is read first; until then the version before counts.

    What is ``staged`` is read and compared, and does not count before it is applied.
    """

    version: int = Field(ge=1)
    artifact: ArtifactRef
    is_text: bool = False
    staged: bool = False
    unreadable: Unreadable | None = None


@registry.contract("stemma.document.input.applied.v1", Family.EVENT)
class DocumentInputApplied(InputEvent):
    """What was staged counts from now on."""

    version: int = Field(ge=1)


@registry.contract("stemma.document.input.withdrawn.v1", Family.EVENT)
class DocumentInputWithdrawn(InputEvent):
    """The input counts no more; its content and what was written from it stay."""


@registry.contract("stemma.document.input.role.set.v1", Family.EVENT)
class DocumentInputRoleSet(InputEvent):
    """A person said what an input is for. One that becomes a form is read again, for its fields."""

    role: Token


@registry.contract("stemma.document.passage.marked.v1", Family.EVENT)
class DocumentPassageMarked(InputEvent):
    """A passage of an input is confidential, or is not any more: the file is read again without it, or with it."""

    passage: ArtifactRef
    taken_back: StrictBool = False


@registry.contract("stemma.document.input.read.v1", Family.EVENT)
class DocumentInputRead(InputEvent):
    """A version of an input was read; ``children`` are the attachments of a message, inputs of their own."""

    job_id: JobId
    version: int = Field(ge=1)
    reading: InputReading
    children: tuple[InputFile, ...] = ()
    difference: InputDifference | None = Field(default=None, description="from the version before, if there is one")
    left_off: int = Field(default=0, ge=0, description="images and attachments beyond what a document can have")


@registry.contract("stemma.document.input.unreadable.v1", Family.EVENT)
class DocumentInputUnreadable(InputEvent):
    """A version of an input could not be read; the text of the version before, if there is one, counts on."""

    job_id: JobId
    version: int = Field(ge=1)
    unreadable: Unreadable


@registry.contract("stemma.document.requested.v1", Family.EVENT)
class DocumentRequested(Event):
    """A document begins. The plan is a copy: later changes of configuration do not touch it.

    Inputs have the ids ``input-1``, ``input-2`` and so on in their order, the brief is ``brief``. What is ``to_read``
    is read before anything is written.
    """

    tenant: Token
    document_id: Token
    kind: Token
    title: ArtifactRef | None = None
    brief: ArtifactRef
    inputs: tuple[InputFile, ...] = ()
    sections: tuple[SectionPlan, ...]
    blueprint_digest: Digest
    created_at: AwareDatetime
    cycle: CyclePlan | None = None
    language: str = Field(default="", max_length=35, description="BCP 47 primary tag; empty in old logs: en")
    to_read: tuple[Token, ...] = Field(default=(), description="inputs that are read first, by their ids")
    unreadable: tuple[UnreadableInput, ...] = Field(default=(), description="inputs that nobody needs to try to read")
    wordings: tuple[PlanWording, ...] = Field(
        default=(), description="the plan in other languages; it is in that of the brief once that is read"
    )
    titled_by_file: bool = Field(
        default=False, description="the title is the name of the brief's file, until it is read what it calls itself"
    )
    chapters_from_request: StrictBool = Field(
        default=False, description="nobody gave an outline: the chapters that a request demands take their place"
    )
    budget: Budget | None = None


@registry.contract("stemma.document.paused.v1", Family.EVENT)
class DocumentPaused(Event):
    """No new work is started until the document is resumed."""


@registry.contract("stemma.document.resumed.v1", Family.EVENT)
class DocumentResumed(Event):
    """Work goes on."""


@registry.contract("stemma.document.cancelled.v1", Family.EVENT)
class DocumentCancelled(Event):
    """The document ended by request; its open jobs are closed."""


@registry.contract("stemma.document.erasure.requested.v1", Family.EVENT)
class DocumentErasureRequested(Event):
    """The document ends, and what is stored of it goes; nothing else is decided about it any more."""

    library: StrictBool = Field(default=False, description="what came from it into the library goes, too")


@registry.contract("stemma.document.threads.erased.v1", Family.EVENT)
class DocumentThreadsErased(Event):
    """The paused graphs of the document are gone, or why not: then the erasure waits until it is asked for again."""

    job_id: JobId
    threads: int = Field(default=0, ge=0)
    failed: str = Field(default="", max_length=300)


@registry.contract("stemma.document.erased.v1", Family.EVENT)
class DocumentErased(Event):
    """All that was stored of the document is gone, by the request that is named here: the only event that stays of it.

    It certifies what went, and names what nobody could reach.
    """

    tenant: Token
    document_id: Token
    kind: Token
    created_at: AwareDatetime
    requested_at: AwareDatetime
    erased: tuple[ErasedStore, ...]
    remain: tuple[Token, ...] = Field(default=(), description="what may hold copies and is no store of a service")
    usage: Usage = Usage()
    month: MonthUsage | None = Field(default=None, description="of that usage, what came in the last month with any")


@registry.contract("stemma.document.budget.set.v1", Family.EVENT)
class DocumentBudgetSet(Event):
    """What model calls for the document may come to from now on; an open question is closed by it."""

    budget: Budget


@registry.contract("stemma.document.budget.reached.v1", Family.EVENT)
class DocumentBudgetReached(Event, BudgetQuestion):
    """Sections wait, since to write them would probably pass a bound of the budget: a person is asked."""

    budget: Budget


@registry.contract("stemma.document.budget.answered.v1", Family.EVENT)
class DocumentBudgetAnswered(Event):
    """A person has the sections of the question written once all the same, or leaves them."""

    question: Token
    answer: Literal["once", "stop"]


@registry.contract("stemma.document.budget.renewed.v1", Family.EVENT)
class DocumentBudgetRenewed(Event):
    """The budget of the tenant has room again, at least for the first section that waited for it; the question is
    closed.
    """

    question: Token


@registry.contract("stemma.revision.cycle.started.v1", Family.EVENT)
class RevisionCycleStarted(Event):
    """Sections are written again, in order and whether or not what they rest on changed, to answer a review.

    ``feedback`` is the review section's text, or what a person said about the final section. ``sections`` are
    those that are queued: after a review all but those that a person wrote, else all.
    """

    revision_count: int = Field(ge=0)
    feedback: ArtifactRef
    asked_by: Literal["review", "person"]
    sections: tuple[Token, ...]


@registry.contract("stemma.document.completed.v1", Family.EVENT)
class DocumentCompleted(Event):
    """Every section is settled and none is stale."""


@registry.contract("stemma.document.failed.v1", Family.EVENT)
class DocumentFailed(Event):
    """Nothing can go on until one of the failed sections is retried."""

    failed_sections: tuple[Token, ...]


@registry.contract("stemma.export.requested.v1", Family.EVENT)
class ExportRequested(Event):
    """A document is being converted to a format, with ``redline`` as a comparison of versions."""

    export_id: Token
    format: ExportFormat
    redline: tuple[VersionPair, ...] = ()
    citations: bool = False
    matrix: bool = False
    cover: Cover | None = None


@registry.contract("stemma.requirements.requested.v1", Family.EVENT)
class RequirementsRequested(Event):
    """The demands of the brief and of these inputs are being read into the ledger."""

    sources: tuple[FileName, ...] = ()
    without_brief: StrictBool = Field(default=False, description="the brief is no source")
    second_opinion: StrictBool = Field(default=False, description="a model is asked afterwards for what is missing")


@registry.contract("stemma.requirements.read.v1", Family.EVENT)
class RequirementsRead(Event):
    """The ledger has these rows. What people decided about rows that are still there stays."""

    job_id: JobId
    rows: ArtifactRef = Field(description="LedgerRows as JSON")
    difference: ArtifactRef = Field(description="LedgerDifference as JSON")
    summary: LedgerSummary
    outlined_by: str = Field(default="", max_length=255, description="the request whose chapters the document has now")
    sections: tuple[SectionPlan, ...] = Field(
        default=(), description="with ``outlined_by``: all sections of the document, none of which was begun"
    )


@registry.contract("stemma.requirements.unread.v1", Family.EVENT)
class RequirementsUnread(Event):
    """The demands could not be read; the ledger is as it was."""

    job_id: JobId
    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.requirements.decided.v1", Family.EVENT)
class RequirementsDecided(Event):
    """People decided about rows of the ledger, or closed warnings of it."""

    decisions: tuple[RequirementDecision, ...]
    closed: tuple[LedgerWarning, ...] = ()
    shown: int | None = Field(
        default=None, description="the sequence of the document whose texts were compared; absent: those of then"
    )


@registry.contract("stemma.requirements.added.v1", Family.EVENT)
class RequirementsAdded(PaidEvent):
    """A model was asked for demands that are in the sources and not in the ledger, and this came of it."""

    job_id: JobId
    opinion: SecondOpinion
    rows: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON; absent: nothing was added")


@registry.contract("stemma.requirements.split.v1", Family.EVENT)
class RequirementsSplit(Event):
    """Rows of the ledger were cut into several; what people decided about each holds for its parts."""

    splits: tuple[RowParts, ...]
    rows: ArtifactRef = Field(description="LedgerRows as JSON: those of the last reading with what was cut")


@registry.contract("stemma.form.fields.confirmed.v1", Family.EVENT)
class FormFieldsConfirmed(Event):
    """A person confirmed the fields of a form: a section answers them, which is new if the document had none."""

    input_id: Token
    version: int = Field(ge=1)
    section: SectionPlan


@registry.contract("stemma.form.export.requested.v1", Family.EVENT)
class FormExportRequested(Event):
    """The answers of a section, in this version of it, are being written into a form."""

    export_id: Token
    input_id: Token
    input_version: int = Field(ge=1)
    section_id: Token
    version: int = Field(ge=1)


@registry.contract("stemma.form.exported.v1", Family.EVENT)
class FormExported(Event):
    """The form with answers lies in the artifact store; fields that are ``unanswered`` are as they were."""

    export_id: Token
    job_id: JobId
    artifact: ArtifactRef
    answered: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS)
    unanswered: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS)


@registry.contract("stemma.form.export.failed.v1", Family.EVENT)
class FormExportFailed(Event):
    """No answer was written into the form, and why: among others each answer that the form does not accept."""

    export_id: Token
    job_id: JobId
    reasons: tuple[Reason, ...] = Field(default=(), max_length=MOST_REASONS)


@registry.contract("stemma.return.requested.v1", Family.EVENT)
class ReturnRequested(Event):
    """A DOCX came back and is being read."""

    return_id: Token
    file: ArtifactRef
    versions: ArtifactRef = Field(description="WrittenVersions as JSON: those that it may show")


@registry.contract("stemma.return.read.v1", Family.EVENT)
class ReturnRead(Event):
    """What people did in the file is there to be shown; the document is as it was."""

    return_id: Token
    job_id: JobId
    found: ArtifactRef = Field(description="ReturnedDocument as JSON")
    figures: ReturnFigures = ReturnFigures()


@registry.contract("stemma.return.unread.v1", Family.EVENT)
class ReturnUnread(Event, Coded):
    """The file is none of this document, or cannot be read."""

    return_id: Token
    job_id: JobId
    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.return.applied.v1", Family.EVENT)
class ReturnApplied(Event):
    """A person took over what was shown of these sections; the edits and comments follow as events of their authors."""

    return_id: Token
    digest: Digest = Field(description="of what was shown")
    sections: tuple[Token, ...]


@registry.contract("stemma.document.exported.v1", Family.EVENT)
class DocumentExported(Event):
    """The document in a format lies in the artifact store."""

    export_id: Token
    format: ExportFormat
    job_id: JobId
    artifact: ArtifactRef
    warnings: tuple[ExportWarning, ...] = ()
    not_covered: tuple[NotCovered, ...] = Field(default=(), description="sections that do not cover the inputs")
    too_long: tuple[OverlongSection, ...] = Field(default=(), description="sections beyond their limit of pages")
    rules: RuleChecks = ()
    contradictions: Contradictions = ()
    remarks: tuple[ExportRemark, ...] = ()
    open_requirements: tuple[Token, ...] = Field(default=(), description="mandatory, and nobody says they are answered")
    open_list: ArtifactRef | None = Field(default=None, description="CSV: those requirements and where they stand")
    proof: ArtifactRef | None = Field(default=None, description="Proof as JSON: what the file proves of itself")


@registry.contract("stemma.export.failed.v1", Family.EVENT)
class ExportFailed(Event, Coded):
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


@registry.contract("stemma.bid.outcome.recorded.v1", Family.EVENT)
class BidOutcomeRecorded(Event):
    """A person said what became of the bid."""

    outcome: BidOutcome


@registry.contract("stemma.entry.reused.v1", Family.EVENT)
class EntryReused(Event):
    """A person took an approved text of another document; as an input it is what another event of the request says."""

    entry: EntryRef
    input_id: Token
    requirement_ids: tuple[Token, ...] = ()


@registry.contract("stemma.entry.use.lapsed.v1", Family.EVENT)
class EntryUseLapsed(InputEvent):
    """The entry that an input came from may not be used any more; what rests on the input is stale."""

    lapse: Lapse


@registry.contract("stemma.outcome.superseded.v1", Family.EVENT)
class OutcomeSuperseded(PaidEvent):
    """An outcome came for a job that a later decision had closed; it changed nothing."""

    job_id: JobId
    outcome: str = Field(max_length=100, description="ce-type of the outcome")
