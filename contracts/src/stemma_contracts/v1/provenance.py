"""How a version came to be: by whom, with what, from what, how long it took."""

from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest


class Origin(StrEnum):
    """How a version came to be; the last three are a person's doing, and no machine replaces them unasked.

    Nor does one replace what is revised of them: a text with a person's words stays that person's.
    """

    GENERATED = "generated"
    REVISED = "revised"
    EDITED = "edited"
    WRITTEN = "written"
    RESTORED = "restored"


BY_A_PERSON = frozenset({Origin.EDITED, Origin.WRITTEN, Origin.RESTORED})


class Provenance(Contract):
    """With what a draft was made; differences here make nothing stale (``outdated_recipe``)."""

    model: str
    prompt_digest: Digest | None = None
    criteria_digest: Digest | None = None
    agent_version: str = ""


ROLE_MISSING = frozenset({"role_timed_out", "role_failed"})
"""The codes of warnings that a role wrote nothing: the text lacks its part until it is written anew."""


class GenerationWarning(Contract):
    """What a person should know about how a draft came to be; ``detail`` holds no text of it."""

    code: Literal[
        "step_bound",
        "unfinished_chapters",
        "validation_issues",
        "skipped_image",
        "not_evaluated",
        "role_timed_out",
        "role_failed",
        "failure",
    ]
    count: int = Field(default=1, ge=1)
    detail: str = Field(default="", max_length=300)


class RetrievedSource(Contract):
    """A source that a section was written from: an input by its name, an upstream section by id and version."""

    kind: Literal["input", "upstream"]
    name: str = Field(max_length=255)
    version: int | None = Field(default=None, ge=0, description="of an upstream section")
    given: int | None = Field(default=None, ge=0, description="passages of an input that were not all given")
    of: int | None = Field(default=None, ge=0, description="all passages of that input")


class NodeRun(Contract):
    """How long one node of a graph took; ``role_id`` tells the branches of one node apart."""

    node: str = Field(max_length=64)
    role_id: str = Field(default="", max_length=64)
    seconds: float = Field(ge=0)


class ProcessingMetadata(Contract):
    """When, how long, by whom and with what a draft was made; ``nodes`` are in the order in which they ended."""

    graph_execution_id: str = Field(default="", max_length=36, description="UUID of this run of the graph")
    started_at: AwareDatetime
    finished_at: AwareDatetime
    seconds: float = Field(ge=0)
    agent: str = Field(default="", max_length=64)
    model: str = Field(default="", max_length=200)
    prompt_digest: Digest | None = None
    agent_version: str = Field(default="", max_length=100)
    nodes: tuple[NodeRun, ...] = ()
    timed_out: bool = Field(default=False, description="the time of the whole graph was over")
