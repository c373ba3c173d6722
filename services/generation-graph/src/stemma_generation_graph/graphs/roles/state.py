"""The state of the roles graph: JSON values only.

Which node sets which field, besides `initial_state`, which sets all:

| field | set by |
|---|---|
| ``job``, ``graph_execution_id``, ``started_at`` (seconds of the event loop's clock) | nothing else |
| ``user_request``, ``material`` | ``role_analyzer``; in a lint round, where it does not run, ``synthesizer`` |
| ``role_analysis`` | ``role_analyzer`` |
| ``agent_outputs`` | ``dynamic_agent_executor``, one entry for each role; ``error_handler`` |
| ``synthesized_content`` | ``synthesizer``, ``error_handler`` |
| ``draft``, ``draft_artifact``, ``evaluation``, ``partial``, ``warnings`` | ``output_formatter``, ``error_handler`` |
| ``errors``, ``critical`` | ``error_handler`` |
| ``failures``, ``timed_out`` | ``role_analyzer``, ``dynamic_agent_executor``, ``synthesizer``, ``output_formatter`` |
| ``timings`` | ``role_analyzer``, ``dynamic_agent_executor``, ``synthesizer``, ``output_formatter``, ``error_handler`` |
"""  # noqa: E501

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import wraps
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypedDict

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.tokens import Token
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Words
from stemma_models import ModelCaller, ModelError
from stemma_telemetry import get_logger

from stemma_generation_graph.deps import RunContext
from stemma_generation_graph.graphs.transitions import FAILURES, append, empty_state, merge_by_section, replace
from stemma_generation_graph.settings import RolesSettings
from stemma_generation_graph.writing import Filled, Line, Prose, Score, Text

DUPLICATE = "two roles have the same {}: {!r}"


class Role(Filled):
    """One author with a point of view of its own."""

    id: Token
    name: Line = Field(description="what the role is called in the text")
    description: Line = Field(description="what it knows and what it is to contribute")
    prompt_template: Prose = Field(
        description="its instructions; {user_request}, {name} and {perspective} stand for what they say"
    )
    perspective: Line = Field(description="from where it looks at the request; no other role has the same")
    priority: int = Field(ge=1, le=100, description="1 comes first; no other role has the same")
    confidence: Score = Field(description="how sure it is that the request needs this role")


class RoleAnalysis(Filled):
    """The roles that a request needs, and why; none if the request does not say what is wanted."""

    identified_roles: list[Role] = Field(description="empty if the request is too vague to tell")
    reasoning: Text = Field(default="", description="in two to four sentences, why these roles")

    @field_validator("identified_roles")
    @classmethod
    def _as_many_as_asked(cls, roles: list[Role], info: ValidationInfo) -> list[Role]:
        least, most = (info.context or {}).get("roles", (0, len(roles)))
        if roles and not least <= len(roles) <= most:
            raise ValueError(f"{least} to {most} roles are asked for, or none; there are {len(roles)}")
        return roles

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.identified_roles and not self.reasoning:
            raise ValueError("reasoning: say why these roles, in at least 1 character")
        return self

    @field_validator("identified_roles")
    @classmethod
    def _differ(cls, roles: list[Role]) -> list[Role]:
        for field in ("id", "perspective", "priority"):
            values = [str(getattr(role, field)).casefold() for role in roles]
            if doubled := [value for value in values if values.count(value) > 1]:
                raise ValueError(DUPLICATE.format(field, doubled[0]))
        return roles


class AgentOutput(Filled):
    """What came of a role; ``text`` is what it had finished when it was cut off."""

    status: Literal["completed", "timed_out", "failed"]
    text: str = ""
    error_type: str = ""


class Failure(Filled):
    """An exception that a node raised: where, in which role, of which type; never its words."""

    node: str
    role_id: str = ""
    error_type: str
    detail: str = Field(default="", max_length=300)


class NodeTime(Filled):
    """How long a node took, in seconds."""

    node: str
    role_id: str = ""
    seconds: float = Field(ge=0)


