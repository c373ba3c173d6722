"""A hostile world in one process and in no time: a log, a bus and processes that die, all from one seed.

Its clock is turned on when nobody has anything to do, so that a run takes as long as it computes and goes the same way
each time. Whatever awaits may be killed there: a step of a process is what it does between two awaits.
"""

import asyncio
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from stemma_eventlog import AppendUnknown, Conflict, EventLog, NewEvent, Recorded, StreamId
from stemma_eventlog.log import Unreadable


class Stuck(Exception):
    """Nothing will ever happen again, or the same for ever, and somebody waits."""


class _Clock(selectors.SelectSelector):
    """Waits for no time: it is turned on by as long as it would be waited. No file is ever ready: there is none."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck
        self.now += timeout
        return []


class InstantLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is that of its own clock."""

    def __init__(self) -> None:
        self._turned = _Clock()
        super().__init__(self._turned)

    def time(self) -> float:
        return self._turned.now


@dataclass(frozen=True)
class Chances:
    """How likely each fault is where it can happen.

    A message comes twice, an acknowledgement is lost, an append does not arrive or is not answered, and a process dies
    at any step of what it does with a message.
    """

    twice: float = 0.15
    ack_lost: float = 0.1
    append_lost: float = 0.05
    append_unanswered: float = 0.05
    kill: float = 0.15


@dataclass
class World:
    """The chance of everything in a run, and the faults that there were."""

    chance: Random
    chances: Chances = Chances()
    faults: Counter[str] = field(default_factory=Counter)

    async def step(self) -> None:
        """Others may go on here, and a process may die."""
        await self.wait(0.01)

    async def wait(self, about: float) -> None:
        """Wait for some seconds of the world's clock."""
        await asyncio.sleep(self.chance.expovariate(1 / about))

    def happens(self, fault: str) -> bool:
        """Whether a fault that `Chances` names happens now."""
        found = bool(self.chance.random() < getattr(self.chances, fault))
        self.faults[fault] += found
        return found


class HostileEventLog:
    """A log whose answers come late or never; what was appended and was not, it does not tell then."""

    def __init__(self, log: EventLog, world: World) -> None:
        self._log = log
        self._world = world

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        await self._world.step()
        return await self._log.read(stream, after)

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        await self._world.step()
        if self._world.happens("append_lost"):
            raise AppendUnknown("it did not arrive")
        try:
            last = await self._log.append(stream, expected, events)
        except Conflict:
            self._world.faults["conflict"] += 1
            raise
        await self._world.step()
        if self._world.happens("append_unanswered"):
            raise AppendUnknown("it arrived")
        return last


HANDLING_S = 0.06
"""About as long as a message is handled."""
Handler = Callable[[Any], Awaitable[None]]


class Process:
    """What handles messages until it is killed, and begins anew with nothing in mind."""

    def __init__(self, world: World, make: Callable[[], Handler]) -> None:
        self._world = world
        self._make = make
        self._handler = make()
        self._running: dict[asyncio.Task[None], None] = {}

    async def handle(self, message: Any) -> bool:
        """Whether it came to its end."""
        if self._world.happens("kill"):
            asyncio.get_running_loop().call_later(self._world.chance.uniform(0, HANDLING_S), self.kill)
        task = asyncio.ensure_future(self._handled(self._handler, message))
        self._running[task] = None
        await asyncio.wait({task})
        self._running.pop(task, None)
        if not task.cancelled() and (error := task.exception()):
            raise error
        return not task.cancelled()

    @staticmethod
    async def _handled(handler: Handler, message: Any) -> None:
        await handler(message)

    def kill(self) -> None:
        for task in [*self._running]:
            task.cancel()
        self._handler = self._make()


class MemoryBus:
    """Delivers each message to one of the processes of its name, at least once, in any order.

    What a process raises of ``again`` is no acknowledgement, like its death.
    """

    def __init__(self, world: World, again: tuple[type[Exception], ...] = ()) -> None:
        self._world = world
        self._again = again
        self._processes: dict[str, list[Process]] = {}
        self._deliveries: set[asyncio.Task[None]] = set()
        self.failed: list[BaseException] = []

    def serve(self, name: str, *processes: Process) -> None:
        self._processes[name] = [*processes]

    def send(self, name: str, message: Any) -> None:
        """Never lost from here on."""
        for _ in range(2 if self._world.happens("twice") else 1):
            delivery = asyncio.ensure_future(self._delivered(name, message))
            self._deliveries.add(delivery)
            delivery.add_done_callback(self._ended)

    def _ended(self, delivery: asyncio.Task[None]) -> None:
        self._deliveries.discard(delivery)
        if not delivery.cancelled() and (error := delivery.exception()):
            self.failed.append(error)

    async def _delivered(self, name: str, message: Any) -> None:
        while True:
            await asyncio.sleep(self._world.chance.expovariate(1))
            process = self._world.chance.choice(self._processes[name])
            try:
                is_done = await process.handle(message)
            except self._again as error:
                self._world.faults[type(error).__name__] += 1
                is_done = False
            if is_done and not self._world.happens("ack_lost"):
                return

    async def settled(self) -> None:
        """Wait until every message was delivered and acknowledged. Raises `Stuck` if one still comes after an hour."""
        try:
            async with asyncio.timeout(3600):
                while self._deliveries:
                    await asyncio.wait({*self._deliveries})
        except TimeoutError:
            raise Stuck("a message comes again and again") from None


def simulated(main: Callable[[], Awaitable[None]]) -> None:
    """Run a world to its end."""

    async def run() -> None:
        await main()

    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        runner.run(run())
