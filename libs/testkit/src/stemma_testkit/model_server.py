"""An OpenAI-compatible HTTP server with the offline writer behind it: real HTTP, counted at the model.

The offline writer judges nothing; a model behind HTTP is asked to, so evaluations are answered here.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, convert_to_messages
from langchain_core.runnables import Runnable
from stemma_models.prompting import Block, parse_blocks
from stemma_offline_writer import OfflineWriter

from .serving import serving


class ModelServer(ThreadingHTTPServer):
    """Answers after ``latency_s`` seconds. ``calls`` counts requests by the hash of what they ask.

    While it is ``broken`` it answers with an error of its own; it charges each token so many ``times``.
    """

    daemon_threads = True

    def __init__(self, latency_s: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.latency_s = latency_s
        self.broken = False
        self.times = 1
        self.calls: Counter[str] = Counter()
        self.stopping = threading.Event()
        self.arrived = threading.Condition()

    @property
    def base(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def repeated(self) -> int:
        """How many requests asked what an earlier one had asked."""
        return sum(number - 1 for number in self.calls.values())

    @property
    def total(self) -> int:
        """How many requests came."""
        return sum(self.calls.values())

    async def wait_for_calls(self, number: int, within_s: float = 60.0) -> None:
        """Wait until this many requests came, the last of them not answered yet. Raises `TimeoutError`."""

        def wait() -> bool:
            with self.arrived:
                return self.arrived.wait_for(lambda: self.total >= number, within_s)

        if not await asyncio.to_thread(wait):
            raise TimeoutError(f"{self.total} of {number} calls")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that was killed breaks its connection; that is what the tests are about."""


@contextmanager
def model_server(latency_s: float = 0.0) -> Iterator[ModelServer]:
    server = ModelServer(latency_s)
    with serving(server, server.stopping):
        yield server


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.arrived:
            self.server.calls[_what_is_asked(body)] += 1
            self.server.arrived.notify_all()
        self.server.stopping.wait(self.server.latency_s)
        if self.server.broken:
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        answer = asyncio.run(_answer(body))
        usage = _usage(answer, self.server.times)
        if body.get("stream"):
            self._send("text/event-stream", b"".join(_events(answer, usage)))
        else:
            self._send("application/json", json.dumps(_completion(answer, usage)).encode())

    def _send(self, media_type: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None: ...


def _what_is_asked(body: dict[str, Any]) -> str:
    asked = {key: body.get(key) for key in ("messages", "tools", "response_format")}
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


async def _answer(body: dict[str, Any]) -> AIMessage:
    messages = convert_to_messages(body["messages"])
    blocks = {block.tag: block for block in parse_blocks(str(messages[-1].text))}
    return _judgement(blocks["criteria"]) if "criteria" in blocks else await _bound(body).ainvoke(messages)


def _judgement(criteria: Block) -> AIMessage:
    """The best score by every criterion."""
    ids = [line.removeprefix("- ").partition(":")[0] for line in criteria.text.splitlines()]
    return AIMessage(json.dumps({"scores": dict.fromkeys(ids, 1.0), "feedback": "Nothing has to be improved here."}))


def _bound(body: dict[str, Any]) -> Runnable[LanguageModelInput, AIMessage]:
    model = OfflineWriter()
    if body.get("tools"):
        return model.bind_tools(body["tools"])
    if body.get("response_format"):
        return model.bind(response_format=body["response_format"])
    return model


def _message(answer: AIMessage) -> dict[str, Any]:
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in answer.tool_calls
    ]
    return {"role": "assistant", "content": str(answer.content), **({"tool_calls": calls} if calls else {})}


def _function(name: str, arguments: dict[str, Any]) -> dict[str, str]:
    return {"name": name, "arguments": json.dumps(arguments)}


def _usage(answer: AIMessage, times: int) -> dict[str, int]:
    usage = answer.usage_metadata
    told = (usage["input_tokens"], usage["output_tokens"]) if usage else (1, 1)
    prompt, completion = (number * times for number in told)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _head(kind: str) -> dict[str, Any]:
    return {"id": "1", "object": kind, "created": 1, "model": "offline"}


def _completion(answer: AIMessage, usage: dict[str, int]) -> dict[str, Any]:
    reason = "tool_calls" if answer.tool_calls else "stop"
    choice = {"index": 0, "finish_reason": reason, "message": _message(answer)}
    return {**_head("chat.completion"), "choices": [choice], "usage": usage}


def _events(answer: AIMessage, usage: dict[str, int]) -> Iterator[bytes]:
    head = _head("chat.completion.chunk")
    text = str(answer.content)
    for start in range(0, len(text), 200):
        delta = {"role": "assistant", "content": text[start : start + 200]}
        yield _event({**head, "choices": [{"index": 0, "delta": delta}]})
    yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield _event({**head, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
