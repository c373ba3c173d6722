"""What a tenant may spend in all its documents: asked for before work of a document begins.

What it came to is added up from what the log tells: the read models of documents, the states of those that run, and the
events that stay of erased ones. Nothing is counted here that a crash could lose. Of several orchestrators each knows
what another one began once its read model tells. What begins no work is decided without any of that.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import ConfigDict, StringConstraints
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import MonthUsage, Usage
from stemma_domain.commands import NOT_COMPARED, Command, Compared
from stemma_domain.costs import NOTHING
from stemma_domain.features.budget import A_CALL, Estimates, reserve, spent_in, waits_for_tenant
from stemma_domain.state import UNTOLD, Allowance, AllowanceUntold, Document, State
from stemma_eventlog import Cause, EventStore, Folded, FoldFailed, Handled, StreamId

from .observing import Documents, ErasedUsage

EVERY_OTHER = "*"
Whom = Annotated[str, StringConstraints(pattern=rf"^\{EVERY_OTHER}$|{TOKEN_PATTERN}")]


class TenantBudget(Budget):
    """What model calls for all documents of a tenant may come to, in each calendar month (UTC) or in all.

    A bound that is misspelt would be none: it is refused.
    """

    model_config = ConfigDict(extra="forbid")

    per: Literal["month", "all"] = "month"


class Came(NamedTuple):
    """What a document came to at a sequence of the log, and what is under way in it."""

    sequence: int
    usage: Usage = NOTHING
    month: MonthUsage | None = None
    under_way: Usage = NOTHING


@dataclass
class TenantBudgets:
    """The budgets by tenant; that of ``*`` is for each tenant that has none of its own."""

    budgets: Mapping[str, TenantBudget]
    documents: Documents
    erased: ErasedUsage
    store: EventStore[Command, State, AnyEvent]
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _handled: dict[str, dict[str, int]] = field(default_factory=dict)
    _came: dict[str, dict[str, Came]] = field(default_factory=dict)

    async def handle(self, stream: StreamId, command: Command, cause: Cause) -> Handled[State, AnyEvent]:
        """As `EventStore.handle`; while work of a document may begin, that of no other one of its tenant does."""
        budget = self._budget(stream.tenant)
        if budget is None:
            return await self.store.handle(stream, command, cause)
        compared = command if isinstance(command, Compared) else Compared(command, NOT_COMPARED)
        try:
            return self._noted(stream, await self.store.handle(stream, replace(compared, allowance=UNTOLD), cause))
        except AllowanceUntold:
            async with self._turns.setdefault(stream.tenant, asyncio.Lock()):
                month = _month(budget, cause.time)
                others = await self._others(stream.tenant, stream.document_id, month)
                told = replace(compared, allowance=Allowance(budget, others, month))
                return self._noted(stream, await self.store.handle(stream, told, cause))

    async def waiting(self, now: datetime) -> list[StreamId]:
        """The documents in which something waits for the budget of their tenant, as their read models tell.

        Those of a tenant that has no room for one call are left out.
        """
        await self.documents.look()
        found = self.documents.known.items()
        asked = [key for key, one in found if one.budget and waits_for_tenant(one.budget.question)]
        streams = [StreamId(*key.split(".")) for key in asked]
        full = {tenant for tenant in {one.tenant for one in streams} if await self._is_full(tenant, now)}
        return [one for one in streams if one.tenant not in full]

    def _budget(self, tenant: str) -> TenantBudget | None:
        return self.budgets.get(tenant, self.budgets.get(EVERY_OTHER))

    async def _is_full(self, tenant: str, now: datetime) -> bool:
        budget = self._budget(tenant)
        if budget is None:
            return False
        async with self._turns.setdefault(tenant, asyncio.Lock()):
            spent = await self._others(tenant, "", _month(budget, now))
        return budget.passed_by(spent.plus(A_CALL)) is not None

    def _noted(self, stream: StreamId, handled: Handled[State, AnyEvent]) -> Handled[State, AnyEvent]:
        noted = self._handled.setdefault(stream.tenant, {})
        if isinstance(handled.folded.state, Document):
            noted[stream.document_id] = handled.folded.sequence
        else:
            noted.pop(stream.document_id, None)
        return handled

    async def _others(self, tenant: str, but: str, month: str) -> Usage:
        await self.documents.look()
        await self.erased.look()
        listed, handled = self.documents.of(tenant), self._handled.setdefault(tenant, {})
        for name in [name for name, at in handled.items() if name in listed and listed[name].last_sequence >= at]:
            del handled[name]  # the read model tells it
        gone, came, found = self.erased.known.get(tenant, {}), dict[str, Came](), list[Usage]()
        for name in {**listed, **handled}:
            if name == but or name in gone:
                continue
            summary, at = listed.get(name), handled.get(name, 0)
            if summary is not None and not at and _tells(summary, month):
                found.append(spent_in(summary.usage, summary.month, month))
                continue
            one = came[name] = await self._of(StreamId(tenant, name), summary, at)
            found += [spent_in(one.usage, one.month, month), one.under_way]
        self._came[tenant] = came
        return _sum([*found, *(spent_in(one.usage, one.month, month) for one in gone.values())])

    async def _of(self, stream: StreamId, summary: DocumentSummary | None, at: int) -> Came:
        """What a document came to at a sequence of the log or later."""
        at_least = max(at, summary.last_sequence if summary else 0)
        came = self._came.get(stream.tenant, {}).get(stream.document_id)
        if came is not None and came.sequence >= at_least:
            return came
        try:
            folded = await self.store.known(stream)
            return _came(folded if folded.sequence >= at_least else await self.store.load(stream), at_least)
        except FoldFailed:  # that document stands still, the others of its tenant go on
            return Came(at_least, summary.usage, summary.month) if summary else Came(at_least)


def _month(budget: TenantBudget, at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m}" if budget.per == "month" else ""


def _tells(summary: DocumentSummary, month: str) -> bool:
    """Whether a read model says what its document came to: nothing is under way in it, and who wrote it knew months."""
    if summary.status in (DocumentStatus.RUNNING, DocumentStatus.PAUSED):
        return False
    if not month or summary.month is not None or summary.usage == NOTHING:
        return True
    return f"{(summary.updated_at or summary.created_at).astimezone(UTC):%Y-%m}" < month


def _came(folded: Folded[State], at_least: int) -> Came:
    document, at = folded.state, max(folded.sequence, at_least)
    if not isinstance(document, Document):
        return Came(at)
    return Came(at, document.usage, document.month, reserve(document, Estimates(document)))


def _sum(usages: Iterable[Usage]) -> Usage:
    """What all came to; a tenant has thousands of documents, and most cost nothing in a month."""
    spent = [one for one in usages if one is not NOTHING]
    return Usage(
        calls=sum(one.calls for one in spent),
        input_tokens=sum(one.input_tokens for one in spent),
        cached_tokens=sum(one.cached_tokens for one in spent),
        output_tokens=sum(one.output_tokens for one in spent),
        cost=sum(one.cost for one in spent),
    )
