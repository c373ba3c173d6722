"""Jobs: what the orchestrator asks a service to do. The subject is ``stemma.job.v1.<service>.<name>``."""

from typing import Any

from pydantic import Field

from stemma_contracts import subjects
from stemma_contracts.base import Contract
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, FileName, JobId, Token

from .document import DocumentHead
from .exports import Cover, ExportFormat, ExportSection
from .ledger import AnsweredRows, RequirementAnswer
from .needs import Answerer, GivenAnswer
from .references import ArtifactRef, InputFile
from .section import Collected, SectionPlan


class Job(Contract):
    """What every job carries; outcomes echo ``job_id``, and only the open job's outcome counts."""

    job_id: JobId
    document: DocumentHead

    def echo(self) -> dict[str, Any]:
        """What every outcome of it says."""
        head = self.document
        return {"job_id": self.job_id, "tenant": head.tenant, "document_id": head.document_id}


class SectionJob(Job):
    """A job about one section. A worker that has other data of the document kind gives it back."""

    section: SectionPlan
    kind_digest: Digest | None = Field(default=None, description="of the data of the document kind; absent: any")

    def echo(self) -> dict[str, Any]:
        return super().echo() | {"section_id": self.section.section_id}


class ModelJob(SectionJob):
    """A job that calls models, which may be another try of the same work.

    Its calls are recorded under ``recorded_as``, or if that is empty under its thread, or else under its id. What an
    earlier try recorded, and can be used, is not asked for again.
    """

    recorded_as: str = Field(default="", max_length=250)
    recorded_before: tuple[str, ...] = Field(default=(), description="names of earlier tries, latest first")


class GraphJob(ModelJob):
    """A job that runs a graph. A question that a person answered in an earlier try has that answer."""

    answered_before: tuple[GivenAnswer, ...] = Field(default=(), description="oldest first")


class OutlineEntry(Contract):
    """One line of the document's outline, so that a section knows what the others are for."""

    section_id: Token
    title: str
    kind: Token
    purpose: str = ""
    collects: tuple[Collected, ...] = Field(default=(), description="what that section gathers from the inputs")


class UpstreamDraft(Contract):
    """A direct upstream section that the draft rests on."""

    section_id: Token
    title: str
    version: int
    draft: ArtifactRef


@registry.contract("stemma.generate.section.v1", Family.JOB, subjects.GENERATION)
class GenerateSection(GraphJob):
    """Write a section and evaluate it.

    In a lint round ``previous`` and ``report`` are set, in a cycle of revision ``previous`` and ``revision_feedback``.
    """

    brief: ArtifactRef
    inputs: tuple[InputFile, ...] = ()
    outline: tuple[OutlineEntry, ...]
    upstream: tuple[UpstreamDraft, ...] = ()
    guidance: ArtifactRef | None = Field(default=None, description="what a person asked for, in words")
    previous: ArtifactRef | None = None
    report: ArtifactRef | None = Field(default=None, description="ValidationReport as JSON")
    round: int = Field(default=0, ge=0, description="lint round; 0 is the first draft")
    revision_feedback: ArtifactRef | None = Field(default=None, description="the review that this cycle answers")
    unmet_review: ArtifactRef | None = Field(default=None, description="the review that was gone on in spite of")
    thread_id: str = Field(max_length=250, description="LangGraph thread of this section")
    manner: tuple[InputFile, ...] = Field(
        default=(), description="earlier texts and rules of style: how to write, and nothing that may be stated"
    )
    ledger: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON: what the document answers")
    requirements: tuple[Token, ...] = Field(default=(), description="rows that this section has to answer")
    brief_file: InputFile | None = Field(default=None, description="the brief as the input that it is")
    internal: tuple[InputFile, ...] = Field(default=(), description="what informs the writer and is never quoted")
    quote_only: bool = Field(default=False, description="the inputs are quoted, and no model writes")


