"""Event streams of providers with the pieces of one text joined: parsing each by itself costs more than all else.

Knows the streams of OpenAI, Anthropic and Gemini, and of the many servers that speak as they do. An event that says
anything else, or more than a piece of text, is passed on byte for byte, in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

EVENT_BYTES = 2 * 1024 * 1024
"""The longest event. A longer one is no piece of a text, and would be held until its end."""
ANSWER_BYTES = 64 * 1024 * 1024
"""The longest stream: ten times what the longest answers take with all that is around their tokens."""

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_EVENT = re.compile(rb"((?:event:[^\r\n]*(?:\r\n|\n|\r))?data: ?)(\{[^\r\n]*)(\s*)")
_SPOKEN = "content"
_OPENAI = frozenset({_SPOKEN, "reasoning_content", "reasoning"})
_SAME = frozenset({"id", "object", "created", "model", "provider", "service_tier", "system_fingerprint", "usage"})
"""What is the same in all events of a stream of OpenAI, or empty until its end; padding says nothing."""
_PADDING = frozenset({"obfuscation"})
_ANTHROPIC = {"text_delta": "text", "thinking_delta": "thinking"}
_PROBE = "probe"
_FRAMES = 3
"""How often it is tried whether the events of a text are alike: the first has more in it, those of some never are."""


class OversizedAnswerError(ConnectionError):
    """A provider sends more than any answer has: it is left."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a text, at ``leaf[key]`` of its event; those of one ``kind`` that follow each other are joined.

    The event that is made of them is like the first of them, or like the ``newest``, where each says more than the one
    before. Only what is ``spoken`` belongs to the answer; a model also thinks.
    """

    kind: tuple[object, ...]
    document: dict[str, Any]
    leaf: dict[str, Any]
    key: str
    spoken: bool = True
    newest: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What an event has around its piece: of the next one that has the same, only the piece has to be parsed."""

    before: bytes
    after: bytes

    def piece(self, raw: bytes) -> str | None:
        """The piece of another event, if it is like the first."""
        if not raw.startswith(self.before) or not raw.endswith(self.after):
            return None
        try:
            piece = from_json(raw[len(self.before) : len(raw) - len(self.after)])
        except ValueError:
            return None
        return piece if isinstance(piece, str) else None


@dataclass(slots=True)
class _Run:
    head: bytes
    tail: bytes
    raw: bytes
    delta: Delta
    parts: list[str] = field(default_factory=list)
    frame: Frame | None = None
    frames: int = 0

    def joined(self) -> bytes:
        if len(self.parts) == 1:
            return self.raw
        self.delta.leaf[self.delta.key] = "".join(self.parts)
        return self.head + json.dumps(self.delta.document).encode() + self.tail


class Joiner:
    """Takes a stream as it comes; `speaking` once some text has come. Raises `OversizedAnswerError`."""

    def __init__(self) -> None:
        self.speaking = False
        self._size = 0
        self._rest = b""
        self._run: _Run | None = None
        self._heard: list[str] = []

    def feed(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """The text of the answer that has come, and with it what can be passed on by now: pieces stay for more.

        An event that is passed on as it is may say more of the answer: the text after it is told after it.
        """
        self._size += len(data)
        passed: list[bytes] = []
        for raw in self._events(data):
            if self._goes_on(raw):
                continue
            match = _EVENT.fullmatch(raw)
            delta = delta_of(match[2]) if match else None
            if self._run is not None and (delta is None or delta.kind != self._run.delta.kind):
                passed += self._ended()
            if match is None or delta is None:
                passed.append(raw)
                continue
            if passed:
                yield self._told(), b"".join(passed)
                passed = []
            self._take(_Run(match[1], match[3], raw, delta))
        if len(self._rest) > EVENT_BYTES or self._size > ANSWER_BYTES:
            raise OversizedAnswerError
        yield self._told(), b"".join(passed)

    def _told(self) -> str:
        text, self._heard = "".join(self._heard), []
        return text

    def end(self) -> bytes:
        """What is left when the stream has ended."""
        return b"".join((*self._ended(), self._rest))

    def _events(self, data: bytes) -> Iterator[bytes]:
        known, start = max(0, len(self._rest) - 3), 0
        data = self._rest + data
        for end in _END.finditer(data, known):
            yield data[start : end.end()]
            start = end.end()
        self._rest = data[start:]

    def _goes_on(self, raw: bytes) -> bool:
        run = self._run
        piece = run.frame.piece(raw) if run is not None and run.frame is not None else None
        if run is None or piece is None:
            return False
        self._add(run, piece)
        return True

    def _take(self, begun: _Run) -> None:
        run = self._run = self._run or begun
        if begun.delta.newest:
            run.delta = begun.delta
        if run.frames < _FRAMES:
            run.frames += 1
            run.frame = frame_of(begun.raw, begun.delta)
        self._add(run, begun.delta.leaf[begun.delta.key])

    def _add(self, run: _Run, piece: str) -> None:
        run.parts.append(piece)
        self.speaking = self.speaking or bool(piece)
        if run.delta.spoken:
            self._heard.append(piece)

    def _ended(self) -> Iterator[bytes]:
        if self._run is not None:
            yield self._run.joined()
            self._run = None


def frame_of(raw: bytes, delta: Delta) -> Frame | None:
    """What the event has around its piece, if that is beyond doubt."""
    piece = delta.leaf[delta.key]
    literals = (json.dumps(piece).encode(), json.dumps(piece, ensure_ascii=False).encode(errors="replace"))
    literal = next((one for one in literals if raw.count(one) == 1), None)
    if literal is None:
        return None
    before, _, after = raw.partition(literal)
    match = _EVENT.fullmatch(before + json.dumps(_PROBE).encode() + after)
    probed = delta_of(match[2]) if match else None
    same = probed is not None and probed.kind == delta.kind and probed.leaf[probed.key] == _PROBE
    return Frame(before, after) if same else None


def delta_of(data: bytes) -> Delta | None:
    """The piece of text that an event consists of, if it says nothing else."""
    try:
        document = from_json(data)
    except ValueError:
        return None
    match document:
        case {"choices": [{"delta": {} as delta, "index": index, **about}], **more}:
            if more.get("usage") or more.keys() - _SAME - _PADDING or any(about.values()):
                return None
            return _of_openai(document, delta, index)
        case {"type": "content_block_delta", "index": index, "delta": {"type": str(named), **rest} as delta}:
            key = _ANTHROPIC.get(named, "")
            fits = rest.keys() == {key} and isinstance(rest[key], str)
            return Delta((named, index), document, delta, key, spoken=key == "text") if fits else None
        case {"candidates": [{"content": {"parts": [{"text": str(), **rest} as part]}, **about}]}:
            only = not rest and about.keys() <= {"index"}
            return Delta(("gemini",), document, part, "text", newest=True) if only else None
    return None


def _of_openai(document: dict[str, Any], delta: dict[str, Any], index: object) -> Delta | None:
    said = [key for key, value in delta.items() if value and key != "role"] or [_SPOKEN]
    key = said[0]
    if len(said) > 1 or key not in _OPENAI or not isinstance(delta.get(key), str):
        return None
    return Delta((index, document.get("id"), key), document, delta, key, spoken=key == _SPOKEN)
