"""Text while it is written, for whoever listens now; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable

from nats.aio.client import Client
from nats.aio.msg import Msg
from stemma_contracts.live_text import AT

_STATUS, _NO_RESPONDERS = "Status", "503"
_REMEMBERED = 4096
"""Subjects that nobody listens to; beyond that all are taken for heard once more, which costs a message each."""


class LiveText:
    """Publishes pieces of text, and is told by the server at once if nobody listens to a subject."""

    def __init__(self, nats: Callable[[], Client]) -> None:
        self._nats = nats
        self._inbox = ""
        self._unheard: set[str] = set()

    async def publish(self, subject: str, data: bytes, at: int) -> bool:
        """Whether somebody heard the piece before this one: the server's word about this one is not waited for."""
        nats = self._nats()
        if not self._inbox:
            self._inbox = nats.new_inbox()
            await nats.subscribe(f"{self._inbox}.>", cb=self._nobody)
        heard = subject not in self._unheard
        self._unheard.discard(subject)
        await nats.publish(subject, data, reply=f"{self._inbox}.{subject}", headers={AT: str(at)})
        return heard

    async def _nobody(self, message: Msg) -> None:
        """Only the server's word counts: who listens sees the reply subject too."""
        if (message.headers or {}).get(_STATUS) != _NO_RESPONDERS:
            return
        if len(self._unheard) >= _REMEMBERED:
            self._unheard.clear()
        self._unheard.add(message.subject.removeprefix(f"{self._inbox}."))
