"""What the analyzer fills in, and what a node of the roles graph may write into the state."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from stemma_contracts.tokens import Token
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Words

from stemma_generation_graph.writing.schemas import Filled, Line, Prose, Score, Text

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
