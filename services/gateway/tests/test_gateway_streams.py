"""Streams of events: every event once, from wherever the reader stopped, whatever became of the gateway meanwhile."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Any

import httpx
import pytest
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted
from stemma_testkit.servers import admit, eventually
from stemma_testkit.serving import free_port

from .conftest import at

Told = tuple[int, str]


async def told(http: httpx.AsyncClient, path: str, last: int | None = None, **params: Any) -> AsyncIterator[Told]:
    """The ids and names of events, as they come, until the connection ends."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    with suppress(httpx.TransportError):
        async with http.stream("GET", path, headers=headers, params=params) as stream:
            assert stream.status_code == 200
            data: dict[str, Any] = {}
            async for line in stream.aiter_lines():
                field, _, value = line.partition(": ")
                if field == "data":
                    data = json.loads(value)
                elif field == "id":
                    assert int(value) == data["sequence"]
                    yield int(value), data["name"]


async def some(events: AsyncIterator[Told], count: int) -> list[Told]:
    found: list[Told] = []
    async with asyncio.timeout(30), aclosing(events):  # type: ignore[type-var]
        async for event in events:
            found.append(event)
            if len(found) == count:
                return found
    return found


def reason(stream: str) -> tuple[int, str]:
    """Why a stream ended: the status of its problem, and what to do."""
    _, _, problem = stream.rpartition("event: problem\ndata: ")
    found = json.loads(problem)
    return found["status"], found["detail"].rpartition(": ")[2]


def chapters(count: int) -> list[Any]:
    return [section_drafted("research", version=number) for number in range(1, count + 1)]


@pytest.mark.req("H1")
async def test_who_comes_back_after_the_gateway_was_restarted_gets_each_event_once(
    gateway: Any, caller: Any, backstage: Backstage, document_id: str
) -> None:
    path, port = f"/documents/{document_id}/events", free_port()
    await backstage.append(document_id, document_requested(), *chapters(3))
    async with gateway(port) as url, caller(url) as http:
        seen = await some(told(http, path), 2)
        reading = asyncio.create_task(some(told(http, path, seen[-1][0]), 100))
        await some(told(http, path, seen[-1][0]), 2)
    seen += await reading
    await backstage.append(document_id, review_requested("research", 3))
    async with gateway(port) as url, gateway() as other, caller(url) as http, caller(other) as elsewhere:
        seen += await some(told(http, path, seen[-1][0]), 5 - len(seen))
        assert seen == await some(told(http, path), 5)
        assert seen[2:] == await some(told(elsewhere, path, seen[1][0]), 3)
    names = ["document-requested", *["section-drafted"] * 3, "section-review-requested"]
    assert [name for _, name in seen] == names


@pytest.mark.req("H1")
async def test_a_stream_has_what_is_asked_for_by_name_and_section_and_from_now_on(
    http: httpx.AsyncClient, backstage: Backstage, document_id: str
) -> None:
    path = f"/documents/{document_id}/events"
    await backstage.append(document_id, document_requested(), section_drafted("research"), section_drafted("budget"))
    [(_, name)] = await some(told(http, path, name="section-drafted", section="budget"), 1)
    assert name == "section-drafted"
    async with http.stream("GET", path) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert (stream.headers["x-accel-buffering"], stream.headers["cache-control"]) == ("no", "no-store")
    live = asyncio.create_task(some(told(http, path, live=True), 1))
    everything = asyncio.create_task(some(told(http, "/events", live=True), 1))
    for version in range(2, 50):
        await backstage.append(document_id, section_drafted("research", version=version))
        await asyncio.wait({live, everything}, timeout=0.1)
        if live.done() and everything.done():
            break
    assert [name for _, name in (await live) + (await everything)] == ["section-drafted"] * 2


@pytest.mark.req("H1", "S1")
async def test_what_a_browser_follows_ends_with_its_session(
    gateway: Any, person: Any, backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested())
    async with gateway(cookie_longest_s=3) as url, at(url) as browser:

        async def ended(path: str) -> tuple[int, Any]:
            async with browser.stream("GET", path) as stream:
                return stream.status_code, reason((await stream.aread()).decode())

        assert (await browser.post("/sign-in", json=person("eve"))).status_code == 200
        paths = ("/events", f"/documents/{document_id}/events", f"/documents/{document_id}/live")
        async with asyncio.timeout(30):
            assert await asyncio.gather(*map(ended, paths)) == [(200, (401, "sign in again"))] * 3
        assert (await browser.get("/session")).status_code == 401


