"""Work is taken from tenants in turn."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from stemma_messaging import Delivery, Turns
from stemma_messaging.cancellation import end
from stemma_messaging.drivers import Slots
from stemma_messaging.turns import LaneTurns

HEADERS = {
    "ce-specversion": "1.0",
    "ce-id": "1",
    "ce-type": "stemma.draft.validated.v1",
    "ce-source": "validator",
    "ce-subject": "acme/d1",
    "ce-time": "2026-01-01T00:00:00Z",
}


class Desk:
    """Handlings that stay until each is let go, in the order in which they began."""

    def __init__(self, at_a_time: int, bulk: str | None = None, per_tenant: int | None = None) -> None:
        self._turns = LaneTurns(at_a_time, bulk) if bulk else Turns(at_a_time, per_tenant)
        self._letting_go: dict[str, asyncio.Event] = {}
        self.begun: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def _work(self, delivery: Delivery) -> None:
        self.begun.append(delivery.data.decode())
        await self._letting_go[delivery.data.decode()].wait()

    async def _handled(self, delivery: Delivery) -> None:
        async with self._turns.of(delivery):
            await self._work(delivery)

    async def comes(self, tenant: str, name: str, consumer: str = "c") -> None:
        self._letting_go[name] = asyncio.Event()
        delivery = replace(_delivery(f"stemma.request.v1.{tenant}.x", name), consumer=consumer)
        self.tasks[name] = asyncio.create_task(self._handled(delivery))
        await asyncio.sleep(0)

    async def is_done(self, name: str) -> None:
        self._letting_go[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)


def _delivery(subject: str, name: str = "", headers: Any = None) -> Delivery:
    return Delivery(subject, headers or {}, name.encode(), "S", "c", 1, 1, datetime.now(UTC))


@pytest.mark.req("S5")
async def test_a_tenant_has_no_more_turns_than_it_may_have_and_leaves_the_others_to_the_others() -> None:
    desk = Desk(at_a_time=3, per_tenant=2)
    for name in ("a1", "a2", "a3", "a4", "b1"):
        await desk.comes(name[0], name)
    assert desk.begun == ["a1", "a2", "b1"]
    await end(desk.tasks.values())


@pytest.mark.req("S5")
async def test_those_who_wait_come_round_robin() -> None:
    desk = Desk(at_a_time=1)
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        await desk.comes(name[0], name)
    for number in range(6):
        await desk.is_done(desk.begun[number])
    assert desk.begun == ["a1", "a2", "b1", "c1", "a3", "b2"]


@pytest.mark.req("S5")
async def test_bulk_leaves_half_of_the_turns_to_what_goes_before_it() -> None:
    desk = Desk(at_a_time=4, bulk="behind")
    for number in range(4):
        await desk.comes("flooding", f"bulk{number}", "behind")
    await desk.comes("calm", "one")
    await desk.comes("flooding", "before")
    assert desk.begun == ["bulk0", "bulk1", "one", "before"]
    await desk.is_done("bulk0")
    assert desk.begun[4:] == ["bulk2"]
    await end(desk.tasks.values())


@pytest.mark.req("S5")
async def test_who_is_cancelled_takes_no_turn_from_those_that_wait() -> None:
    desk = Desk(at_a_time=1)
    for name in ("at work", "gives up", "waits"):
        await desk.comes("one", name)
    await end([desk.tasks["gives up"]])
    await desk.is_done("at work")
    assert desk.begun == ["at work", "waits"]
    await end([desk.tasks["waits"]])
    await desk.comes("one", "later")
    assert desk.begun[-1] == "later"
    await end(desk.tasks.values())


@pytest.mark.req("E1", "S5")
@pytest.mark.parametrize("turn", [partial(Turns(1).turn, "acme"), partial(Slots(1).turn, 0, _delivery("s"))])
async def test_a_turn_that_comes_to_a_message_as_it_is_cancelled_goes_to_the_next(
    turn: Callable[[], AbstractAsyncContextManager[None]],
) -> None:
    async def work() -> None:
        async with turn():
            pass

    async with turn():
        given, waits = asyncio.create_task(work()), asyncio.create_task(work())
        await asyncio.sleep(0)
    given.cancel()
    await asyncio.wait_for(waits, 20)
    assert given.cancelled()


@pytest.mark.req("S5")
async def test_the_slot_that_is_free_goes_to_the_lane_that_goes_before_bulk_which_waits_longer() -> None:
    slots, begun, release = Slots(1), list[int](), asyncio.Event()

    async def work(lane: int) -> None:
        async with slots.turn(lane, _delivery("s")):
            begun.append(lane)
            await release.wait()

    async with asyncio.TaskGroup() as group:
        for lane in (0, 1, 1, 0):
            group.create_task(work(lane))
            await asyncio.sleep(0)
        release.set()
    assert begun == [0, 0, 1, 1]


@pytest.mark.req("S5")
@pytest.mark.parametrize(
    ("subject", "headers", "tenant"),
    [
        ("stemma.request.v1.acme.create-document", {}, "acme"),
        ("stemma.request.v2.acme.ann.create-document", HEADERS | {"ce-subject": "other/d1"}, "acme"),
        ("stemma.event.v1.acme.d1.section-drafted", {}, "acme"),
        ("stemma.outcome.v1.validator.draft-validated", HEADERS, "acme"),
        ("stemma.job.v1.validator.bulk.validate-draft", HEADERS, "acme"),
        ("stemma.outcome.v1.validator.draft-validated", {}, ""),
        ("anything", {}, ""),
    ],
)
def test_whose_a_message_is_is_said_by_its_subject_before_its_envelope(
    subject: str, headers: dict[str, str], tenant: str
) -> None:
    assert _delivery(subject, headers=headers).tenant == tenant
