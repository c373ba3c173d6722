"""How long a call may take, and how many there are at a time, by what was seen of the model."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import MemoryRecordStore, ModelCaller, ModelSettings
from stemma_models.pace import LONGEST_S, MOST_CALLS, USUAL_S, Clock, Pace, left_of
from stemma_models.providers import Told, look_at
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.serving import serving

pytestmark = pytest.mark.req("P13")


def test_a_prompt_that_a_slow_machine_reads_for_minutes_is_waited_for() -> None:
    own, hosted = Pace(is_own=True), Pace(is_own=False)
    assert own.patience(4000, 2000) > 1000
    assert hosted.patience(4000, 1000) == USUAL_S
    assert own.patience(10_000_000, 8192) == LONGEST_S


def test_the_speed_that_was_seen_decides_and_a_call_that_was_given_up_gets_more_time() -> None:
    pace = Pace(is_own=True)
    pace.saw(read=800, written=100, seconds=2)
    assert (pace.speed, pace.slowness, pace.patience(4000, 1000)) == (100, 1, USUAL_S)
    slow = Pace(is_own=True)
    slow.saw(read=800, written=100, seconds=20)
    before = slow.patience(4000, 2000)
    slow.gave_up()
    assert (slow.slowness, slow.patience(4000, 2000)) == (5, 2 * before)


def test_calls_at_a_time_grow_while_a_machine_keeps_up_and_shrink_by_what_was_too_much() -> None:
    own, hosted = Pace(is_own=True), Pace(is_own=False)
    for seconds in (1, 1, 1, 1, 10, 10):
        own.saw(0, 100, seconds)
        hosted.saw(0, 100, seconds)
    assert (own.allowed, hosted.allowed) == (8, 70), "a provider says itself what is too much"
    own.gave_up()
    hosted.refused()
    assert (own.allowed, hosted.allowed) == (4, 35)
    for _ in range(9):
        hosted.refused()
    told = Pace(is_own=True, slots=1)
    told.saw(0, 100, 1)
    short = Pace(is_own=False)
    short.saw(read=80, written=20, seconds=5)
    assert (hosted.allowed, told.allowed, Pace(is_own=False, slots=MOST_CALLS).allowed) == (1, 1, MOST_CALLS)
    assert (short.speed, short.slowness, short.allowed) == (25, 1, 64), "a short answer says nothing of the speed"


async def test_calls_beyond_what_a_server_takes_wait_for_their_turn() -> None:
    pace, at_work, most = Pace(is_own=True, slots=1), 0, 0

    async def call() -> None:
        nonlocal at_work, most
        async with pace.turn():
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1

    waiting = asyncio.create_task(call())
    async with asyncio.timeout(10):
        await asyncio.gather(*(call() for _ in range(9)))
        waiting.cancel()
        await asyncio.gather(call(), call())
    assert most == 1


@pytest.mark.parametrize(("slots", "start", "before"), [(1, "", True), (9, "a", True), (9, "", False)])
async def test_a_time_limit_stands_still_while_a_call_waits(slots: int, start: str, before: bool) -> None:
    """For a turn, for the first of those that begin alike, or until a provider's limits leave more."""
    pace, go_on = Pace(is_own=False, slots=slots), asyncio.Event()
    if not before:
        pace.told({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "200ms"})

    async def call(clock: Clock | None) -> None:
        async with pace.behind_first(start, clock), pace.turn(clock):
            await go_on.wait()

    run = Clock()
    async with asyncio.timeout(60) as limit, asyncio.TaskGroup() as calls:
        ends = limit.when() or 0
        if before:
            calls.create_task(call(None))
        calls.create_task(call(Clock(limit, run)))
        for _ in range(9):
            await asyncio.sleep(0)
        assert limit.when() is None
        assert run.stood > 0, "who begins meanwhile knows that the run stands still"
        go_on.set()
    assert limit.when() == pytest.approx(ends + run.stood)


async def test_a_clock_runs_while_a_call_waits_behind_another_of_the_same_run() -> None:
    pace, go_on = Pace(is_own=False, slots=1), asyncio.Event()

    async def call(clock: Clock) -> None:
        async with pace.turn(clock):
            await go_on.wait()

    async with asyncio.timeout(60) as whole, asyncio.timeout(60) as own:
        run = Clock(whole)
        calls = [asyncio.create_task(call(clock)) for clock in (run, Clock(own, run))]
        for _ in range(9):
            await asyncio.sleep(0)
        assert (whole.when() is None, own.when() is None) == (False, True)
        go_on.set()
        await asyncio.gather(*calls)


