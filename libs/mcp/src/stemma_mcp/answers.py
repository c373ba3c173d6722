"""What tools give back, with the calls that make sense next. Words of a document stand in fields of their own."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import BaseModel, Field
from stemma_client.comments import ReadThread
from stemma_client.findings import Finding
from stemma_client.ledgers import LedgerEntry, ListedDeadline
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.budgets import BudgetQuestion, BudgetView
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.grounding import CitedText
from stemma_contracts.v1.inputs import ChangedInput, ChangedPart
from stemma_contracts.v1.ledger import RequirementChange, SecondOpinion
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.returned import ReturnedComment, ReturnedConflict, ReturnedObject
from stemma_contracts.v1.section import SectionStatus, Wait
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.summary import SectionSummary
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.views import (
    DocumentView,
    ExportView,
    FormExportView,
    InputView,
    ProposalView,
    ReturnView,
    SectionView,
)


class Step(BaseModel):
    """A call that makes sense next."""

    tool: str
    arguments: dict[str, str | int] = Field(description="The arguments that are known; others you have to add.")
    why: str


class Accepted(BaseModel):
    """A request took effect; its work goes on without you."""

    request_id: str = Field(description="The same call with this id is done once.")
    document_id: str
    section_id: str = ""
    held_up_by: dict[str, list[str]] = Field(
        default={},
        description="by section that is queued: the sections to be settled, and not stale, before it is written",
    )
    next: list[Step]


class Kinds(BaseModel):
    """The kinds of documents that can be started."""

    kinds: tuple[DocumentKind, ...]


class DocumentLine(BaseModel):
    """A document in a list."""

    document_id: str
    title: str
    kind: str
    status: str
    created_at: datetime
    sections: int
    settled: int
    waiting: int = Field(description="sections that wait for a decision")


class Documents(BaseModel):
    """A page of the documents, newest first."""

    documents: list[DocumentLine]
    total: int
    next: list[Step]


class WaitingSection(SectionSummary):
    """A section that waits for a decision."""

    document_id: str
    document_title: str


class WaitingBudget(BudgetQuestion):
    """Sections of a document that wait because to write them would pass its budget."""

    document_id: str


class Waiting(BaseModel):
    """What waits for a decision, the oldest documents first."""

    sections: list[WaitingSection]
    budgets: list[WaitingBudget] = Field(default=[], description="the question of each budget that would be passed")
    left_off: int = Field(description="how many more there are")
    next: list[Step]


class SectionLine(SectionSummary):
    """Where a section stands."""

    depends_on: tuple[str, ...]
    held_up_by: list[str] = Field(description="if it is queued: the sections to be settled, and not stale, first")
    failure: str


class DocumentTold(BaseModel):
    """Where a document stands, by its log."""

    document_id: str
    title: str
    kind: str
    language: str
    status: str = Field(description="running, paused, completed, cancelled or failed")
    outlined_by: str = Field(description="the request whose chapters the sections are; empty: they are of the kind")
    awaits_chapters: bool = Field(description="a request is being read whose chapters may replace the sections")
    sections: list[SectionLine]
    exports: list[ExportView]
    form_exports: list[FormExportView]
    usage: Usage
    budget: BudgetView | None = Field(description="what models may cost, and the question if that would be passed")
    lacks_brief: bool = Field(description="the brief could not be read: replace_input gives another")
    at_work: bool = Field(description="whether something is being read, written, checked or exported")
    ask_again_after_s: int | None = Field(description="ask document_status again then; null if nothing moves by itself")
    next: list[Step]


class Inputs(BaseModel):
    """What a document is written from."""

    document_id: str
    inputs: tuple[InputView, ...]
    lacks_brief: bool = Field(description="the brief could not be read: replace_input gives another")
    next: list[Step]


class InputTold(BaseModel):
    """An input with what was read of it, and what its staged version would change."""

    document_id: str
    input: InputView
    text: str = Field(description="as of the version that counts; empty if it is no text")
    text_from: int = Field(description="the first character of the text that stands here, from 0")
    text_length: int = Field(description="characters of the whole text")
    changes: tuple[ChangedPart, ...]
    changes_left_off: int
    next: list[Step]


class Requirements(BaseModel):
    """A page of the requirement ledger, in the order of its sources."""

    document_id: str
    requirements: list[LedgerEntry] = []
    total: int = 0
    open_mandatory: int = Field(default=0, description="rows that must be answered and are not")
    changed: list[str] = Field(default=[], description="rows that the last reading found changed")
    withdrawn: list[str] = Field(default=[], description="rows that the last reading did not find any more")
    sections_to_look_at: list[str] = Field(default=[], description="those that answer such rows")
    failure: str = Field(description="why the last reading came to nothing")
    second_opinion: SecondOpinion | None = Field(default=None, description="of a model, if one was asked")
    ask_again_after_s: int | None = Field(description="ask again then: demands are being read")
    next: list[Step]


class DeadlineList(BaseModel):
    """A page of the deadlines of what a document answers, by their days."""

    document_id: str
    deadlines: list[ListedDeadline] = []
    total: int = 0
    more: int = Field(default=0, description="deadlines of the sources beyond those that are kept")
    failure: str = Field(description="why there are none")
    ask_again_after_s: int | None = Field(description="ask again then: they are being read")
    next: list[Step]


class VersionLine(BaseModel, from_attributes=True):
    """A version of a section, as a view has it, in short."""

    number: int
    origin: str = Field(description="generated, revised, edited (by instruction), written (by a person) or restored")
    made_by: str
    made_at: datetime | None


class ProposedEdit(BaseModel):
    """An edit that waits for a decision, which has to name the version that it changes."""

    proposal: ProposalView
    summary: str
    text: str
    text_length: int = Field(description="characters of the whole text; fewer may stand here")
    findings: list[Finding]


class SectionTold(BaseModel):
    """A section in one version, with all that there is to know before a decision about it."""

    document_id: str
    section_id: str
    title: str
    status: str
    version: int = Field(description="the version of this text; 0: nothing is written yet")
    current_version: int
    text: str
    text_from: int = Field(description="the first character of the text that stands here, from 0")
    text_length: int = Field(description="characters of the whole text")
    resource: str = Field(description="URI of the whole text")
    waits_for: list[Wait]
    evaluation: Evaluation | None = Field(description="what a model and programs made of this version")
    feedback: str = Field(description="what the model that judged said, or why it did not judge")
    findings: list[Finding]
    findings_left_off: int
    rests_on: tuple[CitedText, ...] = Field(description="if it was asked for: places of the inputs, by sentence")
    stale_reasons: tuple[StaleReason, ...]
    stale_inputs: tuple[ChangedInput, ...]
    stale_requirements: tuple[RequirementChange, ...]
    need: Need | None = Field(description="what it has to know before it can go on")
    question: str = Field(description="the words of the need")
    proposed_edit: ProposedEdit | None
    open_threads: list[ReadThread] = Field(description="comments that nobody resolved, the first ones")
    threads_left_off: int
    refusal: str
    failure: str
    versions: list[VersionLine]
    next: list[Step]


class ChangedLines(BaseModel):
    """Lines of a section before and after; one of them is empty if they were added or removed."""

    old_line: int | None
    new_line: int | None
    moved: bool = Field(description="whether they stand elsewhere now")
    before: str
    after: str


class Comparison(BaseModel):
    """What changed between two versions of a section."""

    document_id: str
    section_id: str
    old_version: int
    new_version: int
    current_version: int
    changes: list[ChangedLines]
    changes_left_off: int


class MergeConflict(BaseModel):
    """What both texts changed, each in its own way; what one of them removed is empty."""

    before: str
    kept: str = Field(description="as in the text that you gave, which stays")
    other: str = Field(description="as in the current version")


class Merged(BaseModel):
    """A text with what came meanwhile in it; nothing is changed by it."""

    document_id: str
    section_id: str
    version: int = Field(description="the current one, which edit_section has to name for this text")
    text: str
    changes: list[ChangedLines] = Field(description="what came meanwhile; nothing if that version is current")
    changes_left_off: int
    conflicts: list[MergeConflict]
    next: list[Step]


class ExportTold(BaseModel):
    """An export, or a form of the buyer with answers in it, and where its file is."""

    document_id: str
    export: ExportView | FormExportView
    resource: str = Field(description="URI of the file; empty while there is none")
    text: str = Field(default="", description="the file, if it is text and short; else read the resource")
    ask_again_after_s: int | None
    next: list[Step]


class ReturnedChanges(BaseModel):
    """What somebody changed in a section of a file; nobody is named where it was not tracked."""

    author: str
    at: datetime | None
    changes: list[ChangedLines]
    left_off: int


class ReturnedLine(BaseModel):
    """A section of a file that came back; ``version`` left, and ``now`` is the one that it has."""

    section_id: str
    version: int
    now: int
    edits: list[ReturnedChanges]
    conflicts: tuple[ReturnedConflict, ...] = Field(description="what both changed: nothing is taken over unnamed")
    comments: tuple[ReturnedComment, ...]
    unwritten: tuple[str, ...] = Field(description="words for which there is no place in it")
    unsupported: tuple[ReturnedObject, ...] = Field(description="what is no text and is not taken over")
    removed: bool = Field(description="all of its text is gone from the file; it stays as it is")


class ReturnTold(BaseModel):
    """What people did in a file that came back."""

    document_id: str
    returned: ReturnView
    sections: list[ReturnedLine]
    around: tuple[str, ...] = Field(description="what was changed outside of the sections: only a person can take it")
    comments: tuple[ReturnedComment, ...] = Field(description="on text outside of the sections")
    ask_again_after_s: int | None
    next: list[Step]


ASK_AGAIN_AFTER_S = 2
MOST_STEPS = 5
WHY: dict[Wait, str] = {
    "review": "it waits for a review",
    "question": "it asks something before it can go on",
    "edit": "an edit of it is proposed",
    "stale": "what it rests on has changed: keep or regenerate it",
}


def step(tool: str, why: str, **arguments: str | int) -> Step:
    return Step(tool=tool, arguments=arguments, why=why)


def further(tool: str, after: int, total: int, **about: str | int) -> list[Step]:
    return [step(tool, "there are more", **about, skip=after)] if after < total else []


def accepted(answer: RequestAccepted, then: str = "document_status") -> Accepted:
    return Accepted(
        request_id=answer.request_id,
        document_id=answer.document_id,
        section_id=answer.section_id or "",
        held_up_by={name: list(upstreams) for name, upstreams in answer.held_up_by.items()},
        next=[step(then, "what becomes of it is told there", document_id=answer.document_id)],
    )


def reading(document_id: str, section_id: str, waits: Sequence[Wait]) -> Step:
    why = "; ".join(WHY[wait] for wait in waits)
    return step("read_section", why, document_id=document_id, section_id=section_id)


def budget_step(document_id: str, asked: BudgetQuestion) -> Step:
    why = "its budget would be passed: ask the person you work for"
    return step("answer_budget", why, document_id=document_id, question=asked.question)


def steps_of(view: DocumentView) -> list[Step]:
    return list(_steps(view))[:MOST_STEPS]


def _steps(view: DocumentView) -> Iterator[Step]:
    about = {"document_id": view.document_id}
    if view.status is DocumentStatus.CANCELLED:
        return
    if view.status is DocumentStatus.PAUSED:
        yield step("resume_document", "it is paused", **about)
    if view.lacks_brief:
        yield step("list_inputs", "its brief could not be read: replace_input gives another", **about)
    if view.budget and view.budget.question:
        yield budget_step(view.document_id, view.budget.question)
    for section in view.waiting:
        yield reading(view.document_id, section.section_id, section.waits_for)
    for section in view.sections.values():
        if section.status is SectionStatus.FAILED:
            yield step("retry_section", "it failed", **about, section_id=section.section_id)
    if view.is_moving:
        yield step("document_status", "it is being worked on", **about)
    if view.status is DocumentStatus.COMPLETED:
        yield step("export_document", "all of its sections are settled", **about)


def decisions_about(view: DocumentView, section: SectionView, version: int) -> list[Step]:
    """The calls by which a section is decided about that was just read in a version; first the current one is read."""
    if version == section.version:
        return list(_decisions(view.document_id, section))
    return [reading(view.document_id, section.section_id, waits)] if (waits := section.waits_for) else []


def _decisions(document_id: str, section: SectionView) -> Iterator[Step]:
    about: dict[str, str | int] = {"document_id": document_id, "section_id": section.section_id}
    read = about | {"version": section.version}
    for wait in section.waits_for:
        match wait:
            case "review":
                yield step("approve_section", "if the text is as it should be", **read)
                yield step("revise_section", "if it is not: say what to change", **read)
            case "question" if section.need is not None:
                why = "it cannot go on without an answer"
                yield step("answer_question", why, **about, need_id=section.need.need_id)
            case "edit" if section.proposal is not None:
                edit = about | {"version": section.proposal.version, "proposal_id": section.proposal.proposal_id}
                yield step("accept_edit", "if the proposed text is better", **edit)
                yield step("reject_edit", "if it is not", **edit)
            case "stale":
                yield step("keep_section", "if the text still holds", **read)
                yield step("regenerate_section", "if it does not", **read)