@pytest.mark.req("H1", "S5")
async def test_one_caller_has_no_more_streams_than_its_bound(gateway: Any, caller: Any) -> None:
    async with gateway(streams_at_once=1) as url, caller(url) as http, caller(url, "garden") as other:
        async with http.stream("GET", "/events") as stream:
            assert stream.status_code == 200
            refused = await http.get("/events")
            async with other.stream("GET", "/events") as beside:
                assert beside.status_code == 200
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:stemma:problem:too-many-requests")

        async def has_room() -> bool:
            async with http.stream("GET", "/events") as again:
                return bool(again.status_code == 200)

        await eventually(has_room)


@pytest.mark.req("H1", "S4")
async def test_who_is_admitted_no_more_is_told_so_at_the_end_of_what_it_follows(
    address: str, server: NatsServer, backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested())
    login = admit(server, "frida", Role.READER)
    shown = bearer_of(ServerAddress(server.url, "default", "frida", login=login))
    paths = [f"/documents/{document_id}/{kind}" for kind in ("events", "live")]
    opened = asyncio.Semaphore(0)

    async with httpx.AsyncClient(base_url=address, timeout=60) as http:

        async def ended(path: str) -> tuple[int, str]:
            async with http.stream("GET", path, headers={"Authorization": f"Bearer {shown}"}) as stream:
                assert stream.status_code == 200
                opened.release()
                return reason((await stream.aread()).decode())

        following = [asyncio.create_task(ended(path)) for path in paths]
        for _ in following:
            await opened.acquire()
        server.admitted("default").remove("frida")
        async with asyncio.timeout(40):
            reasons = await asyncio.gather(*following)
    assert {status for status, _ in reasons} == {401}


@pytest.mark.req("H1", "O4")
async def test_a_place_that_the_log_has_not_come_to_is_refused_and_its_end_is_none(
    http: httpx.AsyncClient, backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested())
    last = (await backstage.js.stream_info(subjects.EVENTS)).state.last_seq
    following = []
    for address in ("/events", f"/documents/{document_id}/events"):
        refused = await http.get(address, headers={"Last-Event-ID": str(last + 1)})
        beyond = await http.get(address, params={"from_sequence": last + 2})
        found = [(one.status_code, one.json()["problems"][0]["field"]) for one in (refused, beyond)]
        assert found == [(409, "last_event_id"), (409, "from_sequence")]
        following.append(asyncio.create_task(some(told(http, address, last), 1)))
        following.append(asyncio.create_task(some(told(http, address, from_sequence=last + 1), 1)))
    await backstage.append(document_id, *chapters(1))
    assert await asyncio.gather(*following) == [[(last + 1, "section-drafted")]] * 4


MEGABYTE = 1024 * 1024
EVENTS = 20


async def ids_of(stream: httpx.Response, count: int) -> list[int]:
    """The ids of the next events."""
    found: list[int] = []
    async for line in stream.aiter_lines():
        if line.startswith("id: "):
            found.append(int(line.removeprefix("id: ")))
            if len(found) == count:
                break
    return found


@pytest.mark.full
@pytest.mark.req("H1", "S5")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("count", [40, 200])
async def test_many_streams_are_open_in_one_process_of_bounded_memory(
    process: Any, caller: Any, backstage: Backstage, document_id: str, count: int
) -> None:
    await backstage.append(document_id, document_requested())
    path, unbounded = f"/documents/{document_id}/events", httpx.Limits(max_connections=None)
    async with process(requests_at_once=count + 1) as running, caller(running.url, limits=unbounded) as http:
        before = running.peak_bytes()
        async with asyncio.timeout(300), AsyncExitStack() as stack:
            opening = (stack.enter_async_context(http.stream("GET", path, timeout=None)) for _ in range(count))
            streams = await asyncio.gather(*opening)
            measured = await running.metrics()
            reading = [asyncio.create_task(ids_of(stream, EVENTS + 1)) for stream in streams]
            for version in range(1, EVENTS + 1):
                await backstage.append(document_id, section_drafted("research", version=version))
            read = await asyncio.gather(*reading)
        grown = running.peak_bytes() - before
    print(f"{count} streams, {count * (EVENTS + 1)} events: {grown / MEGABYTE:.1f} MB more")
    assert measured["stemma_http_streams", frozenset()] == count
    assert all(one == read[0] for one in read)
    assert (len(read[0]), read[0]) == (EVENTS + 1, sorted(set(read[0])))
    assert grown < 10 * MEGABYTE + count * MEGABYTE // 4
