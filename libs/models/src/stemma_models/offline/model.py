"""The offline writer: a chat model that needs no key and no network."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from .agent import WRITING_TOOL, next_call
from .answers import structured_answer, written_answer
from .request import Request, read_request

SEARCH_TOOL = "search_inputs"
_WORD_GROUP = re.compile(r"(?:\s*\S+){1,6}\s*", re.DOTALL)
_CHARACTERS_PER_TOKEN = 4


class OfflineWriter(BaseChatModel):
    """Writes sections, evaluations and revisions out of the material in the prompt, the same each time.

    What it writes is made of the brief, the inputs and the upstream sections of the prompt, given in the
    blocks of `stemma_models.prompting`. A bound `response_format` with a JSON schema is answered by JSON
    that fits it. A bound tool ``search_inputs`` is called once for sections of the kind ``research``; with a
    bound tool ``append_to_markdown`` it works as an agent, one call a step.
    """

    model_name: str = "offline"

    @property
    def _llm_type(self) -> str:
        return "stemma-offline-writer"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools; ``tool_choice`` is left to the writer."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = _answer(messages, kwargs)
        answer.response_metadata = {"model_name": self.model_name, "finish_reason": "stop"}
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(_answer(messages, kwargs), self.model_name)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(_answer(messages, kwargs), self.model_name):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _answer(messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
    if WRITING_TOOL in {tool.get("function", {}).get("name") for tool in bound.get("tools") or []}:
        step = next_call(messages)
        return AIMessage(content="", tool_calls=[step], usage_metadata=_usage(messages, json.dumps(step["args"])))
    request = read_request(messages)
    if call := _search_call(request, messages, bound.get("tools") or []):
        return AIMessage(content="", tool_calls=[call], usage_metadata=_usage(messages, json.dumps(call["args"])))
    schema = _schema(bound.get("response_format"))
    text = structured_answer(request, schema) if schema else written_answer(request)
    return AIMessage(content=text, usage_metadata=_usage(messages, text))


def _search_call(request: Request, messages: list[BaseMessage], tools: list[dict[str, Any]]) -> ToolCall | None:
    search = next((tool["function"] for tool in tools if tool.get("function", {}).get("name") == SEARCH_TOOL), None)
    searched = any(isinstance(message, ToolMessage) for message in messages)
    if not search or searched or request.section.nature != "research":
        return None
    query = " ".join(request.lexicon.terms([request.brief], 6)) or request.section.title
    return ToolCall(name=SEARCH_TOOL, args={_text_argument(search): query}, id="call_search_inputs", type="tool_call")


def _text_argument(function: dict[str, Any]) -> str:
    parameters = function.get("parameters", {})
    properties = parameters.get("properties", {})
    names = [*parameters.get("required", []), *properties]
    return next((name for name in names if properties.get(name, {}).get("type") == "string"), "query")


def _schema(response_format: Any) -> dict[str, Any] | None:
    if not isinstance(response_format, dict) or response_format.get("type") != "json_schema":
        return None
    given = response_format["json_schema"]
    schema: dict[str, Any] = given.get("schema", {})
    return {"title": given.get("name", ""), **schema}


def _usage(messages: Sequence[BaseMessage], text: str) -> UsageMetadata:
    read = _tokens(sum(len(message.text) for message in messages))
    written = _tokens(len(text))
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS_PER_TOKEN)


def _chunks(answer: AIMessage, model_name: str) -> Iterator[ChatGenerationChunk]:
    for group in _WORD_GROUP.findall(answer.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=group))
    calls = [
        {
            "name": call["name"],
            "args": json.dumps(call["args"]),
            "id": call["id"],
            "index": 0,
            "type": "tool_call_chunk",
        }
        for call in answer.tool_calls
    ]
    last = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=answer.usage_metadata,
        response_metadata={"model_name": model_name, "finish_reason": "stop"},
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
