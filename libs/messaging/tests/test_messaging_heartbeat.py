"""Signs of life of the messages that are worked on."""

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
from stemma_messaging.delivery import Held, Incoming, Terms
from stemma_messaging.middlewares import heartbeat

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from stemma_messaging.delivery import Delivery

TERMS = Terms(waits_s=(0.3, 60.0))
"""Three signs in the first wait."""


class Signs:
    """A message of a server that counts the signs of life that it is given."""

    def __init__(self, enough: int) -> None:
        self.given = 0
        self._enough, self.came = enough, asyncio.Event()

    async def in_progress(self) -> None:
        self.given += 1
        if self.given >= self._enough:
            self.came.set()


def incoming(message: Signs, terms: Terms = TERMS) -> Incoming:
    held = Held(cast("Msg", message), cast("Delivery", None), terms)
    return Incoming(held, raw_message=None, body=b"")


async def until_signs_came(message: Incoming) -> None:
    await asyncio.wait_for(cast("Signs", message.held.message).came.wait(), 20)


@pytest.mark.req("E1")
async def test_a_message_that_is_worked_on_gives_signs_until_it_is_settled() -> None:
    """A sign later would undo the delay after which it is to come again."""
    settled, working = Signs(2), Signs(4)

    await heartbeat(until_signs_came, incoming(settled))
    await heartbeat(until_signs_came, incoming(working))

    assert (settled.given, working.given) == (2, 4)


@pytest.mark.req("E1")
async def test_a_message_that_is_done_before_its_first_sign_is_due_gives_none() -> None:
    soon_done, long = Signs(1), Signs(1)

    async def at_once(_: Any) -> None:
        """Done."""

    await heartbeat(at_once, incoming(soon_done))
    await heartbeat(until_signs_came, incoming(long))

    assert (soon_done.given, long.given) == (0, 1)


def test_a_sign_is_given_at_a_third_of_the_shortest_wait() -> None:
    assert [Terms(waits).beat_every_s for waits in ((3.0, 6.0, 12.0), (10.0,))] == [1.0, pytest.approx(10 / 3)]


@pytest.mark.parametrize(
    ("delay_s", "deliveries", "asked_s"), [(5, 1, 5), (10, 2, 7), (20, 3, 11), (160, 8, 151), (0.5, 3, -8.5)]
)
def test_a_delay_is_asked_for_less_what_the_server_waits_longer_for_a_later_delivery(
    delay_s: float, deliveries: int, asked_s: float
) -> None:
    assert Terms((3.0, 6.0, 12.0)).to_ask_s(delay_s, deliveries) == asked_s


def test_no_delay_is_asked_for_as_none() -> None:
    assert 0 < Terms((3.0, 6.0, 12.0)).to_ask_s(9, 3) < 1e-8
