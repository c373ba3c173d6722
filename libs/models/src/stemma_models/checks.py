"""What makes an answer unusable, in words that the model can act on."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError
from stemma_contracts import complaints
from stemma_contracts.misfits import misfits

from .prompting import behind_blocks, has_block_tag, parse_blocks
from .records import Reply

T = TypeVar("T", bound=BaseModel)

MAX_BRACES = 64
"""How many opening braces are tried: each may cost a reading to the end of the answer."""
_DECODER = json.JSONDecoder()
_STRING_OR_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*+(?:"|\Z)|,(?=\s*+[}\]])', re.DOTALL)


TIME_LIMIT = "time_limit"
"""Why an answer ended that was given up while it came."""
LOOP_WINDOW, LOOP_RATIO = 2000, 0.06
"""Packed, prose takes a third of its length, a table of like answers a twelfth, and a loop next to nothing."""
LOOP_LINES, LOOP_LINE_CHARS, LOOP_SHARE = 5, 40, 2 / 3
"""A sentence that stands under each of several headings is no loop: it has other lines between it."""
INSTRUCTION_CHARS, INSTRUCTIONS_QUOTED, COMPLAINT_CHARS = 40, 2, 20
_SENTENCE_END = re.compile(r"[.!?:|][\"'”’)*_`]*(?=\s|\Z)")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?:;])\s+")
_WORD = re.compile(r"\w+")
_OPEN_FENCE = re.compile(r"\A```\w*\n")
"""Around a whole answer; one that is cut has no end of it."""


class UnusableAnswer(Exception):
    """An answer that must be asked for again: ``problems`` for the model, ``detail`` for the log.

    ``kept`` is what of its text is of use if no other answer is better.
    """

    def __init__(self, detail: str, problems: list[str], kept: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = problems
        self.kept = kept


class CopiedAnswer(UnusableAnswer):
    """An answer made of what its model was told; nothing of it is kept."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, [complaints.QUOTES])


class CutAnswer(UnusableAnswer):
    """An answer that has its token limit for an end, and can be gone on with."""


def finished(text: str) -> str:
    """A text up to the end of its last sentence."""
    text = _OPEN_FENCE.sub("", text, count=1)
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]] if ends else ""


def loop_in(text: str) -> int | None:
    """Where a text begins to repeat itself: long lines many times and little else, or the same few words at its end."""
    places = dict[str, list[int]]()
    at = 0
    for line in text.splitlines(keepends=True):
        if told := line.strip():
            places.setdefault(told, []).append(at)
        at += len(line)
    repeated = {line: found for line, found in places.items() if len(found) >= LOOP_LINES}
    doubled = [found[1] for line, found in repeated.items() if sum(map(str.isalpha, line)) >= LOOP_LINE_CHARS]
    if doubled:
        start = min(doubled)
        same, behind = (sum(at >= start for found in each.values() for at in found) for each in (repeated, places))
        if same > LOOP_SHARE * behind:
            return start
    start = len(text) - LOOP_WINDOW
    if start < 0 or not _repeats(text[start:]):
        return None
    while start >= LOOP_WINDOW and _repeats(text[start - LOOP_WINDOW : start]):
        start -= LOOP_WINDOW
    return start


def _repeats(text: str) -> bool:
    data = text.encode(errors="replace")
    return len(zlib.compress(data)) < LOOP_RATIO * len(data)


def check_complete(reply: Reply) -> Reply:
    """Refuses an answer that was refused, cut or empty."""
    record = reply.record
    if record.refusal or record.finish_reason in ("content_filter", "refusal"):
        raise UnusableAnswer("the model refused", [complaints.REFUSED])
    if record.finish_reason in ("length", "max_tokens", TIME_LIMIT):
        limit = "time" if record.finish_reason == TIME_LIMIT else "token"
        cut = f"cut at the {limit} limit while it was thinking" if record.thinking else f"cut at the {limit} limit"
        kept = "" if record.thinking else finished(reply.text)
        kind = CutAnswer if kept and limit == "token" else UnusableAnswer
        raise kind(cut, [complaints.CUT], kept)
    if record.thinking:
        raise UnusableAnswer("thoughts without an answer", [complaints.ONLY_THOUGHTS])
    if not reply.text.strip() and not record.tool_calls and not record.invalid_tool_calls:
        raise UnusableAnswer("empty answer", [complaints.EMPTY])
    return reply


def check_text(reply: Reply) -> str:
    """The text of a whole answer in words; tool calls do not count as one."""
    check_complete(reply)
    if not reply.text.strip():
        raise UnusableAnswer("tool call instead of text", [complaints.NO_TOOL])
    return reply.text


def check_words(reply: Reply, prompt: Sequence[BaseMessage]) -> str:
    """The text of an answer that a model wrote in its own words: no loop, and none of its instructions.

    A text that quotes them is not kept: what of it is the model's own cannot be told.
    """
    if quotes_prompt(reply.text, prompt):
        raise CopiedAnswer("the answer quotes the prompt")
    if (loop := loop_in(reply.text)) is not None:
        again = [complaints.REPEATS]
        raise UnusableAnswer("the answer repeats itself", again, finished(reply.text[:loop]))
    return check_text(reply)


def check_complaints(reply: Reply, made: Sequence[BaseMessage]) -> None:
    """Refuses an answer that quotes what was said about the one before."""
    said = _words(reply.text)
    told = (_words(line) for one in made for line in str(one.text).splitlines())
    if any(line in said for line in told if len(line) >= COMPLAINT_CHARS):
        raise CopiedAnswer("the answer quotes what was said about the one before")


def quotes_prompt(text: str, prompt: Sequence[BaseMessage]) -> bool:
    """Whether a text has some of the instructions in it, consists of one, or has a tag of their blocks."""
    if has_block_tag(text):
        return True
    said = _words("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    told = {piece for message in prompt for piece in map(_words, instructions_in(message))}
    quoted = [piece for piece in told if len(piece) >= INSTRUCTION_CHARS and piece in said]
    return len(quoted) >= INSTRUCTIONS_QUOTED or 2 * sum(map(len, quoted)) > len(said)


def instructions_in(message: BaseMessage) -> Iterator[str]:
    """The sentences of a message that are no material, and the issues of the last draft, each whole.

    All of the system's are none, and those behind the last block.
    """
    words = str(message.text)
    if isinstance(message, HumanMessage):
        yield from (line for one in parse_blocks(words) if one.tag == "issues" for line in one.text.splitlines())
        words = behind_blocks(words)
    yield from (sentence for line in words.splitlines() for sentence in _BETWEEN_SENTENCES.split(line))


def _words(text: str) -> str:
    """A text without its marks, so that a list, a quotation or bold letters hide nothing."""
    return " ".join(_WORD.findall(text.casefold()))


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
