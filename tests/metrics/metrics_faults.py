"""The fault of every alert: what is done to the installation, until the block ends, and whom the alert names for it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass

import psutil
from faults_here import as_user, asked, replica
from faults_poison import samples
from metrics_plant import MODEL, MOST_STORED, Plant
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import CancelDocument, RetrySection
from stemma_contracts.v1.review import ReviewMode
from stemma_messaging.cancellation import end
from stemma_provisioning import PROVISIONER
from stemma_provisioning.copies import mend_copies
from stemma_provisioning.topology import KIB
from stemma_testkit.clocks import clock_env
from stemma_testkit.driving import wait_for
from stemma_testkit.filling import full
from stemma_testkit.servers import eventually

TENANT = "default"
MANY = 501
DAYS_S = 3 * 86_400 + 60
DEAR = 1_000_000
"""So many times the usual tokens make one document cost what a tenant should not spend in a day."""
TRIED_AGAIN = 20
DOWN_WITHIN_S = 60.0
CONVERT = subjects.job(subjects.CONVERTER, "convert-document")
GENERATE = subjects.job(subjects.GENERATION, "generate-section")
CAPABILITIES = f"KV_{subjects.CAPABILITIES_BUCKET}"
ARTIFACTS = subjects.artifacts_bucket(TENANT)
Deed = Callable[[Plant], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """What is done, and the alerts that it fires, by name, each with labels that say what it is about."""

    deed: Deed
    fires: Mapping[str, Mapping[str, str]]


@asynccontextmanager
async def standing_still(plant: Plant) -> AsyncIterator[None]:
    """The converter ends while others ask for conversions."""
    await plant.stemma.services[subjects.CONVERTER].stop()
    async with plant.streams() as js:
        for _ in range(MANY):
            await js.publish(CONVERT, b"{}")
        yield
        await js.purge_stream(subjects.JOBS)
    await plant.stemma.start_service(subjects.CONVERTER)


@asynccontextmanager
async def refused(plant: Plant) -> AsyncIterator[None]:
    """The server stores nothing more where services tell what they can do."""
    async with as_user(plant.stemma, PROVISIONER) as nats, full(nats, [CAPABILITIES]):
        yield


@asynccontextmanager
async def consumer_gone(plant: Plant) -> AsyncIterator[None]:
    """Somebody deletes the consumer of the notifier, and provisions it again."""
    async with plant.streams() as js:
        config = (await js.consumer_info(subjects.NOTICES, subjects.NOTIFIER)).config
        await js.delete_consumer(subjects.NOTICES, subjects.NOTIFIER)
        yield
        await js.add_consumer(subjects.NOTICES, config)


@asynccontextmanager
async def copy_incomplete(plant: Plant) -> AsyncIterator[None]:
    """The copy of a tenant's answers loses one, and is made anew."""
    async with as_user(plant.stemma, PROVISIONER) as nats:
        there = nats.jetstream(prefix=subjects.copies_api(TENANT))
        await asked(plant.client, ReviewMode.NONE, "answered")
        await there.delete_msg(subjects.ANSWERS, (await there.stream_info(subjects.ANSWERS)).state.last_seq)
        yield
        await mend_copies(nats, (TENANT,))


@asynccontextmanager
async def server_away(plant: Plant) -> AsyncIterator[None]:
    """Nobody has a connection to NATS."""
    await plant.stemma.nats.stop()
    yield
    await plant.stemma.nats.start()


@asynccontextmanager
async def poison(plant: Plant) -> AsyncIterator[None]:
    """A job that nobody can read."""
    async with plant.streams() as js:
        await js.publish(CONVERT, b"{}")
        yield
        await js.purge_stream(subjects.DEAD)


@asynccontextmanager
async def tried_again(plant: Plant) -> AsyncIterator[None]:
    """Jobs whose texts are not there."""
    [sample] = [one for one in samples(TENANT, "d-nobody", ["job"]) if one.subject == GENERATE]
    async with plant.streams() as js:
        for number in range(TRIED_AGAIN):
            job = sample.data | {"job_id": f"d-nobody.{number}.generate-section.budget", "thread_id": f"lost-{number}"}
            await js.publish(GENERATE, json.dumps(job).encode(), headers=sample.headers)
        yield


@asynccontextmanager
async def model_broken(plant: Plant) -> AsyncIterator[None]:
    """The provider of the model answers with errors, whoever tries again; the documents are given up in the end."""
    plant.model.broken = True
    document_ids = [await asked(plant.client, ReviewMode.NONE, f"broken-{number}") for number in range(2)]
    trying = asyncio.create_task(tries_for_ever(plant.client, document_ids[0]))
    yield
    await end([trying])
    plant.model.broken = False
    for document_id in document_ids:
        await plant.client.request(CancelDocument(document_id=document_id))


