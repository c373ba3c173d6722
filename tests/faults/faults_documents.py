"""A document: asked for, what it needs, and seen to its end."""

from __future__ import annotations

from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_testkit.driving import DEADLINE_S, ENDS, listed, wait_for


async def asked(
    client: Client,
    review: ReviewMode,
    request_id: str,
    section: str = "research",
    within_s: float = DEADLINE_S,
    kind: str = "proposal",
) -> str:
    """Ask for a document of one section, and those that it rests on; its id."""
    create = r.CreateDocument(
        request_id=request_id,
        kind=kind,
        brief="Write a proposal for a library of 12 bicycles in Aumont, for 48,000 EUR.",
        sections=(section,),
        review=ReviewPolicy(mode=review),
    )
    return (await client.request(create, wait_s=within_s)).document_id


async def need(
    client: Client, document_id: str, kind: str, but_of: str = "", within_s: float = DEADLINE_S
) -> e.SectionNeedRaised:
    """A need of this kind, once there is one, of another thread than this."""
    *_, raised = await wait_for(
        client,
        document_id,
        lambda event: isinstance(event, e.SectionNeedRaised) and event.need.kind == kind and event.thread_id != but_of,
        within_s,
    )
    assert isinstance(raised.contract, e.SectionNeedRaised)
    return raised.contract


async def completes(client: Client, document_id: str, within_s: float = DEADLINE_S) -> None:
    """The document is completed, in its log and in the list of all."""
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS), within_s)
    assert (await client.document(document_id)).status is DocumentStatus.COMPLETED
    assert (await listed(client, document_id, within_s)).status is DocumentStatus.COMPLETED


async def edited(client: Client, document_id: str, within_s: float = DEADLINE_S) -> None:
    """A proposed edit of an approved section, accepted, and the document as it is then."""
    version = (await client.document(document_id)).sections["research"].version
    await client.edit(document_id, "research", version, instruction="Say that the winter months are quiet.")
    *_, made = await wait_for(client, document_id, lambda event: isinstance(event, e.SectionEditProposed), within_s)
    assert isinstance(made.contract, e.SectionEditProposed)
    await client.request(
        r.AcceptEdit(
            document_id=document_id, section_id="research", version=version, proposal_id=made.contract.proposal_id
        )
    )
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionEdited), within_s)
