"""One step of the agent: its prompt, its call of the model, what it cost."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    RemoveMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.usage import Usage
from stemma_markdown import Document
from stemma_models.prompting import block
from stemma_models.records import ANSWERED_AT

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.settings import ContextLimits
from stemma_generation_graph.sources import Library
from stemma_generation_graph.tools import tool_name
from stemma_generation_graph.writing import (
    clean_heading,
    form,
    instructed,
    internal_blocks,
    prompt_values,
    request_blocks,
)

from .checking import open_issues
from .session import DRAFT, TOP, Session
from .state import AgentFailure, DocumentState, Update, job_of
from .tools import TOOLS, readable_names

MAX_CHARS = 200


async def title_of(job: GenerateSection, library: Library) -> str:
    if job.document.title is not None:
        return clean_heading(await library.text(job.document, job.document.title))[:MAX_CHARS]
    brief = Document(await library.text(job.document, job.brief))
    first = next((block for block in brief.blocks if block.kind not in ("blank", "front_matter")), None)
    heading = brief.headings[0].text if first is not None and (first.kind, first.level) == ("heading", 1) else ""
    return clean_heading(heading or job.section.title)[:MAX_CHARS]


TASK = "document_agent"
SITUATION = ("document", "outline", "issues")
MAX_BRIEF_CHARS = 8_000
MAX_CHAPTERS_SHOWN = 60
MAX_ISSUES_SHOWN = 50


def situation(state: DocumentState, session: Session, written: int) -> str:
    """Where the work is: the chapters and what is open. ``written`` is the length of the document in lines."""
    parts = [
        block("document", _position(state), lines=str(written), checkpoint=state["last_checkpoint_id"]),
        block("outline", list(_chapters(state, _names(session)))),
    ]
    if issues := open_issues(state["validation_issues"], state["accepted_issues"])[:MAX_ISSUES_SHOWN]:
        parts.append(block("issues", "\n".join(_issue(issue) for issue in issues)))
    return "\n".join(parts)


def _names(session: Session) -> Mapping[str, str]:
    return {name: bare for bare, name in readable_names(session).items()}


def _position(state: DocumentState) -> str:
    chapters, done = state["document_outline"], state["current_chapter"]
    if done >= len(chapters):
        return "All chapters are done: call finish."
    files = len(state["input_files"])
    return f"Chapter {done + 1} of {len(chapters)}, file {state['current_file_index'] + 1} of {files}."


def _chapters(state: DocumentState, names: Mapping[str, str]) -> Iterator[str]:
    done = state["current_chapter"]
    first = max(0, done - MAX_CHAPTERS_SHOWN // 2)
    for number, chapter in enumerate(state["document_outline"][first : first + MAX_CHAPTERS_SHOWN], first):
        status = "done" if number < done else "current" if number == done else "open"
        yield block("entry", chapter["title"], number=str(number + 1), status=status, **_place(chapter, names))


def _place(chapter: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    return {
        "file": names.get(chapter["file"], chapter["file"]),
        "from_line": str(chapter["from_line"]),
        "to_line": str(chapter["to_line"]),
        "level": str(chapter["level"]),
        "depth": str(chapter.get("depth", TOP)),
        **({"heading": chapter["heading"]} if chapter.get("heading") else {}),
    }


def _issue(issue: Mapping[str, Any]) -> str:
    return f"line {issue['line_number']}: {' '.join(str(issue['message']).split())} ({issue['rule']})"


CHARACTERS_PER_TOKEN = 3
KEPT_SHARE = 2
CUT = "\n[...] (cut: too long for the history)"


def recent(messages: Sequence[AnyMessage], limit: int) -> list[AnyMessage]:
    """All messages that fit into ``limit`` tokens, else the newest that fit into a part of it.

    So the prompt of a step mostly begins with that of the step before. The last exchange always stays, with its tool
    answers cut.
    """
    if count_tokens_approximately(messages) <= limit:
        return list(messages)
    limit //= KEPT_SHARE
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
HISTORY_SHARE = 3
"""Of what the model holds: the rest is for the instructions, the tools and the answer."""
UNKNOWN = "unknown_tool"
NODE = "agent"
GO_ON_WITH_TOOLS = "Go on: call a tool, or call finish when the document is complete."


MOST_STALLED = 2
"""Steps in a row that may do again what was done: after as many the agent is told, after one more a person is asked."""
SEEN = 50
OTHER_STEP = (
    "You did this before, and it changed nothing. Do something else now: read an input that you have not read, write "
    "the next chapter with append_to_markdown, leave out what does not belong, or call finish."
)


def _last_answer(state: DocumentState) -> AIMessage | None:
    return next((one for one in reversed(state["messages"]) if isinstance(one, AIMessage)), None)


def answered_at(state: DocumentState) -> datetime:
    """When the model gave its last message: so ids that have the time are the same in a run from records."""
    last = _last_answer(state)
    told = last.response_metadata.get(ANSWERED_AT) if last else None
    return datetime.fromisoformat(told) if told else datetime.now(UTC)


def progress(state: DocumentState, session: Session) -> Update:
    """Which steps were seen, and how many of the last did again what one of them did, to the same draft.

    All steps without a call do the same.
    """
    last = _last_answer(state)
    if last is None:
        return {"steps_seen": [], "stalled": 0}
    calls = [(call["name"], call["args"]) for call in (*last.tool_calls, *last.invalid_tool_calls)]
    draft = session.manifest.get(DRAFT, {}).get("digest", "")
    done = hashlib.sha256(json.dumps([calls, draft], sort_keys=True).encode()).hexdigest()
    seen = state["steps_seen"]
    return {"steps_seen": [*seen, done][-SEEN:], "stalled": state["stalled"] + 1 if done in seen else 0}


async def take_step(
    state: DocumentState, deps: GraphDeps, run: RunContext, session: Session, stalled: int = 0
) -> Update:
    """The model's next message. Raises `AgentFailure` beyond the step's time."""
    job, caller = job_of(state), deps.models.for_node(GRAPH, NODE)
    holds = caller.holds
    room = deps.agent.history_tokens if holds is None else min(deps.agent.history_tokens, holds // HISTORY_SHARE)
    history = recent(state["messages"], room)
    kept = {message.id for message in history}
    dropped: list[AnyMessage | RemoveMessage] = [
        RemoveMessage(id=str(message.id)) for message in state["messages"] if message.id not in kept
    ]
    title = await title_of(job, run.library)
    told = instructed(_instructions(deps, job, title), await _material(job, title, run, deps.limits), SITUATION)
    stuck = [HumanMessage(OTHER_STEP)] if stalled == MOST_STALLED else []
    prompt = _ending_with(await _situation(state, session), [*told, *map(sendable, history), *stuck])
    step = state["agent_steps"] + 1
    limit_s = deps.agent.step_limit_s * await caller.slowness()
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            most, timed = deps.answers.section, run.within(limit).call
            answer = await caller.message(timed, f"step-{step}", prompt, TOOLS, max_tokens=most)
    except TimeoutError:
        if not limit.expired():
            raise
        raise AgentFailure("step_timeout", f"no answer within {limit_s:g} s") from None
    return {
        "messages": [*dropped, *stuck, with_ids(answer.value, step)],
        "agent_steps": step,
        "spent": _spent(state, run.call.job_id, answer.usage),
    }


def _instructions(deps: GraphDeps, job: GenerateSection, title: str) -> str:
    prompt = deps.prompts.get(GRAPH, NODE, job.section.kind)
    return prompt.render({**prompt_values(job), "title": title})


async def _material(job: GenerateSection, title: str, run: RunContext, limits: ContextLimits) -> list[str]:
    """What is the same in all steps."""
    brief = await run.library.text(job.document, job.brief)
    guidance = await run.library.text(job.document, job.guidance) if job.guidance else ""
    return [
        block("brief", brief[: min(MAX_BRIEF_CHARS, limits.brief)]),
        *await request_blocks(job, run.library, limits),
        *await internal_blocks(job, run.library, limits),
        block("task", TASK),
        block("section", job.section.instructions or job.section.purpose, title=title, **form(job)),
        *([block("guidance", guidance[:MAX_BRIEF_CHARS])] if guidance else []),
    ]


async def _situation(state: DocumentState, session: Session) -> str:
    draft = await session.text(DRAFT)
    return situation(state, session, len(draft.rstrip("\n").split("\n")) if draft.strip() else 0)


def _ending_with(words: str, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages with words at the end of the last: some providers take no message of a person behind a tool's."""
    last = messages[-1]
    return [*messages[:-1], last.model_copy(update={"content": f"{last.text}\n\n{words}"})]


def _spent(state: DocumentState, job_id: str, usage: Usage) -> dict[str, Any]:
    """What the steps of one job cost so far; a job that goes on after a crash counts them from here."""
    before = Usage.model_validate(state["spent"]) if state["spent"].get("job_id") == job_id else Usage()
    return {"job_id": job_id, **before.plus(usage).model_dump(mode="json")}


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
    known = set(map(tool_name, TOOLS))
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
