"""Pulled, for long jobs: the server hands out as many messages as there are free slots."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig, Header
from stemma_telemetry import get_logger, names

from stemma_messaging.cancellation import end, is_cancelled
from stemma_messaging.delivery import Delivery

from .base import Handle, InFlight, Link, LookUp, Stop, drain_subscription, lookups

EXPIRES_S = 3.0
"""How long a request for messages stands; one that was lost with its server is missed this long and `LATE_S`.

The server takes an empty message without headers for the end of what it sends to another account: a request that meets
one is over, too, and what it would have brought comes again after the consumer's ``ack_wait``."""
LATE_S = 1.0
PAUSE_S = 1.0
_NOTHING_CAME = ("404", "408")
BULK = 1
"""The place of the second consumer; the first has 0."""

Handled = Callable[[Msg], Coroutine[Any, Any, None]]
Needless = Callable[[Msg], Awaitable[bool]]
"""Whether nobody needs a message, so that it is acknowledged and nothing else: it costs a tenth of being handled."""


class Slots:
    """How many messages of two consumers may be handled at a time; those of the first go before those of the second.

    Both ask for messages at the same time, so that more may come than there are slots: those are held and wait.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pace = Pace(count - count // 4, self._tell)
        self._held = [0, 0]
        self._running = 0
        self._waiting: tuple[deque[asyncio.Future[None]], ...] = (deque(), deque())
        self._changed: set[asyncio.Event] = set()

    def room(self, lane: int) -> int:
        """How many more messages of a consumer may come.

        Bulk always goes on with one, and with more as this process keeps up, but for a quarter, which it leaves to the
        others; what of it came at the same time as others, and waits for its turn, takes no room from them.
        """
        free = self._count - sum(self._held)
        if lane == BULK:
            return min(max(free - self._count // 4, 1 - self._held[BULK]), self._pace.width - self._held[BULK])
        return free + len(self._waiting[BULK])

    @asynccontextmanager
    async def turn(self, lane: int, _: Delivery) -> AsyncIterator[None]:
        """Have a slot in this block, once there is one; the message is held meanwhile."""
        await self._turn(self._waiting[lane])
        try:
            yield
        finally:
            self._running -= 1
            self._begin()

    async def _turn(self, waiting: deque[asyncio.Future[None]]) -> None:
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        self._begin()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._running -= 1
            elif turn in waiting:
                waiting.remove(turn)
            self._begin()
            raise

    def _begin(self) -> None:
        for waiting in self._waiting:
            while waiting and self._running < self._count:
                turn = waiting.popleft()
                if not turn.cancelled():
                    self._running += 1
                    turn.set_result(None)
        self._tell()

    def hold(self, lane: int, messages: int) -> None:
        """Hold messages of a consumer, or let them go."""
        self._held[lane] += messages
        if lane == BULK:
            self._pace.use(messages)
        self._tell()

    def _tell(self) -> None:
        for changed in self._changed:
            changed.set()

    def tell(self, changed: asyncio.Event) -> None:
        """Set this event whenever there may be more room."""
        self._changed.add(changed)


class PullLoop:
    """Handles the messages of a pull consumer, each in a task of its own, as there are slots.

    One request stands for all slots that are free, so that jobs that come together begin together; nats-py's ``fetch``
    would hold the first back until the last came or time was up. ``lane`` is the place of the consumer among those that
    share the slots.
    """

    def __init__(
        self,
        nats: Client,
        stream: str,
        durable: str,
        slots: Slots,
        lane: int,
        handle: Handled,
        needless: Needless | None = None,
    ) -> None:
        self._nats = nats
        self._place = (stream, durable)
        self._slots = slots
        self._lane = lane
        self._handle: Handled = handle if needless is None else partial(_unless, needless, handle)
        self._in_flight = InFlight()
        self._subscription: Subscription | None = None
        self._request, self._asked, self._trouble = "", 0, ""
        self._changed = asyncio.Event()
        slots.tell(self._changed)

    async def run(self) -> None:
        """Ask for messages and start work until cancelled."""
        inbox = self._nats.new_inbox()
        self._subscription = await self._nats.subscribe(f"{inbox}.*", cb=self._receive)
        for number in count():
            await self._until(lambda: self._slots.room(self._lane) > 0)
            if is_cancelled():
                return
            if self._nats.is_connected:
                await self._ask(f"{inbox}.{number}")
            else:  # what is published now is sent later, all at once
                await asyncio.sleep(PAUSE_S)
            if self._trouble:
                await self._rest()

    async def _ask(self, inbox: str) -> None:
        """Request as many messages as there is room for; returns when they came, or the request is over, or lost."""
        self._request, self._asked = inbox, self._slots.room(self._lane)
        request = {"batch": self._asked, "expires": int(EXPIRES_S * 1e9)}
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{'.'.join(self._place)}"
        with suppress(TimeoutError):
            async with asyncio.timeout(EXPIRES_S + LATE_S):
                await self._publish(subject, json.dumps(request).encode(), inbox)
                await self._until(lambda: self._asked <= 0)

    async def _publish(self, subject: str, data: bytes, inbox: str) -> None:
        try:
            await self._nats.publish(subject, data, reply=inbox)
        except NatsError as error:
            self._asked, self._trouble = 0, type(error).__name__

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._changed.clear()
            await self._changed.wait()

    async def _rest(self) -> None:
        stream, consumer = self._place
        get_logger().warning(names.Log.PULL_FAILED, stream=stream, consumer=consumer, reason=self._trouble)
        self._trouble = ""
        await asyncio.sleep(PAUSE_S)

    async def _receive(self, message: Msg) -> None:
        """A message to handle, or the word that the request is over; such a word has no address to answer to."""
        if message.reply:
            self._asked -= 1
            self._slots.hold(self._lane, 1)
            self._in_flight.begin(self._handle(message), lambda: self._slots.hold(self._lane, -1))
        elif message.subject == self._request:
            headers = message.headers or {}
            status, told = headers.get(Header.STATUS, ""), headers.get(Header.DESCRIPTION, "")
            self._asked, self._trouble = 0, "" if status in _NOTHING_CAME else f"{status} {told}".strip()
        if self._asked <= 0:
            self._changed.set()

    async def stop(self, grace_s: float) -> None:
        """Take no more messages; work under way may end within ``grace_s`` seconds, then it is given back."""
        if self._subscription is not None:
            await drain_subscription(self._subscription)
        await self._in_flight.drain(grace_s)


async def _unless(needless: Needless, handle: Handled, message: Msg) -> None:
    """Handle a message that somebody may need; while nobody can tell, it is one."""
    with suppress(Exception):
        if await needless(message):
            await message.ack()
            return
    await handle(message)


@dataclass(frozen=True)
class PullDriver:
    """For long work: at most ``slots`` messages at a time, of one consumer or of two.

    Those of the first go before those of the second, which leave it a quarter of the slots and always go on. Of what is
    ``needless`` no handler, log line or measurement hears.
    """

    stream: str
    durables: tuple[str, ...]
    slots: int
    needless: Needless | None = None

    def bound(self) -> Mapping[str, LookUp]:
        """The consumers that it pulls from."""
        return lookups(self.stream, self.durables)

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Pull from each of them, in a loop of its own."""
        slots = Slots(self.slots)
        turns = [partial(handle, turn=partial(slots.turn, lane)) for lane in range(len(self.durables))]
        workers = [
            PullLoop(link.nats, self.stream, durable, slots, lane, turns[lane], self.needless)
            for lane, durable in enumerate(self.durables)
        ]
        loops = [link.loop(worker.run()) for worker in workers]

        async def stop(grace_s: float) -> None:
            await end(loops)
            await asyncio.gather(*(worker.stop(grace_s) for worker in workers))

        return stop


