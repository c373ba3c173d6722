"""What the pages of one session read and follow: once, and kept for all of them."""

from __future__ import annotations

from stemma_client import Client

from .presence import Editors
from .waiting import Waiting
from .writing import Writing

MOST_EVENTS = 5_000
"""That a session remembers of the documents that its pages show."""


class Followed:
    """What is followed by the client of a session, from when a page first asks for it."""

    def __init__(self, client: Client, user: str) -> None:
        self.waiting = Waiting(client, user)
        self.documents = client.rereading(most_events=MOST_EVENTS)
        self._client = client
        self._user = user
        self._writing: dict[str, Writing] = {}
        self._editors: dict[str, Editors] = {}

    def writing(self, document_id: str) -> Writing:
        """The texts of a document while they are written."""
        return self._writing.setdefault(document_id, Writing(self._client, document_id))

    def editors(self, document_id: str) -> Editors:
        """The others who have editors of a document open."""
        return self._editors.setdefault(document_id, Editors(self._client, self._user, document_id))

    async def stop(self) -> None:
        """Follow nothing any more."""
        kept: list[Waiting | Writing | Editors] = [self.waiting, *self._writing.values(), *self._editors.values()]
        for each in kept:
            await each.stop()
