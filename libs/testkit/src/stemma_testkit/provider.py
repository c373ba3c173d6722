"""A model provider after a script: real HTTP in the OpenAI protocol, with everything that goes wrong there."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .serving import serving

LINES_OF_EVENT = 2
HEARD_WITHIN_S = 30
NONSENSE = re.compile(r"<criteria>(.*?)</criteria>.*Lorem ipsum dolor sit amet", re.DOTALL)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


@dataclass(frozen=True)
class Reply:
    """One answer of the provider.

    ``body`` stands in place of a completion, whatever it is; ``cut`` breaks the connection in the middle of the
    answer; ``silent`` never answers, with ``cut`` from the middle on. An answer that is not ``stated`` does not say
    why it ended, a stream that is not ``done`` lacks the line ``[DONE]``. ``pause_s`` lies before each line. All behind
    the first event of a stream waits until it is ``heard``.
    """

    message: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: bool = False
    silent: bool = False
    stated: bool = True
    done: bool = True
    pause_s: float = 0.0
    heard: threading.Event | None = None
    usage: Mapping[str, int] = field(default_factory=USAGE.copy)
    piece: str = r"\S*\s*"
    """A regular expression of what each event of a stream carries."""


def says(text: str, finish_reason: str = "stop") -> Reply:
    return Reply({"content": text}, finish_reason)


def fails(status: int, **headers: str) -> Reply:
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=own, body=b'{"error": {"message": "no"}}')


class ChatServer(ThreadingHTTPServer):
    """An HTTP server in the OpenAI protocol; ``reply`` is what it answers to the body of a request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.stopping = threading.Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def reply(self, asked: dict[str, Any]) -> Reply:
        raise NotImplementedError

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that gave up breaks its connection; that is what the tests are about."""


class Provider(ChatServer):
    """Gives the answers of ``script`` in their order; ``requests`` are the bodies that came.

    A judge that is probed with nonsense is none of the script's: it gives the worst scores.
    """

    def __init__(self) -> None:
        super().__init__()
        self.script: list[Reply | Callable[[dict[str, Any]], Reply]] = []
        self.requests: list[dict[str, Any]] = []

    def reply(self, asked: dict[str, Any]) -> Reply:
        if nonsense := NONSENSE.search(json.dumps(asked.get("messages", ""))):
            ids = re.findall(r"\\n- (\w+):", nonsense[1])
            return says(json.dumps({"scores": dict.fromkeys(ids, 0.0), "feedback": "It is nonsense."}))
        self.requests.append(asked)
        reply = self.script.pop(0)
        return reply if isinstance(reply, Reply) else reply(asked)


@contextmanager
def provider() -> Iterator[Provider]:
    server = Provider()
    with serving(server, server.stopping):
        yield server


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = self.server.reply(asked)
        if not reply.silent or reply.cut:
            self._answer(reply, bool(asked.get("stream")))
        if reply.silent:
            self.server.stopping.wait()

    def _answer(self, reply: Reply, stream: bool) -> None:
        body = _body(reply, stream) if reply.body is None else reply.body
        self.send_response(reply.status)
        self.send_header("content-type", "text/event-stream" if stream and _is_events(body) else "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        sent = body[: len(body) // 2] if reply.cut else body
        for number, part in enumerate(sent.splitlines(keepends=True)):
            self.server.stopping.wait(reply.pause_s)
            if reply.heard is not None and number == LINES_OF_EVENT:
                reply.heard.wait(HEARD_WITHIN_S)
            self.wfile.write(part)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None: ...


def _body(reply: Reply, stream: bool) -> bytes:
    return b"".join(_events(reply)) if stream else json.dumps(_completion(reply)).encode()


def _is_events(body: bytes) -> bool:
    return body.startswith((b"data:", b"event:"))


def _head(kind: str) -> dict[str, Any]:
    return {"id": "1", "object": kind, "created": 1, "model": "m"}


def _completion(reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, **reply.message}
    usual = "tool_calls" if reply.message.get("tool_calls") else "stop"
    choice = {"index": 0, "finish_reason": _reason(reply, usual), "message": message}
    return {**_head("chat.completion"), "choices": [choice], "usage": reply.usage}


def _reason(reply: Reply, usual: str) -> str | None:
    return reply.finish_reason or usual if reply.stated else None


def _events(reply: Reply) -> Iterator[bytes]:
    for word in re.findall(reply.piece, str(reply.message.get("content") or "")):
        yield _event(choices=[{"index": 0, "delta": {"role": "assistant", "content": word}}])
    yield _event(choices=[{"index": 0, "delta": {}, "finish_reason": _reason(reply, "stop")}])
    yield _event(choices=[], usage=reply.usage)
    if reply.done:
        yield b"data: [DONE]\n\n"


def _event(**data: Any) -> bytes:
    return b"data: " + json.dumps({**_head("chat.completion.chunk"), **data}).encode() + b"\n\n"
