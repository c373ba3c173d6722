"""Value types that v1 messages are made of."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field, StrictInt

from stemma_contracts.base import Contract, Explicit
from stemma_contracts.tokens import Digest, FileName, Token

from .coverage import CoverageSummary
from .cycles import CycleSummary
from .grounding import ClaimKind
from .references import ArtifactRef as ArtifactRef


class UploadRef(Contract):
    """A reference to an object that the caller put into the upload bucket of its tenant."""

    object_name: str = Field(min_length=1, max_length=255, description="name in the upload bucket")
    digest: Digest
    size: StrictInt = Field(ge=0, description="bytes")
    media_type: str = Field(max_length=127)
    name: FileName = Field(description="path inside the input folder, for example media/plan.png")


class ReviewMode(StrEnum):
    """Who settles a draft: a person, a score, or nobody (it is approved when its checks pass)."""

    HUMAN = "human"
    AUTO = "auto"
    NONE = "none"


class ReviewPolicy(Contract):
    """How a section is reviewed. ``min_score`` counts under ``auto`` only."""

    mode: ReviewMode = ReviewMode.HUMAN
    min_score: float = Field(default=0.8, ge=0, le=1, description="weighted score, 0 to 1")


class SectionStatus(StrEnum):
    """The status of a section; whether it is stale is told apart from it."""

    QUEUED = "queued"
    GENERATING = "generating"
    AWAITING_REVIEW = "awaiting_review"
    APPROVED = "approved"
    EDITED = "edited"
    FAILED = "failed"


class DocumentStatus(StrEnum):
    """The status of a document."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Activity(StrEnum):
    """What is being done to a section; the first three while its status is ``generating``."""

    GENERATE = "generate"
    EDIT = "edit"
    VALIDATE = "validate"
    EVALUATE = "evaluate"


class Origin(StrEnum):
    """How a version came to be; the last three are a person's doing, and no machine replaces them unasked.

    Nor does one replace what is revised of them: a text with a person's words stays that person's.
    """

    GENERATED = "generated"
    REVISED = "revised"
    EDITED = "edited"
    WRITTEN = "written"
    RESTORED = "restored"


Collected = Literal["amounts", "dates", "figures", "risks", "people"]
ReviewEdits = Literal["human", "none"]
"""Whether a person accepts what the editor agent made of a settled section before it counts."""


class SectionPlan(Contract):
    """One section as its blueprint and dependency map had it when the document was requested."""

    section_id: Token
    title: str = Field(max_length=200)
    kind: Token = Field(description="section kind: names the prompt, the criteria and the editor")
    graph: Token = Field(description="the graph of generation-graph that writes it")
    purpose: str = Field(default="", max_length=500, description="what the section is for, in a sentence")
    depends_on: tuple[Token, ...] = Field(default=(), description="direct upstream sections")
    required_headings: tuple[str, ...] = Field(default=(), description="headings that a draft must have")
    review: ReviewPolicy = ReviewPolicy()
    max_lint_rounds: int = Field(default=3, ge=0, le=10)
    max_revisions: int = Field(default=10, ge=0, le=100)
    agent: str = Field(default="", max_length=64, description="what the author of the section is called")
    requires: tuple[Token, ...] = Field(default=(), description="upstream sections without which it is not begun")
    review_edits: ReviewEdits = Field(default="none", description="whether edits by instruction are proposed first")
    covers_inputs: bool = Field(default=False, description="its text holds all that the inputs say")
    instructions: str = Field(default="", max_length=4_000, description="what a request says of it beyond the purpose")
    max_words: int | None = Field(default=None, ge=1, description="words of its text, characters in Chinese, Japanese")
    max_pages: int | None = Field(default=None, ge=1, description="pages that it may take in an export")
    collects: tuple[Collected, ...] = Field(
        default=(), description="what the section gathers from the inputs, also where it bears on none of its sentences"
    )


COMPLETE = "complete"
"""The check that fails for a text in which something is missing; a person looks at it whatever the policy says."""


class ProgramCheck(Contract):
    """Something about a draft that code can see: whether it holds, and by how much; never words of the draft."""

    check: Token = Field(description="what was looked at, for example required_headings")
    passed: bool
    detail: str = Field(default="", max_length=300, description="counts and names of files or headings")