async def tries_for_ever(client: Client, document_id: str) -> None:
    """Try each section again that has failed."""
    async with aclosing(client.follow(document_id)) as events:
        async for event in events:
            if isinstance(event.contract, e.SectionFailure):
                await client.request(RetrySection(document_id=document_id, section_id=event.contract.section_id))


@asynccontextmanager
async def dear_model(plant: Plant) -> AsyncIterator[None]:
    """A document is written by a model that charges much."""
    plant.model.times = DEAR
    document_id = await asked(plant.client, ReviewMode.HUMAN, "dear")
    await wait_for(plant.client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
    plant.model.times = 1
    yield
    await plant.client.request(CancelDocument(document_id=document_id))


@asynccontextmanager
async def no_time_for_checks(plant: Plant) -> AsyncIterator[None]:
    """The validator has no time for any check."""
    name = subjects.VALIDATOR
    await plant.stemma.services[name].stop()
    hasty = plant.stemma.environment_of(name) | {"STEMMA_VALIDATOR_WALL_LIMIT_S": "0.001"}
    document_id = await asked(plant.client, ReviewMode.HUMAN, "unchecked")
    async with replica(plant.stemma, "validator-without-time", hasty, name):
        yield
        await plant.client.request(CancelDocument(document_id=document_id))
    await plant.stemma.start_service(name)


@asynccontextmanager
async def suspended(plant: Plant) -> AsyncIterator[None]:
    """The gateway is suspended until Prometheus says that it is down."""
    process = psutil.Process(plant.stemma.services[subjects.GATEWAY].pid)
    process.suspend()
    try:
        await eventually(lambda: is_down(plant, subjects.GATEWAY), DOWN_WITHIN_S)
    finally:
        process.resume()
    yield


async def is_down(plant: Plant, job: str) -> bool:
    """Whether the alert fires which says that no process of a service answers."""
    down = {("alertname", "StemmaServiceDown"), ("job", job)}
    return any(down <= labels for labels in await plant.prometheus.firing())


@asynccontextmanager
async def nearly_full(plant: Plant) -> AsyncIterator[None]:
    """A tenant stores large artifacts."""
    piece = b"x" * 128 * KIB
    async with plant.streams() as js:
        for number in range(MOST_STORED * 9 // 10 // len(piece)):
            await js.publish(f"$O.{ARTIFACTS}.C.large-{number}", piece)
        yield
        await js.purge_stream(f"OBJ_{ARTIFACTS}")


@asynccontextmanager
async def days_pass(plant: Plant) -> AsyncIterator[None]:
    """A review waits, and the clock of the orchestrator goes on by days."""
    document_id = await asked(plant.client, ReviewMode.HUMAN, "awaited")
    await wait_for(plant.client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
    name, later = subjects.ORCHESTRATOR, "orchestrator-days-later"
    await plant.stemma.services[name].stop()
    ahead = plant.stemma.environment_of(name) | clock_env(plant.stemma.folder.root / later, DAYS_S)
    async with replica(plant.stemma, later, ahead, name):
        yield
        await plant.client.request(CancelDocument(document_id=document_id))
    await plant.stemma.start_service(name)


FAULTS: Mapping[str, Sequence[Fault]] = {
    "of services": (
        Fault(
            standing_still,
            {
                "StemmaServiceDown": {"job": subjects.CONVERTER},
                "StemmaLag": {"messaging_consumer_group_name": subjects.CONVERTER},
                "StemmaQueueStuck": {"messaging_consumer_group_name": subjects.CONVERTER},
            },
        ),
        Fault(refused, {"StemmaWritesRefused": {"job": subjects.VALIDATOR}}),
        Fault(copy_incomplete, {"StemmaCopyIncomplete": {"stemma_tenant": TENANT, "stemma_stream": subjects.ANSWERS}}),
        Fault(consumer_gone, {"StemmaConsumerMissing": {"job": subjects.NOTIFIER}}),
        Fault(suspended, {"StemmaLoopLate": {"job": subjects.GATEWAY}}),
    ),
    "of the server": (Fault(server_away, {"StemmaServerAway": {"job": subjects.GENERATION}, "StemmaNotObserved": {}}),),
    "of documents": (
        Fault(poison, {"StemmaDeadLetters": {"stemma_service": subjects.CONVERTER}}),
        Fault(no_time_for_checks, {"StemmaChecksStalled": {"job": subjects.VALIDATOR}}),
        Fault(tried_again, {"StemmaRedeliveries": {"job": subjects.GENERATION}}),
        Fault(dear_model, {"StemmaCostBudget": {"stemma_tenant": TENANT}}),
        Fault(days_pass, {"StemmaPersonAwaited": {"stemma_waits_for": "review", "stemma_tenant": TENANT}}),
        Fault(
            model_broken,
            {
                "StemmaModelErrors": {"gen_ai_request_model": MODEL},
                "StemmaSectionsFailed": {"stemma_tenant": TENANT},
            },
        ),
        Fault(nearly_full, {"StemmaTenantNearlyFull": {"stemma_tenant": TENANT}}),
    ),
}
