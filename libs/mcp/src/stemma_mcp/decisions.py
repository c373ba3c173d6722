"""The tool that answers a question."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r

from .answers import Accepted
from .arguments import DocumentId, GivenFile, RequestId, SectionId
from .clients import asked, content_of, uploaded
from .steps import accepted


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
