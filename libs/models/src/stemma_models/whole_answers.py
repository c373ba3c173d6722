"""Telling whole answers from those that a provider did not finish: LiteLLM gives both the same end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from .beside import EXCHANGE, Exchange, Requested, plain
from .completions import COMPLETION, Completion
from .listening import LISTENER

if TYPE_CHECKING:
    from litellm import CustomStreamWrapper

BROKEN_OFF = ("error", "ERROR", "network_error", "abort")
"""Reasons of providers that gave up in the middle; LiteLLM makes "stop" of them."""
OPENAI = "openai/"
STOP = "stop"
_CALLBACKS = (
    "callbacks",
    "success_callback",
    "failure_callback",
    "_async_success_callback",
    "_async_failure_callback",
)
"""Where LiteLLM keeps what hears of its calls."""


class IncompleteAnswerError(ConnectionError):
    """The provider ended an answer in good order before it was whole."""


class WholeAnswers:
    """LiteLLM as `ChatLiteLLM` calls it. A stream may say nothing for ``silence_limit`` seconds.

    Raises `IncompleteAnswerError` for an answer that is broken off or has no choice, and for a stream that ends
    without a reason. An answer that is not streamed may leave its reason out: JSON that parses is whole. Where LiteLLM
    puts a reason of its own before the provider's (Gemini in each chunk, some others in place of "error"), nobody can
    see that a stream was cut.

    If it ``completes`` streams, LiteLLM asks for an answer in one piece, which the transport makes of a stream. Who
    listens hears it from the transport in either case.
    """

    def __init__(self, litellm: ModuleType, silence_limit: float, *, completes: bool = False) -> None:
        self._litellm = litellm
        self._is_internal = _is_internal()
        self._silence_limit = silence_limit
        self._completes = completes

    async def acompletion(self, **call: Any) -> Any:
        """One HTTP attempt."""
        if call.get("stream"):
            if self._completes and LISTENER.get() is not None:
                # Its silence is the transport's: by another time limit LiteLLM takes other connections.
                return await self._completed(call)
            call["timeout"] = self._silence_limit
        elif self._completes and not call.get("tools"):
            return self._whole(await self._asked_beside(call))
        answer = await self._asked(call)
        if isinstance(answer, self._litellm.CustomStreamWrapper):
            return _finished(answer)
        return self._whole(answer)

    async def _completed(self, call: dict[str, Any]) -> AsyncIterator[Any]:
        completion = Completion(partial(self._count, call), self._silence_limit)
        before = COMPLETION.set(completion)
        try:
            answer = await self._asked_beside({**call, "stream": False, "stream_options": None})
        finally:
            COMPLETION.reset(before)
        if completion.begun and (completion.reason is None or completion.reason in BROKEN_OFF):
            raise IncompleteAnswerError
        return _chunk(self._whole(answer), completion)

    async def _asked_beside(self, call: dict[str, Any]) -> Any:
        """LiteLLM's answer, while which comes nothing of LiteLLM, the SDK of OpenAI and httpx waits for it."""
        if self._unheard is None:
            return await self._asked(call)
        exchange = Exchange()
        try:
            return await self._asked_through(exchange, call)
        except Requested as requested:
            make = requested.make
        try:
            came = await make()
            if came.is_success and (read := self._read(call, await came.aread())) is not None:
                return read
            exchange.came = came
        except Exception as error:  # for LiteLLM, which knows what it means
            exchange.came = error
        return await self._asked_through(exchange, call)

    async def _asked_through(self, exchange: Exchange, call: dict[str, Any]) -> Any:
        """By LiteLLM, whose request is that of the exchange."""
        before = EXCHANGE.set(exchange)
        try:
            return await self._asked(call)
        finally:
            EXCHANGE.reset(before)

    def _read(self, call: dict[str, Any], data: bytes) -> Any:
        """An answer of words alone as LiteLLM has it, which takes a third of the time; none if it says more."""
        model = call["model"]
        try:
            body = from_json(data)
            if (told := plain(body)) is None:
                return None
            text, reason, usage = told
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "finish_reason": reason, "message": message}
            spent = self._litellm.Usage(**usage)
            answer = self._litellm.ModelResponse(model=body.get("model") or model, choices=[choice], usage=spent)
            if tier := body.get("service_tier"):  # each has prices of its own
                answer.service_tier = tier
            answer._hidden_params["response_cost"] = self._litellm.completion_cost(answer, model=model)
        except Exception:  # it is LiteLLM's to say what is wrong with it
            return None
        return answer

    @property
    def _unheard(self) -> ContextVar[bool] | None:
        """The mark of calls that LiteLLM describes to nobody; none where it has callbacks, which hear of them."""
        return None if any(getattr(self._litellm, name) for name in _CALLBACKS) else self._is_internal

    async def _asked(self, call: dict[str, Any]) -> Any:
        """By LiteLLM, which does not describe the call to its callbacks where it has none."""
        unheard = self._unheard
        if unheard is None:
            return await self._litellm.acompletion(**call)
        before = unheard.set(True)
        try:
            return await self._litellm.acompletion(**call)
        finally:
            unheard.reset(before)

    def _count(self, call: dict[str, Any], message: dict[str, Any]) -> dict[str, int]:
        """What an answer took whose stream does not say it, as LiteLLM counts that of a stream."""
        count, model = self._litellm.token_counter, call["model"].removeprefix(OPENAI)
        sent = count(model=model, messages=call["messages"])
        received = count(model=model, text=message["content"], count_response_tokens=True)
        if thoughts := message.get("reasoning_content"):
            received += count(text=thoughts, count_response_tokens=True)
        return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}

    def _whole(self, answer: Any) -> Any:
        if not answer.choices or _stated_reason(answer.choices[0]) in BROKEN_OFF:
            raise IncompleteAnswerError
        return answer


