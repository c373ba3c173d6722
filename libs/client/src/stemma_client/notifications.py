"""Rules of notification: each person of a tenant has its own, and its programs have theirs together."""

import asyncio
import base64
import secrets
from time import monotonic
from uuid import uuid4

from stemma_contracts import subjects
from stemma_contracts.v1.notifications import (
    MAX_RULES,
    SECRET_PREFIX,
    CheckedReceiver,
    DeliveryAttempt,
    DeliveryLog,
    NotificationRule,
    NotificationRules,
    NotificationTest,
    ReceiverCheck,
)

from .connection import Connection
from .errors import InvalidInputError
from .own_values import OwnValues, read_value

CHECKED_WITHIN_S, LOOKS_EACH_S = 2.0, 0.1
"""For how long the notifier is waited for when a rule is added, and how often its answer is looked for."""
_SECRET_BYTES = 32
_TOO_BUSY = "the rules are changed by somebody else all the time: try again"


def new_secret() -> str:
    """A secret for a webhook; the receiver checks signatures with it."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


class Notifications(OwnValues[NotificationRules]):
    """The rules of whoever is connected: of a person that is logged in, else of the programs of the tenant."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, subjects.RULES_BUCKET, NotificationRules)
        self._key = subjects.rules_key(self._tenant, self._owner)

    async def rules(self) -> tuple[NotificationRule, ...]:
        """The rules as they stand."""
        return (await self._read(self._key))[0].rules

    async def add(self, rule: NotificationRule) -> str:
        """Add a rule; returns why its receiver may not be told yet, empty if nothing is known against it.

        Raises `InvalidInputError`, and adds nothing, if there is a rule of its name, if there are as many as may be, or
        if the notifier will never send anything to its receiver.
        """
        check = ReceiverCheck(rule_id=rule.rule_id, check_id=uuid4().hex)

        def added(known: NotificationRules) -> NotificationRules:
            if any(one.rule_id == rule.rule_id for one in known.rules):
                raise InvalidInputError(f"there is a rule {rule.rule_id} already")
            if len(known.rules) >= MAX_RULES:
                raise InvalidInputError(f"there are {MAX_RULES} rules, and no more may be")
            return NotificationRules(rules=(*known.rules, rule), check=check)

        await self._change(self._key, added, _TOO_BUSY)
        found = await self._checked(check)
        if found is None:
            return "no notifier has looked at its receiver yet"
        if found.refused:
            await self._change(self._key, lambda known: _without(known, rule.rule_id), _TOO_BUSY)
            field = "webhook" if rule.webhook else "email"
            raise InvalidInputError(f"{field} of the rule {rule.rule_id}: {found.refused}")
        return found.doubt

    async def _checked(self, check: ReceiverCheck) -> CheckedReceiver | None:
        """What the notifier says of a receiver, if it says it soon."""
        deadline = monotonic() + CHECKED_WITHIN_S
        while monotonic() < deadline:
            log = await self._log(check.rule_id)
            if log.checked is not None and log.checked.check_id == check.check_id:
                return log.checked
            await asyncio.sleep(LOOKS_EACH_S)
        return None

    async def remove(self, rule_id: str) -> None:
        """Take a rule away; what still waits for its receiver is not sent. Raises `InvalidInputError`."""

        def removed(known: NotificationRules) -> NotificationRules:
            _check_there(known, rule_id)
            return _without(known, rule_id)

        await self._change(self._key, removed, _TOO_BUSY)

    async def test(self, rule_id: str) -> None:
        """Have the receiver of a rule told of nothing; `log` says what came of it. Raises `InvalidInputError`."""

        def tested(known: NotificationRules) -> NotificationRules:
            _check_there(known, rule_id)
            return NotificationRules(rules=known.rules, test=NotificationTest(rule_id=rule_id, test_id=uuid4().hex))

        await self._change(self._key, tested, _TOO_BUSY)

    async def log(self, rule_id: str) -> tuple[DeliveryAttempt, ...]:
        """The latest attempts of a rule, the oldest first."""
        return (await self._log(rule_id)).attempts

    async def _log(self, rule_id: str) -> DeliveryLog:
        key = subjects.deliveries_key(self._tenant, self._owner, rule_id)
        data, _ = await read_value(self._connection, subjects.DELIVERIES_BUCKET, key)
        return DeliveryLog.model_validate_json(data)


def _check_there(known: NotificationRules, rule_id: str) -> None:
    if all(one.rule_id != rule_id for one in known.rules):
        raise InvalidInputError(f"there is no rule {rule_id}; see `stemma notify list`")


def _without(known: NotificationRules, rule_id: str) -> NotificationRules:
    return NotificationRules(rules=tuple(one for one in known.rules if one.rule_id != rule_id))
