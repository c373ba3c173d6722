"""Asking a chat model past LangChain's callbacks, where nobody hears them.

For each call LangChain makes managers of callbacks, looks into the environment for its own service, describes the model
to it, and joins all pieces of a stream once more: an eighth of what a section takes whose model takes nothing
(`docs/bench.md`). What a model is asked by here every model implements; to callers it is private, and may change with
the releases that pyproject.toml leaves out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage


class Asking:
    """One model, asked in one piece or as a stream."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model
        self._is_heard = _is_heard(model)

    async def whole(self, messages: Sequence[BaseMessage], **given: Any) -> AIMessage:
        """The answer in one piece."""
        if self._is_heard:
            return await self._model.ainvoke(list(messages), **given)
        result = await self._model._agenerate_with_cache(list(messages), **given)
        answer = result.generations[0].message
        assert isinstance(answer, AIMessage)
        return answer

    async def pieces(self, messages: Sequence[BaseMessage], **given: Any) -> AsyncIterator[BaseMessage]:
        """The answer as it comes; in one piece from a model that cannot be streamed from."""
        if self._is_heard:
            async for message in self._model.astream(list(messages), **given):
                yield message
        elif not self._model._should_stream(async_api=True, **{**given, "stream": True}):
            yield await self.whole(messages, **given)
        else:
            async for chunk in self._model._astream(list(messages), **given):
                chunk.message.response_metadata = {**(chunk.generation_info or {}), **chunk.message.response_metadata}
                yield chunk.message


def _is_heard(model: BaseChatModel) -> bool:
    """Whether anything listens to a model, or stands before it; the environment says so when a process starts."""
    heard = AsyncCallbackManager.configure(None, model.callbacks, model.verbose).handlers
    return bool(heard) or model.rate_limiter is not None or model.output_version == "v1"
