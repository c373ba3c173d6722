"""How fast a model was seen to be, how long a call may take by that, and how many calls at a time it takes."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

from .settings import ModelSettings

READ_FOR_ONE_WRITTEN = 8
"""Tokens that a model reads in the time in which it writes one."""
HOSTED_SPEED, OWN_SPEED = 25.0, 4.0
"""Tokens written in a second, as long as nothing was seen of a model: by a provider, or by a machine without a GPU."""
MARGIN = 2.0
USUAL_S, LONGEST_S = 180.0, 3600.0
SILENCE_S, SILENT_TOKENS = 90.0, 200
HOSTED_CALLS, OWN_CALLS, MOST_CALLS = 64, 4, 500
TELLING_WORK = 50
AHEAD_S, CACHED_S = 60.0, 270.0
"""How long calls wait for the first of those that begin alike, and how long a provider's cache certainly keeps it."""
NEWEST = 0.3
"""The weight of the last call in what was seen."""


_LEFT = re.compile(r"(?:llm_provider-)?(?:x|anthropic)-ratelimit-(?=.*remaining)[\w-]*(requests|tokens)[\w-]*")
_PART_OF_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST_PAUSE_S, USUAL_PAUSE_S = 60.0, 5.0
LONGEST_VALUE = 40
"""Characters of a header that are read."""


def left_of(headers: Mapping[str, Any], tokens_a_call: float) -> tuple[float, float] | None:
    """How many calls the scarcest limit of a provider leaves, and seconds until it leaves more; nothing if unsaid."""
    told = {name.lower(): str(value)[:LONGEST_VALUE] for name, value in headers.items()}
    left = list[tuple[float, float]]()
    for name, value in told.items():
        if (found := _LEFT.fullmatch(name)) and value.isdecimal():
            calls = float(value) / (max(1.0, tokens_a_call) if found[1] == "tokens" else 1)
            left.append((calls, _seconds(told.get(name.replace("remaining", "reset"), ""))))
    return min(left, default=None)


def _seconds(told: str) -> float:
    parts = _PART_OF_TIME.findall(told)
    return min(LONGEST_PAUSE_S, sum(float(n) * _SECONDS[unit] for n, unit in parts) if parts else USUAL_PAUSE_S)


