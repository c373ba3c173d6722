"""What makes an answer unusable, in words that the model can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from stemma_contracts.misfits import misfits

from .records import Reply

T = TypeVar("T", bound=BaseModel)

MAX_BRACES = 64
"""How many opening braces are tried: each may cost a reading to the end of the answer."""
_DECODER = json.JSONDecoder()
_STRING_OR_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*+(?:"|\Z)|,(?=\s*+[}\]])', re.DOTALL)


class UnusableAnswer(Exception):
    """An answer that must be asked for again: ``problems`` for the model, ``detail`` for the log."""

    def __init__(self, detail: str, problems: list[str]) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = problems


def check_complete(reply: Reply) -> Reply:
    """Refuses an answer that was refused, cut or empty."""
    record = reply.record
    if record.refusal or record.finish_reason in ("content_filter", "refusal"):
        raise UnusableAnswer("the model refused", ["No answer was given; give the one that the material allows."])
    if record.finish_reason in ("length", "max_tokens"):
        cut = "cut at the token limit while it was thinking" if record.thinking else "cut at the token limit"
        raise UnusableAnswer(cut, ["The answer was cut at the length limit; be shorter."])
    if record.thinking:
        raise UnusableAnswer("thoughts without an answer", ["There was no answer behind your thoughts; give it."])
    if not reply.text.strip() and not record.tool_calls and not record.invalid_tool_calls:
        raise UnusableAnswer("empty answer", ["The answer was empty."])
    return reply


def check_text(reply: Reply) -> str:
    """The text of a whole answer in words; tool calls do not count as one."""
    check_complete(reply)
    if not reply.text.strip():
        raise UnusableAnswer("tool call instead of text", ["Answer in text; no tool is available now."])
    return reply.text


def parse(reply: Reply, schema: type[T], context: Mapping[str, Any] | None) -> T:
    """The value that an answer holds as JSON, checked by its schema.

    Words or a fence around the JSON are passed over, and commas behind the last of a list; of several objects the last
    that fits is the answer.
    """
    text = check_text(reply)
    try:
        return schema.model_validate_json(text, context=context)
    except ValidationError as error:
        problems = error
    found = list[str]()
    if problems.errors()[0]["type"] == "json_invalid":
        found = [*_objects(text), *_objects(_without_last_commas(text))]
    for candidate in reversed(found):
        try:
            return schema.model_validate_json(candidate, context=context)
        except ValidationError as error:
            problems = error if candidate == found[-1] else problems
    raise _misfit(schema, problems)


def _without_last_commas(text: str) -> str:
    return _STRING_OR_LAST_COMMA.sub(lambda found: "" if found[0] == "," else found[0], text)


def _objects(text: str) -> Iterator[str]:
    """The JSON objects in a text, in their order, none of them inside another."""
    start = text.find("{")
    for _ in range(MAX_BRACES):
        if start < 0:
            return
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield text[start:end]
        start = text.find("{", end)


def _misfit(schema: type[BaseModel], error: ValidationError) -> UnusableAnswer:
    found = misfits(error)
    problems = [f"{one.field or 'answer'}: {one.message}" for one in found]
    kinds = ", ".join(sorted({one.kind for one in found}))
    return UnusableAnswer(f"{schema.__name__} does not fit: {kinds}", problems)
