"""Long texts of a caller are worked on in a process of its own: it has limits, and ends with its caller."""

import asyncio
import threading

import pytest
from starlette.requests import Request
from stemma_client.computing import Compute
from stemma_client.differences import differences
from stemma_client.errors import BusyError, InvalidInputError
from stemma_confinement import Limits
from stemma_confinement.computing import LIMITS
from stemma_gateway.computing import Computing
from stemma_gateway.limits import Owner, Shares
from stemma_gateway.problems import response_of
from stemma_gateway.texts import MOST_LINES, pairs_compared, rendered, shown_lines
from stemma_messaging.cancellation import end
from stemma_testkit.counting import UNITS, text_of

pytestmark = pytest.mark.req("S6")
OLD = "Aa bbb. Ccc *ddd*.\n\n" * 450
NEW = OLD.replace("ddd", "eee", 2)
LONG = len(OLD)
HARD = text_of(UNITS["tables"], 1024 * 1024)
"""Seconds of work."""


async def stays(_: object = None) -> dict[str, str]:
    await asyncio.Event().wait()
    return {}


async def leaves() -> dict[str, str]:
    return {"type": "http.disconnect"}


ADA, GINA = Owner("default", "ada"), Owner("garden", "gina")


def computing(limits: Limits = LIMITS, most: int = 10**9) -> Computing:
    return Computing(Shares("long texts", "max_texts_bytes", most), limits)


def by(owner: Owner, calls: Computing) -> Compute:
    """What computes for an owner who stays."""
    return calls.called_by(Request({"type": "http"}, stays), owner)


async def test_a_long_text_gives_what_a_call_here_gives() -> None:
    compute, long, many = by(ADA, computing()), f"![a](x.png)\n\n{'b ' * LONG}", ((OLD, NEW),)
    assert await compute(rendered, long, {"x.png": "/x"}) == rendered(long, {"x.png": "/x"})
    assert await compute(pairs_compared, many, "en") == pairs_compared(many, "en")


async def test_what_takes_too_long_is_refused_and_what_the_machine_has_no_time_for_is_no_fault_of_the_text() -> None:
    with pytest.raises(InvalidInputError, match="read it as Markdown"):
        await by(ADA, computing(Limits(seconds=0.2)))(rendered, HARD, {})
    with pytest.raises(BusyError) as refused:
        await by(ADA, computing(Limits(seconds=30, wall_seconds=0.2)))(rendered, HARD, {})
    answer = response_of(refused.value)
    assert (answer.status_code, "retry-after" in answer.headers) == (503, True)


async def test_work_ends_with_its_caller() -> None:
    calls = computing()
    gone = calls.called_by(Request({"type": "http"}, leaves), ADA)
    async with asyncio.timeout(60):
        with pytest.raises(InvalidInputError, match="left"):
            await gone(differences, OLD, NEW, "en")
        # The turn of the same owner came: nothing of the other call is left.
        assert await by(ADA, calls)(differences, OLD, OLD + "\nnew", "en")


@pytest.mark.req("S5")
async def test_a_text_of_another_tenant_does_not_wait_for_the_many_of_one_caller() -> None:
    calls = computing(Limits(seconds=4))
    many = [asyncio.create_task(by(ADA, calls)(rendered, HARD, {})) for _ in range(6)]
    try:
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            assert await by(GINA, calls)(differences, OLD, NEW, "en")
        assert sum(task.done() for task in many) < 2
    finally:
        await end(many)


@pytest.mark.req("S5")
async def test_short_texts_of_one_caller_are_worked_on_one_after_the_other() -> None:
    calls, begun, ended = computing(), [], threading.Event()

    def held(text: str) -> str:
        begun.append(text)
        ended.wait(60)
        return text

    many = [asyncio.create_task(by(ADA, calls)(held, str(number))) for number in range(40)]
    try:
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            assert await by(GINA, calls)(str.upper, "a") == "A"
        assert begun == ["0"]
        ended.set()
        assert await asyncio.gather(*many) == [str(number) for number in range(40)]
    finally:
        ended.set()


@pytest.mark.req("S5")
async def test_long_texts_that_wait_are_bounded_and_let_go_when_they_are_done() -> None:
    calls = computing(most=2 * len(OLD + NEW))
    together = [by(ADA, calls)(differences, OLD, NEW, "en") for _ in range(3)]
    found = await asyncio.gather(*together, return_exceptions=True)
    assert [isinstance(one, BusyError) for one in found] == [False, True, True]
    assert await by(ADA, calls)(differences, OLD, NEW, "en")


def test_a_page_shows_so_many_lines_by_themselves_and_loses_none() -> None:
    text = "a\n" * (2 * MOST_LINES)
    assert len(shown_lines(text)) == MOST_LINES + 1
    assert "\n".join(shown_lines(text)) == text
