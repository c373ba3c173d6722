"""The roles graph: choose roles, let all of them write at once, join what they wrote, give it its form."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from langchain_core.messages import BaseMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_languages import count_words
from stemma_markdown import Block, split
from stemma_models import Answer, MalformedAnswerError, Meter
from stemma_models.checks import finished as finished_part
from stemma_models.checks import quotes_prompt
from stemma_models.prompting import block
from stemma_telemetry import get_logger

from stemma_generation_graph import writing
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.evaluating import evaluate_draft, not_judged
from stemma_generation_graph.graphs.transitions import noted
from stemma_generation_graph.passages import Corpus, Passage

from .state import (
    AgentOutput,
    Failure,
    InvalidUpdate,
    NoRoleLeft,
    Role,
    RoleAnalysis,
    RoleTask,
    Steps,
    Update,
    WritingGraphState,
    default_analysis,
    job_of,
    roles_of,
    usable_outputs,
)

GRAPH = "roles"
ANALYZER, EXECUTOR, SYNTHESIZER = "role_analyzer", "dynamic_agent_executor", "synthesizer"
PROMPTED = (ANALYZER, EXECUTOR, SYNTHESIZER)


async def load_request(job: GenerateSection, deps: GraphDeps, run: RunContext) -> tuple[str, str]:
    """The request in words, and as blocks with all that it may be answered from."""
    limits, library = deps.limits, run.library
    request = writing.clip(await library.text(job.document, job.brief), limits.brief)
    corpus, internal = (
        await library.corpus(job.document, job.inputs),
        await writing.internal_blocks(job, library, limits),
    )
    found = [
        block("brief", request),
        *writing.input_blocks(corpus, await asyncio.to_thread(_chosen, corpus, request, limits.inputs_with(internal))),
        *writing.images_block(corpus.images),
        *internal,
        *await writing.upstream_blocks(job, library, limits.upstream),
    ]
    return request, "\n".join(found)


def _chosen(corpus: Corpus, request: str, limit: int) -> Sequence[Passage]:
    return corpus.passages if corpus.size <= limit else corpus.select(writing.paragraphs(request), limit)


def analysis_messages(job: GenerateSection, deps: GraphDeps, material: str, most: int) -> list[BaseMessage]:
    """What the analyzer is asked: which roles the request needs, at most so many."""
    blocks = [material, block("task", "role analysis"), writing.section_block(job)]
    return _messages(job, deps, ANALYZER, [*blocks, block("instruction", f"At most {most} roles.")])


def role_messages(
    job: GenerateSection, deps: GraphDeps, role: Role, roles: Sequence[Role], request: str, material: str
) -> list[BaseMessage]:
    """What a role is asked: its own instructions, beside those of the others that it leaves their share to."""
    about_all = writing.form(job) | writing.collected(job.section)
    others = [block("entry", _purpose(other), id=other.id, kind="role", title=other.name) for other in roles]
    blocks = [
        material,
        block("task", "contribution"),
        block("section", _purpose(role), id=role.id, kind="role", title=role.name, **about_all),
        block("outline", others),
        block("instruction", instructions(role, request)),
    ]
    return _messages(job, deps, EXECUTOR, blocks)


def instructions(role: Role, request: str) -> str:
    """The prompt template of a role, filled in; other braces stay as they are."""
    values = {"user_request": request, "name": role.name, "perspective": role.perspective}
    text = role.prompt_template
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


async def synthesis_messages(
    job: GenerateSection, deps: GraphDeps, run: RunContext, outputs: Sequence[tuple[Role, str]], request: str
) -> list[BaseMessage]:
    """What the synthesizer is asked: one text out of the contributions, or in a lint round the last one put right."""
    blocks = [
        block("brief", request),
        block("task", "synthesis"),
        writing.section_block(job),
        *writing.headings_block(job.section),
        *(block("upstream", text, id=role.id, title=role.name) for role, text in outputs),
        *await writing.round_blocks(job, run.library),
    ]
    return _messages(job, deps, SYNTHESIZER, blocks)


def judged_material(job: GenerateSection, material: str) -> str:
    return "\n".join(
        [material, writing.section_block(job), writing.outline_block(job), *writing.headings_block(job.section)]
    )


def _purpose(role: Role) -> str:
    return f"{role.description} Perspective: {role.perspective}"


def _messages(job: GenerateSection, deps: GraphDeps, node: str, blocks: Sequence[str]) -> list[BaseMessage]:
    return writing.asked(deps.prompts.get(GRAPH, node, job.section.kind), writing.prompt_values(job), blocks)


def _most_tokens(deps: GraphDeps, node: str, job: GenerateSection) -> int:
    usual = deps.prompts.get(GRAPH, node, job.section.kind).usual_words
    return deps.answers.of_section(job.section.max_words or usual)


class StreamedText:
    """The tokens of the attempt that is under way; a retry says everything again."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._attempt = 0
        self._tokens: list[str] = []

    async def __call__(self, token: str) -> None:
        if self._meter.total.calls != self._attempt:
            self._attempt = self._meter.total.calls
            self._tokens.clear()
        self._tokens.append(token)

    @property
    def finished(self) -> str:
        """All up to the end of the last sentence."""
        return finished_part("".join(self._tokens))


