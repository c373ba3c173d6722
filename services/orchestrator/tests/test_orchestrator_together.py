"""Two orchestrators at once on a real server: the log is one history, and it is what the naive model says."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest
from domain_naive import Ask, Book, Both, Say
from domain_witness import Witness
from nats.aio.client import Client as Nats
from nats.js import JetStreamContext
from orchestrator_crowd import DECIDING, TENANT, Crowd
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.review import ReviewEdits, ReviewMode, ReviewPolicy
from stemma_domain.work import open_jobs
from stemma_eventlog import JetStreamEventLog, Recorded, StreamId
from stemma_markdown import renew
from stemma_orchestrator.app import service
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.defects import appends_without_fence
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.swallowing import FirstHeld, swallowing
from stemma_testkit.working import access, at_work

QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
CLIENTS = 3
WANTED: list[tuple[tuple[str, ...], ReviewMode, ReviewEdits]] = [
    (("budget", "timeline"), ReviewMode.HUMAN, "human"),
    (("conclusion",), ReviewMode.NONE, "none"),
    (("approach",), ReviewMode.NONE, "human"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path / "nats", ack_wait_s=2) as server:
        yield server


@asynccontextmanager
async def orchestrators(server: NatsServer, folder: Path, urls: Sequence[str]) -> AsyncIterator[None]:
    """One for each address at which it reaches the server."""
    folder.mkdir(exist_ok=True)
    ready = [folder / f"ready-{number}" for number, _ in enumerate(urls)]
    async with at_work(*(service.run(settings(server, *one)) for one in zip(ready, urls, strict=True))):
        await eventually(lambda: _there(*ready))
        yield


def settings(server: NatsServer, ready_file: Path, url: str) -> Any:
    return service.load_settings(**{**access(server, subjects.ORCHESTRATOR), "nats_url": url}, ready_file=ready_file)


async def _there(*files: Path) -> bool:
    return all(file.exists() for file in files)


async def quiet(jetstream: JetStreamContext) -> None:
    """No request, job or outcome is there, nor came between two looks: nothing waits."""

    async def state() -> list[tuple[int, int]]:
        states = [(await jetstream.stream_info(queue)).state for queue in QUEUES]
        return [(state.last_seq, state.messages) for state in states]

    async def nothing_moves() -> bool:
        first = await state()
        return first == await state() and not any(messages for _, messages in first)

    await eventually(nothing_moves, within_s=180)


async def live_through(crowd: Crowd, client: Client, jetstream: JetStreamContext, requests: int) -> list[str]:
    """The life of some documents, until nothing moves any more; their ids."""
    documents = [(await client.request(created(number, *wanted))).document_id for number, wanted in enumerate(WANTED)]
    async with crowd.at_work():
        asking = [crowd.clients(client, document_id, requests) for document_id in documents for _ in range(CLIENTS)]
        await asyncio.gather(*asking)
        await quiet(jetstream)
        for document_id in documents:
            await crowd.ask(client, document_id, Ask("resume"))
        await quiet(jetstream)
        await crowd.ask(client, documents[-1], Ask("cancel"))
        await quiet(jetstream)
    return documents


def created(number: int, sections: tuple[str, ...], mode: ReviewMode, edits: ReviewEdits) -> r.CreateDocument:
    review = ReviewPolicy(mode=mode)
    return r.CreateDocument(
        request_id=f"create-{number}",
        kind="proposal",
        brief="Write it.",
        sections=sections,
        review=review,
        review_edits=edits,
    )


async def history_of(nats: Nats, document_id: str) -> list[Recorded]:
    found = await JetStreamEventLog(nats).read(StreamId(TENANT, document_id))
    events = [one for one in found if isinstance(one, Recorded)]
    assert len(events) == len(found), "whatever lies in the log is an event"
    return events


def decisions(history: Sequence[Recorded]) -> list[list[e.AnyEvent]]:
    """The events of each decision, which is what one message caused."""
    found: list[list[e.AnyEvent]] = []
    for _, caused in groupby(history, key=lambda recorded: recorded.envelope.causation_id):
        events = [recorded.event for recorded in caused if isinstance(recorded.event, e.AnyEvent)]
        found.append(events)
    assert sum(map(len, found)) == len(history)
    return found


def cause_of(event: e.AnyEvent) -> str | None:
    return event.request_id or getattr(event, "job_id", None)


def witnessed(crowd: Crowd, history: Sequence[Recorded]) -> Witness:
    """A witness who saw every decision in the order of the log."""
    (requested,), *rest = decisions(history)
    assert isinstance(requested, e.DocumentRequested)
    plans = requested.sections
    by_policy = {plan.section_id for plan in plans if plan.review.mode is ReviewMode.NONE}
    limits = plans[0].max_lint_rounds, plans[0].max_revisions
    proposes = plans[0].review_edits == "human"
    dependencies = {plan.section_id: plan.depends_on for plan in plans}
    witness = Witness(Book(dependencies, by_policy, *limits, proposes, merging=as_on_the_edge))
    witness.begun([requested])
    for events in rest:
        cause = next(filter(None, map(cause_of, events)), None)
        assert cause is not None
        witness.saw(move_behind(crowd, witness, cause), events)
    return witness


def as_on_the_edge(before: str, mine: str, theirs: str, steps: Sequence[tuple[str, str]]) -> Both:
    made = renew(before, mine, theirs, steps)
    return Both(made.text, len(made.conflicts))


def move_behind(crowd: Crowd, witness: Witness, cause: str) -> Ask | Say:
    if cause in crowd.asks:
        ask = crowd.asks[cause]
        return replace(ask, number=number_of(witness, ask.words)) if ask.verb in DECIDING else ask
    said = crowd.said[cause]
    return Say(said.verb, witness.ticket_of(cause), said.words, said.good)


def number_of(witness: Witness, proposal_id: str) -> int:
    """The number that the naive model knows a proposed edit by."""
    return next(number for number, known in witness.proposals.items() if known == proposal_id)


def assert_every_request_left_one_event(crowd: Crowd, histories: Sequence[Sequence[Recorded]]) -> None:
    left = [recorded.event for history in histories for recorded in history]
    by_request = [event for event in left if isinstance(event, e.Event) and event.request_id in crowd.asks]
    assert sorted(str(event.request_id) for event in by_request) == sorted(crowd.asks)
    for event in by_request:
        assert crowd.accepted[str(event.request_id)] == (not isinstance(event, e.DecisionRefused))


async def dead_letters(jetstream: JetStreamContext) -> list[dict[str, str] | None]:
    """What each of them says of itself."""
    last = (await jetstream.stream_info(subjects.DEAD)).state.last_seq
    return [(await jetstream.get_msg(subjects.DEAD, number)).headers for number in range(1, last + 1)]


async def run(server: NatsServer, folder: Path, seed: int, requests: int) -> None:
    crowd = Crowd(server, Random(seed))
    user = client_user(TENANT)
    async with (
        connected(server) as nats,
        orchestrators(server, folder, [server.url] * 2),
        Client.connect(server.url, tenant=TENANT, user=user, password=server.passwords[user]) as client,
    ):
        jetstream = nats.jetstream(timeout=10)
        documents = await live_through(crowd, client, jetstream, requests)
        histories = [await history_of(nats, document_id) for document_id in documents]
        assert await dead_letters(jetstream) == []
    for history in histories:
        assert [recorded.envelope.sequence for recorded in history] == list(range(1, len(history) + 1))
        assert len({recorded.envelope.id for recorded in history}) == len(history)
        assert open_jobs(witnessed(crowd, history).state) == (), "whatever was open was published and answered"
    assert_every_request_left_one_event(crowd, histories)


@pytest.mark.timeout(400)
@pytest.mark.req("P9", "P10")
async def test_two_orchestrators_write_one_history_that_the_naive_model_agrees_with(
    server: NatsServer, tmp_path: Path
) -> None:
    await run(server, tmp_path, seed=1, requests=8)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 12))
async def test_two_orchestrators_write_one_history_whatever_happens(
    server: NatsServer, tmp_path: Path, seed: int
) -> None:
    await run(server, tmp_path, seed, requests=40)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_naive_model_finds_an_append_without_a_fence(
    server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    appends_without_fence(monkeypatch)
    with pytest.raises(AssertionError):
        await run(server, tmp_path, seed=1, requests=8)


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[NatsServer]:
    """A server that soon delivers a message again, and does not give up while chance sends it to who is held up."""
    with provisioned_server(tmp_path / "nats", ack_wait_s=2) as server:
        asyncio.run(_give_up_later(server))
        yield server


async def _give_up_later(server: NatsServer) -> None:
    async with connected(server) as nats:
        js, name = nats.jetstream(), subjects.requests_consumer(TENANT)
        config = (await js.consumer_info(subjects.REQUESTS, name)).config
        await js.add_consumer(subjects.REQUESTS, replace(config, max_deliver=30, backoff=None))


async def held_up_before_it_appends(hasty: NatsServer, folder: Path) -> None:
    """One orchestrator is held up and another one goes on: the first one adds nothing to what that one decided."""
    held, user = FirstHeld(b"stemma.event."), client_user(TENANT)
    async with (
        connected(hasty) as nats,
        swallowing(hasty.url, publishes=held.publishes) as url,
        Client.connect(hasty.url, tenant=TENANT, user=user, password=hasty.passwords[user]) as client,
    ):
        async with orchestrators(hasty, folder / "late", [url]):
            asking = asyncio.create_task(client.request(created(0, ("budget",), ReviewMode.HUMAN, "none")))
            await held.came.wait()
            async with orchestrators(hasty, folder / "other", [hasty.url]):
                document_id = (await asking).document_id
                await client.edit(document_id, "budget", 0, text="A person wrote this.")
                held.let_go()
        history = await history_of(nats, document_id)
        jetstream = nats.jetstream(timeout=10)
        answers = (await jetstream.stream_info(subjects.ANSWERS)).state.last_seq
        jobs = range(1, (await jetstream.stream_info(subjects.JOBS)).state.last_seq + 1)
        stored = [json.loads((await jetstream.get_msg(subjects.JOBS, number)).data or b"") for number in jobs]
    assert [type(recorded.event) for recorded in history] == [e.DocumentRequested, e.SectionEdited]
    assert answers == len(history)
    assert len({job["job_id"] for job in stored}) == len(stored) > 0


@pytest.mark.req("F5", "P9")
async def test_an_orchestrator_that_is_held_up_before_it_appends_adds_nothing_to_what_another_decided(
    hasty: NatsServer, tmp_path: Path
) -> None:
    await held_up_before_it_appends(hasty, tmp_path)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_an_append_without_a_fence(
    hasty: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    appends_without_fence(monkeypatch)
    with pytest.raises(AssertionError):
        await held_up_before_it_appends(hasty, tmp_path)
