"""Telling whole answers from those that a provider did not finish: LiteLLM gives both the same end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from litellm import CustomStreamWrapper

BROKEN_OFF = ("error", "ERROR", "network_error", "abort")
"""Reasons of providers that gave up in the middle; LiteLLM makes "stop" of them."""


class IncompleteAnswerError(ConnectionError):
    """The provider ended an answer in good order before it was whole."""


class WholeAnswers:
    """LiteLLM as `ChatLiteLLM` calls it. A stream may say nothing for ``silence_limit`` seconds.

    Raises `IncompleteAnswerError` for an answer that is broken off or has no choice, and for a stream that ends
    without a reason. An answer that is not streamed may leave its reason out: JSON that parses is whole. Where LiteLLM
    puts a reason of its own before the provider's (Gemini in each chunk, some others in place of "error"), nobody can
    see that a stream was cut.
    """

    def __init__(self, litellm: ModuleType, silence_limit: float) -> None:
        self._litellm = litellm
        self._silence_limit = silence_limit

    async def acompletion(self, **call: Any) -> Any:
        """One HTTP attempt."""
        if call.get("stream"):
            call["timeout"] = self._silence_limit
        answer = await self._litellm.acompletion(**call)
        if isinstance(answer, self._litellm.CustomStreamWrapper):
            return _finished(answer)
        if not answer.choices or _stated_reason(answer.choices[0]) in BROKEN_OFF:
            raise IncompleteAnswerError
        return answer


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
