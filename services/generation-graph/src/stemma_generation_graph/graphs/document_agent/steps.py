"""One step of the agent: its prompt, its call of the model, what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    RemoveMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.usage import Usage

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.session.session import DRAFT, Session
from stemma_generation_graph.session.tools import TOOLS
from stemma_generation_graph.writing.evaluating import prompt_values

from .failures import AgentFailure, Update
from .prompting import situation, title_of
from .state import DocumentState, job_of

CHARACTERS_PER_TOKEN = 3
CUT = "\n[...] (cut: too long for the history)"


def recent(messages: Sequence[AnyMessage], limit: int) -> list[AnyMessage]:
    """The newest messages that fit into ``limit`` tokens; the last exchange always, with its tool answers cut."""
    kept: list[AnyMessage] = []
    for exchange in reversed(list(_exchanges(messages))):
        if not kept:
            kept = _cut(exchange, limit)
        elif count_tokens_approximately([*exchange, *kept]) > limit:
            break
        else:
            kept = [*exchange, *kept]
    return kept


def _exchanges(messages: Sequence[AnyMessage]) -> Iterator[list[AnyMessage]]:
    """Messages that must stay together: one, and the answers to its tool calls."""
    held: list[AnyMessage] = []
    for message in messages:
        if held and not isinstance(message, ToolMessage):
            yield held
            held = []
        held.append(message)
    if held:
        yield held


def _cut(exchange: list[AnyMessage], limit: int) -> list[AnyMessage]:
    if count_tokens_approximately(list[BaseMessage](exchange)) <= limit:
        return exchange
    answers = max(1, sum(isinstance(message, ToolMessage) for message in exchange))
    room = limit * CHARACTERS_PER_TOKEN // answers
    return [_shortened(message, room) for message in exchange]


def _shortened(message: AnyMessage, room: int) -> AnyMessage:
    text = str(message.text)
    if not isinstance(message, ToolMessage) or len(text) <= room:
        return message
    return message.model_copy(update={"content": text[:room] + CUT})


GRAPH = "document_agent"
UNKNOWN = "unknown_tool"
NODE = "agent"
GO_ON_WITH_TOOLS = "Go on: call a tool, or call finish when the document is complete."


async def take_step(state: DocumentState, deps: GraphDeps, run: RunContext, session: Session) -> Update:
    """The model's next message. Raises `AgentFailure` beyond the step's time."""
    job, limits = job_of(state), deps.agent
    history = recent(state["messages"], limits.history_tokens)
    kept = {message.id for message in history}
    dropped: list[AnyMessage | RemoveMessage] = [
        RemoveMessage(id=str(message.id)) for message in state["messages"] if message.id not in kept
    ]
    title = await title_of(job, run.library)
    told = HumanMessage(await _situation(state, title, run, session))
    prompt = [SystemMessage(_system(deps, job, title)), told, *map(sendable, history)]
    step = state["agent_steps"] + 1
    limit = asyncio.timeout(limits.step_limit_s)
    try:
        async with limit:
            schemas = [tool.arguments for tool in TOOLS]
            asked = await deps.models.for_node(GRAPH, NODE).message(run.call, f"step-{step}", prompt, schemas)
    except TimeoutError:
        if not limit.expired():
            raise
        raise AgentFailure("step_timeout", f"no answer within {limits.step_limit_s:g} s") from None
    return {
        "messages": [*dropped, with_ids(asked.value, step)],
        "agent_steps": step,
        "spent": _spent(state, run.call.job_id, asked.usage),
    }


def _system(deps: GraphDeps, job: GenerateSection, title: str) -> str:
    prompt = deps.prompts.get(GRAPH, NODE, job.section.kind)
    return prompt.render({**prompt_values(job), "title": title})


async def _situation(state: DocumentState, title: str, run: RunContext, session: Session) -> str:
    job = job_of(state)
    brief = await run.library.text(job.document, job.brief)
    guidance = await run.library.text(job.document, job.guidance) if job.guidance else ""
    draft = await session.text(DRAFT)
    written = len(draft.rstrip("\n").split("\n")) if draft.strip() else 0
    return situation(state, title, session, brief, guidance, written)


def _spent(state: DocumentState, job_id: str, usage: Usage) -> dict[str, Any]:
    """What the steps of one job cost so far; a job that goes on after a crash counts them from here."""
    before = Usage.model_validate(state["spent"]) if state["spent"].get("job_id") == job_id else Usage()
    return {"job_id": job_id, **before.plus(usage).model_dump(mode="json")}


def is_call(message: BaseMessage) -> bool:
    """Whether a message calls tools, be it in a form that cannot be read."""
    return isinstance(message, AIMessage) and bool(message.tool_calls or message.invalid_tool_calls)


def with_ids(message: AIMessage, step: int) -> AIMessage:
    """The message in which a call that cannot be read has an id, by which it can be answered."""
    broken = [
        InvalidToolCall({**call, "id": call["id"] or f"broken-{step}-{number}"})
        for number, call in enumerate(message.invalid_tool_calls)
    ]
    return message.model_copy(update={"invalid_tool_calls": broken}) if broken else message


def sendable(message: AnyMessage) -> AnyMessage:
    """The message as providers take it: each answer has its call, also that of one that could not be read."""
    if not isinstance(message, AIMessage) or not message.invalid_tool_calls:
        return message
    known = {tool.name for tool in TOOLS}
    broken = [
        ToolCall(name=call["name"] if call["name"] in known else UNKNOWN, args={}, id=call["id"], type="tool_call")
        for call in message.invalid_tool_calls
    ]
    return AIMessage(message.content, tool_calls=[*message.tool_calls, *broken], id=message.id)


def unanswered_calls(messages: list[AnyMessage]) -> list[str]:
    """The ids of the tool calls at the end of a thread that have no answer."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, AIMessage):
            answered = {getattr(later, "tool_call_id", None) for later in messages[place + 1 :]}
            calls = [*message.tool_calls, *message.invalid_tool_calls]
            return [str(call["id"]) for call in calls if call["id"] not in answered]
    return []
