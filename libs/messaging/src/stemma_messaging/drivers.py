"""What brings messages to the subscribers: pushed, pulled into slots, or the latest of each key.

FastStream has loops of its own; `stemma_messaging.feeding` says why they are not used.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Protocol

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo, Header
from nats.js.errors import NotFoundError
from stemma_telemetry import get_logger, names

from .cancellation import end, is_cancelled
from .delivery import Delivery, Turn
from .outages import reason_of
from .turns import OneByOne, Turns

API_TIMEOUT_S = 10.0
LookUp = Callable[[JetStreamContext], Awaitable[ConsumerInfo]]
Stop = Callable[[float], Awaitable[None]]


class Handle(Protocol):
    """Handles a message and settles it, in its turn where it has to wait for one."""

    def __call__(self, message: Msg, turn: Turn | None = None) -> Coroutine[Any, Any, None]:
        """Raises `asyncio.CancelledError` alone."""


@dataclass(frozen=True)
class Link:
    """The connection, and how a driver says that it cannot go on."""

    nats: Client
    fail: Callable[[str], None]

    def loop(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a loop; the process must end where it ends by itself."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._on_end)
        return task

    def _on_end(self, loop: asyncio.Task[None]) -> None:
        if not loop.cancelled():
            self.fail(f"a pull loop ended: {type(loop.exception()).__name__}")


class Driver(Protocol):
    """Binds to consumers that were provisioned, and never makes one."""

    @property
    def stream(self) -> str:
        """The stream whose subscribers it feeds."""

    def bound(self) -> Mapping[str, LookUp]:
        """What must be there, by name, and how it is looked up; the consumers are otherwise alike."""

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Take messages from now on; what it gives back takes no more of them and lets work under way end."""


def handled_in_turn(handle: Handle, turns: OneByOne | None) -> Callable[[Msg], Coroutine[Any, Any, None]]:
    """Handle messages as it is their tenant's turn, if turns are given."""
    return handle if turns is None else partial(handle, turn=turns.of)


def _lookups(stream: str, durables: tuple[str, ...]) -> Mapping[str, LookUp]:
    return {f"{stream}/{durable}": partial(_consumer, stream, durable) for durable in durables}


async def _consumer(stream: str, durable: str, jetstream: JetStreamContext) -> ConsumerInfo:
    info: ConsumerInfo = await jetstream.consumer_info(stream, durable)
    return info


async def _any_of(stream: str, jetstream: JetStreamContext) -> ConsumerInfo:
    for info in await jetstream.consumers_info(stream):
        return info
    raise NotFoundError(description=f"{stream} has no consumer")


DRAIN_TIMEOUT_S = 2.0