def _is_internal() -> ContextVar[bool] | None:
    """By which LiteLLM marks calls that it makes for itself, and does not log; none in releases that have no such mark.

    To describe an answer for its log takes it 5 % of what an answer at once costs, and two tasks more.
    """
    try:
        mark: ContextVar[bool] = import_module("litellm._internal_context").is_internal_call
    except (ImportError, AttributeError):
        return None
    return mark


async def _chunk(answer: Any, completion: Completion) -> AsyncIterator[dict[str, Any]]:
    """The answer as a stream of one chunk.

    Its words are those that were heard, where LiteLLM leaves thoughts out of them, and its reason is "stop" if the
    provider says so, whatever is called. What it cost is the provider's to say.
    """
    choice = answer.choices[0]
    delta, reason = choice.message.model_dump(), choice.finish_reason
    if completion.begun:
        delta["content"] = completion.text
        reason = STOP if completion.reason == STOP else reason
    for index, call in enumerate(delta.get("tool_calls") or []):
        call["index"] = index
    cost = (completion.usage or {}).get("cost")
    usage = answer.usage.model_dump() | {"cost": answer._hidden_params.get("response_cost") if cost is None else cost}
    yield {"choices": [{"delta": delta, "finish_reason": reason}], "usage": usage}


async def _finished(stream: CustomStreamWrapper) -> AsyncIterator[Any]:
    # LiteLLM ends every stream with a reason, if need be one of its own; what the provider said stands only in these
    # two, and the second is forgotten with the next chunk.
    reason = None
    async for chunk in stream:
        reason = stream.received_finish_reason or stream.intermittent_finish_reason or reason
        yield chunk
    if reason is None or reason in BROKEN_OFF:
        raise IncompleteAnswerError


def _stated_reason(choice: Any) -> Any:
    """The provider's own word for why it ended, where LiteLLM put another in its place."""
    return (getattr(choice, "provider_specific_fields", None) or {}).get("native_finish_reason")
