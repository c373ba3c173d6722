"""The rules of everybody, as they stand now: read again once something in their bucket has changed."""

from __future__ import annotations

import asyncio

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken, check_token
from stemma_contracts.v1.notifications import NotificationRule, NotificationRules
from stemma_telemetry import get_logger

Owned = tuple[str, NotificationRule]
STREAM = f"KV_{subjects.RULES_BUCKET}"
PREFIX = f"$KV.{subjects.RULES_BUCKET}."
GATHER_S = 0.25
"""How long events gather for one look: a document has 18, and a look at each was most of what they cost here."""

log = get_logger()


def read(data: bytes) -> NotificationRules | None:
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
        self._next: dict[str, asyncio.Task[list[Owned]]] = {}
        self._looking: dict[str, asyncio.Lock] = {}

    async def of_tenant(self, tenant: str) -> list[Owned]:
        """Every rule of a tenant, with its owner, as they stand now or later.

        Who asks while they are looked at waits for the next look, which is one for all that ask until it begins: one
        that is under way may miss what was written before this call. One that fails does so for these alone, also where
        it never began.
        """
        look = self._next.get(tenant)
        if look is None or look.done():
            look = self._next[tenant] = asyncio.create_task(self._look(tenant))
        return await asyncio.shield(look)

    async def _look(self, tenant: str) -> list[Owned]:
        async with self._looking.setdefault(tenant, asyncio.Lock()):
            await asyncio.sleep(GATHER_S)
            del self._next[tenant]
            return await self._look_up(tenant)

    async def _look_up(self, tenant: str) -> list[Owned]:
        info = await self._js.stream_info(STREAM, subjects_filter=f"{PREFIX}{check_token(tenant, 'tenant')}.*")
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
            stored = await self._js.get_last_msg(STREAM, f"{PREFIX}{subjects.rules_key(tenant, owner)}")
        except (NotFoundError, InvalidToken):
            return ()
        known = read(stored.data or b"{}")
        if known is None:
            log.warning("rules_skipped", tenant=tenant, owner=owner)
        return known.rules if known else ()
