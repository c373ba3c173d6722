"""What goes on behind other work goes as fast as the process keeps up."""

import asyncio
import time

import pytest
from stemma_messaging.drivers import BEHIND_S, TICK_S, Pace, paced
from stemma_testkit.servers import eventually

MOST = 12


@pytest.mark.req("S5")
@pytest.mark.parametrize(
    ("width", "used", "late_s", "next_width"),
    [
        (1, 1, 0.0, 2),
        (5, 5, BEHIND_S, 6),
        (5, 4, 0.0, 5),
        (MOST, MOST, 0.0, MOST),
        (9, 9, 2 * BEHIND_S, 4),
        (9, 2, 2 * BEHIND_S, 4),
        (1, 1, 2 * BEHIND_S, 1),
    ],
)
def test_one_more_goes_on_when_all_are_used_and_half_as_many_when_it_is_late(
    width: int, used: int, late_s: float, next_width: int
) -> None:
    assert paced(width, MOST, used, late_s) == next_width


@pytest.mark.req("S5")
async def test_the_width_grows_while_it_is_used_and_shrinks_when_the_loop_is_held_up() -> None:
    told: list[int] = []
    pace = Pace(MOST, lambda: told.append(pace.width))
    pace.use(MOST)
    await eventually(lambda: _holds(pace.width > 1))
    assert told == list(range(2, 2 + len(told)))
    before = pace.width
    time.sleep(TICK_S + 10 * BEHIND_S)
    await eventually(lambda: _holds(pace.width < before))


@pytest.mark.req("S5")
async def test_it_begins_anew_with_one_when_nothing_was_used() -> None:
    pace = Pace(MOST, lambda: None)
    pace.use(1)
    await eventually(lambda: _holds(pace.width == 2))
    pace.use(-1)
    await eventually(lambda: _holds(pace.width == 1))
    assert len(asyncio.all_tasks()) == 1


async def _holds(condition: bool) -> bool:
    return condition
