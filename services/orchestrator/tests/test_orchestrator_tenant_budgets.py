"""The budget of a tenant: what its documents came to is what the log tells, whoever was killed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import domain_asking as asking
import pytest
from domain_story import CHAIN, meta
from pydantic import ValidationError
from stemma_client import Client
from stemma_contracts import registry, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.budgets import BudgetQuestion, BudgetView
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.outcomes import JobCancelled, Outcome, ThreadsErased
from stemma_contracts.v1.requests import CancelDocument, EraseDocument, PauseDocument
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import MonthUsage, Usage
from stemma_domain.commands import Record
from stemma_domain.evolve import evolve
from stemma_domain.state import Document, State
from stemma_domain.view import summarise
from stemma_eventlog import Cause, Decider, EventStore, FoldFailed, MemoryEventLog, Recorded, StreamId, Unreadable
from stemma_messaging import Publisher
from stemma_orchestrator.app import DECIDER, OrchestratorSettings, service
from stemma_orchestrator.command_service import CommandService
from stemma_orchestrator.observing import Documents, ErasedUsage
from stemma_orchestrator.tenant_budgets import TenantBudget, TenantBudgets
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work

pytestmark = pytest.mark.req("L6")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path) as running:
        yield running


@asynccontextmanager
async def orchestrator(server: NatsServer, calls: int) -> AsyncIterator[None]:
    budgets = {"*": {"calls": 0}, "default": {"calls": calls}}
    settings = service.load_settings(sweep_every_s=0.2, tenant_budgets=budgets, **access(server, subjects.ORCHESTRATOR))
    async with at_work(service.run(settings)):
        yield


async def test_its_documents_add_up_after_a_kill_and_an_erasure_and_what_waited_goes_on_once_there_is_room(
    server: NatsServer,
) -> None:
    user = client_user("default")
    password = server.passwords[user]
    async with connected(server) as nats, Client.connect(server.url, user=user, password=password) as client:
        publisher = Publisher(nats.jetstream(), "/test")

        async def told(outcome: Outcome) -> None:
            subject = subjects.outcome(subjects.GENERATION, registry.entry_of(outcome).token)
            await publisher.publish(subject, outcome, id=outcome.job_id, about="default")

        async def begun() -> str:
            return (await client.create_document("proposal", brief="A ferry.")).document_id

        async def question(document_id: str) -> BudgetQuestion | None:
            budget = (await client.document(document_id)).budget
            return budget.question if budget else None

        async def erased() -> bool:
            return [event.name for event in await client.history(first)] == ["document-erased"]

        async def goes_on() -> bool:
            return await question(second) is None

        async with orchestrator(server, calls=5):
            first = await begun()
            about: dict[str, Any] = {"tenant": "default", "document_id": first}
            await told(JobCancelled(job_id=f"{first}.1.generate.x", usage=Usage(calls=5), **about))
            await eventually(lambda: _spent(client, first, 5))
        async with orchestrator(server, calls=5):
            second = await begun()
            asked = await question(second)
            assert asked is not None
            assert (asked.whose, asked.bound, asked.usage.calls) == ("tenant", "calls", 5)
            await client.request(CancelDocument(document_id=first))
            plan = await client.request(EraseDocument(document_id=first))
            await client.request(EraseDocument(document_id=first, sequence=plan.sequence))
            pattern = subjects.job(subjects.GENERATION, "erase-threads")
            erase = await nats.jetstream().get_msg(subjects.JOBS, 1, pattern, next=True)
            await told(ThreadsErased(job_id=str((erase.headers or {})["ce-id"]), threads=0, **about))
            await eventually(erased)
            assert await question(await begun()) is not None, "what is erased was paid all the same"
        async with orchestrator(server, calls=7):
            await eventually(goes_on)


async def _spent(client: Client, document_id: str, calls: int) -> bool:
    return (await client.document(document_id)).usage.calls == calls


NOW = datetime(2026, 3, 14, tzinfo=UTC)


class Log(MemoryEventLog):
    reads = 0

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        self.reads += 1
        return await super().read(stream, after)


class Listed(Documents):
    """Read models as they are given; ``ready`` holds up whoever looks."""

    def __init__(self, *listed: DocumentSummary) -> None:
        super().__init__(AsyncMock())
        self.known = {f"default.{one.document_id}": one for one in listed}
        self.looks = 0
        self.ready = asyncio.Event()
        self.ready.set()

    async def look(self) -> None:
        self.looks += 1
        await self.ready.wait()


class NoneErased(ErasedUsage):
    async def look(self) -> None:
        pass


def summary(document_id: str, status: DocumentStatus = DocumentStatus.RUNNING, **told: Any) -> DocumentSummary:
    about: dict[str, Any] = {"kind": "proposal", "created_at": NOW, "last_sequence": 9_999, "sections": ()}
    return DocumentSummary(document_id=document_id, status=status, **{**about, **told})


def breaking(state: State, event: AnyEvent, at: datetime, sequence: int) -> State:
    after = evolve(state, event, at, sequence)
    assert not isinstance(after, Document) or after.document_id != "broken"
    return after


def budgets(documents: Documents, log: MemoryEventLog, calls: int = 5) -> TenantBudgets:
    store = EventStore(log, Decider(DECIDER.initial, DECIDER.decide, breaking))
    return TenantBudgets({"*": TenantBudget(calls=calls)}, documents, NoneErased(AsyncMock()), store)


async def begin(tenant: TenantBudgets, name: str) -> list[Any]:
    """The events with which a document begins."""
    plans = tuple(
        SectionPlan(section_id=one, title=one, kind=one, graph="section", depends_on=on) for one, on in CHAIN.items()
    )
    create = asking.create(meta(name), sections=plans)
    command = replace(create, requested=create.requested.model_copy(update={"document_id": name}))
    return list((await tenant.handle(StreamId("default", name), command, Cause(name, "test", NOW))).events)


async def test_what_begins_no_work_waits_for_no_look_at_what_others_cost() -> None:
    documents = Listed()
    tenant = budgets(documents, Log())
    await begin(tenant, "first")
    documents.ready.clear()
    beginning = asyncio.create_task(begin(tenant, "second"))
    pause = asking.ask(PauseDocument, meta("pause"))
    async with asyncio.timeout(30):
        paused = await tenant.handle(StreamId("default", "first"), pause, Cause("pause", "test", NOW))
    assert list(map(type, paused.events)) == [e.DocumentPaused]
    assert not beginning.done()
    documents.ready.set()
    assert [event.starts for event in await beginning] == [("research",)]


async def test_of_a_tenant_one_document_begins_after_the_other_and_a_failure_keeps_nobody_waiting() -> None:
    documents = Listed()
    tenant = budgets(documents, Log())
    documents.ready.clear()
    async with asyncio.timeout(30):
        beginning = [asyncio.create_task(begin(tenant, name)) for name in ("broken", "next")]
        while not documents.looks:
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        assert documents.looks == 1
        documents.ready.set()
        failed, begun = await asyncio.gather(*beginning, return_exceptions=True)
    assert (type(failed), isinstance(begun, list)) == (FoldFailed, True)


async def test_what_a_document_came_to_counts_before_its_read_model_tells_it_and_once_when_it_does() -> None:
    documents = Listed()
    tenant, first = budgets(documents, Log()), StreamId("default", "first")
    await begin(tenant, "first")
    paid = JobCancelled(job_id="first.1.generate.x", tenant="default", document_id="first", usage=Usage(calls=5))
    handled = await tenant.handle(first, Record(paid), Cause("paid", "test", NOW))
    (_, asked) = await begin(tenant, "second")
    assert isinstance(handled.folded.state, Document)
    documents.known["default.first"] = summarise(handled.folded.state, handled.folded.sequence)
    (_, again) = await begin(tenant, "third")
    assert (asked.usage.calls, again.usage.calls) == (5, 5)


async def test_the_log_of_a_document_is_not_read_again_before_it_changed() -> None:
    log = Log()
    tenant = budgets(Listed(*(summary(f"d{number}") for number in range(5_000))), log)
    await begin(tenant, "first")
    before = log.reads
    await begin(tenant, "second")
    assert log.reads - before < 10


async def test_a_document_that_stands_still_keeps_no_other_of_its_tenant_from_beginning() -> None:
    log = Log()
    with pytest.raises(FoldFailed):
        await begin(budgets(Listed(), log), "broken")
    tenant = budgets(Listed(summary("broken", usage=Usage(calls=6), month=_of_march(6))), log)
    (_, asked) = await begin(tenant, "other")
    assert (type(asked), asked.usage.calls) == (e.DocumentBudgetReached, 6)


@pytest.mark.parametrize(
    ("told", "calls"),
    [
        ({"month": None}, 0),  # as an earlier release wrote it: the log tells, which has nothing here
        ({"month": MonthUsage(month="2026-03", usage=Usage(calls=6)), "status": DocumentStatus.PAUSED}, 0),
        ({"month": MonthUsage(month="2026-02", usage=Usage(calls=6))}, 0),
        ({"month": MonthUsage(month="2026-03", usage=Usage(calls=6))}, 6),
    ],
)
async def test_of_what_ended_the_read_model_tells_what_the_month_cost(told: dict[str, Any], calls: int) -> None:
    log = Log()
    told = {"status": DocumentStatus.COMPLETED, **told}
    ended = summary("ended", usage=Usage(calls=9), updated_at=NOW, **told)
    tenant = budgets(Listed(ended), log)
    events = await begin(tenant, "other")
    assert [one.usage.calls for one in events if isinstance(one, e.DocumentBudgetReached)] == [calls] * (calls > 0)
    is_told = told["month"] is not None and told["status"] is DocumentStatus.COMPLETED
    assert (log.reads > 1) != is_told, "only what the read model does not tell is looked up"


async def test_what_waits_is_looked_at_once_there_is_room_for_a_call() -> None:
    asked = BudgetQuestion(question="b2", whose="tenant", bound="calls", sections=("research",), usage=Usage())
    for spent, streams in ((5, []), (4, ["waits"])):
        ended = summary("ended", DocumentStatus.COMPLETED, usage=Usage(calls=spent), month=_of_march(spent))
        waits = summary("waits", budget=BudgetView(question=asked))
        found = await budgets(Listed(ended, waits), Log()).waiting(NOW)
        assert [one.document_id for one in found] == streams


async def test_a_document_with_which_something_is_wrong_keeps_no_other_from_going_on_once_there_is_room() -> None:
    waiting = [StreamId("default", name) for name in ("broken", "other")]
    tenant, edge = AsyncMock(), AsyncMock()
    tenant.waiting.return_value, tenant.handle.side_effect = waiting, ValueError
    store = EventStore(MemoryEventLog(), DECIDER)
    await CommandService(store, edge, edge, edge, edge, edge, tenant).renew(NOW)
    assert [call.args[0] for call in tenant.handle.await_args_list] == waiting


def _of_march(calls: int) -> MonthUsage:
    return MonthUsage(month="2026-03", usage=Usage(calls=calls))


@pytest.mark.parametrize("wrong", [{"*": {"costs": 5}}, {"acme corp": {"cost": 5}}, {"*": {"cost": -1}}])
def test_a_setting_that_would_bound_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        OrchestratorSettings.model_validate({"tenant_budgets": wrong})