class StateUpdate(BaseModel):
    """Every field that a node may write; all of them are optional, nothing else is allowed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    user_request: str = ""
    material: str = ""
    role_analysis: RoleAnalysis | None = None
    agent_outputs: dict[Token, AgentOutput] = {}
    synthesized_content: str = ""
    failures: list[Failure] = []
    errors: list[Failure] = []
    timings: list[NodeTime] = []
    timed_out: bool = False
    critical: Literal["", "role_analysis_missing", "no_role_left"] = ""
    draft: str = ""
    draft_artifact: ArtifactRef | None = None
    evaluation: dict[str, Any] | None = None
    partial: bool = False
    warnings: list[GenerationWarning] = []


class InvalidUpdate(ValueError):
    """A node wrote what the state does not allow; the message names each field and the type that it expects."""


def check_update(update: Any) -> None:
    """Raise `InvalidUpdate` for an update that does not fit the state."""
    if not isinstance(update, dict):
        raise InvalidUpdate("update: Input should be a valid dictionary")
    try:
        StateUpdate.model_validate(update)
    except ValidationError as error:
        found = error.errors(include_url=False)
        told = (_told(problem["loc"], problem["type"], problem["msg"]) for problem in found)
        raise InvalidUpdate("; ".join(dict.fromkeys(told))) from None


def _told(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """The field and the type that it expects; the words of our own checks may quote a model, so they are left out."""
    return f"{'.'.join(map(str, place))}: {'Value does not fit' if kind == 'value_error' else message}"


REASONING = "No roles were chosen for the request, so the usual three write."

DEFAULT_ROLES = (
    Role(
        id="general_writer",
        name="General writer",
        description="Writes a clear and complete text on what was asked.",
        prompt_template="Write what this asks for, as a whole: {user_request}",
        perspective="the reader who wants an answer",
        priority=1,
        confidence=0.5,
    ),
    Role(
        id="editor",
        name="Editor",
        description="Looks at order, clarity and length.",
        prompt_template="Say what a text on this must hold, and in which order: {user_request}",
        perspective="the clarity of the text",
        priority=2,
        confidence=0.5,
    ),
    Role(
        id="content_strategist",
        name="Content strategist",
        description="Looks at purpose and readers.",
        prompt_template="Say whom a text on this is for and what it is to bring about: {user_request}",
        perspective="the purpose of the text",
        priority=3,
        confidence=0.5,
    ),
)


def default_analysis(words: Words, reasoning: str = "") -> RoleAnalysis:
    """The default roles in the document's language, with the analyzer's own reasoning if it gave one."""
    names = (words.general_writer, words.editor, words.content_strategist)
    roles = [role.model_copy(update={"name": name}) for role, name in zip(DEFAULT_ROLES, names, strict=True)]
    return RoleAnalysis(identified_roles=roles, reasoning=reasoning or REASONING)


Entry = dict[str, Any]


class WritingGraphState(TypedDict):
    """See the module for who sets what; every field that more than one node sets has a reducer."""

    job: Entry
    graph_execution_id: str
    started_at: float
    user_request: Annotated[str, replace]
    material: Annotated[str, replace]
    role_analysis: Entry | None
    agent_outputs: Annotated[dict[str, Entry], merge_by_section]
    synthesized_content: Annotated[str, replace]
    failures: Annotated[list[Entry], append]
    errors: Annotated[list[Entry], append]
    timings: Annotated[list[Entry], append]
    timed_out: Annotated[bool, or_]
    critical: str
    draft: Annotated[str, replace]
    draft_artifact: Annotated[Entry | None, replace]
    evaluation: Annotated[Entry | None, replace]
    partial: Annotated[bool, replace]
    warnings: Annotated[list[Entry], replace]


class RoleTask(TypedDict):
    job: Entry
    started_at: float
    role: Entry
    roles: list[Entry]
    user_request: str
    material: str


def initial_state(job: GenerateSection) -> WritingGraphState:
    return empty_state(
        WritingGraphState,
        job=job.model_dump(mode="json"),
        graph_execution_id=graph_execution_id(job.job_id),
        started_at=asyncio.get_running_loop().time(),
    )


def job_of(state: WritingGraphState | RoleTask) -> GenerateSection:
    return GenerateSection.model_validate(state["job"])


def roles_of(state: WritingGraphState) -> list[Role]:
    """The identified roles, the one that comes first in front."""
    if state["role_analysis"] is None:
        return []
    return sorted(RoleAnalysis.model_validate(state["role_analysis"]).identified_roles, key=lambda role: role.priority)


def usable_outputs(state: WritingGraphState) -> list[tuple[Role, str]]:
    """The roles that wrote something, in the order of their priority, with what they wrote."""
    outputs = {name: AgentOutput.model_validate(entry) for name, entry in state["agent_outputs"].items()}
    found = ((role, outputs[role.id].text) for role in roles_of(state) if role.id in outputs)
    return [(role, text) for role, text in found if text.strip()]


Update = dict[str, Any]
RoleNode = Callable[[Any, Runtime[RunContext]], Awaitable[Update]]

log = get_logger()


class NoRoleLeft(Exception):
    """No role wrote anything that a text could be made of."""


class Steps:
    def __init__(self, settings: RolesSettings, caller: ModelCaller, inspection: Path | None = None) -> None:
        self._settings = settings
        self._caller = caller
        self._inspection = inspection

    async def slowness(self) -> float:
        """By what limits are multiplied for the model: all roles ask it at once."""
        return await self._caller.slowness(self._settings.max_roles)

    async def deadline(self, state: Any, run: RunContext) -> float:
        """When the time of the whole graph is over, by the clock of the event loop.

        What its calls waited behind those of others is no time of the graph.
        """
        limit_s = self._settings.graph_limit_s * await self.slowness()
        return float(state["started_at"]) + limit_s + run.call.clock.stood

    def guarded(self, node: RoleNode, *, bounded: bool = True) -> RoleNode:
        """The same node: a failure in it is told in the state, and its time is noted.

        A bounded node ends at the deadline of the graph.
        """

        @wraps(node)
        async def run(state: Any, runtime: Runtime[RunContext]) -> Update:
            started = asyncio.get_running_loop().time()
            deadline = await self.deadline(state, runtime.context) if bounded else None
            update = await self._attempted(node, state, runtime, deadline)
            return await self._counted(node.__name__, state, update, started)

        return run

    def checked(self, node: RoleNode) -> RoleNode:
        """The error handler itself: its update is checked and its time is noted; nobody handles what it raises."""

        @wraps(node)
        async def run(state: Any, runtime: Runtime[RunContext]) -> Update:
            started = asyncio.get_running_loop().time()
            update = await node(state, runtime)
            check_update(update)
            return await self._counted(node.__name__, state, update, started)

        return run

    async def _counted(self, node: str, state: Any, update: Update, started: float) -> Update:
        seconds = round(asyncio.get_running_loop().time() - started, 4)
        time = NodeTime(node=node, role_id=_role_id(state), seconds=seconds)
        await self._tell(node, state, update, seconds)
        return {**update, "timings": [time.model_dump()]}

    async def _attempted(
        self, node: RoleNode, state: Any, runtime: Runtime[RunContext], deadline: float | None
    ) -> Update:
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                update = await node(state, runtime.override(context=runtime.context.within(limit)))
            check_update(update)
            return update
        except (NoRoleLeft, InvalidUpdate, TimeoutError, *FAILURES) as error:
            if isinstance(error, TimeoutError) and not limit.expired():
                raise
            failure = Failure(
                node=node.__name__, role_id=_role_id(state), error_type=type(error).__name__, detail=_detail(error)
            )
            return {"failures": [failure.model_dump()], "timed_out": limit.expired()}

    async def _tell(self, node: str, state: Any, update: Update, seconds: float) -> None:
        if self._settings.log_state:
            sizes = {name: len(json.dumps(value, default=str)) for name, value in update.items()}
            log.info("state_updated", node=node, seconds=seconds, sizes=sizes)
        if self._inspection is not None and "graph_execution_id" in state:
            folder = self._inspection / state["graph_execution_id"]
            await asyncio.to_thread(_write, folder, f"{len(state['timings']):02}-{node}.json", {**state, **update})


def _write(folder: Path, name: str, state: Update) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(state, indent=1, default=str), encoding="utf-8")


def _role_id(state: Any) -> str:
    role = state.get("role")
    return str(role["id"]) if role else ""


def _detail(error: Exception) -> str:
    """What may be told of an error: the words of our own errors hold no text of a document."""
    if isinstance(error, ModelError):
        return error.detail
    return str(error)[:300] if isinstance(error, InvalidUpdate | NoRoleLeft) else ""
