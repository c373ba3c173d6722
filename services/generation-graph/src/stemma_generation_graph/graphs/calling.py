"""Running the tool calls of a model: a bad call gives the model a clear error and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from langchain_core.messages import InvalidToolCall, ToolCall, ToolMessage
from pydantic import BaseModel, ValidationError
from stemma_contracts.misfits import misfits
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

from stemma_generation_graph.tools.search import Tool, ToolRefused

P = TypeVar("P")

MAX_CALLS = 8
BROKEN = "The arguments of this call are no JSON object, so it was not made: make it again with valid JSON."

log = get_logger()


async def run_tool_calls(calls: Sequence[ToolCall], tools: Mapping[str, Tool[P]], place: P) -> list[ToolMessage]:
    """One answer per call, in their order, but for those that are answered later; calls beyond a bound are refused."""
    answers = [answer for call in calls[:MAX_CALLS] if (answer := await _answer(call, tools, place))]
    refused = [_message(call, f"refused: at most {MAX_CALLS} calls at once", False) for call in calls[MAX_CALLS:]]
    return answers + refused


def answers_to_broken(calls: Sequence[InvalidToolCall]) -> list[ToolMessage]:
    """One answer for each call whose arguments could not be read."""
    return [_message(ToolCall(name=call["name"] or "", args={}, id=call["id"]), BROKEN, False) for call in calls]


async def _answer(call: ToolCall, tools: Mapping[str, Tool[P]], place: P) -> ToolMessage | None:
    tool = tools.get(call["name"])
    if tool is None:
        return _message(call, f"There is no such tool; there are: {', '.join(tools)}.", False)
    try:
        arguments = tool.arguments.model_validate(call["args"])
    except ValidationError as error:
        return _message(call, f"The arguments do not fit: {misfits(error)[0]}", False)
    attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.EXECUTE_TOOL.value, Attr.GEN_AI_TOOL: tool.name}
    name = f"{Span.EXECUTE_TOOL} {tool.name}"
    with span(name, attributes=attributes, expected=(ToolRefused,)):
        return await _run(tool, call, arguments, place)


async def _run(tool: Tool[P], call: ToolCall, arguments: BaseModel, place: P) -> ToolMessage | None:
    try:
        told = await tool.run(arguments, place)
    except ToolRefused as refusal:
        return _message(call, str(refusal), False)
    return None if told is None else _message(call, told, True)


def _message(call: ToolCall, content: str, success: bool) -> ToolMessage:
    log.info("tool_called", tool=call["name"][:64], success=success)
    return ToolMessage(content, tool_call_id=call["id"], status="success" if success else "error")