TICK_S = 0.05
BEHIND_S = 0.01
"""A process that comes to its timers later than this has more to do than it can, or others have the processor."""


def paced(width: int, most: int, used: int, late_s: float) -> int:
    """The next width: half of it when late, one more when all of it is used (as congestion is avoided, RFC 5681)."""
    if late_s > BEHIND_S:
        return max(1, width // 2)
    return min(most, width + 1) if used >= width else width


class Pace:
    """The width of what goes on behind other work, from 1 to ``most``; it is looked at while any of it is used.

    ``wider`` is called when there is more room.
    """

    def __init__(self, most: int, wider: Callable[[], None]) -> None:
        self._most = max(1, most)
        self._wider = wider
        self._used = 0
        self._looks = False
        self.width = 1

    def use(self, change: int) -> None:
        """So much more is used, or less."""
        self._used += change
        if self._used and not self._looks:
            self._look_later()

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + TICK_S
        loop.call_at(due, self._look, due)
        self._looks = True

    def _look(self, due: float) -> None:
        self._looks = False
        if not self._used:
            self.width = 1
            return
        before, late_s = self.width, asyncio.get_running_loop().time() - due
        self.width = paced(before, self._most, self._used, late_s)
        self._look_later()
        if self.width > before:
            self._wider()
