"""What lies in NATS: rules, notices that wait, what became of attempts, and summaries of documents."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from nats.js import JetStreamContext
from nats.js.api import Header
from nats.js.errors import APIError, NotFoundError
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken, check_token
from stemma_contracts.v1.notifications import (
    CheckedReceiver,
    DeliveryAttempt,
    DeliveryLog,
    NotificationRule,
    NotificationRules,
)
from stemma_contracts.v1.summary import DocumentSummary
from stemma_messaging import Publisher
from stemma_telemetry import get_logger

from stemma_notifier.notices import Notice

RULES, RULES_PREFIX = f"KV_{subjects.RULES_BUCKET}", f"$KV.{subjects.RULES_BUCKET}."
DELIVERIES = f"KV_{subjects.DELIVERIES_BUCKET}"
KEPT = 50
WRITES = 20
_CONFLICTS = (10071, 10164)
_FULL = "maximum messages per subject exceeded"
Owned = tuple[str, NotificationRule]
Result = Literal["delivered", "failed", "given_up", "dropped"]
log = get_logger()


def read_rules(data: bytes) -> NotificationRules | None:
    """The rules in a value of the bucket, None if nobody can read them."""
    try:
        return NotificationRules.model_validate_json(data)
    except ValidationError:
        return None


class Rules:
    """The rules in the bucket; what is none is left out and told to operators."""

    def __init__(self, jetstream: JetStreamContext) -> None:
        self._js = jetstream
        self._known: dict[str, tuple[int, list[Owned]]] = {}
        self._reading: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of_tenant(self, tenant: str) -> list[Owned]:
        """Every rule of a tenant, with its owner; after a change they are read once for all events that ask."""
        info = await self._js.stream_info(RULES, subjects_filter=f"{RULES_PREFIX}{check_token(tenant, 'tenant')}.*")
        async with self._reading[tenant]:
            as_of, known = self._known.get(tenant, (-1, []))
            if as_of != info.state.last_seq:
                owners = [key.rpartition(".")[2] for key in sorted(info.state.subjects or {})]
                known = [(owner, rule) for owner in owners for rule in await self._of(tenant, owner)]
                self._known[tenant] = (info.state.last_seq, known)
            return known

    async def find(self, tenant: str, owner: str, rule_id: str) -> NotificationRule | None:
        return next((rule for rule in await self._of(tenant, owner) if rule.rule_id == rule_id), None)

    async def _of(self, tenant: str, owner: str) -> tuple[NotificationRule, ...]:
        try:
            stored = await self._js.get_last_msg(RULES, f"{RULES_PREFIX}{subjects.rules_key(tenant, owner)}")
        except (NotFoundError, InvalidToken):
            return ()
        known = read_rules(stored.data or b"{}")
        if known is None:
            log.warning("rules_skipped", tenant=tenant, owner=owner)
        return known.rules if known else ()


class Attempts:
    def __init__(self, jetstream: JetStreamContext) -> None:
        self._js = jetstream

    async def note(self, notice: Notice, result: Result, detail: str) -> None:
        attempt = DeliveryAttempt(
            notice_id=notice.notice_id,
            occasion=notice.occasion,
            document_id=notice.document_id,
            section_id=notice.sections[0].section_id if notice.sections else None,
            at=datetime.now(UTC),
            result=result,
            detail=detail[:200],
        )

        def noted(known: DeliveryLog) -> DeliveryLog:
            return known.model_copy(update={"attempts": (*known.attempts, attempt)[-KEPT:]})

        await self._change(notice.tenant, notice.owner, notice.rule_id, noted)

    async def checked(self, tenant: str, owner: str, rule_id: str, checked: CheckedReceiver) -> None:
        await self._change(tenant, owner, rule_id, lambda known: known.model_copy(update={"checked": checked}))

    async def _change(
        self, tenant: str, owner: str, rule_id: str, change: Callable[[DeliveryLog], DeliveryLog]
    ) -> None:
        """Write what ``change`` makes of a log; it is read again if another process wrote it meanwhile."""
        subject = f"$KV.{subjects.DELIVERIES_BUCKET}.{subjects.deliveries_key(tenant, owner, rule_id)}"
        for _ in range(WRITES):
            known, sequence = await self._read(subject)
            headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(sequence)}
            data = change(known).model_dump_json().encode()
            try:
                await self._js.publish(subject, data, stream=DELIVERIES, headers=headers)
            except APIError as error:
                if error.err_code not in _CONFLICTS:
                    raise
            else:
                return
        log.warning("attempt_not_noted", tenant=tenant, owner=owner, rule_id=rule_id)

    async def _read(self, subject: str) -> tuple[DeliveryLog, int]:
        try:
            stored = await self._js.get_last_msg(DELIVERIES, subject, direct=True)
        except NotFoundError:
            return DeliveryLog(), 0
        try:
            return DeliveryLog.model_validate_json(stored.data or b"{}"), stored.seq or 0
        except ValidationError:
            return DeliveryLog(), stored.seq or 0


class RuleFull(Exception):
    """As many notices of the rule wait as may."""


async def queue(publisher: Publisher, notice: Notice) -> None:
    """Store a notice until it is delivered; the same again changes nothing. Raises `RuleFull`."""
    subject = subjects.notice(notice.tenant, notice.owner, notice.rule_id)
    headers = {Header.MSG_ID: notice.notice_id, "ce-id": notice.notice_id}
    try:
        await publisher.store(subject, notice.model_dump_json(exclude_defaults=True).encode(), headers)
    except APIError as error:
        if error.description == _FULL:
            raise RuleFull(notice.rule_id) from None
        raise


class Summaries:
    def __init__(self, jetstream: JetStreamContext) -> None:
        self._js = jetstream

    async def of(self, tenant: str, document_id: str) -> DocumentSummary:
        """A document; raises `nats.js.errors.NotFoundError` while the read model does not know it yet."""
        bucket, key = subjects.VIEWS_BUCKET, subjects.view_key(tenant, document_id)
        stored = await self._js.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{key}", direct=True)
        return DocumentSummary.model_validate_json(stored.data or b"{}")
