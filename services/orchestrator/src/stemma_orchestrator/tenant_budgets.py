"""What a tenant may spend in all its documents: asked for before a document is decided about.

What it came to is added up from what the log tells: the read models of documents, the states of those that run, and the
events that stay of erased ones. Nothing is counted here that a crash could lose. Of several orchestrators each knows
what another one began once its read model tells.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from cachetools import LRUCache
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import Usage
from stemma_domain.commands import Command
from stemma_domain.features.budget import Estimates, reserve, spent_in, waits_for_tenant
from stemma_domain.state import Allowance, Document, State
from stemma_eventlog import EventStore, Folded, StreamId

from .observing import Documents, ErasedUsage

EVERY_OTHER = "*"
_RESERVES = 4096


class TenantBudget(Budget):
    """What model calls for all documents of a tenant may come to, in each calendar month (UTC) or in all."""

    per: Literal["month", "all"] = "month"


@dataclass
class TenantBudgets:
    """The budgets by tenant; that of ``*`` is for each tenant that has none of its own."""

    budgets: Mapping[str, TenantBudget]
    documents: Documents
    erased: ErasedUsage
    store: EventStore[Command, State, AnyEvent]
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _handled: dict[str, dict[str, int]] = field(default_factory=dict)
    _reserves: LRUCache[StreamId, tuple[int, Usage]] = field(default_factory=lambda: LRUCache(_RESERVES))

    @asynccontextmanager
    async def turn(self, stream: StreamId, at: datetime) -> AsyncIterator[Allowance | None]:
        """What a document may spend while it is decided about: of its tenant, no other one is meanwhile."""
        budget = self.budgets.get(stream.tenant, self.budgets.get(EVERY_OTHER))
        if budget is None:
            yield None
            return
        async with self._turns.setdefault(stream.tenant, asyncio.Lock()):
            month = f"{at.astimezone(UTC):%Y-%m}" if budget.per == "month" else ""
            yield Allowance(budget, await self._others(stream, month), month)
            sequence = (await self.store.known(stream)).sequence
            self._handled.setdefault(stream.tenant, {})[stream.document_id] = sequence

    async def waiting(self) -> list[StreamId]:
        """The documents in which something waits for the budget of their tenant, as their read models tell."""
        await self.documents.look()
        found = self.documents.known.items()
        asked = [key for key, one in found if one.budget and waits_for_tenant(one.budget.question)]
        return [StreamId(*key.split(".")) for key in asked]

    async def _others(self, stream: StreamId, month: str) -> Usage:
        await self.documents.look()
        await self.erased.look()
        listed, handled = self.documents.of(stream.tenant), self._handled.setdefault(stream.tenant, {})
        for name in [name for name, at in handled.items() if name in listed and listed[name].last_sequence >= at]:
            del handled[name]  # the read model tells it
        gone = self.erased.known.get(stream.tenant, {})
        total = Usage()
        for name in sorted({*listed, *handled} - {stream.document_id, *gone}):
            total = total.plus(await self._of(StreamId(stream.tenant, name), listed.get(name), month))
        for one in gone.values():
            total = total.plus(spent_in(one.usage, one.month, month))
        return total

    async def _of(self, stream: StreamId, summary: DocumentSummary | None, month: str) -> Usage:
        """What a document came to, and of one that runs what is under way in it."""
        is_newer = stream.document_id in self._handled[stream.tenant]
        if summary and summary.status is not DocumentStatus.RUNNING and not is_newer:
            return spent_in(summary.usage, summary.month, month)
        folded = await self.store.known(stream)
        if summary and folded.sequence < summary.last_sequence:
            folded = await self.store.load(stream)
        if not isinstance(folded.state, Document):
            return Usage()
        return spent_in(folded.state.usage, folded.state.month, month).plus(self._reserve(stream, folded, folded.state))

    def _reserve(self, stream: StreamId, folded: Folded[State], document: Document) -> Usage:
        sequence, found = self._reserves.get(stream, (0, Usage()))
        if sequence != folded.sequence:
            found = reserve(document, Estimates(document))
            self._reserves[stream] = folded.sequence, found
        return found
