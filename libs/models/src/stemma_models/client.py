"""One call of a model with all its attempts inside one time limit, what it costs, and who hears its answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import add_ai_message_chunks
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import get_logger, note
from stemma_telemetry.names import SpanEvent
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from . import errors
from .checks import TIME_LIMIT, finished, loop_in
from .pace import MOST_CALLS, Clock, Pace, known_pace, pace_of
from .providers import cached_start, look_at, provider, structure_of, with_cache_hints, with_structure
from .records import Request
from .settings import ModelSettings, Structure
from .thoughts import Parted, without_thoughts, words_so_far


class Meter:
    """Adds up what one job spends, also when a call fails in the end."""

    def __init__(self, parent: Meter | None = None) -> None:
        self.total = Usage()
        self._parent = parent

    def count(self, usage: Usage) -> None:
        """Add a usage here and in every meter that this one is part of."""
        self.total = self.total.plus(usage)
        if self._parent is not None:
            self._parent.count(usage)


def usage_of(message: AIMessage) -> Usage:
    """What an answer cost, by the tokens and the price that its model states; the call itself is not counted.

    A server may state anything: less than nothing counts as nothing.
    """
    tokens: Mapping[str, Any] = message.usage_metadata or {}
    details = tokens.get("input_token_details") or {}
    return Usage(
        input_tokens=max(0, tokens.get("input_tokens", 0)),
        cached_tokens=max(0, details.get("cache_read") or 0),
        output_tokens=max(0, tokens.get("output_tokens", 0)),
        cost=max(0.0, float(message.response_metadata.get("response_cost") or 0.0)),
    )


TokenSink = Callable[[str], Awaitable[bool | None]]
"""Gets the text of an answer as it comes. It returns `False` if nobody listens; an empty text only asks for that."""

JOINED_S = 0.05
"""Tokens that come within this time are told together: each text that is told is a message."""
PIECE_CHARS = 16 * 1024
"""The longest text that is told at once: a message of the bus has a limit."""


async def is_followed(tell: TokenSink | None) -> bool:
    """Whether somebody listens now."""
    return tell is not None and await tell("") is not False


async def to_nobody(_text: str) -> bool:
    """A sink that nobody listens to."""
    return False


async def tell_whole(tell: TokenSink, text: str) -> None:
    """Tell a text in as few pieces as it fits into."""
    for start in range(0, len(text), PIECE_CHARS):
        await tell(text[start : start + PIECE_CHARS])


def joined(begun: str, said: str) -> str:
    """A whole answer: some providers give the rest of one alone, some with its beginning."""
    return max(begun, said, key=len) if said.startswith(begun) or begun.startswith(said) else begun + said


class Listener:
    """Tells the text of a call as it comes, that of each attempt from its beginning, without the thoughts in it."""

    def __init__(
        self,
        tell: TokenSink,
        opens_with: tuple[str, ...] = (),
        is_read: Callable[[], None] = lambda: None,
        begun: str = "",
    ) -> None:
        self._tell, self._is_read, self._begun = tell, is_read, begun
        self._opens_with = opens_with
        self.begin()

    @property
    def said(self) -> str:
        """What the attempt that is under way has written."""
        return self._text

    def begin(self) -> None:
        """Begin with an attempt."""
        self._text = self._told = ""
        self._last = float("-inf")

    async def hear(self, piece: str) -> None:
        """Take a piece of the answer; the first is told at once, and shows that the prompt was read."""
        self._is_read()
        self._text += piece
        now = asyncio.get_running_loop().time()
        if piece and now - self._last >= JOINED_S:
            # As in the whole answer: what goes on with another keeps the space at its beginning.
            await self._tell_all(self._text if self._begun else words_so_far(self._text, self._opens_with))
            self._last = now

    async def end(self, answer: str) -> None:
        """Tell what is left of the whole answer."""
        await self._tell_all(answer)

    async def _tell_all(self, words: str) -> None:
        """Tell what is new; all of it if words that were told turn out to be a thought."""
        words = joined(self._begun, words)
        new = words.removeprefix(self._told) if words.startswith(self._told) else words
        self._told = words
        await tell_whole(self._tell, new)


ANSWER_SHARE = 4
"""An answer needs a quarter of what the model holds, or what it may have at most if that is less."""
LOOKED_EVERY = 1000
"""After so many characters a stream is looked at for a loop: nobody has to pay for more of it."""
TOKENS_A_MESSAGE = 4
COUNT_MARGIN = 20
"""A twentieth: by so much the rough count of a prompt may be wrong."""


def window_of(model: BaseChatModel) -> int | None:
    """How many tokens a model holds, prompt and answer together; None if that is not known or does not matter."""
    return (model.profile or {}).get("max_input_tokens")


async def room_for(model: BaseChatModel, request: Request, settings: ModelSettings, spent: Meter) -> int:
    """How many tokens an answer may have: those of its task, or what the prompt leaves of what the model holds.

    What a model thinks counts too: one that does so may take as many as its answers have at most.
    Raises `ContextTooLongError` for a request that leaves too few; the count is a rough one.
    """
    thinks = (model.profile or {}).get("reasoning_output", False)
    holds, wanted = window_of(model), request.max_tokens if request.max_tokens and not thinks else settings.max_tokens
    if holds is None:
        return wanted
    answer = min(wanted, holds // ANSWER_SHARE)
    framing = TOKENS_A_MESSAGE * len(request.messages) + wanted
    # No token is shorter than a byte: most prompts fit without being counted.
    if sum(len(piece.encode(errors="replace")) for piece in _pieces(request)) + framing <= holds:
        return wanted
    tokens = await tokens_of(model, request)
    if tokens + answer > holds:
        raise errors.ContextTooLongError(settings.name, tokens, holds, answer, spent.total)
    return max(answer, min(wanted, holds - tokens - tokens // COUNT_MARGIN))


async def tokens_of(model: BaseChatModel, request: Request) -> int:
    """A rough count of the tokens of a prompt; each model family splits words in a way of its own.

    It is made beside the event loop: it reads the vocabulary first, and then all of a long prompt.
    """
    return await asyncio.to_thread(_count, model, request)


def _count(model: BaseChatModel, request: Request) -> int:
    return sum(model.get_num_tokens(piece) + TOKENS_A_MESSAGE for piece in _pieces(request))


def _pieces(request: Request) -> Iterator[str]:
    """All text that goes to the model."""
    for message in request.messages:
        yield str(message.text)
        if isinstance(message, AIMessage) and message.tool_calls:
            yield json.dumps(message.tool_calls, default=str)
    yield from (json.dumps(tool) for tool in request.tools)
    if request.response_format is not None:
        yield json.dumps(request.response_format)


JSON_OPENS_WITH = ("{", "[", "```")
THINKING = "thinking"
"""In the metadata of an answer that holds nothing but thoughts, or ends in one."""

log = get_logger()


class ModelClient:
    """Owns the retries of transient errors; nothing above or below it retries."""

    def __init__(self, model: BaseChatModel, settings: ModelSettings) -> None:
        self._model = model
        self._settings = settings
        self._structure: Structure = structure_of(model, settings)
        self._judges = provider(settings.name).judges

    async def call(
        self,
        request: Request,
        meter: Meter,
        on_token: TokenSink | None = None,
        opens_with: tuple[str, ...] = (),
        *,
        document_id: str = "",
        clock: Clock | None = None,
    ) -> tuple[AIMessage, Usage]:
        """The answer and what all attempts cost; raises `ModelUnavailableError` and `ContextTooLongError`.

        It is streamed if somebody listens when the call begins, or by a machine of the user's, which is stopped once it
        repeats itself; else ``on_token`` gets it in one piece.
        The ``clock`` stands still while the call waits for its turn.
        """
        pace = await self.pace()
        most = await room_for(self._model, request, self._settings, meter)
        request = replace(request, parameters={**request.parameters, "max_tokens": most})
        spent, failures = Meter(meter), list[str]()
        start = cached_start(self._model, self._settings, request.messages, document_id)
        begun = str(request.messages[-1].text) if isinstance(request.messages[-1], AIMessage) else ""
        async with pace.behind_first(start, clock) as is_read, pace.turn(clock):
            followed = await is_followed(on_token)
            told = on_token if followed else to_nobody if on_token and pace.is_local else None
            listener = Listener(told, opens_with, is_read, begun) if told else None
            limit_s = self._settings.call_limit or pace.patience(_about(request), most)
            limit = asyncio.timeout(limit_s)
            try:
                async with limit:
                    answer = await self._attempts(request, spent, listener, failures, document_id)
            except Exception as error:
                if not errors.is_provider_error(error):
                    raise
                if errors.is_too_long(error):
                    tokens, holds = await tokens_of(self._model, request), errors.held_tokens(error)
                    raise errors.ContextTooLongError(self._settings.name, tokens, holds, 0, meter.total) from error
                if limit.expired():
                    pace.gave_up()
                late = ", after ".join([f"no answer within {limit_s:g} s", *failures[-1:]])
                if not (limit.expired() and listener and finished(listener.said)):
                    raise errors.ModelUnavailableError(
                        late if limit.expired() else errors.describe(error), meter.total
                    ) from error
                answer = AIMessage(listener.said, response_metadata={"finish_reason": TIME_LIMIT})
        is_json = request.response_format is not None
        answer = _clean(answer, JSON_OPENS_WITH if is_json else opens_with, is_json=is_json, goes_on=bool(begun))
        if listener is not None and followed:
            await listener.end(str(answer.text))
        elif on_token is not None:
            await tell_whole(on_token, joined(begun, str(answer.text)))
        return answer, spent.total

    @property
    def holds(self) -> int | None:
        return window_of(self._model)

    async def pace(self) -> Pace:
        """How fast the model is; a server of one's own is asked once what it can do."""
        if (known := known_pace(self._settings.name, self._settings.api_base)) is not None:
            return known
        if provider(self._settings.name).reads_everything:
            return pace_of(self._settings, MOST_CALLS)
        told = await look_at(self._settings)
        if told is not None and window_of(self._model) is None:
            self._model.profile = {**(self._model.profile or {}), "max_input_tokens": told.context}
        return pace_of(self._settings, told.slots if told else None)

    async def _attempts(
        self, request: Request, spent: Meter, listener: Listener | None, failures: list[str], document_id: str
    ) -> AIMessage:
        """After a stream that came to nothing the answer is asked for in one piece: some servers do not stream well."""
        retrying = AsyncRetrying(
            stop=self._is_over,
            wait=errors.Wait(self._settings),
            retry=retry_if_exception(errors.is_transient),
            before_sleep=partial(_note_failure, failures=failures, pace=await self.pace()),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                try:
                    return await self._attempt(request, spent, listener, document_id)
                except errors.UnfinishedAnswer:
                    listener = None
                    raise
        raise AssertionError("an attempt returns or raises")

    def _is_over(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        return state.attempt_number > self._settings.retries and not errors.is_loading(error)

    async def _attempt(self, request: Request, spent: Meter, listener: Listener | None, document_id: str) -> AIMessage:
        spent.count(Usage(calls=1))
        began = asyncio.get_running_loop().time()
        asked, wanted = request.messages, dict[str, Any]()
        if request.response_format is not None:
            asked, wanted = with_structure(self._settings, self._structure, request.response_format, asked)
        messages, given = with_cache_hints(self._settings, asked, document_id)
        given = {**given, **wanted, "max_tokens": request.max_tokens}
        if self._settings.stop:
            given["stop"] = list(self._settings.stop)
        if request.tools:
            message = await self._model.bind_tools(list(request.tools)).ainvoke(messages, **given)
        elif wanted:
            message = await self._with_value(messages, given)
        elif listener is None:
            message = await self._model.ainvoke(messages, **given)
        else:
            listener.begin()
            message = await self._streamed(self._model.astream(messages, **given), listener, request, spent)
        spent.count(usage := usage_of(message))
        seconds = asyncio.get_running_loop().time() - began
        (await self.pace()).saw(usage.input_tokens - usage.cached_tokens, usage.output_tokens, seconds)
        return message

    async def _with_value(self, messages: Sequence[BaseMessage], given: Mapping[str, Any]) -> AIMessage:
        """An answer by a schema. A server that refuses schemas, or tools, is asked in words from then on."""
        try:
            message = await self._model.ainvoke(list(messages), **given)
        except Exception as error:
            if self._structure == "words" or not errors.is_structure_refused(error):
                raise
            self._structure = "words"
            raise errors.UnfinishedAnswer("the server takes no schema of an answer") from None
        return _untooled(message) if "tools" in given else message

    async def _streamed(self, stream: Any, listener: Listener, request: Request, spent: Meter) -> AIMessage:
        """The whole answer. Before its first words a provider may be silent for as long as a call may take.

        It reads the prompt then, for minutes if it has no GPU. What is left before its end costs what was written.
        """
        limit, pace = self._settings.call_limit, await self.pace()
        parts, silence_s, looked_at = list[AIMessageChunk](), None, 0
        try:
            async with aclosing(cast("AsyncGenerator[AIMessageChunk, None]", stream)) as chunks:
                while (chunk := await _next(chunks, silence_s)) is not None:
                    parts.append(chunk)
                    await listener.hear(str(chunk.text))
                    if len(listener.said) - looked_at > LOOKED_EVERY:
                        looked_at = len(listener.said)
                        if self._judges and loop_in(listener.said) is not None:
                            break
                    if chunk.text or chunk.additional_kwargs:
                        silence_s = limit / 2 if limit else pace.silence
        except BaseException:
            spent.count(_about_spent(request, listener.said))
            raise
        if not any(part.usage_metadata for part in parts):
            spent.count(_about_spent(request, listener.said))
        return add_ai_message_chunks(AIMessageChunk(content=""), *parts)


def _untooled(message: AIMessage) -> AIMessage:
    """The arguments of the tool that was to be called as the text of the answer."""
    whole = [json.dumps(call["args"], ensure_ascii=False) for call in message.tool_calls]
    broken = [call["args"] or "" for call in message.invalid_tool_calls]
    said = [*whole, *broken, str(message.text)][0]
    return message.model_copy(update={"content": said, "tool_calls": [], "invalid_tool_calls": []})


async def _next(chunks: AsyncGenerator[AIMessageChunk, None], silence_s: float | None) -> AIMessageChunk | None:
    limit = asyncio.timeout(silence_s)
    try:
        async with limit:
            return await anext(chunks, None)
    except TimeoutError:
        if limit.expired():
            raise errors.UnfinishedAnswer(f"a stream that was silent for {silence_s:g} s") from None
        raise


def _about(request: Request) -> int:
    """How many tokens a prompt has, without a count: four bytes of most languages are one."""
    return sum(_tokens_in(piece) for piece in _pieces(request))


def _about_spent(request: Request, said: str) -> Usage:
    """What an answer cost of which nobody tells that; nothing if there is none."""
    return Usage(input_tokens=_about(request), output_tokens=_tokens_in(said)) if said else Usage()


def _tokens_in(text: str) -> int:
    return len(text.encode(errors="replace")) // 4


def _clean(message: AIMessage, opens_with: tuple[str, ...], *, is_json: bool, goes_on: bool) -> AIMessage:
    """The answer as text and tool calls that UTF-8 can carry; a lone surrogate would break the record.

    Thoughts are left out. JSON that a server takes for a thought is the answer all the same. One that goes on with
    another keeps the space at its beginning.
    """
    said, metadata = str(message.text), dict(message.response_metadata)
    is_whole = goes_on or (is_json and _is_json(said))
    parted = Parted(said, found=False, open=False) if is_whole else without_thoughts(said, opens_with)
    text, reasoning = parted.words, str(message.additional_kwargs.get("reasoning_content") or "").strip()
    if not text.strip() and is_json and reasoning.lstrip("`json \n").startswith("{"):
        text, reasoning = reasoning, ""
    has_calls = message.tool_calls or message.invalid_tool_calls
    if not has_calls and (parted.open or (not text.strip() and (parted.found or reasoning))):
        metadata[THINKING] = True
    return AIMessage(
        text.encode(errors="replace").decode(),
        tool_calls=_told_apart(_as_utf8(message.tool_calls)),
        invalid_tool_calls=_as_utf8(message.invalid_tool_calls),
        additional_kwargs=message.additional_kwargs,
        response_metadata=metadata,
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _told_apart(calls: Any) -> Any:
    """Tool calls with an id each: their answers name it, and some servers give none, or the same to all."""
    ids = [call["id"] for call in calls]
    return [
        call if call["id"] and ids.count(call["id"]) == 1 else {**call, "id": f"{call['id'] or 'call'}-{number}"}
        for number, call in enumerate(calls)
    ]


def _as_utf8(calls: Any) -> Any:
    return calls and json.loads(json.dumps(calls, ensure_ascii=False).encode(errors="replace"))


def _note_failure(state: RetryCallState, failures: list[str], pace: Pace) -> None:
    error = state.outcome.exception() if state.outcome else None
    if error is not None:
        if errors.status_of(error) == 429:
            pace.refused()
        failures.append(errors.describe(error))
        note(SpanEvent.RETRY, attempt=state.attempt_number, error=failures[-1])
        log.warning("model_call_retried", attempt=state.attempt_number, error=failures[-1])
