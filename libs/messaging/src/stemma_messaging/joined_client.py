"""nats-py's client with fewer writes to the socket, by parts of it that are private: pyproject.toml names the releases.

Each write is a call of the kernel here, and a read and a wake-up at the server: the largest single cost of a service.
nats-py writes once for what is sent in one turn of the event loop.
"""

from __future__ import annotations

import asyncio
from typing import Any

from nats.protocol import command

from .lean_client import LeanClient

TURNS = 2
"""Further turns of the event loop that a write waits for. One that has nothing else to do passes them at once."""
ACK_WITHIN_S = 0.005
"""How long an acknowledgement waits for something else to go with: nobody waits for it."""
_ACKS = "$JS.ACK."


class JoinedClient(LeanClient):
    """Writes together what is sent within a few turns of the event loop; acknowledgements go with what is sent next.

    An acknowledgement that is lost with its process is a delivery that comes again, as is one that was never given.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turns = 0
        self._acks_wait = False

    async def _send_publish(
        self, subject: str, reply: str, payload: bytes, payload_size: int, headers: dict[str, Any] | None
    ) -> None:
        if reply or headers or not subject.startswith(_ACKS):
            await super()._send_publish(subject, reply, payload, payload_size, headers)
            return
        self.stats["out_msgs"] += 1
        self.stats["out_bytes"] += payload_size
        await self._send_command(command.pub_cmd(subject, reply, payload))
        if not self._acks_wait:
            self._acks_wait = True
            asyncio.get_running_loop().call_later(ACK_WITHIN_S, self._write_acks)

    async def _send_ping(self, future: asyncio.Future[bool] | None = None) -> None:
        """Behind what was sent before it, which nats-py lets it overtake."""
        if self.is_connected and self._pending and self._transport:
            commands, self._pending, self._pending_data_size = self._pending, [], 0
            self._transport.writelines(commands)
        await super()._send_ping(future)

    async def _flush_pending(self, force_flush: bool = False) -> Any:
        flusher = self._flusher_task
        if force_flush or not self.is_connected or flusher is None or flusher.done():
            return await super()._flush_pending(force_flush)
        if not self._turns:
            self._turns = TURNS
            asyncio.get_running_loop().call_soon(self._turn)
        return None

    def _turn(self) -> None:
        self._turns -= 1
        if self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        else:
            self._write()

    def _write_acks(self) -> None:
        self._acks_wait = False
        if self._pending and not self._turns:
            self._write()

    def _write(self) -> None:
        """Have it written by the client's own task, which waits for a full socket and sees when it breaks."""
        queue = self._flush_queue
        if self.is_connected and queue is not None and queue.empty():
            queue.put_nowait(asyncio.get_running_loop().create_future())
