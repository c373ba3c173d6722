"""Requests as tests ask them: values in the order of their fields, and free text as the artifact that it becomes.

No contract checks the values, so that the core is asked for what the edge would refuse, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import NewComment
from stemma_contracts.v1.inputs import Unreadable
from stemma_contracts.v1.ledger import RowParts
from stemma_contracts.v1.library import EntryRef
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef
from stemma_domain.commands import Asked, RequestMeta
from stemma_domain.features.documents import Create
from stemma_domain.features.inputs.feature import Added, Replaced
from stemma_domain.features.ledger.feature import Cut
from stemma_domain.features.library.feature import Reuse
from stemma_domain.features.returns import FILE, VERSIONS, TakenSection, TakeOver

TENANT, DOCUMENT = "default", "doc1"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
UPLOADED = ""
"""Stands in an answer for an image that comes with it."""


def request(kind: type[r.Request], **fields: Any) -> Any:
    return kind.model_construct(document_id=DOCUMENT, **fields)


def ask(kind: type[r.Request], asked: RequestMeta, **fields: Any) -> Asked[Any]:
    stored = {name: value for name, value in fields.items() if isinstance(value, ArtifactRef)}
    return Asked(request(kind, **fields | dict.fromkeys(stored, "words")), asked, NOW, stored)


def _in_order(kind: type[r.Request], *names: str) -> Callable[..., Asked[Any]]:
    def build(asked: RequestMeta, *values: Any, **named: Any) -> Asked[Any]:
        return ask(kind, asked, **dict(zip(names, values, strict=False)), **named)

    return build


approve = _in_order(r.ApproveSection, "section_id", "version")
withdraw_approval = _in_order(r.WithdrawApproval, "section_id", "version")
revise = _in_order(r.ReviseSection, "section_id", "version", "feedback", "cycle", "replace_edited")
edit = _in_order(r.EditSection, "section_id", "version", "instruction")
keep = _in_order(r.KeepSection, "section_id", "version")
regenerate = _in_order(r.RegenerateSection, "section_id", "version", "guidance", "replace_edited")
restore = _in_order(r.RestoreSection, "section_id", "version", "restore_version")
retry = _in_order(r.RetrySection, "section_id")
keep_several = _in_order(r.KeepSections, "sections")
regenerate_several = _in_order(r.RegenerateSections, "sections", "guidance", "replace_edited")
change_fact = partial(ask, r.ChangeFact)
accept_suggestion = _in_order(r.AcceptSuggestion, "section_id", "version", "thread_id", "comment_id", "text")
take_back = _in_order(r.TakeBackChanges, "section_id", "version", "since", "text", "proposal_id", "changes", "shown")
accept = _in_order(r.AcceptEdit, "section_id", "version", "proposal_id")
reject = _in_order(r.RejectEdit, "section_id", "version", "proposal_id")
pause = partial(ask, r.PauseDocument)
resume = partial(ask, r.ResumeDocument)
cancel = partial(ask, r.CancelDocument)
export = _in_order(r.ExportDocument, "format", "redline", "citations", "matrix")
confirm_form = _in_order(r.ConfirmFormFields, "input_id", "version", "dropped")
export_form = _in_order(r.ExportForm, "input_id")
apply_input = _in_order(r.ApplyInput, "input_id", "version")
withdraw_input = _in_order(r.WithdrawInput, "input_id", "version")
mark_confidential = _in_order(r.MarkConfidential, "input_id", "version", "passage", "taken_back")
set_role = _in_order(r.SetInputRole, "input_id", "version", "role")
read_ledger = _in_order(r.ReadRequirements, "sources", "without_brief", "second_opinion")
decide_ledger = _in_order(r.DecideRequirements, "decisions", "closed", "shown")
resolve = _in_order(r.ResolveThread, "section_id", "thread_id")
reopen = _in_order(r.ReopenThread, "section_id", "thread_id")
unassign = _in_order(r.UnassignSection, "section_id")
describe = _in_order(r.DescribeEntry, "section_id", "owner", "expires", "withheld")
record_outcome = _in_order(r.RecordOutcome, "outcome")


PLAIN = {
    "tenant": TENANT,
    "document_id": DOCUMENT,
    "kind": "proposal",
    "brief": ArtifactRef(digest=sha256(b"brief").hexdigest(), size=5, media_type="text/markdown", name="draft.md"),
    "blueprint_digest": "0" * 64,
}


def create(asked: RequestMeta, time: datetime = NOW, **fields: Any) -> Create:
    """A document with these sections, and whatever else is not as in a plain one."""
    requested = e.DocumentRequested(**asked, created_at=time, **{**PLAIN, **fields})
    return Create(r.CreateDocument(kind=requested.kind, brief="words"), asked, time, requested=requested)


def upload(artifact: ArtifactRef, file: InputFile | None = None) -> UploadRef:
    return UploadRef(
        object_name="up",
        digest=artifact.digest,
        size=artifact.size,
        media_type=artifact.media_type,
        name=file.name if file else artifact.name,
        role=("form" if file.form else file.role) if file else "evidence",
    )


def write(
    asked: RequestMeta, section_id: str, version: int, draft: ArtifactRef, images: Sequence[InputFile] = ()
) -> Asked[Any]:
    shown = tuple(upload(image.artifact, image) for image in images)
    return ask(r.EditSection, asked, section_id=section_id, version=version, text=draft, images=shown)


def answer(
    asked: RequestMeta,
    section_id: str,
    need_id: str,
    words: ArtifactRef,
    form: str = "",
    decisions: Mapping[str, str] | None = None,
) -> Asked[Any]:
    chosen = {name: upload(words) if said == UPLOADED else said for name, said in (decisions or {}).items()}
    asked_for = request(r.AnswerNeed, section_id=section_id, need_id=need_id, answer=form, decisions=chosen)
    return Asked(asked_for, asked, NOW, {"answer": words})


def add_input(
    asked: RequestMeta, file: InputFile, to_read: bool, staged: bool, unreadable: Unreadable | None = None
) -> Added:
    asked_for = request(r.AddInput, upload=upload(file.artifact, file), staged=staged)
    return Added(asked_for, asked, NOW, to_read=to_read, unreadable=unreadable)


def replace_input(
    asked: RequestMeta,
    input_id: str,
    version: int,
    artifact: ArtifactRef,
    is_text: bool,
    staged: bool,
    unreadable: Unreadable | None = None,
) -> Replaced:
    asked_for = request(r.ReplaceInput, input_id=input_id, version=version, upload=upload(artifact), staged=staged)
    return Replaced(asked_for, asked, NOW, to_read=not is_text, unreadable=unreadable)


def cut_ledger(
    asked: RequestMeta, rows_digest: str, rows: ArtifactRef | None = None, parts: tuple[RowParts, ...] = ()
) -> Cut:
    return Cut(request(r.SplitRequirements, rows_digest=rows_digest), asked, NOW, rows=rows, parts=parts)


def read_return(asked: RequestMeta, file: ArtifactRef, versions: ArtifactRef) -> Asked[Any]:
    return Asked(request(r.ReadReturn, upload=upload(file)), asked, NOW, {FILE: file, VERSIONS: versions})


def apply_return(asked: RequestMeta, return_id: str, digest: str, taken: Sequence[TakenSection]) -> TakeOver:
    asked_for = request(r.ApplyReturn, return_id=return_id, digest=digest)
    return TakeOver(asked_for, asked, NOW, taken=tuple(taken))


@dataclass(frozen=True)
class StoredComment:
    """A comment whose words are stored; with a thread it is an answer in that one."""

    remark: ArtifactRef
    block_id: str | None = None
    thread_id: str | None = None


def comment(asked: RequestMeta, section_id: str, version: int, comments: Sequence[StoredComment]) -> Asked[Any]:
    made = tuple(NewComment(text="words", block_id=one.block_id, thread_id=one.thread_id) for one in comments)
    stored = {f"comments.{place}": one.remark for place, one in enumerate(comments)}
    return Asked(request(r.CommentSection, section_id=section_id, version=version, comments=made), asked, NOW, stored)


def assign(asked: RequestMeta, section_id: str, assignee: str, due: datetime | None, time: datetime) -> Asked[Any]:
    return Asked(request(r.AssignSection, section_id=section_id, assignee=assignee, due=due), asked, time)


def reuse(asked: RequestMeta, entry: EntryRef, text: ArtifactRef, requirement_ids: Sequence[str] = ()) -> Reuse:
    asked_for = request(r.ReuseEntry, entry=entry, requirement_ids=tuple(requirement_ids))
    return Reuse(asked_for, asked, NOW, name="Team.md", text=text)
