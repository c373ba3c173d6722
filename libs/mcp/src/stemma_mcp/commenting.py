"""The tool that comments on sections; it changes no text and settles nothing."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment

from .answers import Accepted
from .arguments import DocumentId, RequestId, SectionId
from .clients import asked
from .steps import accepted


async def comment_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: Annotated[int, Field(ge=1, description="The version that you read.")],
    comments: Annotated[
        list[NewComment],
        Field(
            min_length=1,
            max_length=MOST_COMMENTS,
            description="Each with its words, and the words of the text that it quotes or the thread that it answers.",
        ),
    ],
    request_id: RequestId = "",
) -> Accepted:
    """Comment on a section in the version that you read: on words that you quote, on all of it, or in a thread. All
    comments are made together, or none. They change nothing, and stay until somebody resolves them."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    made = await client.anchored(document_id, section_id, version, comments)
    return accepted(await asked(client, r.CommentSection, request_id, **about, comments=made))