@registry.contract("stemma.resume.graph.v1", Family.JOB, subjects.GENERATION)
class ResumeGraph(GraphJob):
    """Go on with a paused graph at the checkpoint that the answer is for.

    ``failed`` says that the need could not be met, and ``detail`` why, in a word; ``answer`` is then the text
    that could not be handled.
    """

    thread_id: str = Field(max_length=250)
    checkpoint_id: str = Field(max_length=128)
    answer: ArtifactRef
    answered_by: Answerer = "person"
    failed: bool = False
    detail: str = Field(default="", max_length=300)


@registry.contract("stemma.drop.threads.v1", Family.JOB, subjects.GENERATION)
class DropThreads(Job):
    """Delete threads that the log does not need any more. It has no outcome."""

    threads: tuple[str, ...]


@registry.contract("stemma.erase.threads.v1", Family.JOB, subjects.GENERATION)
class EraseThreads(Job):
    """Delete all threads of the document, which is being erased, and what else the service keeps of it."""


@registry.contract("stemma.revise.draft.v1", Family.JOB, subjects.EDITOR)
class ReviseDraft(ModelJob):
    """Change one draft as an instruction says, and nothing else in it."""

    version: int
    draft: ArtifactRef
    instruction: ArtifactRef
    brief: ArtifactRef
    upstream: tuple[UpstreamDraft, ...] = ()
    report: ArtifactRef | None = Field(default=None, description="ValidationReport of the draft as JSON")


@registry.contract("stemma.evaluate.draft.v1", Family.JOB, subjects.GENERATION)
class EvaluateDraft(SectionJob):
    """Evaluate a text that no generator wrote, by the criteria of its section kind."""

    version: int
    draft: ArtifactRef
    brief: ArtifactRef
    inputs: tuple[InputFile, ...] = ()
    outline: tuple[OutlineEntry, ...]
    upstream: tuple[UpstreamDraft, ...] = ()


class DraftHistory(Contract):
    """Earlier drafts of a section, oldest first: the blocks of a draft have the ids that they had in these.

    ``blocks`` is the BlockIndex of the first of them; without one all were made before blocks had ids.
    """

    blocks: ArtifactRef | None = None
    drafts: tuple[ArtifactRef, ...] = ()


@registry.contract("stemma.validate.draft.v1", Family.JOB, subjects.VALIDATOR)
class ValidateDraft(SectionJob):
    """Check one draft; ``assets`` are the names that its images may refer to.

    ``always_report`` asks for a report also when there are no issues, ``fix`` for what the linter mends safely. Of an
    ``excerpt``, a part of a text under the title of the whole, only what the part itself can tell is checked: where
    its links lead, what its references and footnotes mean, which headings it needs and how long it may be is not.
    """

    version: int
    draft: ArtifactRef
    assets: tuple[str, ...] = ()
    always_report: bool = False
    fix: bool = False
    excerpt: bool = Field(default=False, description="a part of a text, under the title of the whole")
    session_id: str | None = Field(default=None, max_length=250, description="the session that waits for it")
    left_out: ArtifactRef | None = Field(default=None, description="LeftOutList as JSON: what of the inputs, and why")
    brief: ArtifactRef | None = Field(default=None, description="absent: the claims of the draft are not looked up")
    inputs: tuple[InputFile, ...] = ()
    upstream: tuple[UpstreamDraft, ...] = Field(default=(), description="what the draft rests on, directly or not")
    said: tuple[ArtifactRef, ...] = Field(
        default=(), description="words of people: guidance, feedback, instructions, answers, texts"
    )
    history: DraftHistory | None = Field(default=None, description="absent: the blocks of the draft get no ids")
    brief_file: InputFile | None = Field(default=None, description="the brief as the input that it is")
    ledger: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON: what the document answers")
    requirements: tuple[Token, ...] = Field(default=(), description="rows that are looked for in the draft")
    others: tuple[UpstreamDraft, ...] = Field(default=(), description="drafts of other sections, for sums to compare")
    internal: tuple[InputFile, ...] = Field(default=(), description="no run of their words may stand in the draft")
    instructions: tuple[ArtifactRef, ...] = Field(
        default=(), description="what people asked the writer for: no run of their words may stand in the draft"
    )


