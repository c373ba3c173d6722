"""Tools that decide about what waits; each decision names the version that was read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r

from .answers import Accepted
from .arguments import DocumentId, GivenFile, ReplaceEdited, RequestId, SectionId, SeenVersion
from .clients import asked, content_of, uploaded
from .steps import accepted

ProposalId = Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the proposed edit, from read_section.")]


async def approve_section(
    client: Client, document_id: DocumentId, section_id: SectionId, version: SeenVersion, request_id: RequestId = ""
) -> Accepted:
    """Approve a section that waits for review, in the version that you read with read_section. It is settled with
    this, and the sections that rest on it begin. It is recorded under the name of whoever runs you."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    return accepted(await asked(client, r.ApproveSection, request_id, **about))


async def revise_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: SeenVersion,
    feedback: Annotated[str, Field(min_length=1, max_length=20_000, description="What to change, in words.")],
    cycle: Annotated[
        bool, Field(description="Have all sections written again; for the last section of a document in cycles.")
    ] = False,
    replace_edited: ReplaceEdited = False,
    request_id: RequestId = "",
) -> Accepted:
    """Send a section that waits for review to the editor, with feedback. It comes back for review as a new version,
    in seconds to minutes, and nothing else in it changes."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    wanted = {"feedback": feedback, "cycle": cycle, "replace_edited": replace_edited}
    return accepted(await asked(client, r.ReviseSection, request_id, **about, **wanted))


async def answer_question(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    need_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the question, from read_section.")],
    answer: Annotated[str, Field(max_length=20_000, description="The answer in words; only what you know.")] = "",
    decisions: Annotated[
        dict[str, str],
        Field(description="By missing image: skip, or the name of an image among the inputs."),
    ] = {},  # noqa: B006
    images: Annotated[dict[str, GivenFile], Field(description="By missing image: the image itself.")] = {},  # noqa: B006
    request_id: RequestId = "",
) -> Accepted:
    """Answer what a section asks before it can go on: in words, by a decision about each missing image, or both.
    What you do not know, ask the person you work for."""
    contents = {name: content_of(file, f"images.{name}") for name, file in images.items()}
    uploads = {name: await uploaded(client, file, contents[name]) for name, file in images.items()}
    about = {"document_id": document_id, "section_id": section_id, "need_id": need_id}
    given = {"answer": answer, "decisions": {**decisions, **uploads}}
    return accepted(await asked(client, r.AnswerNeed, request_id, **about, **given))


async def accept_edit(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: SeenVersion,
    proposal_id: ProposalId,
    request_id: RequestId = "",
) -> Accepted:
    """Make a proposed edit the text of its section; version is the one that the edit changes. The sections that rest
    on it become stale."""
    about = {"document_id": document_id, "section_id": section_id, "version": version, "proposal_id": proposal_id}
    return accepted(await asked(client, r.AcceptEdit, request_id, **about))


async def reject_edit(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: SeenVersion,
    proposal_id: ProposalId,
    request_id: RequestId = "",
) -> Accepted:
    """Drop a proposed edit for good, or an instruction that the editor is still at work on; the text stays."""
    about = {"document_id": document_id, "section_id": section_id, "version": version, "proposal_id": proposal_id}
    return accepted(await asked(client, r.RejectEdit, request_id, **about))
