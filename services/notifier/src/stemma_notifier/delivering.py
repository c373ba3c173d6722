"""One attempt to tell somebody, and what it means for the next."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from stemma_contracts.v1.notifications import NotificationRule
from stemma_messaging import GivenUp, PutOff

from .adapters import Attempts
from .notices import Links, Notice
from .sending import Mail, NotSent, Refused, Webhook

AT_A_TIME = 4
BUSY_S = 2.0


@dataclass
class _Lane:
    inside: int = 0
    failures: int = 0
    rests_until: float = 0.0


class Lanes:
    """For each rule, how many of its notices are on their way, and until when its receiver is left alone.

    Of one whose receiver failed, one notice at a time is tried, after a rest that doubles with each failure.
    """

    def __init__(self, rest_s: float, longest_rest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rest_s = rest_s
        self._longest_s = longest_rest_s
        self._clock = clock
        self._lanes: dict[str, _Lane] = {}

    @contextmanager
    def enter(self, rule: str) -> Iterator[None]:
        """Try a notice in this block; raises `PutOff` where it has to wait."""
        if rests := self.rests(rule):
            raise PutOff(rests, "its receiver failed and is left alone")
        lane = self._lanes.setdefault(rule, _Lane())
        if lane.inside >= (1 if lane.failures else AT_A_TIME):
            raise PutOff(BUSY_S, "others of its rule are on their way")
        lane.inside += 1
        try:
            yield
        finally:
            lane.inside -= 1
            if not lane.inside and not lane.failures:
                del self._lanes[rule]

    def rests(self, rule: str) -> float:
        lane = self._lanes.get(rule)
        return max(0.0, lane.rests_until - self._clock()) if lane else 0.0

    def succeeded(self, rule: str) -> None:
        """The receiver is well: what failed before counts no more."""
        lane = self._lanes[rule]
        lane.failures, lane.rests_until = 0, 0.0

    def failed(self, rule: str) -> float:
        """The receiver failed; returns for how many seconds it is left alone."""
        lane = self._lanes[rule]
        rest_s = min(self._longest_s, self._rest_s * 2.0 ** min(lane.failures, 20))
        lane.failures += 1
        lane.rests_until = self._clock() + rest_s
        return rest_s


FEWEST_DELIVERIES = 6
"""Before a notice is given up for its age: a clock that jumps is no reason."""


@dataclass(frozen=True)
class NoticeSender:
    """Brings notices to their receivers; one that fails is tried again, for ``give_up_after`` at most."""

    webhook: Webhook
    mail: Mail
    lanes: Lanes
    attempts: Attempts
    give_up_after: timedelta
    links: Links

    async def deliver(self, rule: NotificationRule, notice: Notice, *, since: datetime, deliveries: int) -> None:
        """Raises `PutOff` for another attempt later, and `GivenUp` once it was tried long enough."""
        lane = f"{notice.tenant}.{notice.owner}.{notice.rule_id}"
        is_old = deliveries >= FEWEST_DELIVERIES and datetime.now(UTC) - since > self.give_up_after
        if is_old and self.lanes.rests(lane):
            await self._give_up(notice, "its receiver fails for too long")
        with self.lanes.enter(lane):
            try:
                detail = await self._send(rule, notice)
            except Refused as refused:
                await self._give_up(notice, str(refused))
            except NotSent as error:
                rest_s = self.lanes.failed(lane)
                if is_old:
                    await self._give_up(notice, str(error))
                await self.attempts.note(notice, "failed", str(error))
                raise PutOff(rest_s, str(error)) from None
            self.lanes.succeeded(lane)
            await self.attempts.note(notice, "delivered", detail)

    async def check(self, rule: NotificationRule) -> None:
        """Look whether the receiver of a rule may be told, and tell it nothing; raises `Refused` or `NotSent`."""
        if rule.webhook is not None:
            await self.webhook.check(rule.webhook)
        if rule.email is not None:
            self.mail.check(rule.email)

    async def _send(self, rule: NotificationRule, notice: Notice) -> str:
        if rule.webhook is not None and rule.secret is not None:
            return await self.webhook.send(rule.webhook, rule.secret, notice, self.links.of(notice))
        if rule.email is not None:
            return await self.mail.send(rule.email, notice, self.links.of(notice))
        raise Refused("the rule names nobody")

    async def _give_up(self, notice: Notice, why: str) -> NoReturn:
        await self.attempts.note(notice, "given_up", why)
        raise GivenUp(why)
