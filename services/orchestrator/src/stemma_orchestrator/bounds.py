"""What one tenant may have open at a time, so that it cannot stop the others; beyond that it is told at once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.events import AnyEvent
from stemma_domain.commands import Command
from stemma_domain.jobs import CONVERT
from stemma_domain.state import Document, State
from stemma_domain.work import name_of
from stemma_eventlog import EventStore, StreamId

from stemma_orchestrator.job_publisher import OpenCount

from .requests import Received, Refused

_ADDS_WORK = (
    r.CreateDocument,
    r.AddInput,
    r.ReplaceInput,
    r.ReuseEntry,
    r.ExportDocument,
    r.RegenerateSection,
    r.RegenerateSections,
    r.RetrySection,
)

_STORES = (r.CreateDocument, r.AddInput, r.ReplaceInput, r.ReuseEntry)

TRUSTED_S = 1.0
"""How long what was heard of open jobs is believed: to look all of them up for each refusal would be a flood, too."""

Stored = Callable[[str], Awaitable[int]]


@dataclass(frozen=True)
class TenantLimits:
    requests: int
    jobs: int
    exports: int
    stored_bytes: int


@dataclass(frozen=True)
class Bounds:
    """Refuses what is more than a tenant may have open; ``stored`` gives its bytes.

    Decisions of people are taken whatever is open: they finish work. So is what was decided before.
    """

    store: EventStore[Command, State, AnyEvent]
    open: OpenCount
    limits: TenantLimits
    stored: Stored

    async def check(self, received: Received, request: r.Request) -> None:
        """Raise `Refused` for a new request if its tenant has enough."""
        new = await self._is_new(received, request)
        if new and (full := await self._problem(received.tenant, request, received.waiting)):
            raise Refused(full)

    async def _is_new(self, received: Received, request: r.Request) -> bool:
        state = (await self.store.known(StreamId(received.tenant, received.document_id))).state
        if isinstance(state, Document):
            return received.asked["request_id"] not in state.requests
        return not isinstance(request, r.DocumentRequest)

    async def _problem(self, tenant: str, request: r.Request, waiting: int) -> Problem | None:
        if waiting > self.limits.requests:
            return Problem.of("tenant_requests_full", limit=self.limits.requests)
        if not isinstance(request, _ADDS_WORK):
            return None
        if isinstance(request, _STORES) and await self.stored(tenant) >= self.limits.stored_bytes:
            return Problem.of("tenant_storage_full", limit=self.limits.stored_bytes)
        if not await self.open.room(tenant, self.limits.jobs, TRUSTED_S):
            return Problem.of("tenant_jobs_full", limit=self.limits.jobs)
        if isinstance(request, r.ExportDocument) and not await self.open.room(tenant, self.limits.exports, 0, _exports):
            return Problem.of("tenant_exports_full", limit=self.limits.exports)
        return None


def _exports(job_id: str) -> bool:
    return name_of(job_id) == CONVERT
