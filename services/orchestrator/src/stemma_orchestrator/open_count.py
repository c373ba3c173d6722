"""How many jobs each tenant has open, as far as this process heard; in doubt as the log has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from stemma_contracts.v1.events import AnyEvent
from stemma_domain.commands import Command
from stemma_domain.state import State
from stemma_domain.work import openings
from stemma_eventlog import EventStore, FoldFailed, StreamId


@dataclass(frozen=True)
class Open:
    """The open jobs of a document, and when they were heard of, in seconds of a clock that never goes back."""

    job_ids: frozenset[str]
    at: float = field(default_factory=time.monotonic)


def _any(_: str) -> bool:
    return True


class OpenCount:
    """Counts open jobs by tenant. Another process may have closed some that this one knows as open."""

    def __init__(self, store: EventStore[Command, State, AnyEvent]) -> None:
        self._store = store
        self._open: dict[str, dict[str, Open]] = {}

    def note(self, stream: StreamId, job_ids: Iterable[str]) -> Open:
        """What is open of a document now."""
        documents = self._open.setdefault(stream.tenant, {})
        documents.pop(stream.document_id, None)
        noted = Open(frozenset(job_ids))
        if noted.job_ids:
            documents[stream.document_id] = noted
        return noted

    async def room(self, tenant: str, most: int, trusted_s: float, counts: Callable[[str], bool] = _any) -> int:
        """How many more jobs a tenant may have open, of ``most`` that count.

        If there seems to be no room, what was heard longer than ``trusted_s`` seconds ago is looked up in the log, that
        which was heard first before the rest, until it is known that there is none.
        """
        known = self._open.get(tenant, {})
        if (seen := sum(_number(each, counts) for each in known.values())) < most:
            return most - seen
        sure = 0
        for document_id, heard in [each for each in known.items() if _number(each[1], counts)]:
            trusted = time.monotonic() - heard.at <= trusted_s
            sure += _number(heard if trusted else await self._as_logged(StreamId(tenant, document_id), heard), counts)
            if sure >= most:
                return 0
        return most - sure

    async def _as_logged(self, stream: StreamId, heard: Open) -> Open:
        try:
            return self.note(stream, openings((await self._store.load(stream)).state))
        except FoldFailed:  # that document stands still, the others of its tenant go on
            return heard


def _number(heard: Open, counts: Callable[[str], bool]) -> int:
    return sum(map(counts, heard.job_ids))
