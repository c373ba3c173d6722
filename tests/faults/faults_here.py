"""What the proofs share: services here and beside, connections as any user, and documents seen to their end."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

import nats
import psutil
import pytest
from nats.aio.client import Client as Nats
from stemma_cli.local.run import SERVICES_GROUP
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.connections import servers_in
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_generation_graph.checkpoints import set_up
from stemma_generation_graph.settings import GenerationSettings
from stemma_provisioning import inbox_prefix
from stemma_testkit.driving import DEADLINE_S, ENDS, listed, wait_for
from stemma_testkit.servers import eventually
from stemma_testkit.service_processes import service_process
from stemma_testkit.working import assert_at_work, at_work

GENERATION = subjects.GENERATION
REASON, ERROR, SUBJECT = "stemma-dead-reason", "stemma-dead-error", "stemma-dead-subject"
READY_WITHIN_S = 180.0
RETRY_S = 0.001
"""The pause before the first repetition; each that follows is twice as long."""


@asynccontextmanager
async def here(
    stemma: LocalStemma, names: Sequence[str], url: str, generation: Mapping[str, Any] = MappingProxyType({})
) -> AsyncIterator[None]:
    """These services at work on an installation that they reach at ``url``; none may end in the block.

    ``generation`` are settings of generation-graph.
    """
    ready_files = [stemma.folder.ready_file(name) for name in names]
    own = {subjects.GENERATION: generation}
    started = (_run(stemma, name, {"nats_url": url, **own.get(name, {})}) for name in names)
    async with at_work(*started) as tasks:

        async def are_ready() -> bool:
            assert_at_work(tasks)
            return all(file.exists() for file in ready_files)

        await eventually(are_ready, READY_WITHIN_S)
        yield


async def _run(stemma: LocalStemma, name: str, more: Mapping[str, Any]) -> None:
    (found,) = entry_points(group=SERVICES_GROUP, name=name)
    service: Any = found.load()
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in stemma.environment_of(name).items():
            patch.setenv(variable, value)
        patience = {"retry_base_s": RETRY_S} if name in subjects.SERVICES else {}
        settings = service.load_settings(**patience, **more)
    if isinstance(settings, GenerationSettings):
        await set_up(settings.checkpoint_place)
    await service.run(settings)


@asynccontextmanager
async def as_user(stemma: LocalStemma, user: str, **more: Any) -> AsyncIterator[Nats]:
    """A connection to an installation as one of its users."""
    connection = await nats.connect(
        servers_in(stemma.url), user=user, password=stemma.password(user), inbox_prefix=inbox_prefix(user), **more
    )
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def replica(
    stemma: LocalStemma, name: str, more: Mapping[str, str], service: str = GENERATION
) -> AsyncIterator[psutil.Process]:
    """One more process of a service, ready, with a log of its own; nobody starts it again."""
    env = {
        **os.environ,
        **more,
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": service,
        "STEMMA_NATS_PASSWORD": stemma.password(service),
        "STEMMA_DATA_DIR": str(stemma.folder.root),
    }
    log, ready = stemma.folder.log(name), stemma.folder.ready_file(name)
    async with service_process(service, env, ready, log) as process:
        yield psutil.Process(process.pid)


FACTS = """# Bicycles

## Findings

The library of Aumont lends 12 bicycles.

## What we propose

We propose 12 more bicycles for 48,000 EUR.

## From need to solution

Each bicycle serves a street without a bus.
"""
"""What stands under the required headings of the sections that are asked for."""


async def asked(
    client: Client,
    review: ReviewMode,
    request_id: str,
    section: str = "research",
    within_s: float = DEADLINE_S,
    kind: str = "proposal",
) -> str:
    """Ask for a document of one section, and those that it rests on, with evidence for each; its id."""
    facts = await client.upload(FACTS.encode(), name="facts.md")
    create = r.CreateDocument(
        request_id=request_id,
        kind=kind,
        brief="Write a proposal for a library of 12 bicycles in Aumont, for 48,000 EUR.",
        inputs=(facts,),
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


def is_explained(headers: Mapping[str, str]) -> bool:
    """Whether it tells why it was put aside, and what had failed."""
    return bool(headers.get(REASON) and headers.get(ERROR))


def told_by(headers: Mapping[str, str]) -> str:
    """Why it was put aside, what had failed, and where it had come."""
    return " ".join(headers.get(name, "?") for name in (REASON, ERROR, SUBJECT))