async def drain_subscription(subscription: Subscription) -> None:
    """Receive nothing more but what the server has sent already."""
    with suppress(NatsError, TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            await subscription.drain()  # type: ignore[no-untyped-call]


class InFlight:
    """Work that was begun and has not ended."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], ended: Callable[[], object] | None = None) -> None:
        """Begin work; ``ended`` is called at its end, however it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if ended is not None:
            task.add_done_callback(lambda _: ended())

    async def drain(self, grace_s: float) -> None:
        """Let work end within ``grace_s`` seconds; what does not is cancelled, which gives it back."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=grace_s)
        await end(late)


@dataclass(frozen=True)
class PushDriver:
    """For short handlers: the server delivers up to each consumer's ``max_ack_pending`` messages at a time.

    Each is handled in a task of its own, so that none waits without a heartbeat; with ``turns``, by tenants in turn.
    Without ``durables`` each tenant has a consumer of its own, later ones too; all deliver to one subject.
    """

    stream: str
    durables: tuple[str, ...] = ()
    turns: OneByOne | None = None

    def bound(self) -> Mapping[str, LookUp]:
        """The consumers that deliver to it."""
        return _lookups(self.stream, self.durables) if self.durables else {self.stream: partial(_any_of, self.stream)}

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Subscribe once for all of them, each message to one of those who have their group."""
        in_flight, in_turn = InFlight(), handled_in_turn(handle, self.turns)

        async def receive(message: Msg) -> None:
            """What another consumer was made to deliver here is none of ours and is left alone."""
            meta = message.metadata
            if meta.stream == self.stream and (not self.durables or meta.consumer in self.durables):
                in_flight.begin(in_turn(message))

        where, group = config.deliver_subject or "", config.deliver_group or ""
        subscription = await link.nats.subscribe(where, queue=group, cb=receive)

        async def stop(grace_s: float) -> None:
            await drain_subscription(subscription)
            await in_flight.drain(grace_s)

        return stop


PULL_TIMEOUT_S = 3.0
"""How long a fetch waits; after a restart of the server this bounds how long the lost one is waited for."""
BATCH = 256
COLLECT_S = 0.02
"""How long messages are collected that come together."""
ROUND_RESTS = 9.0
"""How many times as long as a round took the rest after it is at least: read models have a tenth of the time."""
MOST_ROUND_REST_S = 1.0


@dataclass(frozen=True)
class CompactingDriver:
    """For read models: of the messages that wait, the last of each ``key`` of a subject is handled.

    Those before it are acknowledged with it. A round is what comes within ``collect_s`` seconds, at most ``batch``
    messages. After each it rests for ``rest_s`` seconds or longer, in which more messages of one key gather. With
    ``turns`` rounds are taken from tenants in turn.
    """

    stream: str
    durable: str
    key: Callable[[str], Hashable]
    rest_s: float
    turns: OneByOne | None = None
    batch: int = BATCH
    collect_s: float = COLLECT_S

    def bound(self) -> Mapping[str, LookUp]:
        """The consumer that it pulls from."""
        return _lookups(self.stream, (self.durable,))

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Pull in a loop; a round under way is given back at the end."""
        jetstream = link.nats.jetstream(timeout=API_TIMEOUT_S)
        loop = link.loop(self.run(jetstream, handled_in_turn(handle, self.turns)))

        async def stop(_: float) -> None:
            await end([loop])

        return stop

    async def run(self, jetstream: JetStreamContext, handle: Callable[[Msg], Awaitable[None]]) -> None:
        """Fetch and handle until cancelled."""
        subscription = await jetstream.pull_subscribe_bind(self.durable, stream=self.stream)
        now = asyncio.get_running_loop().time
        try:
            while not is_cancelled():
                if messages := await self._waiting(subscription):
                    began = now()
                    await self._round(messages, handle)
                    await asyncio.sleep(rest_after(now() - began, self.rest_s))
        finally:
            with suppress(NatsError):
                await subscription.unsubscribe()

    async def _waiting(self, subscription: JetStreamContext.PullSubscription) -> list[Msg]:
        first = await self._fetched(subscription, 1, PULL_TIMEOUT_S)
        return first and first + await self._fetched(subscription, self.batch - 1, self.collect_s)

    async def _fetched(self, subscription: JetStreamContext.PullSubscription, most: int, timeout_s: float) -> list[Msg]:
        try:
            return await subscription.fetch(most, timeout=timeout_s)
        except TimeoutError:  # of nats-py, or the bare one that it lets through under load
            return []
        except NatsError as error:
            place, reason = {"stream": self.stream, "consumer": self.durable}, reason_of(error)
            get_logger().warning(names.Log.PULL_FAILED, **place, error=error, reason=reason)
            await asyncio.sleep(PAUSE_S)
            return []

    async def _round(self, messages: list[Msg], handle: Callable[[Msg], Awaitable[None]]) -> None:
        in_order = sorted(messages, key=lambda message: message.metadata.sequence.stream)  # some may come again
        latest = {self.key(message.subject): message for message in in_order}
        await asyncio.gather(*(handle(message) for message in latest.values()))
        for message in messages:
            if latest[self.key(message.subject)] is not message:
                await message.ack()


def rest_after(took_s: float, rest_s: float) -> float:
    """How long to rest after a round: the more there is to do, the longer, so that more is written at once."""
    return max(rest_s, min(MOST_ROUND_REST_S, ROUND_RESTS * took_s))


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


class Slots:
    """How many messages of two consumers may be handled at a time; those of the first go before those of the second.

    Both ask for messages at the same time, so that more may come than there are slots: those are held and wait.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._turns = Turns(count, by_rank=True)
        self._pace = Pace(count - count // 4, self._tell)
        self._held = [0, 0]
        self._changed: set[asyncio.Event] = set()

    def room(self, lane: int) -> int:
        """How many more messages of a consumer may come.

        Bulk always goes on with one, and with more as this process keeps up, but for a quarter, which it leaves to the
        others; what of it came at the same time as others, and waits for its turn, takes no room from them.
        """
        free = self._count - sum(self._held)
        if lane == BULK:
            return min(max(free - self._count // 4, 1 - self._held[BULK]), self._pace.width - self._held[BULK])
        return free + self._turns.waiting(str(BULK))

    @asynccontextmanager
    async def turn(self, lane: int, _: Delivery) -> AsyncIterator[None]:
        """Have a slot in this block, once there is one; the message is held meanwhile."""
        self._tell()
        async with self._turns.turn(str(lane)):
            yield

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
    ) -> None:
        self._nats = nats
        self._place = (stream, durable)
        self._slots = slots
        self._lane = lane
        self._handle = handle
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


@dataclass(frozen=True)
class PullDriver:
    """For long work: at most ``slots`` messages at a time, of one consumer or of two.

    Those of the first go before those of the second, which leave it a quarter of the slots and always go on.
    """

    stream: str
    durables: tuple[str, ...]
    slots: int

    def bound(self) -> Mapping[str, LookUp]:
        """The consumers that it pulls from."""
        return _lookups(self.stream, self.durables)

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Pull from each of them, in a loop of its own."""
        slots = Slots(self.slots)
        turns = [partial(handle, turn=partial(slots.turn, lane)) for lane in range(len(self.durables))]
        workers = [
            PullLoop(link.nats, self.stream, durable, slots, lane, turns[lane])
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
