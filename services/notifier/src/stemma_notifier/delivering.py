"""One attempt to tell somebody, and what it means for the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from stemma_contracts.v1.notifications import NotificationRule
from stemma_messaging import GivenUp, PutOff

from .adapters.attempts import Attempts
from .lanes import Lanes
from .links import Links
from .notices import Notice
from .sending import Mail, NotSent, Refused, Webhook

FEWEST_DELIVERIES = 6
"""Before a notice is given up for its age: a clock that jumps is no reason."""

NO_LINKS = Links()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Courier:
    """Brings notices to their receivers; one that fails is tried again, for ``give_up_after`` at most."""

    webhook: Webhook
    mail: Mail
    lanes: Lanes
    attempts: Attempts
    give_up_after: timedelta
    links: Links = NO_LINKS
    now: Callable[[], datetime] = _now

    async def deliver(self, rule: NotificationRule, notice: Notice, *, since: datetime, deliveries: int) -> None:
        """Raises `PutOff` for another attempt later, and `GivenUp` once it was tried long enough."""
        lane = f"{notice.tenant}.{notice.owner}.{notice.rule_id}"
        is_old = deliveries >= FEWEST_DELIVERIES and self.now() - since > self.give_up_after
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