class Evaluation(Contract):
    """Scores of a draft by criterion (0 to 1), the weighted score, and whether it passed.

    ``passed`` is computed in code from the weighted score and the critical failures. The feedback in
    words lies in the artifact ``feedback``: `EvaluationResult` as JSON. Where no model judged the draft
    (``judged`` is false) ``scores`` is empty, and ``passed`` (false) and ``score`` (0) mean nothing.
    """

    scores: dict[str, float]
    score: float = Field(ge=0, le=1)
    passed: bool
    critical_failures: tuple[str, ...] = ()
    feedback: ArtifactRef | None = None
    judged: bool = Field(default=True, description="whether a model scored the draft")
    checks: tuple[ProgramCheck, ...] = Field(default=(), description="what code found, beside any judgement")
    failed_criteria: tuple[str, ...] = Field(default=(), description="criteria that are scored below their thresholds")


class EvaluationResult(Contract):
    """The body of a feedback artifact: scores by criterion, feedback in words, and the verdict."""

    scores: dict[str, float]
    feedback: str
    passed: bool


class ValidationIssue(Contract):
    """One finding of the validator, the same shape whatever engine produced it."""

    line_number: int = Field(ge=0, description="1 is the first line; 0: the whole text")
    rule: str
    rule_description: str
    message: str
    error_detail: str | None = None


class ValidationReport(Contract):
    """The body of a report artifact: verdict, issues in line order, engine and its version.

    ``fixed`` is the draft with what the linter mends safely; the issues are then those of ``fixed``.
    """

    validation_passed: bool
    issues: tuple[ValidationIssue, ...] = ()
    engine: str
    engine_version: str
    fixed: ArtifactRef | None = Field(default=None, description="absent when nothing was mended")


class IdentifiedBlock(Contract):
    """A top-level Markdown block of a draft: ``start`` and ``end`` are places in its text, in characters."""

    block_id: str = Field(pattern=r"^[0-9a-z]{10}$", description="the same in every version that has the block")
    kind: str
    level: int = Field(default=0, ge=0, le=6, description="of a heading, else 0")
    line: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class BlockIndex(Contract):
    """The body of a blocks artifact: every block of one version, in their order; joined, they are the draft.

    ``given`` counts the ids that were ever given in ``scope``, also to blocks that are gone: none is given twice.
    """

    scope: str
    given: int = Field(ge=0)
    blocks: tuple[IdentifiedBlock, ...] = ()


class ValidationSummary(Contract):
    """What an event tells of a validation: counts only; the issues lie in the artifact ``report``."""

    passed: bool
    issue_count: int = Field(ge=0)
    rules: dict[str, int] = Field(default={}, description="issues by rule")
    engine: str
    engine_version: str
    report: ArtifactRef | None = Field(default=None, description="absent when there are no issues")
    coverage: CoverageSummary | None = Field(default=None, description="of a section that covers the inputs")
    grounding: ArtifactRef | None = Field(default=None, description="GroundingReport as JSON: where each claim stands")
    unsupported: dict[ClaimKind, int] = Field(default={}, description="claims that nothing supports, by kind")
    unread: tuple[str, ...] = Field(
        default=(), max_length=20, description="inputs that are no text or too large: claims were not looked up in them"
    )
    blocks: ArtifactRef | None = Field(default=None, description="BlockIndex as JSON: the blocks and their ids")


class Usage(Contract):
    """What model calls cost; tokens as the provider counted them, ``cost`` in US dollars."""

    calls: int = Field(default=0, ge=0, description="calls made for it, each counted once however often its job ran")
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)


class Provenance(Contract):
    """With what a draft was made; differences here make nothing stale (``outdated_recipe``)."""

    model: str
    prompt_digest: Digest | None = None
    criteria_digest: Digest | None = None
    agent_version: str = ""


class ChangedUpstream(Contract):
    """A section whose change made others stale, in the version that it had."""

    section_id: Token
    version: int = Field(ge=1)


