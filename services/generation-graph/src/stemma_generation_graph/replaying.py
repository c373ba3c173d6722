"""A run once more, from the records of its model calls alone: what comes of each job is compared with the log.

No model is called and nothing is kept. A job that asks for an answer that was not recorded says so.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from stemma_artifacts.store import ArtifactMissing, ArtifactStore, MemoryArtifactStore
from stemma_contracts import Contract, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.jobs import EvaluateDraft, GenerateSection, ProposeRequirements, ResumeGraph
from stemma_contracts.v1.references import ArtifactRef
from stemma_models import ModelSettings

from .handlers import Tools, on_evaluate_draft, on_generate_section, on_resume_graph
from .second_opinion import on_propose_requirements

Ours = GenerateSection | ResumeGraph | EvaluateDraft | ProposeRequirements
OURS = (GenerateSection, ResumeGraph, EvaluateDraft, ProposeRequirements)
BECOMES: dict[type[o.Outcome], type[e.AnyEvent]] = {
    o.SectionGenerated: e.SectionDrafted,
    o.GraphPaused: e.SectionNeedRaised,
    o.DraftEvaluated: e.SectionChecked,
    o.RequirementsProposed: e.RequirementsAdded,
}
"""The events that outcomes with an answer become; others tell of a failure, which no record holds."""
_OF_THE_RUN = {"usage", "processing_metadata", "document_id", "tenant"}
_OF_THE_THREAD = {"need_id", "checkpoint_id"}


class NotRecordedError(Exception):
    """A call that no record answers."""


class NoModel(BaseChatModel):
    """A model that holds as much as another one and answers nothing."""

    @property
    def _llm_type(self) -> str:
        return "none"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotRecordedError


def without_calls(model: BaseChatModel, settings: ModelSettings) -> tuple[BaseChatModel, ModelSettings]:
    return NoModel(profile=model.profile), settings.model_copy(update={"retries": 0, "recordings": None})


class OverlaidArtifacts:
    """Artifacts of another store, and those that are put here, which it never gets."""

    def __init__(self, below: ArtifactStore) -> None:
        self._below = below
        self._own = MemoryArtifactStore()

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        return await self._own.put(tenant, document_id, data, media_type=media_type, name=name)

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        await self._own.put_pieces(tenant, document_id, ref, pieces)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        try:
            return await self._own.get(tenant, document_id, ref)
        except ArtifactMissing:
            return await self._below.get(tenant, document_id, ref)

    async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        yield await self.get(tenant, document_id, ref)


@dataclass(frozen=True)
class Replayed:
    """A job and what came of it: ``verdict`` is same, differs or skipped, with ``why``."""

    job_id: str
    verdict: str
    why: str = ""


def told_jobs(lines: Iterable[str]) -> Iterator[tuple[Contract, Contract | None]]:
    """Jobs, each with the event that its outcome became, as `stemma replay --jobs` prints them.

    Raises `ValueError` for a line that is none.
    """
    for line in lines:
        told = json.loads(line)
        event = told["event"]
        yield _contract(told["type"], told["job"]), _contract(event["type"], event["data"]) if event else None


def _contract(ce_type: str, body: Any) -> Contract:
    return registry.decode(ce_type, json.dumps(body).encode())


@dataclass
class Replay:
    """Jobs of a document in the order of its log; ``checkpoints`` are those at which threads paused in this replay."""

    tools: Tools
    checkpoints: dict[str, str] = field(default_factory=dict)

    async def run(self, job: Contract, event: Contract | None) -> Replayed | None:
        """What came of a job; None for one of another service."""
        if not isinstance(job, OURS):
            return None
        if event is None:
            return Replayed(job.job_id, "skipped", "it is open")
        try:
            outcome = await self._outcome(job)
        except NotRecordedError:
            return Replayed(job.job_id, "differs", "it asks what no record answers")
        if isinstance(outcome, o.GraphPaused):
            self.checkpoints[outcome.thread_id] = outcome.need.checkpoint_id
        if type(event) not in BECOMES.values():
            return Replayed(job.job_id, "skipped", f"the log has {registry.entry_of(event).token}")
        return compared(job.job_id, outcome, event)

    async def _outcome(self, job: Ours) -> o.Outcome:
        match job:
            case GenerateSection():
                return await on_generate_section(job, tools=self.tools)
            case ResumeGraph():
                here = self.checkpoints.get(job.thread_id, job.checkpoint_id)
                return await on_resume_graph(job.model_copy(update={"checkpoint_id": here}), tools=self.tools)
            case EvaluateDraft():
                return await on_evaluate_draft(job, tools=self.tools)
            case ProposeRequirements():
                return await on_propose_requirements(job, deps=self.tools.deps, library=self.tools.library)


def compared(job_id: str, outcome: o.Outcome, event: Contract) -> Replayed:
    if BECOMES.get(type(outcome)) is not type(event):
        detail = getattr(outcome, "detail", "")
        ended = f"{registry.entry_of(outcome).token}{f': {detail}' if detail else ''}"
        return Replayed(job_id, "differs", f"it ends as {ended}")
    now, then = _told(outcome), _told(_of_the_machine(event))
    names = sorted(name for name in now.keys() & then.keys() if now[name] != then[name])
    return Replayed(job_id, "differs" if names else "same", ", ".join(names))


def _of_the_machine(event: Contract) -> Contract:
    """A draft as the graph wrote it, before it was merged with people's words."""
    if isinstance(event, e.SectionDrafted) and event.merge is not None:
        return event.model_copy(update={"draft": event.merge.theirs})
    return event


def _told(told: Contract) -> dict[str, Any]:
    found = told.model_dump(mode="json", exclude=_OF_THE_RUN)
    if isinstance(need := found.get("need"), dict):
        found["need"] = {name: value for name, value in need.items() if name not in _OF_THE_THREAD}
    return found
