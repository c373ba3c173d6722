"""The views of a document, of its sections and of all that belongs to them: the only shapes in which they are read.

Clients fold them from the log, the read model holds them, and HTTP, `--json`, the desk and the tools of agents show
them as they are.
"""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, computed_field, model_validator

from stemma_contracts.base import Contract

from .answers import Problem
from .budgets import BudgetView
from .cycles import CyclePlan, CycleSummary
from .document import BidOutcome, DocumentStatus
from .evaluation import Evaluation
from .file_views import ExportState as ExportState
from .file_views import ExportView as ExportView
from .file_views import FormExportView as FormExportView
from .file_views import ReturnView as ReturnView
from .forms import AnsweredForm, FoundFields
from .inputs import BRIEF, ChangedInput, InputVersion, ReadingFigures, ReadingWarning, Unreadable
from .ledger import AnswerStatus, LedgerSummary, LedgerWarning, RequirementChange, SecondOpinion, Suspicion
from .library import EntryView, ReuseView
from .merges import Merge
from .needs import Need
from .proofs import Settlement
from .provenance import BY_A_PERSON, GenerationWarning, Origin, ProcessingMetadata, Provenance, RetrievedSource
from .references import ArtifactRef, InputFile, InputRole, UploadRole
from .section import UNDER_WAY, Activity, SectionStatus, Wait, waits_for
from .staleness import Because, StaleReason, UpstreamVersion
from .usage import Usage
from .validation import ValidationSummary


class VersionView(Contract):
    """One version of a section's text.

    ``rests_on`` are the upstream versions that it is accepted against; ``kept_against`` are the same if a
    person said so by keeping it. ``made_by`` is the person who asked for it or wrote it, else the model;
    ``verified`` if the server knew that person, who is claimed else.
    ``protected``: it was made of a person's text, which stays a person's whatever the editor agent changes in it.
    ``inputs`` are those that it was written from; None where an old log does not say. ``images`` came with its text.
    ``blocks`` is the index of its blocks, once there is one. The event at ``sequence`` tells how it was made.
    ``merge`` is there if a machine wrote it anew and what people had written was merged into it.
    """

    number: int
    draft: ArtifactRef
    origin: Origin
    made_by: str = ""
    made_at: datetime | None = None
    sequence: int = 0
    provenance: Provenance | None = None
    rests_on: tuple[UpstreamVersion, ...] = ()
    kept_against: tuple[UpstreamVersion, ...] = ()
    restored_version: int | None = None
    summary: ArtifactRef | None = None
    evaluation: Evaluation | None = None
    validation: ValidationSummary | None = None
    retrieved_context: tuple[RetrievedSource, ...] | None = None
    processing_metadata: ProcessingMetadata | None = None
    warnings: tuple[GenerationWarning, ...] = ()
    protected: bool = False
    verified: bool = False
    inputs: tuple[InputVersion, ...] | None = None
    images: tuple[InputFile, ...] = ()
    blocks: ArtifactRef | None = None
    merge: Merge | None = None
    approvals: tuple[Settlement, ...] = Field(default=(), description="of this version, also while others are missing")

    @property
    def model(self) -> str:
        """The model that made it, nothing for a person's own text."""
        return self.provenance.model if self.provenance else ""

    @property
    def is_a_persons(self) -> bool:
        """Whether it holds the words of a person, so that no machine may replace it unasked."""
        return self.protected or self.origin in BY_A_PERSON


class StaleView(Because):
    """Why a section is stale, and since when: the time and the stream sequence of the event that made it so.

    ``cause`` is the section that the event is about, nothing if it is about the document. ``reasons`` is every upstream
    that has another text than the section rests on, or is stale itself, ``inputs`` those that changed in what it uses
    of them: more may have come since that event.
    """

    since: datetime | None = None
    sequence: int = 0
    cause: str | None = None


