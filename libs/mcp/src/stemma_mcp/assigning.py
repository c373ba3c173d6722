"""A tool that asks people to see to sections; it locks nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.v1 import requests as r

from .answers import Accepted
from .arguments import DocumentId, RequestId, SectionId
from .clients import asked
from .steps import accepted


async def assign_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    assignee: Annotated[str, Field(description="The name of a person; empty: nobody in particular any more.")],
    due: Annotated[datetime | None, Field(description="Until when, with a time zone: 2099-12-01T17:00:00Z.")] = None,
    request_id: RequestId = "",
) -> Accepted:
    """Ask a person, in place of whoever was asked before, to see to a section and to what waits in it. Nothing is
    locked by this: others may still decide. The time that it is due counts until the section is settled."""
    about = {"document_id": document_id, "section_id": section_id}
    if not assignee:
        return accepted(await asked(client, r.UnassignSection, request_id, **about))
    return accepted(await asked(client, r.AssignSection, request_id, **about, assignee=assignee, due=due))
