"""The nodes of the roles graph: state in, partial update out; nothing is changed in place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime
from stemma_contracts.v1.evaluation import COMPLETE
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_languages import count_words
from stemma_models import Meter
from stemma_telemetry import get_logger

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.writing.drafts import OPENS_WITH, as_draft, body_under_heading, clean_heading
from stemma_generation_graph.writing.evaluating import evaluate_draft, failed_check, not_judged
from stemma_generation_graph.writing.material import language_of

from .prompting import (
    ANALYZER,
    EXECUTOR,
    GRAPH,
    SYNTHESIZER,
    analysis_messages,
    judged_material,
    load_request,
    role_messages,
    synthesis_messages,
)
from .schemas import AgentOutput, Failure, Role, RoleAnalysis, default_analysis
from .state import RoleTask, WritingGraphState, job_of, roles_of, usable_outputs
from .steps import NoRoleLeft, Steps, Update

_SENTENCE_END = re.compile(r"[.!?:|][\"'”’)*_`]*(?=\s|\Z)")

_OPEN_FENCE = re.compile(r"\A```\w*\n")
"""Around a whole answer; one that is cut has no end of it."""


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
        text = _OPEN_FENCE.sub("", "".join(self._tokens), count=1)
        ends = [found.end() for found in _SENTENCE_END.finditer(text)]
        return text[: ends[-1]] if ends else ""


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
        )
        if not answer.value.identified_roles:
            return self._default(job, "no role was identified", execution_id, answer.value.reasoning)
        return answer.value

    def _default(self, job: GenerateSection, reason: str, execution_id: str, reasoning: str = "") -> RoleAnalysis:
        log.warning("default_roles_used", graph_execution_id=execution_id, reason=reason)
        return default_analysis(language_of(job).words, reasoning)

    async def dynamic_agent_executor(self, state: RoleTask, runtime: Runtime[RunContext]) -> Update:
        """Has one role write, within its own time; what it had finished when that was over is kept."""
        role = Role.model_validate(state["role"])
        meter = Meter(runtime.context.call.meter)
        heard = StreamedText(meter)
        run = replace(runtime.context, call=replace(runtime.context.call, meter=meter))
        deadline = self._steps.deadline(state)
        over = min(asyncio.get_running_loop().time() + self._settings.role_limit_s, deadline)
        try:
            async with asyncio.timeout_at(over) as limit:
                output = AgentOutput(status="completed", text=await self._contribution(role, state, run, heard))
        except TimeoutError:
            if not limit.expired():
                raise
            log.warning("role_timed_out", role_id=role.id)
            output = AgentOutput(status="timed_out", text=heard.finished)
        cut = output.status == "timed_out" and over == deadline
        return {"agent_outputs": {role.id: output.model_dump()}, "timed_out": cut}

    async def _contribution(self, role: Role, state: RoleTask, run: RunContext, heard: StreamedText) -> str:
        roles = [Role.model_validate(other) for other in state["roles"]]
        job = job_of(state)
        messages = role_messages(job, self._deps, role, roles, state["user_request"], state["material"])
        caller = self._deps.models.for_node(GRAPH, EXECUTOR)
        return (await caller.text(run.call, f"role-{role.id}", messages, on_token=heard, opens_with=OPENS_WITH)).value

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
        answer = await caller.text(run.call, SYNTHESIZER, messages, on_token=run.live, opens_with=OPENS_WITH)
        return {"synthesized_content": answer.value, "user_request": request, "material": material}

    async def output_formatter(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        """Gives the text its form, says in it what is missing, and has it scored if there is time left."""
        job, run = job_of(state), runtime.context
        text = "\n\n".join(filter(None, (state["synthesized_content"], notice(state))))
        draft = as_draft(job.section.title, text)
        scored, told = await self._scored(state, run, job, draft), shortcomings(state)
        if told["partial"]:
            # Whatever its score, a text in which something is missing is looked at by a person.
            scored["evaluation"] = _not_passed(scored["evaluation"])
        return {**await _stored(job, run, draft), **told, **scored}

    async def _scored(self, state: WritingGraphState, run: RunContext, job: GenerateSection, draft: str) -> Update:
        limit = asyncio.timeout_at(self._steps.deadline(state))
        material = judged_material(job, state["material"])
        try:
            async with limit:
                return {"evaluation": await evaluate_draft(self._deps, run, job, material, draft)}
        except TimeoutError:
            if not limit.expired():
                raise
            log.warning("not_judged", detail=NO_TIME_LEFT)
            return {"evaluation": not_judged([], NO_TIME_LEFT), "timed_out": True}

    async def error_handler(self, state: WritingGraphState, runtime: Runtime[RunContext]) -> Update:
        """Records what failed, and puts in its place what there is; without anything the run is over."""
        job, run = job_of(state), runtime.context
        new = [Failure.model_validate(entry) for entry in state["failures"][len(state["errors"]) :]]
        for failure in new:
            log.warning("graph_error", node=failure.node, role_id=failure.role_id, error_type=failure.error_type)
        update: Update = {"errors": [failure.model_dump() for failure in new]}
        match new[-1].node:
            case "dynamic_agent_executor":
                return update | {"agent_outputs": {failure.role_id: _failed(failure) for failure in new}}
            case "synthesizer":
                return update | await self._without_synthesis(state, job, run)
            case "output_formatter":
                stored = await _stored(job, run, as_draft(job.section.title, state["synthesized_content"]))
                told = shortcomings({**state, "errors": [*state["errors"], *update["errors"]]})
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


def _not_passed(evaluation: dict[str, Any]) -> dict[str, Any]:
    return {**evaluation, "passed": False, "checks": [*evaluation["checks"], failed_check(COMPLETE)]}


def _failed(failure: Failure) -> dict[str, Any]:
    return AgentOutput(status="failed", error_type=failure.error_type).model_dump()


async def _stored(job: GenerateSection, run: RunContext, draft: str) -> Update:
    name = f"{job.section.section_id}.md"
    ref = await run.library.store(job.document, draft.encode(), "text/markdown", name)
    return {"draft": draft, "draft_artifact": ref.model_dump(mode="json")}


def joined(outputs: Sequence[tuple[Role, str]]) -> str:
    """The contributions one after the other, each under the name of its role."""
    return "\n\n".join(
        f"## {clean_heading(role.name)}\n\n{body_under_heading(text, role.id)}" for role, text in outputs
    )


def notice(state: WritingGraphState) -> str:
    """What is missing in a partial text, for its reader; empty if nothing is."""
    words = language_of(job_of(state)).words
    why = {"timed_out": words.cut_off, "failed": words.failed}
    lines = [why[output.status].format(role=clean_heading(role.name)) for role, output in _incomplete(state)]
    if _not_joined(state):
        lines.append(words.not_joined)
    return f"> **{words.incomplete}** {' '.join(lines)}" if lines else ""


def shortcomings(state: WritingGraphState) -> dict[str, Any]:
    """The same for the event: by role id and type of error, never in words of a document."""
    found = _warnings(state)
    return {"partial": bool(found), "warnings": [warning.model_dump() for warning in found]}


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
