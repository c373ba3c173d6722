"""The offline writer as a chat model; a schema is answered by what an extract can say, everything else is left empty.

A field whose description speaks of paragraphs gets what opens the section; a list of records described as being for
required headings gets what stands under them. A schema of another shape gets words of the section wherever it requires
any. Whether a question is open it cannot judge.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from stemma_markdown import split

from . import markdown
from .agent import WRITING_TOOL, next_call
from .composing import as_markdown, compose
from .editing import revise
from .material import fold
from .request import Request, read_request

_PARAGRAPHS = "paragraph"
_HEADINGS = "required headings"
_QUESTION = "the answer to: "
"""How a field of a form is described, whatever it asks for; code finds the answers."""

Schema = Mapping[str, Any]


def structured_answer(request: Request, schema: Schema) -> str:
    """A value of the schema as JSON."""
    return json.dumps(_Filling(request, schema).value(schema), ensure_ascii=False)


class _Filling:
    """Fills one schema from one composition."""

    def __init__(self, request: Request, schema: Schema) -> None:
        self._request = request
        self._definitions = schema.get("$defs", {})
        self._composition = compose(request)
        self._by_description: Mapping[str, Callable[[], Any]] = {
            _HEADINGS: self._parts,
            _PARAGRAPHS: lambda: "\n\n".join(self._composition.lead),
        }

    def value(self, schema: Schema) -> Any:
        """A value of an object's schema: the fields that can be said, and those that must be."""
        properties, required = schema.get("properties", {}), schema.get("required", [])
        filled = {name: found for name, given in properties.items() if (found := self._described(given))}
        return {**{name: self._least(properties[name]) for name in required if name not in filled}, **filled}

    def _described(self, schema: Schema) -> Any:
        schema, described = self._resolved(schema), str(schema.get("description", ""))
        if schema.get("enum") or schema.get("pattern") or described.startswith(_QUESTION):
            return None
        for words, found in self._by_description.items():
            wants_list = words != _PARAGRAPHS
            if words in described and (schema.get("type") == "array") == wants_list:
                return found()
        return None

    def _parts(self) -> list[dict[str, str]]:
        return [{"heading": part.heading, "text": part.text} for part in self._composition.parts]

    def _least(self, schema: Schema) -> Any:
        """The least that a required field may hold."""
        schema = self._resolved(schema)
        if "default" in schema:
            return schema["default"]
        if schema.get("enum"):
            return schema["enum"][0]
        match schema.get("type"):
            case "object":
                return self.value(schema)
            case "array":
                return [self._least(schema.get("items", {}))] * int(schema.get("minItems", 0))
            case "number" | "integer":
                return schema.get("minimum", 0)
            case "boolean":
                return False
            case "string":
                return self._words()[: schema.get("maxLength")] if schema.get("minLength") else ""
            case _:
                return None

    def _words(self) -> str:
        texts = (*self._composition.lead, *(part.text for part in self._composition.parts))
        return next(filter(None, texts), self._request.section.title) or self._request.section.id

    def _resolved(self, schema: Schema) -> Schema:
        """The schema without its references; of several forms the one that says least."""
        forms = schema.get("anyOf", [])
        rest = {name: value for name, value in schema.items() if name not in ("$ref", "anyOf")}
        if any(form.get("type") == "null" for form in forms):
            return {**schema, "type": "null", "default": None}
        for reference in (schema, *forms[:1]):
            if "$ref" in reference:
                return {**self._definitions[reference["$ref"].rpartition("/")[2]], **rest}
        return {**forms[0], **schema} if forms else schema


def joined(request: Request) -> str:
    """The texts of a request one after the other, without their titles and without what another one said before."""
    blocks = [f"# {markdown.heading(request.section.title)}"] if request.section.title else []
    seen = {""}
    for block in (block for named in request.upstream for block in split(named.text)):
        key = fold(block.content)
        if key not in seen and block.level != 1:
            seen.add(key)
            blocks.append(block.content)
    missing = [heading for heading in request.headings if f"## {heading}" not in blocks]
    return "\n\n".join([*blocks, *(f"## {heading}" for heading in missing)]) + "\n"


_WORD_GROUP = re.compile(r"(?:\s*\S+){1,6}\s*", re.DOTALL)
_CHARACTERS_PER_TOKEN = 4
_QUERY_CHARS = 500


class OfflineWriter(BaseChatModel):
    """Quotes, arranges and cites what the blocks of a prompt hold, the same each time; it judges nothing.

    A bound ``response_format`` with a JSON schema is answered by JSON that fits it. With a bound tool
    ``append_to_markdown`` it works as an agent, one call a step; another tool that takes a text it asks once.
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
    if call := _search(request, messages, bound.get("tools") or []):
        return AIMessage(content="", tool_calls=[call], usage_metadata=_usage(messages, json.dumps(call["args"])))
    text = _text(request, _schema(bound.get("response_format")))
    return AIMessage(content=text, usage_metadata=_usage(messages, text))


def _search(request: Request, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> ToolCall | None:
    """One call of the first tool that takes a text and nothing else: it is asked for what the section is about."""
    if any(isinstance(message, ToolMessage) for message in messages):
        return None
    for function in (tool.get("function", {}) for tool in tools):
        properties = function.get("parameters", {}).get("properties", {})
        if [given.get("type") for given in properties.values()] == ["string"]:
            query = f"{request.section.title} {request.section.purpose}"[:_QUERY_CHARS].strip()
            name = function["name"]
            return ToolCall(name=name, args={next(iter(properties)): query}, id=f"call_{name}", type="tool_call")
    return None


def _text(request: Request, schema: dict[str, Any] | None) -> str:
    if request.blocks:
        return json.dumps(revise(request), ensure_ascii=False)
    if schema:
        return structured_answer(request, schema)
    only_texts = request.upstream and not request.inputs and not request.outline_given
    return joined(request) if only_texts else as_markdown(request, compose(request))


def _schema(response_format: Any) -> dict[str, Any] | None:
    if not isinstance(response_format, dict) or response_format.get("type") != "json_schema":
        return None
    schema: dict[str, Any] = response_format["json_schema"].get("schema", {})
    return schema


def _usage(messages: Sequence[BaseMessage], text: str) -> UsageMetadata:
    read, written = (-(-n // _CHARACTERS_PER_TOKEN) for n in (sum(len(m.text) for m in messages), len(text)))
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _chunks(answer: AIMessage, model_name: str) -> Iterator[ChatGenerationChunk]:
    for group in _WORD_GROUP.findall(answer.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=group))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=0)
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