class ProposalView(Contract):
    """An edit of a settled section that waits until a person accepts or rejects it.

    ``version`` is the one that it changes; there is no ``draft`` while the editor agent is at work. The text is
    validated while it waits (``checking``); ``unchecked`` says why it could not be. ``verified``: the
    server knew who asked.
    """

    proposal_id: str
    version: int
    asked_by: str = ""
    asked_at: datetime | None = None
    draft: ArtifactRef | None = None
    summary: ArtifactRef | None = None
    base_digest: str = ""
    model: str = ""
    made_at: datetime | None = None
    checking: bool = False
    validation: ValidationSummary | None = None
    unchecked: str = ""
    verified: bool = False
    merge: Merge | None = Field(default=None, description="if it was made for an earlier version")


class CommentView(Contract):
    """A comment on a version; its words, and the first one's passage, are the `Remark` in ``remark``."""

    comment_id: str
    remark: ArtifactRef
    version: int
    made_by: str = ""
    made_at: datetime | None = None
    verified: bool = False


class ThreadView(Contract):
    """A thread of comments; ``block_id`` is the block that its passage began in, as far as it was known."""

    thread_id: str
    comments: tuple[CommentView, ...] = ()
    block_id: str | None = None
    asks: bool = Field(default=False, description="it waits for an answer until it is resolved")
    resolved: bool = False
    resolved_by: str = ""
    resolved_at: datetime | None = None


class AssignmentView(Contract):
    """Who is asked to see to a section, by whom and since when, and when it is ``due`` as long as it is not settled.

    ``verified``: the server knew who asked. ``number`` is of the event that assigned it in the log of the document;
    ``due_soon`` and ``overdue`` are the reminders that were given.
    """

    assignee: str
    due: datetime | None = None
    by: str = ""
    at: datetime | None = None
    verified: bool = False
    number: int = 0
    due_soon: bool = False
    overdue: bool = False


def is_unchecked(status: SectionStatus, validation: ValidationSummary | None) -> bool:
    """Whether a text is at rest without a check of all of it."""
    return status not in UNDER_WAY and validation is not None and not validation.complete


_OF_THE_CURRENT = ("evaluation", "validation", "warnings")
"""What a stored section has beside its versions, as in 0.1.0, and a view in the current one."""


