"""Tools about files that come in: inputs, what amended ones change before they count, and a DOCX that comes back."""

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_client.differences import differences
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.outline import MOST_SECTIONS
from stemma_contracts.v1.returned import CommentUse, ReturnedDocument, ReturnedSection
from stemma_contracts.v1.views import DocumentView, InputView, ReturnView

from .answers import (
    ASK_AGAIN_AFTER_S,
    Accepted,
    Inputs,
    InputTold,
    ReturnedChanges,
    ReturnedLine,
    ReturnTold,
    Step,
    accepted,
    step,
)
from .arguments import DocumentId, GivenFile, GivenInput, InputId, RequestId, SeenInput
from .clients import asked, content_of, uploaded
from .refusals import NotThereError
from .sections import MOST_CHARACTERS, fitting

MOST_CHANGES = 50
Staged = Annotated[
    bool,
    Field(description="Only read it and tell what it would change, with read_input; apply_input has it count."),
]


async def list_inputs(client: Client, document_id: DocumentId) -> Inputs:
    """List what a document is written from: the brief and every input, how well each was read, which sections use it,
    and which amended versions are staged."""
    view = await client.document(document_id)
    staged = [one for one in view.counting if one.staged_version]
    return Inputs(
        document_id=document_id,
        inputs=view.input_views,
        lacks_brief=view.lacks_brief,
        next=[
            step("read_input", "an amended version of it is staged", document_id=document_id, input_id=one.input_id)
            for one in staged[:1]
        ],
    )


async def read_input(
    client: Client,
    document_id: DocumentId,
    input_id: InputId,
    from_character: Annotated[int, Field(ge=0, description="Where to begin in a long text.")] = 0,
) -> InputTold:
    """Read an input: what was read of its file, in Markdown, and what a staged version would change and make stale.
    Of a long text 40,000 characters come at a time."""
    one = _input_in(await client.document(document_id), input_id)
    text = await client.stored_text(document_id, one.text) or ""
    changes = await client.stored(document_id, one.changes, InputChanges) or InputChanges()
    return InputTold(
        document_id=document_id,
        input=one,
        text=text[from_character : from_character + MOST_CHARACTERS],
        text_from=from_character,
        text_length=len(text),
        changes=changes.changed[:MOST_CHANGES],
        changes_left_off=changes.left_off + max(0, len(changes.changed) - MOST_CHANGES),
        next=_decisions(document_id, one),
    )


def _input_in(view: DocumentView, input_id: str) -> InputView:
    if (found := view.input(input_id)) is None:
        known = ", ".join(one.input_id for one in view.input_views)
        raise NotThereError(Problem.of("input_unknown_among", "input_id", name=input_id, known=known))
    return found


def _decisions(document_id: str, one: InputView) -> list[Step]:
    if not one.staged_version or one.state == "withdrawn":
        return []
    about: dict[str, str | int] = {"document_id": document_id, "input_id": one.input_id, "version": one.staged_version}
    return [
        step("apply_input", "if it is to count; the sections it concerns become stale", **about),
        step("withdraw_input", "if it is not to count", **about),
    ]


async def add_input(
    client: Client,
    document_id: DocumentId,
    file: Annotated[GivenInput, Field(description="The file, and what it is for.")],
    staged: Staged = False,
    request_id: RequestId = "",
) -> Accepted:
    """Give a document one more input. Nothing is written anew by it: what is written or regenerated from then on is
    written from it, too."""
    upload = await uploaded(client, file, content_of(file, "file"))
    answer = await asked(client, r.AddInput, request_id, document_id=document_id, upload=upload, staged=staged)
    return accepted(answer, "list_inputs")


