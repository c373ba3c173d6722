"""A server without room, and messages that nobody would see again: what was acknowledged is answered all the same."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_messaging import Publisher
from stemma_orchestrator.app import repair, service
from stemma_orchestrator.lost import LostMessages
from stemma_provisioning import NatsServer
from stemma_provisioning.topology import consumers, deliver_subject
from stemma_testkit.defects import takes_a_full_log_for_a_failure
from stemma_testkit.filling import full
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, assert_at_work, at_work

BODY = {"kind": "proposal", "brief": "Write it.", "sections": ["solution"]}
WRITTEN = (subjects.EVENTS, subjects.ANSWERS, subjects.DEAD, subjects.ADVISORIES, f"KV_{subjects.CAPABILITIES_BUCKET}")
OWN_REQUESTS = subjects.requests_consumer("default")
JOB = subjects.job(subjects.CONVERTER, "convert-document")
RETRY_S = 0.01
"""The pause before the first repetition; each that follows is twice as long."""
[DELIVERIES] = {one.max_deliver for one in consumers() if one.stream == subjects.REQUESTS}
pytestmark = pytest.mark.req("F1")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path / "nats") as server:
        yield server


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server) as client:
        yield client


def settings(server: NatsServer, **more: Any) -> Any:
    return service.load_settings(**access(server, subjects.ORCHESTRATOR), retry_base_s=RETRY_S, **more)


@asynccontextmanager
async def orchestrator(server: NatsServer, ready_file: Path, **more: Any) -> AsyncIterator[str]:
    """A running orchestrator; where it tells whether it is ready."""
    async with at_work(service.run(settings(server, ready_file=ready_file, **more))) as running:

        async def ready() -> bool:
            assert_at_work(running)
            return ready_file.exists()

        await eventually(ready, 60)
        yield f"http://127.0.0.1:{ready_file.read_text()}/ready"


async def ask(client: Client, **more: Any) -> int:
    body = json.dumps({**BODY, **more}).encode()
    return (await client.jetstream().publish(subjects.request("default", "create-document"), body)).seq


async def answer(client: Client, request_id: str) -> dict[str, Any]:
    found: list[Any] = []

    async def there() -> bool:
        with suppress(NotFoundError):
            found.append(
                await client.jetstream().get_last_msg(subjects.ANSWERS, subjects.answer("default", request_id))
            )
        return bool(found)

    await eventually(there, 60)
    told: dict[str, Any] = json.loads(found[0].data)
    return told


async def told(url: str) -> tuple[int, list[str]]:
    def get() -> tuple[int, list[str]]:
        try:
            with urlopen(url, timeout=10) as response:
                return response.status, json.load(response)["missing"]
        except HTTPError as error:
            return error.code, json.load(error)["missing"]

    return await asyncio.to_thread(get)


async def gave_up(client: Client, stream: str, durable: str) -> None:
    """A consumer is handed a message as often as it may be, and never settles it."""
    js = client.jetstream()
    most = (await js.consumer_info(stream, durable)).config.max_deliver or 0
    handed = 0

    async def refuse(message: Msg) -> None:
        nonlocal handed
        handed += 1
        await message.nak()

    if stream == subjects.JOBS:
        subscription = await js.pull_subscribe_bind(durable, stream=stream)
        for _ in range(most):
            [message] = await subscription.fetch(1, timeout=10)
            await refuse(message)
        with suppress(TimeoutError):  # the server notices when it is asked for more
            await subscription.fetch(1, timeout=0.5)
    else:
        service = subjects.ORCHESTRATOR
        pushed = await client.subscribe(deliver_subject(stream, service), queue=service, cb=refuse)
        await eventually(lambda: _is(lambda: handed == most))
        await pushed.unsubscribe()
    await eventually(lambda: _nowhere(client, stream, durable))


def lost(client: Client) -> LostMessages:
    return LostMessages(client.jetstream(), Publisher(client.jetstream(), "/test"), {}, moment_s=0)


async def _is(condition: Any) -> bool:
    return bool(condition())


async def _nowhere(client: Client, stream: str, durable: str) -> bool:
    info = await client.jetstream().consumer_info(stream, durable)
    return not info.num_pending and not info.num_ack_pending


async def answered_once_there_is_room(server: NatsServer, client: Client, folder: Path, within_s: float) -> None:
    """A request is answered that was stored when nothing else could be, for longer than one that fails is tried.

    An idle service, too, tells that the server refuses its writes.
    """
    written = await client.subscribe("stemma.event.>")
    async with orchestrator(server, folder / "ready") as url:
        async with full(client, WRITTEN):
            await ask(client, request_id="patient")
            for _ in range(DELIVERIES + 1):
                await written.next_msg(timeout=within_s)
            await eventually(lambda: _tells(url, "10077: maximum bytes exceeded"), within_s)
        assert (await answer(client, "patient"))["document_id"]
        await eventually(lambda: _is_ready(url))
        async with full(client, [f"KV_{subjects.CAPABILITIES_BUCKET}"]):
            await eventually(lambda: _tells(url, "writing: maximum messages per subject exceeded (10077)"))
        await eventually(lambda: _is_ready(url))
    assert (await client.jetstream().stream_info(subjects.DEAD)).state.messages == 0


@pytest.mark.failure("no-room")
async def test_a_request_that_was_acknowledged_is_answered_once_there_is_room_without_a_restart(
    server: NatsServer, client: Client, tmp_path: Path
) -> None:
    await answered_once_there_is_room(server, client, tmp_path, within_s=60)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_a_full_log_that_is_taken_for_a_failure(
    server: NatsServer, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes_a_full_log_for_a_failure(monkeypatch)
    with pytest.raises(TimeoutError):
        await answered_once_there_is_room(server, client, tmp_path, within_s=3)


async def _tells(url: str, words: str) -> bool:
    status, missing = await told(url)
    return status == 503 and words in missing


async def _is_ready(url: str) -> bool:
    return await told(url) == (200, [])


@pytest.mark.failure("message-lost")
async def test_a_request_that_nobody_would_see_again_is_answered_by_its_place_at_the_next_start(
    server: NatsServer, client: Client, tmp_path: Path
) -> None:
    async with full(client, WRITTEN):
        number = await ask(client)
        await gave_up(client, subjects.REQUESTS, OWN_REQUESTS)
    async with orchestrator(server, tmp_path / "ready"):
        assert (await answer(client, f"seq-{number}"))["document_id"]


async def test_repair_brings_back_lost_jobs_and_handles_lost_requests_and_outcomes(
    server: NatsServer, client: Client
) -> None:
    js, unreadable = client.jetstream(), subjects.outcome(subjects.CONVERTER, "document-converted")
    async with full(client, WRITTEN):
        await js.publish(JOB, b"{}", headers={"ce-id": "a job"})
        await js.publish(unreadable, b"{}")
        number = await ask(client)
        await gave_up(client, subjects.JOBS, subjects.CONVERTER)
        await gave_up(client, subjects.OUTCOMES, subjects.ORCHESTRATOR)
        await gave_up(client, subjects.REQUESTS, OWN_REQUESTS)
    await repair(settings(server))
    assert (await answer(client, f"seq-{number}"))["document_id"]
    left = {stream: (await js.stream_info(stream)).state.messages for stream in (subjects.OUTCOMES, subjects.REQUESTS)}
    assert left == {subjects.OUTCOMES: 0, subjects.REQUESTS: 0}
    assert (await js.stream_info(subjects.DEAD)).state.messages == 1, "the outcome that nobody can read"
    [again] = await (await js.pull_subscribe_bind(subjects.CONVERTER, stream=subjects.JOBS)).fetch(1, timeout=10)
    assert (again.subject, again.data, (again.headers or {})["ce-id"]) == (JOB, b"{}", "a job")


async def test_what_is_lost_is_found_beside_work_that_waits_or_goes_on_which_is_left_alone(
    server: NatsServer, client: Client
) -> None:
    js = client.jetstream()
    await js.publish(JOB, b"lost")
    async with full(client, WRITTEN):
        await gave_up(client, subjects.JOBS, subjects.CONVERTER)
    await js.publish(JOB, b"in work")
    subscription = await js.pull_subscribe_bind(subjects.CONVERTER, stream=subjects.JOBS)
    [held] = await subscription.fetch(1, timeout=10)
    assert await lost(client).bring_back() == 1
    [again] = await subscription.fetch(1, timeout=10)
    assert again.data == b"lost"
    await again.ack_sync()
    await js.publish(JOB, b"waits")
    await ask(client)
    assert await lost(client).bring_back() == 0
    await held.ack_sync()
    assert await lost(client).bring_back() == 0
    assert [(await js.stream_info(stream)).state.messages for stream in (subjects.JOBS, subjects.REQUESTS)] == [1, 1]
