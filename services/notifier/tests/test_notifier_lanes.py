"""A receiver that is slow or down takes no slots from the others."""

from contextlib import ExitStack

import pytest
from stemma_messaging import PutOff
from stemma_notifier.delivering import AT_A_TIME, BUSY_S, Lanes


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.req("H7")
def test_only_so_many_notices_of_one_rule_are_on_their_way_and_others_are_not_held_up() -> None:
    lanes = Lanes(5, 60)
    with ExitStack() as inside:
        for _ in range(AT_A_TIME):
            inside.enter_context(lanes.enter("a"))
        with pytest.raises(PutOff) as put_off, lanes.enter("a"):
            pass
        assert put_off.value.delay_s == BUSY_S
        with lanes.enter("b"):
            pass
    with lanes.enter("a"):
        pass


@pytest.mark.req("H7")
def test_a_receiver_that_failed_is_left_alone_twice_as_long_each_time() -> None:
    clock = Clock()
    lanes, rests = Lanes(5, 60, clock), []
    for _ in range(6):
        with lanes.enter("a"):
            rests.append(lanes.failed("a"))
        with pytest.raises(PutOff) as put_off, lanes.enter("a"):
            pass
        assert put_off.value.delay_s == rests[-1]
        clock.now += rests[-1]
    assert rests == [5, 10, 20, 40, 60, 60]


@pytest.mark.req("H7")
def test_after_a_failure_one_notice_is_tried_at_a_time_until_one_arrives() -> None:
    clock = Clock()
    lanes = Lanes(5, 60, clock)
    with lanes.enter("a"):
        lanes.failed("a")
    clock.now += 5
    with lanes.enter("a"):
        with pytest.raises(PutOff), lanes.enter("a"):
            pass
        lanes.succeeded("a")
    with lanes.enter("a"), lanes.enter("a"):
        assert lanes.failed("a") == 5
