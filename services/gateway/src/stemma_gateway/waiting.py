"""How much waits for a person: counted once for each session, and kept up to date as summaries of documents change.

What is assigned to somebody else waits for them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from stemma_client import Client
from stemma_client.overviews import listed_sections
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary

from .keeping import Keeper

_Shown = tuple[DocumentStatus, tuple[SectionSummary, ...]]
"""What a list of all that waits shows of a document."""


@dataclass(frozen=True)
class Waits:
    """How many sections wait for the person or for nobody in particular, and the place in the read model of the last
    change of what any of those that wait show.
    """

    total: int
    sequence: int


class Waiting:
    """What waits in the documents of a tenant; it reads nothing before somebody follows it."""

    def __init__(self, client: Client, user: str) -> None:
        self._client = client
        self._user = user
        self._shown: dict[str, _Shown] | None = None
        self._sequence = 0
        self._keeper = Keeper(self._keep)

    @property
    def known(self) -> int | None:
        """How many sections wait for the person, as far as that is counted already."""
        if self._shown is None:
            return None
        return sum(section.assignee in ("", self._user) for _, sections in self._shown.values() for section in sections)

    async def follow(self) -> AsyncGenerator[Waits, None]:
        """How much waits now, and again whenever what waits is another; raises as `Client.listing` does."""
        seen = 0
        async with self._keeper.followed():
            while True:
                seen = await self._keeper.news_after(seen)
                yield Waits(self.known or 0, self._sequence)

    async def stop(self) -> None:
        """Read no more."""
        await self._keeper.stop()

    async def _keep(self) -> None:
        listing = await self._client.listing()
        self._sequence = listing.sequence
        self._shown = {one.document_id: shown for one in listing.documents if (shown := _shown(one))[1]}
        self._keeper.tell()
        async with aclosing(self._client.follow_listing(from_sequence=listing.sequence + 1)) as changes:
            async for change in changes:
                if self._is_other(self._shown, change.document_id, change.summary):
                    self._sequence = change.sequence
                    self._keeper.tell()

    def _is_other(self, shown: dict[str, _Shown], document_id: str, summary: DocumentSummary | None) -> bool:
        """Whether a list of all that waits shows something else of a document than before."""
        now, before = _shown(summary) if summary else None, shown.pop(document_id, None)
        if now and now[1]:
            shown[document_id] = now
        return shown.get(document_id) != before


def _shown(document: DocumentSummary) -> _Shown:
    return document.status, tuple(listed_sections(document))
