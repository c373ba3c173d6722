"""Request events: what people and programs ask for.

The subject is ``stemma.request.v1.<tenant>.<name>``, of a person ``stemma.request.v2.<tenant>.<person>.<name>``.
A plain JSON body without headers is accepted.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, StrictInt, StringConstraints, model_validator

from stemma_contracts.base import Contract, Stored, invalid_field
from stemma_contracts.registry import Family, registry
from stemma_contracts.shown import check_shown
from stemma_contracts.tokens import Digest, FileName, LanguageTag, Token
from stemma_contracts.v1.section import Due

from .asked import Actor as Actor
from .asked import DocumentRequest as DocumentRequest
from .asked import Reference as Reference
from .asked import Request as Request
from .asked import SectionDecision as SectionDecision
from .asked import SectionRequest as SectionRequest
from .budgets import Budget
from .comments import MOST_COMMENTS, NewComment
from .document import BidOutcome
from .exports import Cover, ExportFormat, VersionPair
from .forms import MOST_FIELDS
from .ledger import LedgerWarning, RequirementDecision, RowCuts
from .library import EntryRef
from .outline import MOST_SECTIONS, OutlineSection
from .references import UploadRef, UploadRole
from .returned import MOST_COMMENTS_CHOSEN, CommentUse
from .review import ReviewEdits, ReviewPolicy
from .spending import AnswerBudget as AnswerBudget
from .spending import PlanChange as PlanChange
from .spending import SetBudget as SetBudget
from .spending import body_to_plan as body_to_plan


@registry.contract("stemma.create.document.v1", Family.REQUEST)
class CreateDocument(Request):
    """Ask for a new document of a kind, written from a brief and input files.

    The brief comes as text (``brief``) or as an upload (``brief_upload``), exactly one of them. An upload may be of any
    format that is read; with another one than Markdown, ``language`` is English where it is not given.
    ``review`` overrides the review policy of every section, ``review_edits`` whether edits by instruction are
    proposed first (``human``) or settled at once (``none``). ``sections`` names the sections that are
    wanted, what they depend on is added; without it the document has all that its blueprint requires.
    ``outline`` gives the sections itself, all and in their order, in place of ``sections``. ``language`` is what
    the document is written in; without it, the language of the brief.
    """

    kind: Token
    title: Annotated[str, AfterValidator(check_shown)] = Field(default="", max_length=300)
    brief: str | None = Field(default=None, min_length=1)
    brief_upload: UploadRef | None = None
    inputs: tuple[UploadRef, ...] = Field(default=(), max_length=200)
    review: ReviewPolicy | None = None
    sections: tuple[Token, ...] | None = Field(default=None, min_length=1, max_length=MOST_SECTIONS)
    language: LanguageTag | None = None
    outline: tuple[OutlineSection, ...] | None = Field(default=None, min_length=1, max_length=MOST_SECTIONS)
    review_edits: ReviewEdits | None = None
    budget: Budget | None = Field(default=None, description="what its model calls may come to; else as its kind says")

    @model_validator(mode="after")
    def _one_brief(self) -> CreateDocument:
        if (self.brief is None) == (self.brief_upload is None):
            field = "brief" if self.brief is None else "brief_upload"
            raise invalid_field("give exactly one of brief and brief_upload", field)
        if self.brief is not None and not self.brief.strip():
            raise invalid_field("brief is blank", "brief")
        return self

    @model_validator(mode="after")
    def _one_choice_of_sections(self) -> CreateDocument:
        if self.outline is not None and self.sections is not None:
            raise invalid_field("an outline names the sections itself: leave sections out", "sections")
        return self


@registry.contract("stemma.approve.section.v1", Family.REQUEST)
class ApproveSection(SectionDecision):
    """Approve the version of a section that waits for review."""


@registry.contract("stemma.withdraw.approval.v1", Family.REQUEST)
class WithdrawApproval(SectionDecision):
    """Take back the approval of a version, which waits for review again.

    It is refused once another section was written from that version. A section that is being written from it for the
    first time waits again.
    """


@registry.contract("stemma.revise.section.v1", Family.REQUEST)
class ReviseSection(SectionDecision):
    """Send a section that waits for review to the editor agent, with feedback in words.

    With ``cycle`` the feedback goes to the authors of all sections; that is for the final section of a document
    that is reviewed in cycles.
    """

    feedback: Annotated[str, Stored("feedback.txt")] = Field(min_length=1, max_length=20_000)
    cycle: StrictBool = Field(default=False, description="have every section written again, not only this one changed")
    replace_edited: StrictBool = Field(default=False, description="in a cycle: also those that a person made")


@registry.contract("stemma.edit.section.v1", Family.REQUEST)
class EditSection(SectionRequest):
    """Change any section at any time: by an instruction to the editor agent, or by text that takes its place.

    Give exactly one of ``instruction``, ``text`` and ``text_upload``. ``version`` is the one that the person
    saw, 0 if nothing was written yet. ``images`` come with a text, which shows them by their names.
    """

    version: StrictInt = Field(ge=0)
    instruction: Annotated[str | None, Stored("instruction.txt")] = Field(default=None, min_length=1, max_length=20_000)
    text: Annotated[str | None, Stored("draft.md", "text/markdown")] = Field(default=None, min_length=1)
    text_upload: UploadRef | None = None
    images: tuple[UploadRef, ...] = Field(default=(), max_length=20, description="PNG, JPEG, GIF or WebP")

    @model_validator(mode="after")
    def _one_way(self) -> EditSection:
        given = [way for way in ("instruction", "text", "text_upload") if getattr(self, way) is not None]
        if len(given) != 1:
            field = given[-1] if given else "instruction"
            raise invalid_field("give exactly one of instruction, text and text_upload", field)
        if self.text is not None and not self.text.strip():
            raise invalid_field("text is blank", "text")
        if self.images and self.instruction is not None:
            raise invalid_field("images come with a text, not with an instruction", "images")
        return self


class ProposalDecision(SectionDecision):
    """A decision about a proposed edit; ``version`` is the one that it would change."""

    proposal_id: Token


@registry.contract("stemma.accept.edit.v1", Family.REQUEST)
class AcceptEdit(ProposalDecision):
    """Make a proposed edit the version of its section, which is settled with it."""


@registry.contract("stemma.accept.suggestion.v1", Family.REQUEST)
class AcceptSuggestion(SectionDecision):
    """Put the words that a comment suggests in the place of those that it quotes, and resolve its thread."""

    thread_id: Token
    comment_id: Token


@registry.contract("stemma.take.back.changes.v1", Family.REQUEST)
class TakeBackChanges(SectionDecision):
    """Take back single changes since an earlier version, or of a proposed edit; every other word of it stays.

    Give exactly one of ``since`` and ``proposal_id``. ``changes`` are numbers among the single changes of the two
    texts, which count from 1. ``shown`` is how many of them the person saw.
    """

    since: StrictInt | None = Field(default=None, ge=1)
    proposal_id: Token | None = None
    changes: tuple[Annotated[StrictInt, Field(ge=1)], ...] = Field(min_length=1, max_length=2_000)
    shown: StrictInt = Field(ge=1)

    @model_validator(mode="after")
    def _one_way(self) -> TakeBackChanges:
        if (self.since is None) == (self.proposal_id is None):
            field = "since" if self.since is None else "proposal_id"
            raise invalid_field("give exactly one of since and proposal_id", field)
        return self


@registry.contract("stemma.reject.edit.v1", Family.REQUEST)
class RejectEdit(ProposalDecision):
    """Drop a proposed edit, or the instruction while the editor agent is still at work on it."""


class SeenVersion(Contract):
    """A section in the version that a person saw."""

    section_id: Token
    version: StrictInt = Field(ge=1)


class SectionsDecision(DocumentRequest):
    """A decision about several sections, each in the version that the person saw: about all of them or about none."""

    sections: tuple[SeenVersion, ...] = Field(min_length=1, max_length=100)

    @model_validator(mode="after")
    def _each_once(self) -> SectionsDecision:
        names = [seen.section_id for seen in self.sections]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise invalid_field(f"{name} is named twice", "sections", i, "section_id")
        return self


@registry.contract("stemma.keep.sections.v1", Family.REQUEST)
class KeepSections(SectionsDecision):
    """Keep several stale sections as they are, each after those that it rests on."""


@registry.contract("stemma.regenerate.sections.v1", Family.REQUEST)
class RegenerateSections(SectionsDecision):
    """Write several sections anew, each after those that it rests on; the guidance goes to all of them.

    What people wrote stays, merged with the new texts; ``replace_edited`` lets that go.
    """

    guidance: Annotated[str | None, Stored("guidance.txt")] = Field(default=None, min_length=1, max_length=20_000)
    replace_edited: StrictBool = False


class FactPlaces(SeenVersion):
    """Where a fact stands in a section: the characters of its text at which the words begin."""

    places: tuple[Annotated[StrictInt, Field(ge=0)], ...] = Field(min_length=1, max_length=200)


@registry.contract("stemma.change.fact.v1", Family.REQUEST)
class ChangeFact(SectionsDecision):
    """Put other words in the place of a fact wherever it stands, in all of the sections or in none, as edits of the
    person who decides. ``written`` is what stands there, whatever lies between its words."""

    sections: tuple[FactPlaces, ...] = Field(min_length=1, max_length=100)
    written: str = Field(min_length=1, max_length=150, pattern=r"\S")
    instead: str = Field(min_length=1, max_length=150, pattern=r"\S")


@registry.contract("stemma.keep.section.v1", Family.REQUEST)
class KeepSection(SectionDecision):
    """Keep a stale section as it is: it rests on the current upstream versions from now on."""


@registry.contract("stemma.regenerate.section.v1", Family.REQUEST)
class RegenerateSection(SectionDecision):
    """Write a section anew. What people wrote stays, merged with the new text; ``replace_edited`` lets that go."""

    guidance: Annotated[str | None, Stored("guidance.txt")] = Field(default=None, min_length=1, max_length=20_000)
    replace_edited: StrictBool = False


@registry.contract("stemma.restore.section.v1", Family.REQUEST)
class RestoreSection(SectionDecision):
    """Bring back the text of an earlier version, as a new version."""

    restore_version: StrictInt = Field(ge=1)


@registry.contract("stemma.retry.section.v1", Family.REQUEST)
class RetrySection(SectionRequest):
    """Try a failed section again."""


@registry.contract("stemma.answer.need.v1", Family.REQUEST)
class AnswerNeed(SectionRequest):
    """Answer what a paused graph of a section asked for: in words, by decisions about references, or both.

    A decision is ``skip``, the name of an input of the document, or an image that was uploaded. With ``heading`` it is
    what stands under an open heading of a draft: the words become evidence, and the section is written anew.
    """

    need_id: Token = Field(description="`open_heading` with a heading")
    heading: str = Field(default="", max_length=300, description="an open heading that the answer is about")
    answer: str = Field(max_length=20_000, description="may be empty beside decisions")
    decisions: dict[Reference, FileName | UploadRef] = Field(default={}, max_length=200)

    @model_validator(mode="after")
    def _says_something(self) -> AnswerNeed:
        if not self.answer.strip() and not self.decisions:
            raise invalid_field("give answer or decisions", "answer")
        if self.heading and self.decisions:
            raise invalid_field("a heading is answered in words alone", "decisions")
        if self.heading and not self.heading.strip():
            raise invalid_field("give the words of a heading", "heading")
        return self


@registry.contract("stemma.pause.document.v1", Family.REQUEST)
class PauseDocument(DocumentRequest):
    """Start no new work on a document; what is under way is still recorded."""


@registry.contract("stemma.resume.document.v1", Family.REQUEST)
class ResumeDocument(DocumentRequest):
    """Go on with a paused document."""


@registry.contract("stemma.cancel.document.v1", Family.REQUEST)
class CancelDocument(DocumentRequest):
    """End a document for good; its texts and its history stay."""


@registry.contract("stemma.erase.document.v1", Family.REQUEST)
class EraseDocument(DocumentRequest):
    """Erase a document, and all that is stored of it, for good: that it was erased, by whom and when, stays.

    Without ``sequence`` nothing is done: the answer says what would go, and the sequence that this is as of. One that
    is running is cancelled first. ``library`` erases also what came from it into the library.
    """

    sequence: StrictInt | None = Field(default=None, ge=1, description="of the document as it was shown")
    library: StrictBool = False


@registry.contract("stemma.export.document.v1", Family.REQUEST)
class ExportDocument(DocumentRequest):
    """Ask for the document in a format, finished or not.

    ``redline`` asks for the sections that it names, and no others, as DOCX with what changed between two versions of
    each as tracked changes. With ``citations`` the places in the inputs that sentences rest on stand in footnotes,
    but for a redline. With ``matrix`` an appendix says which section answers each demand of the requirement ledger.
    ``cover`` is for the template of a house.
    """

    format: ExportFormat
    redline: tuple[VersionPair, ...] = Field(default=(), max_length=MOST_SECTIONS)
    citations: bool = False
    matrix: bool = False
    cover: Cover | None = None

    @model_validator(mode="after")
    def _compares_as_docx(self) -> ExportDocument:
        names = [pair.section_id for pair in self.redline]
        if names and self.format is not ExportFormat.DOCX:
            raise invalid_field("a redline is a docx", "format")
        for i, name in enumerate(names):
            if name in names[:i]:
                raise invalid_field(f"{name} is named twice", "redline", i, "section_id")
        return self


@registry.contract("stemma.read.return.v1", Family.REQUEST)
class ReadReturn(DocumentRequest):
    """Have a DOCX of the document read that comes back from a word processor. What people did to it is shown, and
    nothing is changed.
    """

    upload: UploadRef


@registry.contract("stemma.apply.return.v1", Family.REQUEST)
class ApplyReturn(DocumentRequest):
    """Take over what was shown of a file that came back: of all sections or of none, as edits and comments of the
    people in it, whom nobody vouches for.

    ``digest`` is that of what was shown. Without ``sections`` it is about all that the newer versions do not
    contradict; one that is named is taken over with the words of the file where they do. ``comments_as`` says by the
    ids of single comments what they become.
    """

    return_id: Token
    digest: Digest
    sections: tuple[Token, ...] | None = Field(default=None, min_length=1, max_length=MOST_SECTIONS)
    comments: CommentUse = "comment"
    comments_as: dict[Annotated[str, StringConstraints(max_length=64)], CommentUse] = Field(
        default={}, max_length=MOST_COMMENTS_CHOSEN
    )


class InputRequest(DocumentRequest):
    """A request about what a document is written from. Nothing is written anew by it: sections become stale."""


@registry.contract("stemma.add.input.v1", Family.REQUEST)
class AddInput(InputRequest):
    """Give a document one more input. What is ``staged`` is read, and does not count before it is applied."""

    upload: UploadRef
    staged: StrictBool = False


class InputDecision(InputRequest):
    """A decision about an input in the version that the person saw."""

    input_id: Token
    version: StrictInt = Field(ge=0, description="0: it could not be read yet")


@registry.contract("stemma.replace.input.v1", Family.REQUEST)
class ReplaceInput(InputDecision):
    """Give an input another file.

    What is ``staged`` is read and compared with what is there, and does not count before it is applied.
    """

    upload: UploadRef
    staged: StrictBool = False


@registry.contract("stemma.apply.input.v1", Family.REQUEST)
class ApplyInput(InputDecision):
    """Have what was staged count; ``version`` is the one that was staged."""


@registry.contract("stemma.withdraw.input.v1", Family.REQUEST)
class WithdrawInput(InputDecision):
    """Have an input, or what was staged for it, count no more."""


@registry.contract("stemma.set.input.role.v1", Family.REQUEST)
class SetInputRole(InputDecision):
    """Say what an input is for. What rests on it becomes stale where it is no evidence any more."""

    role: UploadRole


@registry.contract("stemma.mark.confidential.v1", Family.REQUEST)
class MarkConfidential(InputDecision):
    """Have a passage of an input never quoted, whatever the input is for: the rest of it stays what it is.

    With ``taken_back`` it may be quoted again; the words are those that were marked.
    """

    passage: Annotated[str, Stored("passage.txt")] = Field(min_length=1, max_length=20_000)
    taken_back: StrictBool = False


@registry.contract("stemma.confirm.form.fields.v1", Family.REQUEST)
class ConfirmFormFields(InputDecision):
    """Have the fields that were found in a form answered in a section of its own, but for those that are ``dropped``.

    Confirmed again, as for a new version of the form, the section answers those fields from then on.
    """

    dropped: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS, description="fields by their ids")


@registry.contract("stemma.export.form.v1", Family.REQUEST)
class ExportForm(DocumentRequest):
    """Ask for a form in the version that counts, with the answers of its section in it; that has to be approved."""

    input_id: Token


@registry.contract("stemma.read.requirements.v1", Family.REQUEST)
class ReadRequirements(DocumentRequest):
    """Have the demands of the brief and of the requests read into the requirement ledger, or read again.

    Rows that are still there keep their ids, and with them what people decided. Inputs with the role request are read
    by themselves when they come and when they change; no others are read.
    """

    sources: tuple[FileName, ...] = Field(
        default=(), max_length=100, description="names of requests; all are read, named or not"
    )
    without_brief: StrictBool = Field(default=False, description="the brief is no source")
    second_opinion: StrictBool = Field(
        default=False, description="a model is asked, too, for demands that the rules do not find"
    )


@registry.contract("stemma.decide.requirements.v1", Family.REQUEST)
class DecideRequirements(DocumentRequest):
    """Confirm, drop, merge, assign and mark rows of the requirement ledger: all of the decisions are made, or none.

    With ``closed`` a person says that a warning of the ledger was looked into.
    """

    decisions: tuple[RequirementDecision, ...] = Field(max_length=1000)
    closed: tuple[LedgerWarning, ...] = Field(default=(), max_length=300)
    shown: StrictInt | None = Field(
        default=None, ge=1, description="the sequence of the document whose texts were compared; absent: those of now"
    )

    @model_validator(mode="after")
    def _something(self) -> DecideRequirements:
        if not self.decisions and not self.closed:
            raise invalid_field("nothing is decided", "decisions")
        return self


@registry.contract("stemma.split.requirements.v1", Family.REQUEST)
class SplitRequirements(DocumentRequest):
    """Cut rows of the requirement ledger into several: all of the cuts are made, or none.

    What people decided about a row holds for its parts; whether each is answered is looked for anew.
    """

    rows_digest: Digest = Field(description="of the LedgerRows whose words are cut: those that count now")
    splits: tuple[RowCuts, ...] = Field(min_length=1, max_length=100)

    @model_validator(mode="after")
    def _once_each(self) -> SplitRequirements:
        if len({split.requirement_id for split in self.splits}) < len(self.splits):
            raise invalid_field("name each row once", "splits")
        return self


@registry.contract("stemma.comment.section.v1", Family.REQUEST)
class CommentSection(SectionDecision):
    """Comment on a version of a section: all comments are made, as one review, or none.

    It may be an earlier version than the current one. A comment in a thread that was resolved opens it again.
    """

    comments: tuple[NewComment, ...] = Field(min_length=1, max_length=MOST_COMMENTS)


class ThreadDecision(SectionRequest):
    """A decision about a thread of comments."""

    thread_id: Token


@registry.contract("stemma.resolve.thread.v1", Family.REQUEST)
class ResolveThread(ThreadDecision):
    """Close a thread of comments: what it says was seen to."""


@registry.contract("stemma.reopen.thread.v1", Family.REQUEST)
class ReopenThread(ThreadDecision):
    """Open a thread of comments again."""


@registry.contract("stemma.assign.section.v1", Family.REQUEST)
class AssignSection(SectionRequest):
    """Ask a person to see to a section and to what waits in it. Nothing is locked: others may still decide.

    It takes the place of what was asked before. Whether there is such a person is not looked up. The time that it is
    ``due`` counts until the section is settled.
    """

    assignee: Actor
    due: Due | None = Field(default=None, description="with its time zone, as in RFC 3339")


@registry.contract("stemma.unassign.section.v1", Family.REQUEST)
class UnassignSection(SectionRequest):
    """Ask nobody in particular to see to a section any more."""


@registry.contract("stemma.record.outcome.v1", Family.REQUEST)
class RecordOutcome(DocumentRequest):
    """Say what became of the bid; ``open`` takes that back."""

    outcome: BidOutcome


@registry.contract("stemma.describe.entry.v1", Family.REQUEST)
class DescribeEntry(SectionRequest):
    """Say who keeps a text for the library, until when it holds, and if it is withheld, in place of what was said."""

    owner: str = Field(default="", pattern=r"^[A-Za-z0-9_.@-]{0,64}$", description="empty: whoever approved it")
    expires: Due | None = Field(default=None, description="with its time zone, as in RFC 3339")
    withheld: StrictBool = Field(default=False, description="it is offered to nobody")


@registry.contract("stemma.reuse.entry.v1", Family.REQUEST)
class ReuseEntry(DocumentRequest):
    """Take an approved text of another document as evidence; another version of it replaces the one that was taken."""

    entry: EntryRef
    requirement_ids: tuple[Token, ...] = Field(
        default=(), max_length=100, description="rows of the ledger for which it was chosen"
    )
