"""What people are answered, on a real server; the workers are played by the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from domain_story import PROVENANCE, ref, validation
from stemma_client import Client
from stemma_client.errors import RequestRejectedError
from stemma_contracts import registry, subjects
from stemma_contracts.v1.outcomes import DraftRevised, DraftValidated, InstructionRefused, Outcome
from stemma_contracts.v1.requests import AcceptEdit, KeepSection, KeepSections, RegenerateSection, SeenVersion
from stemma_contracts.v1.views import SectionView
from stemma_messaging import Publisher
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected, eventually, provisioned_server
from test_orchestrator_service import orchestrator

CHAIN = ("research", "solution", "connections")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path) as server:
        yield server


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    """A caller of an orchestrator that has no workers."""
    user = client_user("default")
    async with (
        orchestrator(server),
        Client.connect(server.url, user=user, password=server.passwords[user], actor="ana") as client,
    ):
        yield client


async def written(client: Client) -> str:
    """A proposal whose first sections a person wrote."""
    document_id = (await client.create_document("proposal", brief="Write it.")).document_id
    for name in CHAIN:
        await client.edit(document_id, name, 0, text=f"What a person says of {name}.")
    return document_id


@pytest.mark.req("P10", "E3")
async def test_a_request_about_several_sections_is_answered_for_all_of_them(client: Client) -> None:
    document_id = await written(client)
    await client.edit(document_id, "research", 1, text="What a person says instead.")
    seen = tuple(SeenVersion(section_id=name, version=1) for name in ("connections", "solution"))
    accepted = await client.request(KeepSections(document_id=document_id, sections=seen))
    assert (accepted.section_id, accepted.section_ids) == (None, ("solution", "connections"))
    one = await client.request(
        RegenerateSection(document_id=document_id, section_id="connections", version=1, replace_edited=True)
    )
    assert (one.section_id, one.section_ids) == ("connections", ("connections",))


@pytest.mark.req("P10")
async def test_a_section_kept_while_its_upstream_was_stale_hears_of_the_next_change(client: Client) -> None:
    document_id = await written(client)
    await client.edit(document_id, "research", 1, text="What a person says instead.")
    await client.request(KeepSection(document_id=document_id, section_id="connections", version=1))
    assert [section.section_id for section in (await client.document(document_id)).stale] == ["solution"]
    await client.edit(document_id, "research", 2, text="What a person says in the end.")
    stale = (await client.document(document_id)).stale
    assert [section.section_id for section in stale] == ["solution", "connections"]


async def said(server: NatsServer, service: str, outcome: Outcome) -> None:
    """What a worker says of its job."""
    async with connected(server, service) as nats:
        subject = subjects.outcome(service, registry.entry_of(outcome).token)
        await Publisher(nats.jetstream(), service).publish(subject, outcome, id=outcome.job_id, about="default")


async def about(client: Client, document_id: str, job: str) -> dict[str, Any]:
    """What an outcome says of the job about the research that the last event opened."""
    number = len(await client.history(document_id))
    job_id = f"{document_id}.{number}.{job}.research"
    return {"job_id": job_id, "tenant": "default", "document_id": document_id, "section_id": "research"}


async def until(client: Client, document_id: str, condition: Callable[[SectionView], bool]) -> None:
    async def holds() -> bool:
        return condition((await client.document(document_id)).sections["research"])

    await eventually(holds)


@pytest.mark.req("P9")
async def test_a_decision_about_an_edit_that_the_editor_refused_is_answered_with_what_happened(
    client: Client, server: NatsServer
) -> None:
    document_id = await written(client)
    await client.edit(document_id, "research", 1, instruction="Paint it blue.")
    asked = (await client.history(document_id))[-1]
    proposal_id = str(getattr(asked.contract, "proposal_id", ""))
    refusal = InstructionRefused(**await about(client, document_id, "revise"), reason=ref("no"))
    await said(server, subjects.EDITOR, refusal)
    await until(client, document_id, lambda research: research.refusal is not None)
    with pytest.raises(RequestRejectedError, match=f"{proposal_id} was never proposed: the editor refused"):
        await client.request(
            AcceptEdit(document_id=document_id, section_id="research", version=1, proposal_id=proposal_id)
        )


@pytest.mark.req("P9", "P10")
async def test_what_the_editor_made_of_a_persons_words_is_replaced_by_leave_only(
    client: Client, server: NatsServer
) -> None:
    document_id = await written(client)
    await client.request(
        RegenerateSection(document_id=document_id, section_id="research", version=1, replace_edited=True)
    )
    await client.edit(document_id, "research", 1, instruction="Shorten it.")
    common = await about(client, document_id, "revise")
    made = DraftRevised(**common, draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    await said(server, subjects.EDITOR, made)
    await until(client, document_id, lambda research: research.version == 2)
    common = await about(client, document_id, "validate")
    await said(server, subjects.VALIDATOR, DraftValidated(**common, validation=validation()))
    await until(client, document_id, lambda research: research.waits_for_review)
    assert (await client.document(document_id)).sections["research"].versions[-1].is_a_persons
    with pytest.raises(RequestRejectedError, match=r"version 2 holds a person's words"):
        await client.request(RegenerateSection(document_id=document_id, section_id="research", version=2))
