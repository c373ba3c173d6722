"""Signs of life: who gives them, and that they cost nothing where they are not needed."""

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
from stemma_messaging.delivery import Held, Incoming, Terms
from stemma_messaging.middlewares import Heartbeat

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from stemma_messaging.delivery import Delivery

TERMS = Terms(waits_s=(0.3, 60.0))
"""Three signs in the first wait."""


class Signs:
    """A message of a server that counts the signs of life that it is given, and who gave them."""

    def __init__(self, enough: int) -> None:
        self.by: list[asyncio.Task[Any] | None] = []
        self._enough, self.came = enough, asyncio.Event()

    async def in_progress(self) -> None:
        self.by.append(asyncio.current_task())
        if len(self.by) >= self._enough:
            self.came.set()
        for _ in range(10):  # as a connection may that has much to send
            await asyncio.sleep(0)


def incoming(message: Signs, terms: Terms = TERMS) -> Incoming:
    held = Held(cast("Msg", message), cast("Delivery", None), terms)
    return Incoming(held, raw_message=None, body=b"")


async def until_signs_came(message: Incoming) -> None:
    await asyncio.wait_for(cast("Signs", message.held.message).came.wait(), 20)


@pytest.mark.req("E1")
async def test_messages_that_are_worked_on_together_give_their_signs_together() -> None:
    heartbeat, messages = Heartbeat(), [Signs(2) for _ in range(50)]

    await asyncio.gather(*(heartbeat(until_signs_came, incoming(one)) for one in messages))

    assert len({giver for one in messages for giver in one.by}) < 10


@pytest.mark.req("E1")
async def test_messages_that_came_one_after_the_other_soon_give_their_signs_together() -> None:
    """They come within two thirds of the time between two signs."""
    heartbeat, messages = Heartbeat(), [Signs(4) for _ in range(10)]

    async def come(number: int) -> None:
        await asyncio.sleep(number * TERMS.beat_every_s / 15)
        await heartbeat(until_signs_came, incoming(messages[number]))

    await asyncio.gather(*(come(number) for number in range(10)))

    assert len({one.by[-1] for one in messages}) < 4


@pytest.mark.req("E1")
async def test_a_message_that_is_settled_when_its_sign_is_due_gives_none() -> None:
    """A sign would undo the delay after which it is to come again."""
    heartbeat, settled, working = Heartbeat(), Signs(1), Signs(1)

    async def settle_the_other(_: Any) -> None:
        """While the sign of this one is given, which is due together with that of the other, but before it."""
        other = asyncio.create_task(heartbeat(until_signs_came, incoming(settled)))
        await until_signs_came(incoming(working))
        other.cancel()

    await heartbeat(settle_the_other, incoming(working))
    await heartbeat(until_signs_came, incoming(Signs(2)))

    assert (len(working.by), settled.by) == (1, [])


@pytest.mark.req("E1")
async def test_a_message_that_is_done_before_its_first_sign_is_due_gives_none() -> None:
    heartbeat, soon_done, long = Heartbeat(), Signs(1), Signs(1)

    async def at_once(_: Any) -> None:
        """Done."""

    await heartbeat(at_once, incoming(soon_done))
    await heartbeat(until_signs_came, incoming(long))

    assert (len(soon_done.by), len(long.by)) == (0, 1)


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
