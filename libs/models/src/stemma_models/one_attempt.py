"""LiteLLM as a chat model of LangChain, without what tries a call again: `ModelClient` alone does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_litellm import ChatLiteLLM


@cache
def one_attempt() -> type[ChatLiteLLM]:
    """The class of such models. LiteLLM is imported here, once the caller has told it what to leave out."""
    from langchain_litellm import ChatLiteLLM

    class OneAttempt(ChatLiteLLM):
        """Asks once. What counts attempts would be made anew for each call, hold 9 KB meanwhile, and end as garbage."""

        async def acompletion_with_retry(self, run_manager: Any = None, **call: Any) -> Any:
            """See `ChatLiteLLM`."""
            return await self.client.acompletion(**call)

    return OneAttempt
