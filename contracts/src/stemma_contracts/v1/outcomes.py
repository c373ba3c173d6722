"""Outcomes: what came of a job. The subject is ``stemma.outcome.v1.<service>.<name>``."""

from pydantic import Field

from stemma_contracts import subjects
from stemma_contracts.base import Contract
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import JobId, Token

from .bids import RuleChecks
from .coded import Coded
from .coverage import NotCovered
from .cycles import ReviewVerdict
from .evaluation import Evaluation
from .exports import Contradictions, ExportRemark, ExportWarning, OverlongSection
from .forms import MOST_FIELDS, MOST_REASONS, Reason
from .inputs import InputDifference, InputReading, Unreadable
from .ledger import LedgerSummary, SecondOpinion
from .needs import Need
from .outline import AskedChapters
from .provenance import GenerationWarning, ProcessingMetadata, Provenance, RetrievedSource
from .references import ArtifactRef, InputFile
from .returned import ReturnFigures
from .usage import Usage
from .validation import ValidationSummary


class Outcome(Contract):
    """What every outcome echoes of its job."""

    job_id: JobId
    tenant: Token
    document_id: Token
    section_id: Token | None = None
    usage: Usage = Usage()


@registry.contract("stemma.section.generated.v1", Family.OUTCOME, subjects.GENERATION)
class SectionGenerated(Outcome):
    """The draft and its evaluation; ``assets`` are images that it shows besides those among the inputs.

    A ``partial`` draft is what there was when its graph could not go on; ``warnings`` say what a person should know.
    """

    draft: ArtifactRef
    evaluation: Evaluation
    provenance: Provenance
    assets: tuple[InputFile, ...] = ()
    partial: bool = False
    warnings: tuple[GenerationWarning, ...] = ()
    retrieved_context: tuple[RetrievedSource, ...] | None = None
    processing_metadata: ProcessingMetadata | None = None
    review: ReviewVerdict | None = None
    left_out: ArtifactRef | None = Field(default=None, description="LeftOutList as JSON: what of the inputs, and why")


@registry.contract("stemma.graph.paused.v1", Family.OUTCOME, subjects.GENERATION)
class GraphPaused(Outcome):
    """The graph waits for something that it does not own."""

    thread_id: str = Field(max_length=250)
    need: Need


@registry.contract("stemma.threads.erased.v1", Family.OUTCOME, subjects.GENERATION)
class ThreadsErased(Outcome):
    """All threads of the document are gone; how many there were."""

    threads: int = Field(default=0, ge=0)


@registry.contract("stemma.draft.evaluated.v1", Family.OUTCOME, subjects.GENERATION)
class DraftEvaluated(Outcome):
    """The evaluation of a text that no generator wrote."""

    evaluation: Evaluation
    provenance: Provenance


@registry.contract("stemma.draft.revised.v1", Family.OUTCOME, subjects.EDITOR)
class DraftRevised(Outcome):
    """The revised draft and, in words, what changed."""

    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance


@registry.contract("stemma.instruction.refused.v1", Family.OUTCOME, subjects.EDITOR)
class InstructionRefused(Outcome):
    """The instruction cannot be followed; the reason in words."""

    reason: ArtifactRef


@registry.contract("stemma.draft.validated.v1", Family.OUTCOME, subjects.VALIDATOR)
class DraftValidated(Outcome):
    """The result of a validation; the validator always answers with one."""

    validation: ValidationSummary


@registry.contract("stemma.requirements.extracted.v1", Family.OUTCOME, subjects.VALIDATOR)
class RequirementsExtracted(Outcome):
    """The demands of the sources, and what changed since the reading before; texts that could not be read are named."""

    rows: ArtifactRef = Field(description="LedgerRows as JSON")
    difference: ArtifactRef = Field(description="LedgerDifference as JSON")
    summary: LedgerSummary
    chapters: AskedChapters | None = Field(default=None, description="those that a source demands, in its order")


@registry.contract("stemma.extraction.failed.v1", Family.OUTCOME, subjects.VALIDATOR)
class ExtractionFailed(Outcome):
    """The demands could not be read."""

    detail: str = Field(max_length=300)


@registry.contract("stemma.requirements.proposed.v1", Family.OUTCOME, subjects.GENERATION)
class RequirementsProposed(Outcome):
    """What a model found beside the rows that there are, as far as its words stand in the sources."""

    opinion: SecondOpinion
    rows: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON, with what is new; absent: nothing")


