"""What arrives comes to its handler, and what the handler decides is published: without a server."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import AsyncMock

import pytest
from domain_story import PROVENANCE, evaluation, ref
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_contracts.v1.jobs import GenerateSection, ValidateDraft
from stemma_contracts.v1.outcomes import SectionGenerated
from stemma_eventlog import EventStore, MemoryEventLog, NewEvent, Recorded, StreamId
from stemma_messaging import Delivery
from stemma_messaging.cancellation import end
from stemma_messaging.delivery import Turn
from stemma_messaging.drivers import PushDriver, handled_in_turn
from stemma_messaging.turns import CROWD
from stemma_orchestrator.answers import Answers
from stemma_orchestrator.app import DECIDER, OrchestratorSettings, drivers, make_broker
from stemma_orchestrator.bounds import Bounds, TenantLimits
from stemma_orchestrator.catalog import Catalog, load_catalog
from stemma_orchestrator.command_service import CommandService
from stemma_orchestrator.comparing import Comparing
from stemma_orchestrator.erasing import Eraser
from stemma_orchestrator.handlers import Tools, routes
from stemma_orchestrator.inputs import Limits
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.job_publisher import JobPublisher, OpenCount
from stemma_orchestrator.lost import AdvisoryHandler
from stemma_orchestrator.observing import Documents, ErasedUsage
from stemma_orchestrator.planning import Planning
from stemma_orchestrator.projector import Projector
from stemma_orchestrator.tenant_budgets import TenantBudget, TenantBudgets
from stemma_orchestrator.timers import Timers
from stemma_testkit.working import routed, routed_bytes

pytestmark = pytest.mark.req("E1", "E10")
LIMITS = TenantLimits(requests=10, jobs=10, exports=10, stored_bytes=1)
BRIEF = {"kind": "proposal", "brief": "Write it.", "sections": ["solution"]}
ASKED = json.dumps(BRIEF).encode()
DIGEST = "d" * 64
CREATE = subjects.request("default", "create-document")
ADVISORY = subjects.ADVISORY_SUBJECTS[0].replace(subjects.REST, "JOBS.validator")


@cache
def catalog() -> Catalog:
    return load_catalog(Path(__file__).parents[1] / "config")


class LapsingLog(MemoryEventLog):
    """Something happens just before a document takes an entry, or its own document knows that."""

    before: Callable[[], Awaitable[object]] | None = None
    what: type[e.EntryReused | e.EntryUsed] = e.EntryReused

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        if self.before and any(isinstance(one.event, self.what) for one in events):
            before, self.before = self.before, None
            await before()
        return await super().append(stream, expected, events)


class Orchestrator:
    """The orchestrator on a log in memory, its own or that of another one."""

    def __init__(
        self, beside: "Orchestrator | None" = None, budgets: Mapping[str, TenantBudget] = MappingProxyType({})
    ) -> None:
        self.budgets = budgets
        self.broker = make_broker(OrchestratorSettings())
        self.broker.include_router(routes(self._tools))
        self.views, self.queues = AsyncMock(), AsyncMock()
        self.queues.get_msg.side_effect = NotFoundError
        self.graphs = frozenset({"section"})
        self.log: LapsingLog = beside.log if beside else LapsingLog()
        self._artifacts: MemoryArtifactStore = beside._artifacts if beside else MemoryArtifactStore()
        self._store = EventStore(self.log, DECIDER)
        self._open = OpenCount(self._store)

    def _tools(self) -> Tools:
        sender = self.broker.sender
        jobs = JobPublisher(sender, self.broker.cancel_job, self._open, 16, {"proposal": DIGEST})
        intake = self._intake()
        timers, comparing = Timers(sender, timedelta(days=1)), Comparing(intake.artifacts)
        documents, eraser = Documents(AsyncMock()), Eraser(AsyncMock(), self.views)
        budgets = TenantBudgets(self.budgets, documents, ErasedUsage(AsyncMock()), self._store)
        commands = CommandService(self._store, intake, jobs, timers, comparing, eraser, budgets)
        bounds = Bounds(self._store, self._open, LIMITS, self._nothing)
        planning = Planning(commands, documents)
        answers = Answers(self.broker.jetstream, sender, bounds, commands, planning)
        return Tools(commands, answers, Projector(self._store, self.views), AdvisoryHandler(self.queues, sender))

    def _intake(self) -> Intake:
        async def graphs() -> frozenset[str]:
            return self.graphs

        uploads = AsyncMock()
        return Intake(catalog(), self._artifacts, lambda _: uploads, graphs, Limits(1_000, 2_500, 900, 500))

    async def _nothing(self, tenant: str) -> int:
        return 0

    async def ask(self, name: str, **body: Any) -> Any:
        """The answer to a request."""
        told = await self.asked(subjects.request("default", name), json.dumps(body).encode())
        return told[-1][1]

    async def events(self, document_id: str) -> list[type]:
        found = await self.log.read(StreamId("default", document_id))
        return [type(one.event) for one in found if isinstance(one, Recorded)]

    async def asked(self, subject: str, body: bytes = ASKED) -> list[tuple[str, Any]]:
        return await routed_bytes(self.broker, subjects.REQUESTS, subject, body, {})


@pytest.fixture
def orchestrator() -> Orchestrator:
    return Orchestrator()


@pytest.mark.req("S5")
async def test_requests_of_a_crowd_come_one_at_a_time_while_another_tenant_is_at_work() -> None:
    [requests] = [driver for driver in drivers(OrchestratorSettings()) if driver.stream == subjects.REQUESTS]
    assert isinstance(requests, PushDriver)
    in_hand: list[str] = []

    async def handle(message: Msg, turn: Turn | None = None) -> None:
        subject, waiting = message.subject, int(message.reply)
        assert turn is not None
        async with turn(Delivery(subject, {}, b"", subjects.REQUESTS, "c", 1, 1, datetime.now(UTC), waiting)):
            in_hand.append(subject)
            await asyncio.get_running_loop().create_future()

    handle_in_turn, other, crowded = handled_in_turn(handle, requests.turns), subjects.request("other", "x"), CREATE
    arrived = [Msg(AsyncMock(), other, "0"), *(Msg(AsyncMock(), crowded, str(CROWD)) for _ in range(2))]
    tasks = [asyncio.create_task(handle_in_turn(message)) for message in arrived]
    for _ in range(20):
        await asyncio.sleep(0)
    assert in_hand == [other, crowded]
    await end(tasks)


@pytest.mark.parametrize("subject", [CREATE, subjects.request_of("default", "ada", "create-document")])
async def test_a_request_is_answered_and_its_jobs_are_published(orchestrator: Orchestrator, subject: str) -> None:
    told = await orchestrator.asked(subject)
    [(job_subject, job), (answer_subject, answer)] = told
    assert isinstance(job, GenerateSection)
    assert isinstance(answer, RequestAccepted)
    assert job_subject == subjects.job(subjects.GENERATION, "generate-section")
    assert answer_subject == subjects.answer("default", answer.request_id)


async def test_a_job_names_the_data_of_its_document_kind_unless_that_came_with_no_package(
    orchestrator: Orchestrator,
) -> None:
    [(_, job), _] = await orchestrator.asked(CREATE)
    assert (job.document.kind, job.kind_digest) == ("proposal", DIGEST)
    other = Orchestrator()
    other.graphs = frozenset({"roles"})
    [(_, job), _] = await other.asked(CREATE, json.dumps({"kind": "roles", "brief": "Write it."}).encode())
    assert (job.document.kind, job.kind_digest) == ("roles", None)


async def test_a_request_that_is_none_is_answered_with_what_is_wrong(orchestrator: Orchestrator) -> None:
    [(_, answer)] = await orchestrator.asked(CREATE, b'{"kind": 7}')
    assert isinstance(answer, RequestRejected)


async def test_an_outcome_opens_the_next_job(orchestrator: Orchestrator) -> None:
    [(_, job), _] = await orchestrator.asked(CREATE)
    outcome = SectionGenerated(
        job_id=job.job_id,
        tenant="default",
        document_id=job.document.document_id,
        section_id=job.section.section_id,
        draft=ref("draft"),
        evaluation=evaluation(),
        provenance=PROVENANCE,
    )
    subject = subjects.outcome(subjects.GENERATION, "section-generated")
    [(next_subject, following)] = await routed(orchestrator.broker, subjects.OUTCOMES, subject, outcome)
    assert next_subject == subjects.job(subjects.VALIDATOR, "validate-draft")
    assert isinstance(following, ValidateDraft)


async def test_an_event_brings_the_summary_of_its_document_up_to_date(orchestrator: Orchestrator) -> None:
    [_, (_, answer)] = await orchestrator.asked(CREATE)
    subject = subjects.event("default", answer.document_id, "document-requested")
    assert await routed_bytes(orchestrator.broker, subjects.EVENTS, subject, b"", {}) == []
    [written] = orchestrator.views.update.await_args_list
    assert written.args[0] == subjects.view_key("default", answer.document_id)


async def test_an_advisory_has_its_message_looked_up(orchestrator: Orchestrator) -> None:
    told = {"stream": subjects.JOBS, "stream_seq": 7, "consumer": subjects.VALIDATOR, "deliveries": 8}
    body = json.dumps(told).encode()
    assert await routed_bytes(orchestrator.broker, subjects.ADVISORIES, ADVISORY, body, {}) == []
    orchestrator.queues.get_msg.assert_awaited_once_with(subjects.JOBS, seq=7, subject=None, next=False)


async def with_an_entry(orchestrator: Orchestrator) -> tuple[dict[str, Any], str]:
    """A section that a person wrote in one document, and another document."""
    made = [await orchestrator.ask("create-document", **BRIEF, request_id=name) for name in ("source", "target")]
    source, target = (one.document_id for one in made)
    about = {"document_id": source, "section_id": "research"}
    await orchestrator.ask("edit-section", **about, version=0, text="# Team\n\nAda leads.\n", request_id="e1")
    return {**about, "version": 1}, target


@pytest.mark.req("L8")
@pytest.mark.parametrize("what", [e.EntryUsed, e.EntryReused])
async def test_a_text_that_lapses_between_its_look_up_and_the_event_of_its_taker_is_told(
    orchestrator: Orchestrator, what: type[e.EntryReused | e.EntryUsed]
) -> None:
    entry, target = await with_an_entry(orchestrator)
    other, orchestrator.log.what = Orchestrator(orchestrator), what
    orchestrator.log.before = lambda: other.ask("edit-section", **entry, text="# Bea\n", request_id="e2")
    await orchestrator.ask("reuse-entry", document_id=target, entry=entry, request_id="take")
    assert (await orchestrator.events(target))[-1] is e.EntryUseLapsed


@pytest.mark.req("L8")
async def test_a_taker_that_a_crash_kept_from_being_told_is_told_when_its_request_is_handled_again(
    orchestrator: Orchestrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, target = await with_an_entry(orchestrator)
    orchestrator.log.before = lambda: Orchestrator(orchestrator).ask("edit-section", **entry, text="# Bea\n")
    with monkeypatch.context() as crashing:
        crashing.setattr(CommandService, "_note_taken", AsyncMock())
        await orchestrator.ask("reuse-entry", document_id=target, entry=entry, request_id="take")
    assert e.EntryUseLapsed not in await orchestrator.events(target)
    await orchestrator.ask("reuse-entry", document_id=target, entry=entry, request_id="take")
    assert (await orchestrator.events(target))[-1] is e.EntryUseLapsed


@pytest.mark.req("L8")
async def test_a_text_of_which_no_more_takers_could_be_told_is_taken_by_no_other(
    orchestrator: Orchestrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, target = await with_an_entry(orchestrator)
    monkeypatch.setattr("stemma_domain.features.library.feature.MOST_USES", 0)
    refused = await orchestrator.ask("reuse-entry", document_id=target, entry=entry, request_id="take")
    assert [problem.code for problem in refused.problems] == ["entry_uses_full"]
    assert e.EntryReused not in await orchestrator.events(target)


@pytest.mark.req("L6")
async def test_what_waits_for_the_budget_of_its_tenant_does_not_begin_when_another_document_tells_of_a_lapse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for looks in (Documents, ErasedUsage):
        monkeypatch.setattr(looks, "look", AsyncMock())
    orchestrator = Orchestrator(budgets={"*": TenantBudget(calls=0)})
    entry, target = await with_an_entry(orchestrator)
    await orchestrator.ask("reuse-entry", document_id=target, entry=entry)
    await orchestrator.ask("edit-section", **entry, text="# Bea\n")
    found = await orchestrator.log.read(StreamId("default", target))
    told = [one.event for one in found if isinstance(one, Recorded)]
    assert [type(event) for event in told][-1] is e.EntryUseLapsed
    assert e.DocumentBudgetReached in map(type, told)
    assert [event.starts for event in told if isinstance(event, e.Event) and event.starts] == []