@pytest.mark.req("M1")
@pytest.mark.parametrize(("start", "ahead"), [("the brief", 1), ("", 3)])
async def test_the_first_of_calls_that_begin_alike_is_a_step_ahead(start: str, ahead: int) -> None:
    pace, begun, go_on = Pace(is_own=False), list[int](), asyncio.Event()

    async def call(number: int) -> None:
        async with pace.behind_first(start):
            begun.append(number)
            await go_on.wait()

    async with asyncio.timeout(10), asyncio.TaskGroup() as calls:
        for number in range(3):
            calls.create_task(call(number))
        for _ in range(9):
            await asyncio.sleep(0)
        assert begun == list(range(ahead))
        go_on.set()
    assert begun == [0, 1, 2]


@pytest.mark.req("M1")
async def test_the_others_go_on_when_the_first_is_being_answered_and_never_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(is_own=False)
    async with asyncio.timeout(10), pace.behind_first("a") as is_read:
        is_read()
        async with pace.behind_first("a"):
            monkeypatch.setattr("stemma_models.pace.AHEAD_S", 0.01)
        async with pace.behind_first("b"), pace.behind_first("b"):
            pass


@pytest.mark.req("M3")
@pytest.mark.parametrize(
    ("headers", "left"),
    [
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, (3, 60)),
        ({"x-ratelimit-remaining-tokens": "500", "x-ratelimit-reset-tokens": "1s200ms"}, (0.5, 1.2)),
        (
            {"x-ratelimit-remaining-tokens": "500", "x-ratelimit-reset-tokens": "7s"}
            | {"x-ratelimit-remaining-requests": "900", "x-ratelimit-reset-requests": "24h0m"},
            (0.5, 7),
        ),
        ({"llm_provider-anthropic-ratelimit-input-tokens-remaining": "4000"}, (4, 5)),
        ({"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "2026-01-01"}, (0, 5)),
        ({"x-ratelimit-limit-requests": "3", "x-ratelimit-remaining-requests": "many"}, None),
    ],
)
def test_what_a_provider_says_of_its_scarcest_limit_is_read(
    headers: dict[str, str], left: tuple[float, float] | None
) -> None:
    assert left_of(headers, 1000) == (left and pytest.approx(left))


@pytest.mark.req("M3")
async def test_calls_slow_down_before_a_provider_refuses_one() -> None:
    pace, loop = Pace(is_own=False), asyncio.get_running_loop()
    pace.saw(900, 100, 1)
    pace.told({"x-ratelimit-remaining-tokens": "2500"})
    pace.saw(900, 100, 1)
    assert pace.allowed == 2
    pace.told({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "30ms"})
    begun = loop.time()
    async with asyncio.timeout(10), pace.turn():
        assert loop.time() - begun >= 0.02
    assert pace.allowed == 1


class Llama(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        told = {"total_slots": 2, "default_generation_settings": {"n_ctx": 4096}}
        body = json.dumps(told if self.path == "/props" else []).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Llama)
    with serving(server, threading.Event()):
        yield f"http://127.0.0.1:{server.server_port}"


async def test_a_server_of_llama_cpp_is_asked_for_its_slots_and_its_context(address: str) -> None:
    assert await look_at(ModelSettings(name="openai/local", api_base=f"{address}/v1")) == Told(slots=2, context=4096)


@pytest.mark.parametrize("path", ["/elsewhere/v1", ":nonsense"])
async def test_a_server_that_tells_nothing_of_itself_is_not_held_against_it(address: str, path: str) -> None:
    assert await look_at(ModelSettings(name="openai/local", api_base=f"{address}{path}")) is None
    assert await look_at(ModelSettings(name="openai/gpt-5")) is None


async def test_limits_that_are_meant_for_a_provider_are_longer_for_a_machine_of_ones_own() -> None:
    settings = ModelSettings(name="ollama_chat/small")
    caller = ModelCaller(ScriptedModel(script=[]), settings, MemoryRecordStore(), MemoryArtifactStore())
    assert (await caller.slowness(), await caller.slowness(calls=8)) == (6.25, 12.5)
