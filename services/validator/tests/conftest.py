from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from stemma_artifacts.store import ArtifactStore, MemoryArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_validator.engines import LintEngine, MarkdownlintEngine, RumdlEngine
from stemma_validator.engines.markdownlint import Installation, packaged_node, packages_folder
from stemma_validator.engines.rumdl import SafeFixes, packaged_rumdl
from stemma_validator.grounds import Grounds
from stemma_validator.handlers import Tools, on_validate_draft

LIMITS = Limits()
TENANT, DOCUMENT = "default", "doc-1"
CONFIG = Path(__file__).parents[1] / "config"
RULES = (CONFIG / "rumdl.toml").read_text(encoding="utf-8")
HEAD = DocumentHead(document_id=DOCUMENT, tenant=TENANT, kind="proposal", created_at=datetime(2025, 1, 1, tzinfo=UTC))
FIXES = SafeFixes(RULES, executable=packaged_rumdl(), limits=LIMITS)

T = TypeVar("T", bound=BaseModel)


class Desk:
    """The handler with its store: what the validator says of drafts."""

    def __init__(self, artifacts: ArtifactStore, engine: LintEngine) -> None:
        self.artifacts = artifacts
        self.tools = Tools(artifacts, engine, Grounds(artifacts, LIMITS), FIXES, LIMITS)

    async def put(
        self, text: str | bytes | BaseModel, name: str = "a.md", media_type: str = "text/markdown"
    ) -> ArtifactRef:
        if isinstance(text, BaseModel):
            text, media_type = text.model_dump_json(), "application/json"
        data = text.encode() if isinstance(text, str) else text
        return await self.artifacts.put(TENANT, DOCUMENT, data, media_type=media_type, name=name)

    async def input(self, text: str, name: str, *anchors: Anchor, **fields: Any) -> InputFile:
        """A file that somebody gave; with places if it was read from another form."""
        if anchors:
            fields["anchors"] = await self.put(Anchors(anchors=anchors))
        return InputFile(name=name, artifact=await self.put(text), **fields)

    async def job(
        self, draft: str | bytes | ArtifactRef, *, headings: tuple[str, ...] = (), plan: Any = None, **fields: Any
    ) -> ValidateDraft:
        """The job to validate a draft, with what else of it and of its section's plan is told."""
        ref = draft if isinstance(draft, ArtifactRef) else await self.put(draft, "temp_output.md")
        section = SectionPlan(
            section_id="budget", title="Budget", kind="budget", graph="section", required_headings=headings,
            **(plan or {}),
        )  # fmt: skip
        return ValidateDraft(
            job_id="doc-1.3.validate.budget", document=HEAD, section=section, version=1, draft=ref
        ).model_copy(update=fields)

    async def handled(self, job: ValidateDraft, **tools: Any) -> DraftValidated:
        return await on_validate_draft(job, tools=replace(self.tools, **tools))

    async def stored(self, ref: ArtifactRef | None, model: type[T]) -> T:
        assert ref is not None
        return model.model_validate_json(await self.artifacts.get(TENANT, DOCUMENT, ref))

    async def report(self, outcome: DraftValidated) -> ValidationReport:
        return await self.stored(outcome.validation.report, ValidationReport)

    async def issues(self, job: ValidateDraft) -> tuple[ValidationIssue, ...]:
        return (await self.report(await self.handled(job))).issues

    async def grounding(self, outcome: DraftValidated) -> GroundingReport:
        return await self.stored(outcome.validation.grounding, GroundingReport)


@pytest.fixture
def artifacts() -> ArtifactStore:
    return MemoryArtifactStore()


@pytest.fixture
def rumdl() -> RumdlEngine:
    return RumdlEngine(RULES, executable=packaged_rumdl(), limits=LIMITS, processes=2)


@pytest.fixture
def desk(artifacts: ArtifactStore, rumdl: RumdlEngine) -> Desk:
    return Desk(artifacts, rumdl)


@pytest.fixture
def markdownlint() -> MarkdownlintEngine:
    rules = (CONFIG / "markdownlint.json").read_text(encoding="utf-8")
    installation = Installation(packaged_node(), packages_folder())
    return MarkdownlintEngine(rules, installation=installation, limits=LIMITS, processes=2)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., RumdlEngine]:
    """An engine whose program is a shell script."""

    def build(body: str, *, limits: Limits = LIMITS) -> RumdlEngine:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return RumdlEngine(RULES, executable=program, limits=limits, processes=1)

    return build