NO_TIME_LEFT = "the time of the graph was over"

log = get_logger()


class RolesNodes:
    def __init__(self, deps: GraphDeps, steps: Steps) -> None:
        self._deps = deps
        self._settings = deps.roles
        self._steps = steps

    async def role_analyzer(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        """Chooses the roles that the request needs; the default ones if it says too little."""
        job, run = job_of(state), runtime.context
        request, material = await load_request(job, self._deps, run)
        analysis = await self._analysis(job, run, request, material, state["graph_execution_id"])
        return {
            "user_request": request,
            "material": material,
            "role_analysis": analysis.model_dump(mode="json"),
        }

    async def _analysis(
        self, job: GenerateSection, run: RunContext, request: str, material: str, execution_id: str
    ) -> RoleAnalysis:
        least, most = self._settings.min_roles, self._settings.max_roles
        if count_words(request) < self._settings.min_request_words:
            return self._default(job, "the request is too short", execution_id)
        answer = await self._deps.models.for_node(GRAPH, ANALYZER).structured(
            run.call,
            ANALYZER,
            analysis_messages(job, self._deps, material, most),
            RoleAnalysis,
            context={"roles": (least, most)},
            max_tokens=self._deps.answers.judgement,
        )
        if not answer.value.identified_roles:
            return self._default(job, "no role was identified", execution_id, answer.value.reasoning)
        return answer.value

    def _default(self, job: GenerateSection, reason: str, execution_id: str, reasoning: str = "") -> RoleAnalysis:
        log.warning("default_roles_used", graph_execution_id=execution_id, reason=reason)
        return default_analysis(writing.language_of(job).words, reasoning)

    async def dynamic_agent_executor(self, state: RoleTask, runtime: Runtime[RunContext]) -> Update:
        """Has one role write, within its own time; what it had finished when that was over is kept."""
        role = Role.model_validate(state["role"])
        meter = Meter(runtime.context.call.meter)
        heard = StreamedText(meter)
        run = replace(runtime.context, call=replace(runtime.context.call, meter=meter))
        deadline, limit_s = (
            await self._steps.deadline(state, run),
            self._settings.role_limit_s * await self._steps.slowness(),
        )
        over = min(asyncio.get_running_loop().time() + limit_s, deadline)
        job, roles = job_of(state), [Role.model_validate(other) for other in state["roles"]]
        messages = role_messages(job, self._deps, role, roles, state["user_request"], state["material"])
        try:
            async with asyncio.timeout_at(over) as limit:
                timed = run.within(limit)
                answer = await self._contribution(role, job, messages, timed, heard)
                status: Literal["failed", "completed"] = "failed" if answer.shortcoming else "completed"
                output = AgentOutput(status=status, text=answer.value, error_type=answer.shortcoming)
        except TimeoutError:
            if not limit.expired():
                raise
            log.warning("role_timed_out", role_id=role.id)
            is_copy = quotes_prompt(heard.finished, messages)
            output = AgentOutput(status="timed_out", text="" if is_copy else heard.finished)
        cut = output.status == "timed_out" and over == deadline
        return {"agent_outputs": {role.id: output.model_dump()}, "timed_out": cut}

    async def _contribution(
        self, role: Role, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext, heard: StreamedText
    ) -> Answer[str]:
        caller = self._deps.models.for_node(GRAPH, EXECUTOR)
        return await caller.text(
            run.call,
            f"role-{role.id}",
            messages,
            on_token=heard,
            opens_with=writing.OPENS_WITH,
            max_tokens=_most_tokens(self._deps, EXECUTOR, job),
            problem=partial(writing.in_another_language, job),
        )

    async def synthesizer(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        job, run = job_of(state), runtime.context
        outputs = usable_outputs(state)
        if not outputs and job.previous is None:
            raise NoRoleLeft("no role wrote anything")
        request, material = state["user_request"], state["material"]
        if not request:
            request, material = await load_request(job, self._deps, run)
        messages = await synthesis_messages(job, self._deps, run, outputs, request)
        caller = self._deps.models.for_node(GRAPH, SYNTHESIZER)
        answer = await caller.text(
            run.call,
            SYNTHESIZER,
            messages,
            on_token=run.live,
            opens_with=writing.OPENS_WITH,
            max_tokens=_most_tokens(self._deps, SYNTHESIZER, job),
            problem=partial(writing.in_another_language, job),
        )
        if answer.shortcoming:  # what it was to join is there, and better
            raise MalformedAnswerError(answer.shortcoming, answer.usage)
        return {"synthesized_content": answer.value, "user_request": request, "material": material}

    async def output_formatter(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        """Gives the text its form, says in it what is missing, and has it scored if there is time left."""
        job, run = job_of(state), runtime.context
        lacks = await _lacked_before(job, run)
        draft, told = finished(state, lacks), shortcomings(state, lacks)
        scored = await self._scored(state, run, job, draft)
        return {**await _stored(job, run, draft), **told, **scored}

    async def _scored(self, state: WritingGraphState, run: RunContext, job: GenerateSection, draft: str) -> Update:
        limit = asyncio.timeout_at(await self._steps.deadline(state, run))
        material = judged_material(job, state["material"])
        try:
            async with limit:
                return {"evaluation": await evaluate_draft(self._deps, run.within(limit), job, material, draft)}
        except TimeoutError:
            if not limit.expired():
                raise
            log.warning("not_judged", detail=NO_TIME_LEFT)
            return {"evaluation": not_judged([], NO_TIME_LEFT), "timed_out": True}

    async def error_handler(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        """Records what failed, and puts in its place what there is; without anything the run is over.

        An update that the state refused is a bug of ours: it ends the job, which is tried again.
        """
        job, run = job_of(state), runtime.context
        new = [Failure.model_validate(entry) for entry in state["failures"][len(state["errors"]) :]]
        for failure in new:
            log.warning("graph_error", node=failure.node, role_id=failure.role_id, error_type=failure.error_type)
        if bug := next((failure for failure in new if failure.error_type == InvalidUpdate.__name__), None):
            raise InvalidUpdate(f"{bug.node}: {bug.detail}")
        update: Update = {"errors": [failure.model_dump() for failure in new]}
        match new[-1].node:
            case "dynamic_agent_executor":
                return update | {"agent_outputs": {failure.role_id: _failed(failure) for failure in new}}
            case "synthesizer":
                return update | await self._without_synthesis(state, job, run)
            case "output_formatter":
                now: WritingGraphState = {**state, "errors": [*state["errors"], *update["errors"]]}
                lacks = await _lacked_before(job, run)
                stored, told = await _stored(job, run, finished(now, lacks)), shortcomings(now, lacks)
                return update | stored | told | {"evaluation": not_judged([], new[-1].error_type)}
            case _:
                return update | {"critical": "role_analysis_missing"}

    async def _without_synthesis(self, state: WritingGraphState, job: GenerateSection, run: RunContext) -> Update:
        outputs = usable_outputs(state)
        if outputs:
            return {"synthesized_content": joined(outputs)}
        if job.previous is not None:
            return {"synthesized_content": await run.library.text(job.document, job.previous)}
        return {"critical": "no_role_left"}


async def _lacked_before(job: GenerateSection, run: RunContext) -> str:
    """The notice of the text that this run changes: what that text lacks, no role writes in this run."""
    if job.previous is None:
        return ""
    previous = await run.library.text(job.document, job.previous)
    return "\n\n".join(block.content for block in split(previous) if _is_notice(block, job))


def _is_notice(block: Block, job: GenerateSection) -> bool:
    return block.text.startswith(f"> **{writing.language_of(job).words.incomplete}**")


def _failed(failure: Failure) -> dict[str, Any]:
    return AgentOutput(status="failed", error_type=failure.error_type).model_dump()


async def _stored(job: GenerateSection, run: RunContext, draft: str) -> Update:
    name = f"{job.section.section_id}.md"
    ref = await run.library.store(job.document, draft.encode(), "text/markdown", name)
    return {"draft": draft, "draft_artifact": ref.model_dump(mode="json")}


def joined(outputs: Sequence[tuple[Role, str]]) -> str:
    """The contributions one after the other, each under the name of its role."""
    return "\n\n".join(
        f"## {writing.clean_heading(role.name)}\n\n{writing.body_under_heading(text, role.id)}"
        for role, text in outputs
    )


def finished(state: WritingGraphState, lacks: str) -> str:
    """The draft, which says at its end once what it lacks."""
    job = job_of(state)
    written = "".join(block.text for block in split(state["synthesized_content"]) if not _is_notice(block, job))
    return writing.as_draft(job.section.title, "\n\n".join(filter(None, (written.rstrip(), lacks, notice(state)))))


def notice(state: WritingGraphState) -> str:
    """What is missing in a partial text, for its reader; empty if nothing is."""
    words = writing.language_of(job_of(state)).words
    why = {"timed_out": words.cut_off, "failed": words.failed}
    lines = [why[output.status].format(role=writing.clean_heading(role.name)) for role, output in _incomplete(state)]
    if _not_joined(state):
        lines.append(words.not_joined)
    return f"> **{words.incomplete}** {' '.join(lines)}" if lines else ""


def shortcomings(state: WritingGraphState, lacks: str) -> dict[str, Any]:
    """The same for the event: by role id and type of error, never in words of a document."""
    found = _warnings(state)
    return {"partial": bool(found or lacks), "warnings": [warning.model_dump() for warning in found]}


def _warnings(state: WritingGraphState) -> list[GenerationWarning]:
    found = [
        GenerationWarning.model_validate(
            {"code": f"role_{output.status}", "detail": ": ".join(filter(None, (role.id, output.error_type)))}
        )
        for role, output in _incomplete(state)
    ]
    not_roles = (error for error in state["errors"] if error["node"] != "dynamic_agent_executor")
    return found + [GenerationWarning(code="failure", detail=f"{e['node']}: {e['error_type']}") for e in not_roles]


def _incomplete(state: WritingGraphState) -> list[tuple[Role, AgentOutput]]:
    outputs = {name: AgentOutput.model_validate(entry) for name, entry in state["agent_outputs"].items()}
    found = [(role, outputs[role.id]) for role in roles_of(state) if role.id in outputs]
    return [(role, output) for role, output in found if output.status != "completed"]


def _not_joined(state: WritingGraphState) -> bool:
    of_parts = bool(roles_of(state))
    return of_parts and any(error["node"] == "synthesizer" for error in state["errors"])


Failed = Literal["error_handler"]


def build_roles_graph(
    deps: GraphDeps, make_nodes: Callable[[GraphDeps, Steps], RolesNodes] = RolesNodes
) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    steps = Steps(deps.roles, deps.models.for_node(GRAPH, EXECUTOR), deps.inspection)
    nodes = make_nodes(deps, steps)
    graph = StateGraph(WritingGraphState, context_schema=RunContext)
    graph.add_node("role_analyzer", noted(steps.guarded(nodes.role_analyzer)))
    # A role ends by its own clock, which ends with the graph's: what it has finished by then is kept.
    executor = noted(steps.guarded(nodes.dynamic_agent_executor, bounded=False))
    graph.add_node("dynamic_agent_executor", executor, input_schema=RoleTask)
    # Deferred: it waits for every branch, those that the error handler deals with too.
    graph.add_node("synthesizer", noted(steps.guarded(nodes.synthesizer)), defer=True)
    graph.add_node("output_formatter", noted(steps.guarded(nodes.output_formatter, bounded=False)))
    graph.add_node("error_handler", noted(steps.checked(nodes.error_handler)))
    graph.add_conditional_edges(START, first_node)
    graph.add_conditional_edges("role_analyzer", after_analysis, ["dynamic_agent_executor", "error_handler"])
    graph.add_conditional_edges("dynamic_agent_executor", after_role)
    graph.add_conditional_edges("synthesizer", after_synthesis)
    graph.add_conditional_edges("output_formatter", after_format)
    graph.add_conditional_edges("error_handler", after_error)
    return graph


async def first_node(state: WritingGraphState) -> Literal["role_analyzer", "synthesizer"]:
    """In a lint round there is a text already, which is only put right."""
    return "role_analyzer" if job_of(state).previous is None else "synthesizer"


async def after_analysis(state: WritingGraphState) -> list[Send] | Failed:
    if state["failures"]:
        return "error_handler"
    roles = [role.model_dump(mode="json") for role in roles_of(state)]
    return [Send("dynamic_agent_executor", _task(state, role, roles)) for role in roles]


def _task(state: WritingGraphState, role: dict[str, Any], roles: list[dict[str, Any]]) -> RoleTask:
    return RoleTask(
        job=state["job"],
        started_at=state["started_at"],
        role=role,
        roles=roles,
        user_request=state["user_request"],
        material=state["material"],
    )


async def after_role(state: dict[str, Any]) -> Literal["synthesizer"] | Failed:
    """A branch sees its own failure only."""
    return "error_handler" if state.get("failures") else "synthesizer"


async def after_synthesis(state: WritingGraphState) -> Literal["output_formatter"] | Failed:
    return "error_handler" if _unhandled(state) else "output_formatter"


async def after_format(state: WritingGraphState) -> Literal["__end__"] | Failed:
    return "error_handler" if _unhandled(state) else END  # type: ignore[return-value]


async def after_error(state: WritingGraphState) -> Literal["synthesizer", "output_formatter", "__end__"]:
    """On behind the node that failed; nowhere if nothing is there to go on with."""
    follows = {"dynamic_agent_executor": "synthesizer", "synthesizer": "output_formatter"}
    if state["critical"]:
        return END  # type: ignore[return-value]
    return follows.get(state["errors"][-1]["node"], END)  # type: ignore[return-value]


def _unhandled(state: WritingGraphState) -> bool:
    return len(state["failures"]) > len(state["errors"])
