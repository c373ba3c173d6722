"""LiteLLM as a chat model that takes no half answer for a whole one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any

from .errors import UnfinishedAnswer, UnreadableAnswer

if TYPE_CHECKING:
    from langchain_litellm import ChatLiteLLM
    from litellm import CustomStreamWrapper

_BROKEN_OFF = ("error", "ERROR", "network_error", "abort")
"""Reasons of providers that gave up in the middle; LiteLLM makes "stop" of them."""
_NOT_UNDERSTOOD = "Invalid response object"
"""What LiteLLM says of an answer whose content is no string, such as a list of parts."""


@cache
def whole_answers() -> type[ChatLiteLLM]:
    """The class of such models; LiteLLM is imported here, which takes seconds.

    It raises `UnfinishedAnswer` for an answer that is broken off, and `UnreadableAnswer` for one in another format.
    An answer that is not streamed may leave its reason out: JSON that parses is whole. Where LiteLLM puts a reason of
    its own before the provider's (Gemini in each chunk), nobody can see that a stream was cut.
    """
    import litellm
    from langchain_litellm import ChatLiteLLM

    class WholeAnswers(ChatLiteLLM):
        async def acompletion_with_retry(self, run_manager: Any = None, **call: Any) -> Any:
            """See `ChatLiteLLM`."""
            try:
                answer = await super().acompletion_with_retry(run_manager=run_manager, **call)
            except litellm.InternalServerError as error:
                if _NOT_UNDERSTOOD in str(error):
                    raise UnreadableAnswer from None
                raise
            return _finished(answer) if isinstance(answer, litellm.CustomStreamWrapper) else _whole(answer)

    return WholeAnswers


def _whole(answer: Any) -> Any:
    if not answer.choices:
        raise UnfinishedAnswer("an answer without a choice")
    # The provider's own word for why it ended, where LiteLLM put another in its place.
    fields = getattr(answer.choices[0], "provider_specific_fields", None) or {}
    if fields.get("native_finish_reason") in _BROKEN_OFF:
        raise UnfinishedAnswer("the model gave up")
    return answer


async def _finished(stream: CustomStreamWrapper) -> AsyncIterator[Any]:
    # LiteLLM ends every stream with a reason, if need be one of its own; what the provider said stands only in these
    # two, and the second is forgotten with the next chunk.
    reason, spoke = None, False
    async for chunk in stream:
        reason = stream.received_finish_reason or stream.intermittent_finish_reason or reason
        spoke = spoke or any(_says(choice.delta) for choice in chunk.choices)
        yield chunk
    if reason is None or reason in _BROKEN_OFF:
        raise UnfinishedAnswer("a stream that was cut")
    if reason == "stop" and not spoke:
        # LiteLLM drops what it does not know of a stream, such as a refusal; an answer in one piece has it.
        raise UnfinishedAnswer("a stream without words")


def _says(delta: Any) -> bool:
    return any(getattr(delta, name, None) for name in ("content", "reasoning_content", "tool_calls"))
