"""The handlers of the service over stores in memory, and jobs for them."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import GenerateSection, OutlineEntry, UpstreamDraft
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.deps import GraphDeps, Models
from stemma_generation_graph.evaluating import Probe
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.handlers import Tools, on_generate_section
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.settings import GenerationSettings
from stemma_generation_graph.sources import Library
from stemma_messaging import config_dir
from stemma_models import OFFLINE, CallContext, MemoryRecordStore, ModelCaller, ModelSettings
from stemma_offline_writer import OfflineWriter
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

CONFIG = config_dir("stemma_generation_graph")
HEAD = DocumentHead(
    document_id="doc", tenant="default", kind="proposal", created_at=datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
)
MEDIA = {
    "md": "text/markdown",
    "txt": "text/plain",
    "csv": "text/csv",
    "yml": "text/plain",
    "json": "application/json",
    "png": "image/png",
    "pdf": "application/pdf",
}
RECIPE = ModelSettings(name="scripted", backoff=0.001, retries=1)


def call_context() -> CallContext:
    """For whom the calls of a test are made."""
    return CallContext("default", "doc", "approach", "doc.1.generate-section.approach")


def recipe_of(model: BaseChatModel) -> ModelSettings:
    """The settings of a model: what the offline writer may do is known by its name."""
    return RECIPE.model_copy(update={"name": OFFLINE}) if isinstance(model, OfflineWriter) else RECIPE


MOST_CHARS = 12_000
"""Of inputs in a prompt: tests need no more to see what is left out."""


@cache
def _loaded(path: tuple[str, ...]) -> GraphDeps:
    return load_deps(GenerationSettings(max_input_chars=MOST_CHARS), Models(default=None), find_graphs(), CONFIG)  # type: ignore[arg-type]


def deps_of(models: Models) -> GraphDeps:
    """What ships, and what the folders on the path bring: read once for all tests that have the same path."""
    return replace(_loaded(tuple(sys.path)), models=models)


def evaluation(kind: str, score: float = 0.9) -> str:
    """An answer that gives every criterion of a kind the same score."""
    ids = deps_of(Models(default=None)).criteria.for_kind(kind).ids  # type: ignore[arg-type]
    return json.dumps({"scores": dict.fromkeys(ids, score), "feedback": "Name the deadline first."})


ANNALS = {"annals.md": "\n\n".join(f"In the year {year} nothing of note was built." for year in range(1000, 1300))}
"""An input that no prompt holds as a whole."""


@dataclass
class Workshop:
    """The service's handlers over stores in memory; the stores outlive a model, as they outlive a process."""

    artifacts: MemoryArtifactStore = field(default_factory=MemoryArtifactStore)
    records: MemoryRecordStore = field(default_factory=MemoryRecordStore)
    tokens: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    async def store(self, text: str | bytes, name: str = "text.md", media_type: str = "text/markdown") -> ArtifactRef:
        data = text if isinstance(text, bytes) else text.encode()
        return await self.artifacts.put("default", "doc", data, media_type=media_type, name=name)

    async def read(self, ref: ArtifactRef) -> str:
        return (await self.artifacts.get("default", "doc", ref)).decode()

    async def inputs(self, files: Mapping[str, str | bytes]) -> tuple[InputFile, ...]:
        stored = [await self.store(data, name, MEDIA[name.rsplit(".", 1)[-1]]) for name, data in files.items()]
        return tuple(InputFile(name=ref.name, artifact=ref) for ref in stored)

    async def upstream(self, **drafts: str) -> tuple[UpstreamDraft, ...]:
        return tuple(
            [
                UpstreamDraft(section_id=name, title=name.title(), version=1, draft=await self.store(text))
                for name, text in drafts.items()
            ]
        )

    async def job(self, kind: str, *, files: Mapping[str, str | bytes] | None = None, **fields: Any) -> GenerateSection:
        section = SectionPlan(
            section_id=kind, title=kind.replace("_", " ").capitalize(), kind=kind, graph="section", purpose="Why."
        )
        given: dict[str, Any] = {
            "job_id": "doc.1.generate-section." + kind,
            "document": HEAD,
            "section": section,
            "brief": await self.store("# Brief\n\nA ferry for 40 people by May."),
            "inputs": await self.inputs(files or {}),
            "outline": (OutlineEntry(section_id=kind, title=section.title, kind=kind, purpose="Why."),),
            "thread_id": "doc.1.generate-section." + kind,
        }
        return GenerateSection(**{**given, **fields})

    def tools(self, model: BaseChatModel, *graphs: str, probe: Probe | None = None) -> Tools:
        """What the handlers need to run these graphs, or all that do not pause."""
        offline = OfflineWriter()
        quoting = ModelCaller(offline, recipe_of(offline), self.records, self.artifacts)
        models = Models(ModelCaller(model, recipe_of(model), self.records, self.artifacts), quoting=quoting)
        deps = replace(deps_of(models), probe=probe)
        wanted = {name: one for name, one in find_graphs().items() if name in graphs or not (graphs or one.pauses)}
        return Tools(Runner(wanted, deps, None), deps, Library(self.artifacts), self.publish, ANY_KIND)

    async def publish(self, tenant: str, document_id: str, section_id: str, data: bytes, at: int) -> bool:
        self.tokens.append(data.decode())
        self.places.append(at)
        return True

    async def run(self, job: GenerateSection, script: Sequence[Any]) -> tuple[Any, ScriptedModel]:
        model = ScriptedModel(script=list(script))
        outcome: Outcome = await on_generate_section(job, tools=self.tools(model, "section", job.section.graph))
        return outcome, model
