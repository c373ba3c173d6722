"""nats-py's client with less work for each message, by parts of it that are private: pyproject.toml names the releases.

Of what nats-py itself did for a message, half was for two things: it looks at header names letter by letter, and hands
an answer through a queue, two tasks and three callbacks to who waits for it, with a random name for each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any

from nats.aio.client import _HEADER_KEY_RE, Client
from nats.aio.msg import Msg
from nats.errors import ConnectionDrainingError
from nats.errors import TimeoutError as NatsTimeout
from nats.protocol import command

NO_SUBSCRIPTION = 0


class LeanClient(Client):
    """Reads and writes headers as a whole, and gives answers of the server to who waits for them at once."""

    def __init__(self) -> None:
        super().__init__()
        self._answers, self._answers_sid = "", NO_SUBSCRIPTION
        self._numbers = count()

    async def _init_request_sub(self) -> None:
        self._resp_map, self._answers = {}, f"{self.new_inbox()}."
        self._resp_sub_prefix = bytearray(self._answers.encode())
        subscription = await self.subscribe(f"{self._answers}*", cb=self._request_sub_callback)
        self._answers_sid = subscription._id

    async def _request_new_style(
        self,
        subject: str,
        payload: bytes,
        timeout: float = 1,  # noqa: ASYNC109 - as nats-py calls it
        headers: dict[str, Any] | None = None,
    ) -> Msg:
        """As nats-py has it, with numbers under an inbox whose name is random, and no `asyncio.wait_for`."""
        if self.is_draining_pubs:
            raise ConnectionDrainingError
        if not self._resp_sub_prefix:
            await self._init_request_sub()
        loop, token = asyncio.get_running_loop(), str(next(self._numbers))
        answer: asyncio.Future[Msg] = loop.create_future()
        overdue = loop.call_later(timeout, _give_up, answer)
        self._resp_map[token] = answer
        try:
            await self.publish(subject, payload, reply=self._answers + token, headers=headers)
            return await answer
        finally:
            overdue.cancel()
            self._resp_map.pop(token, None)  # a connection that was closed has another map

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        """An answer needs no queue: nothing is done with it here but to wake who waits for it."""
        if sid != self._answers_sid:
            await super()._process_msg(sid, subject, reply, data, headers)
            return
        self.stats["in_msgs"] += 1
        self.stats["in_bytes"] += len(data)
        answer = self._resp_map.get(subject[len(self._answers) :].decode())
        if answer is not None and not answer.done():
            answer.set_result(self._build_message(sid, subject, reply, data, await self._process_headers(headers)))

    async def _send_publish(
        self, subject: str, reply: str, payload: bytes, payload_size: int, headers: dict[str, Any] | None
    ) -> None:
        block = _block(headers) if headers else None
        if block is None:  # none, or such as nats-py refuses or mends
            await super()._send_publish(subject, reply, payload, payload_size, headers)
            return
        self.stats["out_msgs"] += 1
        self.stats["out_bytes"] += payload_size
        await self._send_command(command.hpub_cmd(subject, reply, block, payload))
        await self._flush_pending()

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        """As nats-py has it: a name has letters of ASCII and no space, a value what UTF-8 has, more or less."""
        headers = {}
        for line in raw.split(b"\r\n"):
            name, colon, value = line.partition(b":")
            key = name.strip().decode("ascii", "replace")
            if colon and key.isascii() and key.split() == [key]:
                headers[key] = value.strip().decode("utf-8", "replace")
        return headers


def _give_up(answer: asyncio.Future[Msg]) -> None:
    if not answer.done():
        answer.set_exception(NatsTimeout())


def _block(headers: Mapping[str, str]) -> bytes | None:
    """Headers as they go over the wire, if each is a name and one line."""
    lines = "".join([name + ": " + value + "\r\n" for name, value in headers.items()])
    if lines.count("\r") + lines.count("\n") != 2 * len(headers) or not all(map(_HEADER_KEY_RE.fullmatch, headers)):
        return None
    return b"NATS/1.0\r\n" + lines.encode() + b"\r\n"
