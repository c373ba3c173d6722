"""A chat model that answers from a script."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr

from .servers import eventually

Step = str | AIMessage | Exception | Callable[[Sequence[BaseMessage]], "str | AIMessage"]


class ScriptedModel(BaseChatModel):
    """Answers call after call from ``script`` and keeps what it was asked.

    A step is a text, a message, an exception to raise, or a function of the messages. Each answered call
    uses 10 input and 5 output tokens. Raises `AssertionError` for a call beyond the script.
    """

    script: list[Any]
    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _options: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def calls(self) -> int:
        return len(self._prompts)

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        return self._prompts

    @property
    def options(self) -> list[dict[str, Any]]:
        """What was bound for every call: ``tools``, ``response_format``."""
        return self._options

    def prompt_text(self, call: int = 0) -> str:
        return "\n".join(str(message.text) for message in self._prompts[call])

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._next(messages, kwargs)
        for piece in re.findall(r"\S*\s*", str(message.text)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        tail = AIMessageChunk(
            content="",
            usage_metadata=message.usage_metadata,
            response_metadata=message.response_metadata,
            chunk_position="last",
        )
        yield ChatGenerationChunk(message=tail)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            yield chunk

    def _next(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        self._prompts.append(list(messages))
        self._options.append(options)
        assert self.calls <= len(self.script), f"call {self.calls} is beyond the script"
        step: Step = self.script[self.calls - 1]
        if isinstance(step, Exception):
            raise step
        answer = step(messages) if callable(step) else step
        message = AIMessage(answer) if isinstance(answer, str) else answer
        tokens = UsageMetadata(input_tokens=10, output_tokens=5, total_tokens=15)
        return message if message.usage_metadata else message.model_copy(update={"usage_metadata": tokens})


class EndlessModel(ScriptedModel):
    """Notes that it was called, and never answers; it cannot be streamed from."""

    script: list[Any] = Field(default_factory=list)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._prompts.append(messages)
        await asyncio.Event().wait()
        raise AssertionError

    async def until_called(self) -> None:
        await eventually(self._was_called)

    async def _was_called(self) -> bool:
        return self.calls > 0