@registry.contract("stemma.document.converted.v1", Family.OUTCOME, subjects.CONVERTER)
class DocumentConverted(Outcome):
    """The document in the format asked for."""

    artifact: ArtifactRef
    warnings: tuple[ExportWarning, ...] = ()
    not_covered: tuple[NotCovered, ...] = ()
    too_long: tuple[OverlongSection, ...] = Field(default=(), description="sections beyond their limit of pages")
    rules: RuleChecks = ()
    contradictions: Contradictions = ()
    remarks: tuple[ExportRemark, ...] = ()
    open_requirements: tuple[Token, ...] = Field(default=(), description="mandatory, and nobody says they are answered")
    open_list: ArtifactRef | None = Field(default=None, description="CSV: those requirements and where they stand")
    proof: ArtifactRef | None = Field(default=None, description="Proof as JSON: what the file proves of itself")


@registry.contract("stemma.conversion.failed.v1", Family.OUTCOME, subjects.CONVERTER)
class ConversionFailed(Outcome, Coded):
    """The document could not be converted."""

    detail: str = Field(max_length=300)


@registry.contract("stemma.form.filled.v1", Family.OUTCOME, subjects.CONVERTER)
class FormFilled(Outcome):
    """The form with answers in it."""

    artifact: ArtifactRef
    answered: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS)
    unanswered: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS)


@registry.contract("stemma.form.not.filled.v1", Family.OUTCOME, subjects.CONVERTER)
class FormNotFilled(Outcome):
    """Nothing was written into the form, and why."""

    reasons: tuple[Reason, ...] = Field(max_length=MOST_REASONS)


@registry.contract("stemma.return.compared.v1", Family.OUTCOME, subjects.CONVERTER)
class ReturnCompared(Outcome):
    """What people did in a file."""

    found: ArtifactRef = Field(description="ReturnedDocument as JSON")
    figures: ReturnFigures = ReturnFigures()


@registry.contract("stemma.return.not.compared.v1", Family.OUTCOME, subjects.CONVERTER)
class ReturnNotCompared(Outcome, Coded):
    """The file is none of this document, or cannot be read."""

    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.input.read.v1", Family.OUTCOME, subjects.CONVERTER)
class InputRead(Outcome):
    """The text of a file; ``children`` are the attachments of a message, as files that are inputs of their own."""

    reading: InputReading
    children: tuple[InputFile, ...] = ()
    difference: InputDifference | None = Field(default=None, description="from the version before, if there is one")


@registry.contract("stemma.input.unreadable.v1", Family.OUTCOME, subjects.CONVERTER)
class InputUnreadable(Outcome):
    """The file could not be read, and no repetition changes that."""

    unreadable: Unreadable


@registry.contract("stemma.model.unavailable.v1", Family.OUTCOME)
class ModelUnavailable(Outcome):
    """The model did not answer within the bounds of its retries."""

    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.answer.malformed.v1", Family.OUTCOME)
class AnswerMalformed(Outcome):
    """The model's answers did not fit their schema, also after being asked again."""

    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.context.too.long.v1", Family.OUTCOME)
class ContextTooLong(Outcome):
    """The prompt is longer than the model holds; the tokens are a rough count."""

    detail: str = Field(default="", max_length=300)
    prompt_tokens: int = Field(default=0, ge=0)
    context_tokens: int = Field(default=0, ge=0, description="what the model holds, prompt and answer; 0: not known")


@registry.contract("stemma.inputs.missing.v1", Family.OUTCOME, subjects.GENERATION)
class InputsMissing(Outcome):
    """What the section is to be written from is not there, or too short; no model was called."""

    detail: str = Field(default="", max_length=300)
    missing: tuple[Token, ...] = ()


@registry.contract("stemma.role.analysis.missing.v1", Family.OUTCOME, subjects.GENERATION)
class RoleAnalysisMissing(Outcome):
    """It could not be found out which roles a text needs."""

    detail: str = Field(default="", max_length=300)
    processing_metadata: ProcessingMetadata | None = None


@registry.contract("stemma.no.role.left.v1", Family.OUTCOME, subjects.GENERATION)
class NoRoleLeft(Outcome):
    """No role of a text wrote anything."""

    detail: str = Field(default="", max_length=300)
    processing_metadata: ProcessingMetadata | None = None


@registry.contract("stemma.thread.lost.v1", Family.OUTCOME, subjects.GENERATION)
class ThreadLost(Outcome):
    """The paused graph that was to go on is not there any more, or not where it was: no resumption can succeed."""

    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.threads.held.v1", Family.OUTCOME, subjects.GENERATION)
class ThreadsHeld(Outcome):
    """The outcome of no job: which threads of a document are kept. Those that the log does not need are dropped."""

    threads: tuple[str, ...]


@registry.contract("stemma.job.cancelled.v1", Family.OUTCOME)
class JobCancelled(Outcome):
    """The job was ended because nobody waits for it any more; ``usage`` is what it had spent by then."""


@registry.contract("stemma.job.dead.v1", Family.OUTCOME)
class JobDead(Outcome):
    """The job could not be handled; it lies with the dead letters, unless it was too large to be published."""

    detail: str = Field(default="", max_length=300)
    service: Token | None = Field(
        default=None, description="whose job or outcome was given up, where another service tells of it"
    )
