"""The handlers of the service over stores in memory, and jobs for them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langchain_core.language_models import BaseChatModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import GenerateSection, OutlineEntry, UpstreamDraft
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.configuration import load_criteria
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.handlers import Tools, on_generate_section
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.settings import GenerationSettings
from stemma_generation_graph.sources import Library
from stemma_kinds import find_kinds, merged
from stemma_messaging import config_dir
from stemma_models import OFFLINE, MemoryRecordStore, ModelCaller, ModelSettings
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


def recipe_of(model: BaseChatModel) -> ModelSettings:
    """The settings of a model: what the offline writer may do is known by its name."""
    return RECIPE.model_copy(update={"name": OFFLINE}) if isinstance(model, OfflineWriter) else RECIPE


def evaluation(kind: str, score: float = 0.9) -> str:
    """An answer that gives every criterion of a kind the same score."""
    criteria = load_criteria(CONFIG / "evaluation", [], merged(find_kinds().values(), "criteria", ".json"))
    ids = criteria.for_kind(kind).ids
    return json.dumps({"scores": dict.fromkeys(ids, score), "feedback": "Name the deadline first."})


@dataclass
class Workshop:
    """The service's handlers over stores in memory; the stores outlive a model, as they outlive a process."""

    artifacts: MemoryArtifactStore = field(default_factory=MemoryArtifactStore)
    records: MemoryRecordStore = field(default_factory=MemoryRecordStore)
    tokens: list[str] = field(default_factory=list)

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

    def tools(self, model: BaseChatModel) -> Tools:
        models = Models(ModelCaller(model, recipe_of(model), self.records, self.artifacts))
        graphs = find_graphs()
        deps = load_deps(GenerationSettings(), models, graphs, CONFIG)
        return Tools(Runner(graphs, deps, None), deps, Library(self.artifacts), self.publish, ANY_KIND)

    async def publish(self, tenant: str, document_id: str, section_id: str, data: bytes, at: int) -> bool:
        self.tokens.append(data.decode())
        return True

    async def run(self, job: GenerateSection, script: Sequence[Any]) -> tuple[Any, ScriptedModel]:
        model = ScriptedModel(script=list(script))
        outcome: Outcome = await on_generate_section(job, tools=self.tools(model))
        return outcome, model
