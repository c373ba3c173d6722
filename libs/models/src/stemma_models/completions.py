"""An answer in one piece that is made of its stream: LiteLLM takes a third of the time for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from pydantic_core import from_json

_DONE = b"[DONE]"
_TEXTS = frozenset({"content", "refusal", "reasoning_content", "reasoning"})
"""What comes in pieces, besides the arguments of tool calls."""


class Completion:
    """A completion of OpenAI, as its stream tells it. ``begun`` once there is a stream.

    ``count`` says what a message took whose stream does not. The provider may say nothing for ``silence_s`` seconds.
    """

    def __init__(self, count: Callable[[dict[str, Any]], dict[str, int]], silence_s: float = float("inf")) -> None:
        self.silence_s = silence_s
        self.begun = False
        self.reason: str | None = None
        self.usage: dict[str, Any] | None = None
        self.error: object = None
        self._count = count
        self._ended = False
        self._head: dict[str, Any] = {}
        self._message: dict[str, Any] = {"role": "assistant", "content": ""}
        self._calls: dict[int, dict[str, Any]] = {}

    @property
    def text(self) -> str:
        """The words of the answer."""
        return str(self._message["content"])

    def take(self, events: bytes) -> None:
        """Whole events of the stream, in their order. One without an end is none, and nothing follows an error."""
        self.begun = True
        for data in _data_of(events):
            self._ended = self._ended or data.startswith(_DONE) or self.error is not None
            if self._ended:
                return
            try:
                self._add(from_json(data))
            except ValueError:
                self.error = {"message": "an event that is not JSON", "type": "invalid_response"}

    def body(self) -> bytes:
        """What a provider would have answered to a request for no stream."""
        if self.error is not None:
            return json.dumps({"error": self.error}).encode()
        calls = [self._calls[index] for index in sorted(self._calls)]
        message = {**self._message, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": self.reason}
        body = {**self._head, "object": "chat.completion", "choices": [choice]}
        body["usage"] = self.usage or self._count(message)
        return json.dumps(body).encode()

    def _add(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        self.error = event.get("error") or None
        self.usage = event.get("usage") or self.usage
        for name in ("id", "created", "model", "system_fingerprint", "service_tier"):
            self._head.setdefault(name, event.get(name))
        for choice in (event.get("choices") or [])[:1]:
            self.reason = choice.get("finish_reason") or self.reason
            self._say(choice.get("delta") or {})

    def _say(self, delta: dict[str, Any]) -> None:
        for name, value in delta.items():
            if not value or name == "role":
                continue
            if name == "tool_calls":
                for call in value:
                    self._call(call)
            elif name in _TEXTS:
                self._message[name] = (self._message.get(name) or "") + value
            else:
                self._message[name] = value

    def _call(self, piece: dict[str, Any]) -> None:
        empty = {"id": None, "type": "function", "function": {"name": None, "arguments": ""}}
        call = self._calls.setdefault(piece.get("index") or 0, empty)
        function = piece.get("function") or {}
        call["id"] = call["id"] or piece.get("id")
        call["function"]["name"] = call["function"]["name"] or function.get("name")
        call["function"]["arguments"] += function.get("arguments") or ""


def _data_of(stream: bytes) -> Iterator[bytes]:
    """What each event that has ended says, as the SDK of OpenAI reads it."""
    data = list[bytes]()
    for line in stream.splitlines(keepends=True):
        told = line.rstrip(b"\r\n")
        if not told and data:
            yield b"\n".join(data)
            data = []
        elif told.startswith(b"data:"):
            data.append(told[5:].removeprefix(b" "))


COMPLETION: ContextVar[Completion | None] = ContextVar("completion", default=None)
"""Of the call under way, if LiteLLM asks for an answer in one piece and is to have a stream joined to one."""
