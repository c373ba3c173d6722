"""Tools about what a document is written from: its inputs, and what amended ones change before they count."""

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.views import DocumentView, InputView

from stemma_mcp.answers import accepted

from .answers import Accepted, Inputs, InputTold, Step, step
from .arguments import DocumentId, GivenFile, GivenInput, InputId, RequestId, SeenInput
from .clients import asked, content_of, uploaded
from .refusals import NotThereError
from .sections import MOST_CHARACTERS

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
