"""Text while it is written, for whoever listens now; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable

from nats.aio.client import Client
from nats.errors import Error
from stemma_contracts.live_text import AT

_STATUS, _NO_RESPONDERS = "Status", "503"
_ANSWER_S = 1
"""How long the server may take to say that nobody listens."""


class LiveText:
    """Publishes pieces of text, and asks the server whether somebody listens to a subject."""

    def __init__(self, nats: Callable[[], Client]) -> None:
        self._nats = nats

    async def publish(self, subject: str, data: bytes, at: int) -> None:
        """Send a piece of text; ``at`` is how many characters came before it."""
        await self._nats().publish(subject, data, headers={AT: str(at)})

    async def is_followed(self, subject: str, at: int) -> bool:
        """Whether somebody listens, by an empty piece: the server answers at once if nobody does.

        Of a server that does not answer nobody knows, and the text is not worth waiting for it.
        """
        try:
            return await self._asked(subject, at)
        except Error:
            return False

    async def _asked(self, subject: str, at: int) -> bool:
        nats = self._nats()
        answers = await nats.subscribe(inbox := nats.new_inbox())
        try:
            await nats.publish(subject, reply=inbox, headers={AT: str(at)})
            await nats.flush(_ANSWER_S)
            while answers.pending_msgs:
                # Who listens sees the reply subject too: only the server's word counts.
                if ((await answers.next_msg()).headers or {}).get(_STATUS) == _NO_RESPONDERS:
                    return False
        finally:
            await answers.unsubscribe()
        return True