class UpstreamVersion(Contract):
    """The version of a direct upstream section that a draft rests on; 0: nothing was written there yet.

    With ``stale`` a person kept the draft although the upstream was stale itself, because of ``stale_because`` (in old
    logs empty: whatever made it so). Once something else makes the upstream stale, the draft is stale again.
    """

    section_id: Token
    version: int = Field(ge=0)
    stale: bool = Field(default=False, description="it was stale itself, and a person kept the draft against it")
    stale_because: tuple[ChangedUpstream, ...] = Field(default=(), description="what had made it stale")


class SeenVersion(Contract):
    """A section in the version that a person saw."""

    section_id: Token
    version: StrictInt = Field(ge=1)


class StaleReason(Explicit):
    """Why a section is stale: an upstream has another text than the one it rests on, or is stale itself.

    The versions tell which; they are the same where the text is.
    """

    always_sent = ("upstream_stale",)

    upstream_section_id: Token
    accepted_version: int = Field(ge=0, description="the version that the section rests on")
    current_version: int = Field(ge=0)
    upstream_stale: bool = Field(default=False, description="the upstream is stale itself")


class StaleMark(Explicit):
    """A section that an event made stale, why, and what a person can do about it."""

    always_sent = ("options",)

    section_id: Token
    reasons: tuple[StaleReason, ...]
    options: tuple[Literal["keep", "regenerate"], ...] = ("keep", "regenerate")


class InputFile(Contract):
    """An input of a document: its path inside the input folder and its content."""

    name: FileName
    artifact: ArtifactRef


class ExportFormat(StrEnum):
    """The forms in which a document leaves."""

    DOCX = "docx"
    PDF = "pdf"
    HTML = "html"
    JSON = "json"
    MD = "md"


class Problem(Contract):
    """What is wrong with a request: the field (dotted path, ``""`` for the whole) and why."""

    field: str
    message: str


class DocumentHead(Contract):
    """What every job is told of its document."""

    document_id: Token
    tenant: Token
    kind: Token
    title: ArtifactRef | None = Field(default=None, description="the title in UTF-8")
    created_at: AwareDatetime
    language: str = Field(default="", max_length=35, description="BCP 47 primary tag; empty in old logs: en")


class GenerationWarning(Contract):
    """What a person should know about how a draft came to be; ``detail`` holds no text of it."""

    code: Literal[
        "step_bound",
        "unfinished_chapters",
        "validation_issues",
        "skipped_image",
        "not_evaluated",
        "role_timed_out",
        "role_failed",
        "failure",
    ]
    count: int = Field(default=1, ge=1)
    detail: str = Field(default="", max_length=300)


class SectionSummary(Contract):
    """One section in the read model of a document."""

    section_id: Token
    title: str
    status: SectionStatus
    activity: Activity | None = None
    version: int = 0
    stale: bool = False
    score: float | None = None
    issue_count: int = 0
    need_id: Token | None = None
    missing_blocks: int = Field(default=0, ge=0, description="blocks of the inputs that its text does not cover")
    proposal_id: Token | None = Field(default=None, description="of an edit that waits for a person")


class ExportEntry(Contract):
    """An export: neither ``artifact`` nor ``failure`` while the converter is at work."""

    export_id: Token
    format: ExportFormat
    artifact: ArtifactRef | None = None
    failure: str = Field(default="", max_length=300)


class DocumentSummary(Contract):
    """The read model of a document; ``last_sequence`` is the stream sequence that it was folded to.

    Each section that rests has one of its own beside it (`SectionDetails`), which is as late as this one. Where there
    are so many sections that this would become large, their titles stand there alone.
    """

    document_id: Token
    kind: Token
    status: DocumentStatus
    title: ArtifactRef | None = None
    created_at: AwareDatetime
    last_sequence: int = Field(ge=0)
    sections: tuple[SectionSummary, ...] = ()
    cycle: CycleSummary | None = Field(default=None, description="of a document that is reviewed in cycles")
    language: str = Field(default="", max_length=35, description="BCP 47 primary tag")
    updated_at: AwareDatetime | None = None
    usage: Usage = Usage()
    input_count: int = Field(default=0, ge=0, description="the inputs are told by its first event")
    exports: tuple[ExportEntry, ...] = Field(default=(), description="the latest")
