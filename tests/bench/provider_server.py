"""A provider of the bench, in a process of its own: OpenAI's protocol over real HTTP, 600 tokens an answer.

``provider_server.py`` prints its port. The base URL ``http://127.0.0.1:PORT/PACE/v1`` says how answers come (`Pace`),
a chunk a token. Ended by the end of its standard input.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from bench_model import TrivialModel
from langchain_core.messages import HumanMessage

TOKENS = 600
TICK_S = 0.005
HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}
_PACE = re.compile(rb"/([\d.]+)(?:x(\d+))?(\+)?/v1/")
USAGE = {"prompt_tokens": 1000, "completion_tokens": TOKENS, "total_tokens": 1000 + TOKENS}


@dataclass(frozen=True)
class Pace:
    """How answers come: ``RATE``, ``RATExTOGETHER`` or ``RATExTOGETHER+``.

    ``rate`` tokens a second; 0 gives all at once. So many chunks ``together`` in a write, as providers and the proxies
    before them join them: where a thousand streams share two cores with who reads them, a write a token would take one
    of these. With ``+`` scores take their time too, and not texts alone.
    """

    rate: float
    together: int = 1
    scores_too: bool = False

    @classmethod
    def of(cls, head: bytes) -> Self:
        """As the path of a request has it."""
        found = _PACE.search(head)
        assert found is not None, head
        return cls(float(found[1]), int(found[2] or 1), bool(found[3]))

    def whole_s(self, scores: bool) -> float:
        """How long an answer takes that comes in one piece."""
        return TOKENS / self.rate if self.rate and (self.scores_too or not scores) else 0


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _event(**data: Any) -> bytes:
    return _chunk(b"data: " + json.dumps({**HEAD, **data}).encode() + b"\n\n")


def _choice(delta: dict[str, str], reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}


@lru_cache
def answer(asked: str, scores: bool) -> str:
    """What the trivial model of the bench answers, which generation-graph can use; a text has 600 tokens."""
    given: dict[str, Any] = {"response_format": {}} if scores else {}
    result = TrivialModel()._generate([HumanMessage(asked)], **given)
    text = str(result.generations[0].message.text)
    return text if scores else text + "\n" + "and so on " * TOKENS


@lru_cache
def events(asked: str) -> tuple[bytes, ...]:
    """The chunks of a streamed answer, one a token; the last has the reason, the usage and the end."""
    words = re.findall(r"\S*\s+", answer(asked, scores=False))[:TOKENS]
    tokens = [_event(choices=[_choice({"content": word})]) for word in words]
    end = _event(choices=[_choice({}, "stop")]) + _event(choices=[], usage=USAGE) + _chunk(b"data: [DONE]\n\n")
    return (*tokens[:-1], tokens[-1] + end + b"0\r\n\r\n")


@lru_cache
def writes(asked: str, together: int) -> tuple[bytes, ...]:
    """The same chunks, so many in a write."""
    chunks = events(asked)
    return tuple(b"".join(chunks[start : start + together]) for start in range(0, len(chunks), together))


def whole(asked: str, scores: bool) -> bytes:
    """An answer in one piece."""
    message = {"role": "assistant", "content": answer(asked, scores)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = json.dumps({**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


@dataclass(slots=True)
class Stream:
    """What is left of an answer, and when its next piece is due."""

    transport: asyncio.WriteTransport
    pieces: Iterator[bytes]
    step_s: float
    due_s: float
    ended: asyncio.Future[None]

    def write(self) -> bool:
        """The next piece; whether there was one, and somebody who takes it."""
        piece = None if self.transport.is_closing() else next(self.pieces, None)
        if piece is not None:
            self.transport.write(piece)
        elif not self.ended.done():
            self.ended.set_result(None)
        return piece is not None


class Ticker:
    """Writes what is due, of all streams: a timer a token would take the machine from those who are measured."""

    def __init__(self) -> None:
        self._due = defaultdict[int, list[Stream]](list)
        self._tick = 0

    async def send(self, transport: asyncio.WriteTransport, pieces: tuple[bytes, ...], step_s: float) -> None:
        """Give a piece in each step."""
        loop = asyncio.get_running_loop()
        await self._add(Stream(transport, iter(pieces), step_s, loop.time() + step_s, loop.create_future()))

    def _add(self, stream: Stream) -> asyncio.Future[None]:
        self._due[max(int(stream.due_s / TICK_S), self._tick + 1)].append(stream)
        return stream.ended

    async def run(self) -> None:
        """As long as the server."""
        loop = asyncio.get_running_loop()
        self._tick = int(loop.time() / TICK_S)
        while True:
            await asyncio.sleep((self._tick + 1) * TICK_S - loop.time())
            now = int(loop.time() / TICK_S)
            while self._tick < now:
                self._tick += 1
                for stream in self._due.pop(self._tick, ()):
                    if stream.write():
                        stream.due_s += stream.step_s
                        self._add(stream)


async def serve(ticker: Ticker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The requests of one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            pace = Pace.of(head)
            body = json.loads(await reader.readexactly(int(re.findall(rb"content-length: (\d+)", head)[0])))
            asked, scores = _words(body["messages"][-1]["content"]), "response_format" in body
            if not body.get("stream"):
                await asyncio.sleep(pace.whole_s(scores))
                writer.write(whole(asked, scores))
                continue
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            pieces = writes(asked, pace.together)
            if pace.rate:
                await ticker.send(writer.transport, pieces, pace.together / pace.rate)
            else:
                for piece in pieces:
                    writer.write(piece)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)


async def main() -> None:
    """Until nobody needs it."""
    ticker = Ticker()
    async with await asyncio.start_server(lambda *ends: serve(ticker, *ends), "127.0.0.1", 0, backlog=2048) as server:
        ticking = asyncio.create_task(ticker.run())
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        ticking.cancel()


if __name__ == "__main__":
    asyncio.run(main())