async def replace_input(
    client: Client,
    document_id: DocumentId,
    input_id: InputId,
    version: SeenInput,
    file: Annotated[GivenFile, Field(description="What takes its place; the input keeps its name and its role.")],
    staged: Staged = False,
    request_id: RequestId = "",
) -> Accepted:
    """Give an input another file, such as an amended request. The sections that rest on what this changes become
    stale: keep_section or regenerate_section each. Stage it first if you do not know what it changes."""
    upload = await uploaded(client, file, content_of(file, "file"))
    about = {"document_id": document_id, "input_id": input_id, "version": version}
    return accepted(
        await asked(client, r.ReplaceInput, request_id, **about, upload=upload, staged=staged), "list_inputs"
    )


ReturnId = Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the file, of read_return.")]


class Reading(Accepted):
    """A file is being compared; what people did in it is there in seconds."""

    return_id: str


async def read_return(
    client: Client,
    document_id: DocumentId,
    file: Annotated[GivenFile, Field(description="The DOCX, or the mail (.eml) that it is attached to.")],
    request_id: RequestId = "",
) -> Reading:
    """Have a DOCX compared that was exported and comes back changed by people. Nothing is changed by it. It returns at
    once; return_result tells what they did."""
    upload = await uploaded(client, file, content_of(file, "file"))
    answer = await asked(client, r.ReadReturn, request_id, document_id=document_id, upload=upload)
    name = str(answer.return_id)
    return Reading(
        request_id=answer.request_id, document_id=document_id, return_id=name, next=[_look(document_id, name)]
    )


async def return_result(client: Client, document_id: DocumentId, return_id: ReturnId) -> ReturnTold:
    """Tell what people did in a file that came back, section by section: changes by author, comments, and where a newer
    version and the file changed the same. Nothing of it counts before apply_return."""
    view = await client.document(document_id)
    if (one := view.returns.get(return_id)) is None:
        raise NotThereError(Problem.of("return_unknown", "return_id", return_id=return_id))
    found = await client.stored(document_id, one.found, ReturnedDocument) or ReturnedDocument()
    return ReturnTold(
        document_id=document_id,
        returned=one,
        sections=[await _line(client, section, view.language) for section in found.sections],
        around=found.around,
        comments=found.comments,
        ask_again_after_s=ASK_AGAIN_AFTER_S if one.state == "under_way" else None,
        next=_next(document_id, one),
    )


async def apply_return(
    client: Client,
    document_id: DocumentId,
    return_id: ReturnId,
    digest: Annotated[str, Field(description="That of `found`, as return_result told it: only this is taken over.")],
    sections: Annotated[
        list[str],
        Field(max_length=MOST_SECTIONS, description="Only these, with the words of the file where both changed."),
    ] = [],  # noqa: B006
    comments: Annotated[
        CommentUse,
        Field(description="What comments become; guidance: instructions to the editor, question: somebody answers it."),
    ] = "comment",
    request_id: RequestId = "",
) -> Accepted:
    """Take over what return_result told, as edits and comments of those people: of all sections or of none. Without
    sections, those stay as they are in which both changed the same."""
    about = {"document_id": document_id, "return_id": return_id, "digest": digest}
    more = {"sections": sections or None, "comments": comments}
    return accepted(await asked(client, r.ApplyReturn, request_id, **about, **more))


async def _line(client: Client, section: ReturnedSection, language: str) -> ReturnedLine:
    changes = []
    for edit in section.edits:
        found = await client.compute(differences, edit.before, edit.after, language)
        told = list(fitting(found))
        changes.append(ReturnedChanges(author=edit.author, at=edit.at, changes=told, left_off=len(found) - len(told)))
    return ReturnedLine(**{**dict(section), "edits": changes})


def _next(document_id: str, one: ReturnView) -> list[Step]:
    if one.found is None:
        return [] if one.problem else [_look(document_id, one.return_id)]
    about = {"document_id": document_id, "return_id": one.return_id, "digest": one.found.digest}
    return [step("apply_return", "if whom you work for wants it", **about)]


def _look(document_id: str, return_id: str) -> Step:
    return step("return_result", "it is compared in seconds", document_id=document_id, return_id=return_id)
