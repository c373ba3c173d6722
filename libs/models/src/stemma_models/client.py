"""One call of a model with all its attempts, inside one time limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import add_ai_message_chunks
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import get_logger, note
from stemma_telemetry.names import SpanEvent
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from .asking import Asking
from .attempts import Wait, describe, is_provider_error, is_too_long, is_transient
from .errors import ContextTooLongError, ModelUnavailableError
from .listening import LISTENER, Listener, TokenSink
from .records import Request
from .settings import ModelSettings
from .usage import Meter, usage_of
from .windows import check_room, tokens_of

log = get_logger()


class ModelClient:
    """Owns the retries of transient errors; nothing above or below it retries."""

    def __init__(self, model: BaseChatModel, settings: ModelSettings) -> None:
        self._model = model
        self._asking = Asking(model)
        self._settings = settings

    async def call(self, request: Request, meter: Meter, on_token: TokenSink | None) -> tuple[AIMessage, Usage]:
        """The answer and what all attempts cost; raises `ModelUnavailableError` and `ContextTooLongError`."""
        await check_room(self._model, request, self._settings, meter)
        spent, failures = Meter(meter), list[str]()
        limit = asyncio.timeout(self._settings.call_limit)
        try:
            async with limit:
                return await self._attempts(request, spent, on_token, failures), spent.total
        except Exception as error:
            if not is_provider_error(error):
                raise
            if is_too_long(error):
                tokens = await tokens_of(self._model, request)
                raise ContextTooLongError(self._settings.name, tokens, 0, 0, meter.total) from error
            late = ", after ".join([f"no answer within {self._settings.call_limit:g} s", *failures[-1:]])
            raise ModelUnavailableError(late if limit.expired() else describe(error), meter.total) from error

    async def _attempts(
        self, request: Request, spent: Meter, on_token: TokenSink | None, failures: list[str]
    ) -> AIMessage:
        """The first attempt, and what `_retries` makes of its error: next to no call needs them, and they cost time."""
        try:
            return await self._attempt(request, spent, on_token)
        except Exception as error:
            failed = [error]

        async def attempt() -> AIMessage:
            if failed:
                raise failed.pop()
            return await self._attempt(request, spent, on_token)

        return await self._retries(failures)(attempt)

    def _retries(self, failures: list[str]) -> AsyncRetrying:
        return AsyncRetrying(
            stop=stop_after_attempt(1 + self._settings.retries),
            wait=Wait(self._settings),
            retry=retry_if_exception(is_transient),
            before_sleep=partial(_note_failure, failures=failures),
            reraise=True,
        )

    async def _attempt(self, request: Request, spent: Meter, on_token: TokenSink | None) -> AIMessage:
        spent.count(Usage(calls=1))
        messages, given = request.messages, dict[str, Any]()
        if request.response_format is not None:
            given["response_format"] = dict(request.response_format)
        if request.tools:
            message = await self._model.bind_tools(list(request.tools)).ainvoke(list(messages), **given)
        elif on_token is None:
            message = await self._asking.whole(messages, **given)
        else:
            message = await _listened(lambda: self._asking.pieces(messages, **given), Listener(on_token))
        spent.count(usage_of(message, self._settings.name))
        return _clean(message)


async def _listened(asked: Callable[[], AsyncIterator[BaseMessage]], listener: Listener) -> AIMessage:
    """The whole answer. That a listener fails is no fault of the provider, whatever LiteLLM makes of it."""
    before = LISTENER.set(listener)
    try:
        return await _collect(asked(), listener)
    except Exception:
        if listener.failure is not None:
            raise listener.failure from None
        raise
    finally:
        LISTENER.reset(before)


async def _collect(chunks: AsyncIterator[BaseMessage], listener: Listener) -> AIMessage:
    parts: list[AIMessageChunk] = []
    async for chunk in chunks:
        if isinstance(chunk, AIMessageChunk):
            parts.append(chunk)
        await listener.parsed(chunk.content if isinstance(chunk.content, str) else str(chunk.text))
    await listener.flush()
    return add_ai_message_chunks(AIMessageChunk(content=""), *parts)


def _clean(message: AIMessage) -> AIMessage:
    """The answer as text and tool calls that UTF-8 can carry; a lone surrogate would break the record."""
    return AIMessage(
        str(message.text).encode(errors="replace").decode(),
        tool_calls=_as_utf8(message.tool_calls),
        invalid_tool_calls=_as_utf8(message.invalid_tool_calls),
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
    )


def _as_utf8(calls: Any) -> Any:
    return calls and json.loads(json.dumps(calls, ensure_ascii=False).encode(errors="replace"))


def _note_failure(state: RetryCallState, failures: list[str]) -> None:
    error = state.outcome.exception() if state.outcome else None
    if error is not None:
        failures.append(describe(error))
        note(SpanEvent.RETRY, attempt=state.attempt_number, error=failures[-1])
        log.warning("model_call_retried", attempt=state.attempt_number, error=failures[-1])