class LedgerSource(Contract):
    """A text that demands are read from."""

    name: FileName
    artifact: ArtifactRef
    anchors: ArtifactRef | None = Field(default=None, description="Anchors as JSON: where in the file what stands")
    version: int = Field(default=0, ge=0, description="of the input; 0: it is not known")
    file: str = Field(default="", max_length=500, description="the file of that version; empty: it is not known")


@registry.contract("stemma.extract.requirements.v1", Family.JOB, subjects.VALIDATOR)
class ExtractRequirements(Job):
    """Read the demands of these sources; rows that were in ``previous`` keep the ids that they had there."""

    sources: tuple[LedgerSource, ...]
    previous: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON: the last reading")


@registry.contract("stemma.propose.requirements.v1", Family.JOB, subjects.GENERATION)
class ProposeRequirements(Job):
    """Ask a model for demands of these sources that no row has. What it says is no row before its words were found.

    Its calls are recorded under its id; what one of ``recorded_before``, latest first, was answered is not asked again.
    """

    sources: tuple[LedgerSource, ...]
    rows: ArtifactRef = Field(description="LedgerRows as JSON: those that there are")
    recorded_before: tuple[str, ...] = Field(default=(), description="ids of earlier jobs of this document")


@registry.contract("stemma.convert.document.v1", Family.JOB, subjects.CONVERTER)
class ConvertDocument(Job):
    """Assemble the sections in the order given and convert them to one format.

    With ``redline`` what changed from ``previous`` to ``draft`` of each section stands as tracked changes in it.
    """

    export_id: Token
    format: ExportFormat
    sections: tuple[ExportSection, ...]
    assets: tuple[InputFile, ...] = Field(default=(), description="images that drafts may refer to")
    generator: str = Field(default="", max_length=200, description="models that wrote it, for the properties")
    redline: bool = False
    ledger: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON: what the document answers")
    open_requirements: tuple[Token, ...] = Field(default=(), description="mandatory rows that nobody says are answered")
    unsure_requirements: tuple[Token, ...] = Field(
        default=(), description="those of them for which something was found that may be an answer"
    )
    session_id: str | None = Field(default=None, max_length=250, description="the session that waits for it")
    citations: bool = Field(default=False, description="the places that each sentence rests on stand in footnotes")
    cover: Cover | None = None
    matrix: tuple[AnsweredRows, ...] = Field(
        default=(), description="the rows of the appendix that says where each demand is answered; none: no appendix"
    )
    answers: tuple[RequirementAnswer, ...] = Field(
        default=(), description="the blocks of the drafts that answer rows, as far as they are known"
    )
    inputs: tuple[InputFile, ...] = Field(default=(), description="what drafts may rest on, for the proof of the file")
    forms: tuple[ExportSection, ...] = Field(
        default=(), description="answers to forms: the file has none of them, but what they state is to agree with it"
    )


@registry.contract("stemma.fill.form.v1", Family.JOB, subjects.CONVERTER)
class FillForm(Job):
    """Write the answers that stand under the headings of fields in a draft into a form."""

    export_id: Token
    name: FileName
    form: ArtifactRef
    answers: ArtifactRef


@registry.contract("stemma.compare.return.v1", Family.JOB, subjects.CONVERTER)
class CompareReturn(Job):
    """Find what people did in a file to the versions that it shows."""

    return_id: Token
    file: ArtifactRef
    versions: ArtifactRef = Field(description="WrittenVersions as JSON: those that it may show")


@registry.contract("stemma.read.input.v1", Family.JOB, subjects.CONVERTER)
class ReadInput(Job):
    """Read one file into Markdown, and say what that changes in ``previous``, the text of the version before.

    A file that ``is_text`` is its own text, and is only compared.
    """

    input_id: Token
    version: int = Field(ge=1)
    name: FileName
    file: ArtifactRef
    is_text: bool = False
    previous: ArtifactRef | None = None
    form: bool = Field(default=False, description="find the fields that wait for an answer, too")
    draw: bool = Field(default=False, description="draw its pages, too, if it has some")
    confidential: tuple[ArtifactRef, ...] = Field(default=(), description="passages that are left out of its text")