class Clock:
    """The time of what makes calls: it stands still while calls wait for their turn and none is at work.

    So do the ``limit`` that the calls are made under, and the clock of which this one is a part.
    """

    def __init__(self, limit: asyncio.Timeout | None = None, around: "Clock | None" = None) -> None:
        self._limit, self._around = limit, around
        self._stood = 0.0
        self._waits, self._works = 0, 0
        self._since: float | None = None
        self._ends: float | None = None

    @property
    def stood(self) -> float:
        """Seconds in which the whole of which it is a part stood still until now."""
        if self._around:
            return self._around.stood
        now = asyncio.get_running_loop().time()
        return self._stood + (now - self._since if self._since is not None else 0.0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A call waits for its turn."""
        self.count(1, 0)
        try:
            yield
        finally:
            self.count(-1, 0)

    @contextmanager
    def working(self) -> Iterator[None]:
        """A call is at work."""
        self.count(0, 1)
        try:
            yield
        finally:
            self.count(0, -1)

    def count(self, waits: int, works: int) -> None:
        """Take note of so many calls more, or fewer, that wait and that are at work."""
        self._waits, self._works = self._waits + waits, self._works + works
        stands, now = self._waits > 0 and not self._works, asyncio.get_running_loop().time()
        if stands and self._since is None:
            self._since, self._ends = now, self._limit.when() if self._limit else None
            self._put_off(None)
        elif not stands and self._since is not None:
            waited, self._since = now - self._since, None
            self._stood += waited
            self._put_off(self._ends and self._ends + waited)
        if self._around is not None:
            self._around.count(waits, works)

    def _put_off(self, ends: float | None) -> None:
        if self._limit is not None and self._ends is not None and not self._limit.expired():
            self._limit.reschedule(ends)


class Pace:
    """Of one model at one server, shared by all that call it in this process."""

    def __init__(self, *, is_own: bool, slots: int | None = None) -> None:
        self._usual = OWN_SPEED if is_own else HOSTED_SPEED
        self._is_own, self._best = is_own, 0.0
        self._seen: float | None = None
        self._fixed = slots is not None
        self._allowed = slots or (OWN_CALLS if is_own else HOSTED_CALLS)
        self._calls = 0
        self._freed = asyncio.Condition()
        self._tokens_a_call, self._on_from = 0.0, 0.0
        self._left: float | None = None
        self._firsts: dict[str, tuple[asyncio.Event, float]] = {}

    @property
    def allowed(self) -> int:
        """How many calls at a time."""
        return self._allowed

    @property
    def is_local(self) -> bool:
        """Whether it is a machine of the user's that told what it takes: what it writes too much, it writes slowly."""
        return self._is_own and self._fixed

    @property
    def speed(self) -> float:
        """Tokens that it writes in a second."""
        return self._seen or self._usual

    @property
    def slowness(self) -> float:
        """By what limits are multiplied that are meant for a provider's model."""
        return max(1.0, HOSTED_SPEED / self.speed)

    def patience(self, read: int, written: int) -> float:
        """Seconds for a call with a prompt and an answer of so many tokens."""
        return min(LONGEST_S, max(USUAL_S, MARGIN * _work(read, written) / self.speed))

    @property
    def silence(self) -> float:
        """Seconds between two pieces of an answer."""
        return min(LONGEST_S, max(SILENCE_S, SILENT_TOKENS / self.speed))

    def saw(self, read: int, written: int, seconds: float) -> None:
        """Take note of a call that was answered; a short one tells of the way there, and not of the speed."""
        size = read + written
        self._tokens_a_call = NEWEST * size + (1 - NEWEST) * self._tokens_a_call if self._tokens_a_call else size
        work = _work(read, written)
        if work < TELLING_WORK or seconds <= 0:
            return
        speed = work / seconds
        self._seen = speed if self._seen is None else NEWEST * speed + (1 - NEWEST) * self._seen
        self._best = max(self._best, speed)
        # A provider says itself what is too much; a machine of one's own only becomes slow.
        keeps_up = not self._is_own or speed >= self._best / 2
        if keeps_up and (self._left is None or self._left >= self._allowed + 1):
            self._adapt(self._allowed + 1)

    def told(self, headers: Mapping[str, Any]) -> None:
        """Take note of what a provider's limits leave: fewer calls at a time near their end, none until it is back."""
        found = left_of(headers, self._tokens_a_call)
        self._left, back_s = found or (None, 0.0)
        if self._left is None or self._left >= self._allowed:
            return
        self._adapt(int(self._left))
        if self._left < 1:
            self._on_from = asyncio.get_running_loop().time() + back_s

    def refused(self) -> None:
        """Take note of a call that was too much for the provider's limits."""
        self._adapt(self._allowed // 2)

    def gave_up(self) -> None:
        """Take note of a call that was not answered in time: the next one may take longer."""
        self._seen = self.speed / 2
        self.refused()

    def _adapt(self, allowed: int) -> None:
        if not self._fixed:
            self._allowed = min(MOST_CALLS, max(1, allowed))

    @asynccontextmanager
    async def turn(self, clock: "Clock | None" = None) -> AsyncIterator[None]:
        """Wait until one more call can be made; what waits here takes no time from the call, nor from its ``clock``."""
        clock = clock or Clock()
        with clock.waiting():
            async with self._freed:
                await self._freed.wait_for(lambda: self._calls < self._allowed)
                self._calls += 1
        try:
            with clock.waiting():
                await asyncio.sleep(max(0.0, self._on_from - asyncio.get_running_loop().time()))
            with clock.working():
                yield
        finally:
            self._calls -= 1
            async with self._freed:
                self._freed.notify_all()

    @asynccontextmanager
    async def behind_first(self, start: str, clock: "Clock | None" = None) -> AsyncIterator[Callable[[], None]]:
        """Let the first of the calls with the same start go ahead: the others find its prompt in the provider's cache.

        They wait until it has ended, or called what this gives, and never longer than `AHEAD_S`, which takes no time
        from the ``clock``. A call with an empty start waits for none.
        """
        now, read = asyncio.get_running_loop().time(), asyncio.Event()
        self._firsts = {name: held for name, held in self._firsts.items() if now - held[1] < CACHED_S}
        if first := self._firsts.get(start):
            read = first[0]
            with suppress(TimeoutError), (clock or Clock()).waiting():
                await asyncio.wait_for(read.wait(), AHEAD_S)
        if start:
            self._firsts[start] = read, now
        try:
            yield read.set
        finally:
            read.set()


def _work(read: int, written: int) -> float:
    return max(0, read) / READ_FOR_ONE_WRITTEN + max(0, written)


_PACES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str | None], Pace]] = WeakKeyDictionary()


def known_pace(name: str, api_base: str | None) -> Pace | None:
    """The pace of a model that was called before in this event loop."""
    return _PACES.get(asyncio.get_running_loop(), {}).get((name, api_base))


def pace_of(settings: ModelSettings, slots: int | None = None) -> Pace:
    """The pace of a model in this event loop; ``slots`` are the calls at a time that its server takes, if it tells."""
    paces = _PACES.setdefault(asyncio.get_running_loop(), {})
    made = Pace(is_own=settings.is_own_server, slots=slots)
    return paces.setdefault((settings.name, settings.api_base), made)
