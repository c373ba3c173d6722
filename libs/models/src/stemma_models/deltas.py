"""Event streams of providers with the pieces of one text joined: parsing each by itself costs more than all else.

Knows the streams of OpenAI, Anthropic and Gemini, and of the many servers that speak as they do. An event that says
anything else, or more than a piece of text, is passed on byte for byte, in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
_PADDING = "obfuscation"
_PAD = re.compile(rb'"[\w+/=-]*"')
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
    """What an event has around its piece, and around its ``padding`` if it has any.

    Of the events after it that have the same, only the pieces have to be parsed, all of them at once.
    """

    before: bytes
    after: bytes
    padded: bool = False
    end: bytes = b""

    def pieces(self, data: bytes, start: int) -> Alike | None:
        """Those that follow each other at the beginning; none if one of them is no text: who knows then what it is."""
        if not data.startswith(self.before, start):
            return None
        literals, size = list[bytes](), 0
        for event in data[start + len(self.before) :].split(self.before):
            literal, found, rest = event.partition(self.after)
            whole = self._ends(rest) if self.padded else not rest
            if not found or not whole:
                break
            literals.append(literal)
            size += len(self.before) + len(event)
        # No string of JSON has a line break in it: what is no literal by itself is none with its neighbours.
        try:
            pieces = from_json(b"[" + b",\n".join(literals) + b"]")
            text = "".join(pieces)
        except (ValueError, TypeError):
            return None
        return Alike(text, len(literals), size) if literals and len(pieces) == len(literals) else None

    def _ends(self, rest: bytes) -> bool:
        return rest.endswith(self.end) and _PAD.fullmatch(rest, 0, len(rest) - len(self.end)) is not None


class Alike(NamedTuple):
    """The text of ``events`` that are alike, which take ``size`` bytes."""

    text: str
    events: int
    size: int


@dataclass(slots=True)
class _Run:
    head: bytes
    tail: bytes
    raw: bytes
    delta: Delta
    events: int = 0
    parts: list[str] = field(default_factory=list)
    frame: Frame | None = None
    frames: int = 0

    def joined(self) -> bytes:
        if self.events == 1:
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
        """The events that are not like those before them, which are taken on the way."""
        known = max(0, len(self._rest) - 3)
        data = self._rest + data
        start = self._go_on(data, 0)
        while end := _END.search(data, max(start, known)):
            yield data[start : end.end()]
            start = self._go_on(data, end.end())
        self._rest = data[start:]

    def _go_on(self, data: bytes, start: int) -> int:
        """Where the events that are like those before them end."""
        run = self._run
        alike = run.frame.pieces(data, start) if run is not None and run.frame is not None else None
        if run is None or alike is None:
            return start
        self._add(run, alike)
        return start + alike.size

    def _take(self, begun: _Run) -> None:
        run = self._run = self._run or begun
        if begun.delta.newest:
            run.delta = begun.delta
        if run.frames < _FRAMES:
            run.frames += 1
            run.frame = frame_of(begun.raw, begun.delta)
        self._add(run, Alike(begun.delta.leaf[begun.delta.key], 1, len(begun.raw)))

    def _add(self, run: _Run, alike: Alike) -> None:
        run.parts.append(alike.text)
        run.events += alike.events
        self.speaking = self.speaking or bool(alike.text)
        if run.delta.spoken:
            self._heard.append(alike.text)

    def _ended(self) -> Iterator[bytes]:
        if self._run is not None:
            yield self._run.joined()
            self._run = None


def frame_of(raw: bytes, delta: Delta) -> Frame | None:
    """What the event has around its piece, if that is beyond doubt."""
    around = _around(raw, delta.leaf[delta.key])
    if around is None:
        return None
    before, after = around
    match = _EVENT.fullmatch(before + json.dumps(_PROBE).encode() + after)
    probed = delta_of(match[2]) if match else None
    if probed is None or probed.kind != delta.kind or probed.leaf[probed.key] != _PROBE:
        return None
    padded = _around(after, delta.document.get(_PADDING))
    return Frame(before, padded[0], True, padded[1]) if padded else Frame(before, after)


def _around(raw: bytes, value: object) -> tuple[bytes, bytes] | None:
    """What stands before and after a string that is there once."""
    literals = (json.dumps(value).encode(), json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    literal = next((one for one in literals if isinstance(value, str) and raw.count(one) == 1), None)
    if literal is None:
        return None
    before, _, after = raw.partition(literal)
    return before, after


def delta_of(data: bytes) -> Delta | None:
    """The piece of text that an event consists of, if it says nothing else."""
    try:
        document = from_json(data)
    except ValueError:
        return None
    match document:
        case {"choices": [{"delta": {} as delta, "index": index, **about}], **more}:
            if more.get("usage") or more.keys() - _SAME - {_PADDING} or any(about.values()):
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