class SectionView(Contract):
    """One section with all versions that it ever had.

    The read model holds the latest of them, of which the current one alone in full, and no comments: it counts the
    ``earlier_versions``, and the references of its need that are too many (``more_references``).

    ``failure`` is the last one, in short, and ``failure_problem`` the same by a code; ``missing`` names what was not
    there to write from, None if that is not why it failed. ``covers_inputs``: its text is to hold all that the inputs
    say. ``checks`` are looks at the current version that are under way and change no status; ``returns_to`` is the
    status that a section has again when the edit that is being made comes to nothing. ``form`` is the form whose
    fields it answers; with ``form_withdrawn`` nobody needs its text any more.
    """

    section_id: str
    title: str
    kind: str
    last_sequence: int = 0
    purpose: str = ""
    depends_on: tuple[str, ...] = ()
    status: SectionStatus = SectionStatus.QUEUED
    activity: Activity | None = None
    versions: tuple[VersionView, ...] = ()
    earlier_versions: int = 0
    stale: StaleView | None = None
    checks: tuple[Activity, ...] = ()
    lint_round: int = 0
    need: Need | None = None
    more_references: int = 0
    asked_by: str = ""
    asker_verified: bool = False
    returns_to: SectionStatus = SectionStatus.AWAITING_REVIEW
    refusal: ArtifactRef | None = None
    failure: str | None = None
    failure_problem: Problem | None = None
    failed_at: Activity | None = None
    missing: tuple[str, ...] | None = None
    graph: str = "section"
    proposal: ProposalView | None = None
    waits_since: datetime | None = None
    activity_since: datetime | None = Field(
        default=None, description="when the activity began, as long as there is one"
    )
    covers_inputs: bool = False
    form: AnsweredForm | None = None
    form_withdrawn: bool = False
    threads: tuple[ThreadView, ...] = ()
    assignment: AssignmentView | None = None
    entry: EntryView | None = Field(default=None, description="what it is to the library, once a person approved it")
    approvals_needed: int = 1

    @model_validator(mode="before")
    @classmethod
    def _from_stored(cls, data: Any) -> Any:
        match data:
            case {"versions": [*earlier, dict(current)]}:
                found = {name: data[name] for name in _OF_THE_CURRENT if name in data}
                data = {**data, "versions": [*earlier, found | current]}
        return data

    def stored(self, document_id: str) -> bytes:
        """The section as the read model holds it: with all that readers of 0.1.0 require, where they look for it."""
        data = self.model_dump(mode="json", exclude_defaults=True, round_trip=True)
        data |= {"document_id": document_id, "graph": self.graph, "status": self.status, "version": self.version}
        if self.versions:
            current = data["versions"][-1]
            data |= {name: current.pop(name) for name in _OF_THE_CURRENT if name in current}
        if self.stale:
            data["stale"].setdefault("reasons", [])
        return json.dumps(data, ensure_ascii=False).encode()

    @property
    def open_threads(self) -> tuple[ThreadView, ...]:
        """The threads of comments that nobody resolved."""
        return tuple(thread for thread in self.threads if not thread.resolved)

    @property
    def open_conflicts(self) -> int:
        """How often a new text and what people wrote changed the same, which nobody settled."""
        return self.current.merge.count if self.current and self.current.merge else 0

    @property
    def open_questions(self) -> int:
        """How many of these threads wait for an answer."""
        return sum(thread.asks for thread in self.open_threads)

    @property
    def current(self) -> VersionView | None:
        """The version that decisions are about."""
        return self.versions[-1] if self.versions else None

    def numbered(self, number: int) -> VersionView | None:
        """The version of a number; None if there never was one."""
        return next((version for version in self.versions if version.number == number), None)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def version(self) -> int:
        """The number of the current version; 0 means that nothing was written yet."""
        return self.versions[-1].number if self.versions else 0

    @property
    def draft(self) -> ArtifactRef | None:
        """The text of the current version."""
        return self.current.draft if self.current else None

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the current version, as far as it is known."""
        return self.current.evaluation if self.current else None

    @property
    def validation(self) -> ValidationSummary | None:
        """The validation of the current version, as far as it is known."""
        return self.current.validation if self.current else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def stale_reasons(self) -> tuple[StaleReason, ...]:
        """The upstream sections that it is stale by."""
        return self.stale.reasons if self.stale else ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def stale_inputs(self) -> tuple[ChangedInput, ...]:
        """The inputs that it is stale by."""
        return self.stale.inputs if self.stale else ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def stale_requirements(self) -> tuple[RequirementChange, ...]:
        """The rows of the ledger that it is stale by."""
        return self.stale.requirements if self.stale else ()

    @property
    def asks(self) -> bool:
        """Whether it waits for an answer that no service can give."""
        return self.need is not None and self.need.kind in ("question", "upload")

    @property
    def waits_for_review(self) -> bool:
        """Whether a person is to approve or revise it."""
        return self.status is SectionStatus.AWAITING_REVIEW

    @property
    def can_be_retried(self) -> bool:
        """Whether it failed, or is at rest and the check of its text was not one of all of it."""
        return self.status is SectionStatus.FAILED or is_unchecked(self.status, self.validation)

    @property
    def can_be_regenerated(self) -> bool:
        """Whether it has a text, and nothing is under way that would change that."""
        return self.version > 0 and self.status not in UNDER_WAY

    @property
    def is_to_be_kept_or_regenerated(self) -> bool:
        """Whether it is stale, and nothing is under way that would change that."""
        return self.stale is not None and self.status not in UNDER_WAY

    @computed_field  # type: ignore[prop-decorator]
    @property
    def waits_for(self) -> tuple[Wait, ...]:
        """What of it waits for a person."""
        asks = self.asks or self.open_questions > 0
        told = {"asks": asks, "proposes": self.proposes, "stale": self.stale is not None}
        return waits_for(self.status, **told, form_withdrawn=self.form_withdrawn)

    @property
    def waits(self) -> bool:
        """Whether it waits for a person."""
        return self.waits_for != ()

    @property
    def proposes(self) -> bool:
        """Whether a proposed edit waits for a person."""
        return self.proposal is not None and self.proposal.draft is not None

    @property
    def at_work(self) -> bool:
        """Whether a service is at work on it, or soon will be."""
        return self.edit_in_flight or (self.status is SectionStatus.GENERATING and not self.asks)

    @property
    def is_being_edited(self) -> bool:
        """Whether the editor agent is at work on an edit that it will propose."""
        return self.proposal is not None and self.proposal.draft is None

    @property
    def edit_in_flight(self) -> bool:
        """Whether an edit is being made, or a proposed one checked."""
        return self.proposal is not None and (self.proposal.draft is None or self.proposal.checking)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def issue_count(self) -> int:
        """Lint issues of the current version, as far as they are known."""
        return self.validation.issue_count if self.validation else 0


class InputUse(Contract):
    """A version of a section that rests on parts of an input, and the version of the input that it was written from."""

    section_id: str
    version: int
    input_version: int


class InputView(Contract):
    """An input: the version that counts, what of it was read, and which sections use it.

    ``state`` is that of the newest version; ``text`` is that of the version that counts. ``used_by`` are the sections
    whose text rests on parts of it, ``uses`` tell at which versions. What is ``staged`` does not count yet: ``changes``
    tell what it changes, ``concerns`` which sections it would make stale. ``form`` are the fields found in a form,
    ``drawn`` the pages that were drawn. The role is ``proposed`` as long as no person chose it.
    """

    input_id: str
    name: str
    role: InputRole
    state: Literal["reading", "read", "kept", "unreadable", "staged", "withdrawn"]
    version: int
    file: ArtifactRef
    parent: str | None = None
    text: ArtifactRef | None = None
    anchors: ArtifactRef | None = None
    figures: ReadingFigures = ReadingFigures()
    images: int = 0
    warnings: tuple[ReadingWarning, ...] = ()
    unreadable: Unreadable | None = None
    used_by: tuple[str, ...] = ()
    uses: tuple[InputUse, ...] = ()
    staged_version: int | None = None
    staged_file: ArtifactRef | None = None
    staged_text: ArtifactRef | None = None
    changes: ArtifactRef | None = None
    concerns: tuple[str, ...] = ()
    form: FoundFields | None = None
    is_form: bool = False
    used_as: UploadRole = "evidence"
    proposed: bool = False
    drawn: ArtifactRef | None = None
    confidential: tuple[ArtifactRef, ...] = Field(default=(), description="passages that its text leaves out")

    @property
    def as_given(self) -> InputFile:
        """The file in the version that counts, or the newest if none does."""
        about = InputFile.fields_of(self.used_as)
        return InputFile(name=self.name, artifact=self.file, input_id=self.input_id, **about)

    @property
    def source(self) -> str:
        """What rows of the requirement ledger call it."""
        return BRIEF if self.input_id == BRIEF else self.name


class RowView(Contract):
    """What became of a row: what people decided, and how its answer stands.

    ``status`` is what a person said of the answer, as long as that holds, else what code found: ``block_id`` of
    ``version`` of the section, none if they are empty. What it is not sure of is to ``check``. It is ``suspect``
    by what changed since somebody last looked, until somebody looks again.
    """

    confirmed: bool = False
    dropped: bool = False
    merged_into: str = ""
    section_id: str = ""
    owner: str = ""
    status: AnswerStatus = "open"
    version: int = 0
    block_id: str = ""
    suspect: tuple[Suspicion, ...] = ()


NO_DECISION = RowView()


class LedgerView(Contract):
    """The requirement ledger: where its rows are, what people decided about them, and warnings that nobody closed.
    ``rows`` are those of the last reading that ended, ``difference`` what it changed, ``reading`` whether another one
    is under way, ``failure`` why the last had no rows, ``asking`` whether a model is asked, ``opinion`` what it said.
    """

    rows: ArtifactRef | None = None
    difference: ArtifactRef | None = None
    summary: LedgerSummary = LedgerSummary()
    warnings: tuple[LedgerWarning, ...] = ()
    standings: dict[str, RowView] = Field(default={})
    open_mandatory: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    brief: bool = True
    reading: bool = False
    failure: str = ""
    asking: bool = False
    opinion: SecondOpinion | None = None

    @property
    def stale_sections(self) -> tuple[str, ...]:
        """The sections that answer rows that the last reading found changed or withdrawn."""
        changed = (*self.summary.changed, *self.summary.withdrawn)
        answering = (self.standings[name].section_id for name in changed if name in self.standings)
        return tuple(dict.fromkeys(filter(None, answering)))


class DocumentView(Contract):
    """A document as its events tell it; ``last_sequence`` and ``updated_at`` are of the last of them."""

    document_id: str
    kind: str = ""
    language: str = "en"
    status: DocumentStatus = DocumentStatus.RUNNING
    title: ArtifactRef | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    sections: dict[str, SectionView] = Field(default={})
    exports: dict[str, ExportView] = Field(default={})
    form_exports: dict[str, FormExportView] = Field(default={})
    returns: dict[str, ReturnView] = Field(default={})
    usage: Usage = Usage()
    cycle: CycleSummary | None = None
    cycle_plan: CyclePlan | None = None
    last_sequence: int = 0
    input_views: tuple[InputView, ...] = ()
    lacks_brief: bool = False
    outlined_by: str = Field(default="", description="the request that demands its chapters; empty: no request does")
    awaits_chapters: bool = Field(default=False, description="its sections may still be replaced by such chapters")
    ledger: LedgerView | None = None
    budget: BudgetView | None = None
    outcome: BidOutcome = "open"
    reuses: tuple[ReuseView, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The files beside the brief as they were given, in the version that counts."""
        counting = (one for one in self.counting if one.version and one.input_id != BRIEF)
        return tuple(one.as_given for one in counting)

    def input(self, input_id: str) -> InputView | None:
        """An input by its id; None if there never was one."""
        return next((one for one in self.input_views if one.input_id == input_id), None)

    @property
    def counting(self) -> tuple[InputView, ...]:
        """The inputs that were not withdrawn."""
        return tuple(one for one in self.input_views if one.state != "withdrawn")

    @property
    def waiting(self) -> tuple[SectionView, ...]:
        """The sections that wait for a person."""
        return tuple(s for s in self.sections.values() if s.waits)

    @property
    def stale(self) -> tuple[SectionView, ...]:
        """The sections that rest on something that changed."""
        return tuple(s for s in self.sections.values() if s.stale is not None)

    @property
    def at_work(self) -> bool:
        """Whether any service is at work on a section of it."""
        return any(s.at_work for s in self.sections.values())

    @property
    def is_moving(self) -> bool:
        """Whether anything is being read, written, checked or exported: something comes without a decision."""
        files: tuple[ExportView | FormExportView | ReturnView, ...]
        files = (*self.exports.values(), *self.form_exports.values(), *self.returns.values())
        reading = any(one.state == "reading" for one in self.input_views) or bool(self.ledger and self.ledger.reading)
        return self.at_work or self.checking or reading or any(file.state == "under_way" for file in files)

    @property
    def checking(self) -> bool:
        """Whether any settled text, or an edit of one, is still being made, validated or evaluated."""
        return any(s.checks or s.edit_in_flight for s in self.sections.values())


class EventView(Contract):
    """An event of the log with its envelope; ``data`` is its body, by the contract that ``type`` names."""

    sequence: int = Field(description="its place in the log: the id of the event in a stream")
    name: str = Field(description="its type in a word, such as `section-drafted`")
    type: str
    id: str
    time: datetime
    subject: str
    document_id: str
    number: int = Field(description="its place in the log of its document")
    correlation_id: str = ""
    causation_id: str = ""
    data: dict[str, Any]
