"""Joining the deltas of event streams: nothing but the number of events changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stemma_models.deltas import ANSWER_BYTES, EVENT_BYTES, Joiner, OversizedAnswerError


def event(document: dict[str, Any], name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(document).encode() + b"\n\n"


def openai(**delta: object) -> bytes:
    return event({"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def anthropic(text: str) -> bytes:
    delta = {"type": "text_delta", "text": text}
    return event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")


def gemini(text: str, tokens: int) -> bytes:
    content = {"parts": [{"text": text}], "role": "model"}
    return event({"candidates": [{"content": content, "index": 0}], "usageMetadata": {"candidatesTokenCount": tokens}})


WORDS = [openai(role="assistant", content="é"), openai(content="😀"), openai(content=" b")]
STREAMS = [
    (WORDS, openai(role="assistant", content="é😀 b")),
    ([openai(reasoning_content="a"), openai(reasoning_content="b")], openai(reasoning_content="ab")),
    ([anthropic("a"), anthropic("b")], anthropic("ab")),
    ([gemini("a", 1), gemini("b", 2)], gemini("ab", 2)),
]


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(("pieces", "joined"), STREAMS)
def test_pieces_of_one_text_become_one_event_however_they_arrive(pieces: list[bytes], joined: bytes, size: int) -> None:
    joiner, stream = Joiner(), b"".join(pieces)
    for n in range(0, len(stream), size):
        assert [passed for _, passed in joiner.feed(stream[n : n + size])] == [b""]
    assert joiner.end() == joined


OTHERS = [
    b": ping\n\n",
    b"data: [DONE]\n\n",
    b"data: {broken\r\n\r\n",
    b'data: {"choices": [{"index": 0, "delta": {"content": "\\ud800"}}]}\n\n',
    b"data: " + b"[" * 5000 + b"\n\n",
    event({"choices": [{"index": 0, "delta": {"content": "end"}, "finish_reason": "stop"}]}),
    event({"choices": [], "usage": {"prompt_tokens": 1}}),
    openai(tool_calls=[{"index": 0, "function": {"arguments": "{"}}]),
    event({"choices": [{"index": 0, "delta": {"content": "d"}}], "citations": ["https://example.org"]}),
    event({"unknown": {"text": "word"}}),
]


@pytest.mark.parametrize("other", OTHERS)
def test_any_other_event_passes_byte_for_byte_and_before_the_text_after_it(other: bytes) -> None:
    joiner = Joiner()
    fed = list(joiner.feed(openai(content="a") + openai(content="b") + other + openai(content="c")))
    assert fed == [("ab", openai(content="ab") + other), ("c", b"")]
    assert joiner.end() == openai(content="c")


LIKE_THE_LAST = [
    b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n',
    b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": null}], "x": "a"}\n\n',
    b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "a", "x": "a"}, "finish_reason": null}]}\n\n',
    b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": 5}, "finish_reason": null}]}\n\n',
    b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "a}, "finish_reason": null}]}\n\n',
]


@pytest.mark.parametrize("other", LIKE_THE_LAST)
def test_an_event_that_only_looks_like_those_before_it_passes_as_it_is(other: bytes) -> None:
    joiner = Joiner()
    fed = list(joiner.feed(openai(content="a") + openai(content="b") + openai(content="c") + other))
    assert fed == [("abc", openai(content="abc") + other)]


@pytest.mark.parametrize("text", ["1", "index", '"', "\\", '"content": "', "é\n", "null"])
def test_a_piece_may_be_any_text_of_the_event_around_it(text: str) -> None:
    joiner = Joiner()
    events = [openai(content=text), openai(content="b"), openai(content=text), openai(content="")]
    assert [told for told, _ in joiner.feed(b"".join(events))] == [text + "b" + text]
    assert joiner.end() == openai(content=text + "b" + text)


def test_padding_keeps_no_pieces_apart() -> None:
    pieces = [{"id": "1", "choices": [{"index": 0, "delta": {"content": text}}], "obfuscation": text} for text in "ab"]
    joiner = Joiner()
    assert list(joiner.feed(b"".join(map(event, pieces)))) == [("ab", b"")]


def test_what_a_model_thinks_is_not_heard_as_its_answer() -> None:
    fed = list(Joiner().feed(openai(reasoning_content="Hm.") + openai(content="Yes.")))
    assert fed == [("", openai(reasoning_content="Hm.")), ("Yes.", b"")]


@pytest.mark.parametrize("endless", [b"data: " + b"x" * 65536, openai(content="x" * 60000)])
def test_an_event_or_a_stream_without_an_end_is_left(endless: bytes) -> None:
    joiner = Joiner()
    longest = ANSWER_BYTES if endless.endswith(b"\n") else EVENT_BYTES
    for _ in range(longest // len(endless)):
        list(joiner.feed(endless))
    with pytest.raises(OversizedAnswerError):
        list(joiner.feed(endless))
