from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from stemma_artifacts.store import ArtifactStore, MemoryArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_validator.engines import LintEngine, MarkdownlintEngine, RumdlEngine
from stemma_validator.engines.markdownlint import Installation, packaged_node, packages_folder
from stemma_validator.engines.rumdl import SafeFixes, packaged_rumdl
from stemma_validator.grounds import Grounds
from stemma_validator.handlers import Tools

LIMITS = Limits()
TENANT, DOCUMENT = "default", "doc-1"
CONFIG = Path(__file__).parents[1] / "config"
RULES = (CONFIG / "rumdl.toml").read_text(encoding="utf-8")


FIXES = SafeFixes(RULES, executable=packaged_rumdl(), limits=LIMITS)


T = TypeVar("T", bound=BaseModel)


def tools_of(artifacts: ArtifactStore, engine: LintEngine, limits: Limits = LIMITS, **more: Any) -> Tools:
    return replace(Tools(artifacts, engine, Grounds(artifacts, limits), FIXES, limits), **more)


async def stored(artifacts: ArtifactStore, ref: ArtifactRef | None, model: type[T]) -> T:
    assert ref is not None
    return model.model_validate_json(await artifacts.get(TENANT, DOCUMENT, ref))


@pytest.fixture
def artifacts() -> ArtifactStore:
    return MemoryArtifactStore()


@pytest.fixture
def rumdl() -> RumdlEngine:
    return RumdlEngine(RULES, executable=packaged_rumdl(), limits=Limits(), processes=2)


@pytest.fixture
def markdownlint() -> MarkdownlintEngine:
    rules = (CONFIG / "markdownlint.json").read_text(encoding="utf-8")
    installation = Installation(packaged_node(), packages_folder())
    return MarkdownlintEngine(rules, installation=installation, limits=Limits(), processes=2)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., RumdlEngine]:
    """An engine whose program is a shell script."""

    def build(body: str, *, limits: Limits = LIMITS) -> RumdlEngine:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return RumdlEngine(RULES, executable=program, limits=limits, processes=1)

    return build


def validate_draft(
    draft: ArtifactRef, *, assets: tuple[str, ...] = (), headings: tuple[str, ...] = ()
) -> ValidateDraft:
    return ValidateDraft(
        job_id="doc-1.3.validate.budget",
        document=DocumentHead(
            document_id=DOCUMENT, tenant=TENANT, kind="proposal", created_at=datetime(2025, 1, 1, tzinfo=UTC)
        ),
        section=SectionPlan(
            section_id="budget", title="Budget", kind="budget", graph="section", required_headings=headings
        ),
        version=1,
        draft=draft,
        assets=assets,
    )


@pytest.fixture
def job_for(artifacts: ArtifactStore) -> Callable[..., Awaitable[ValidateDraft]]:
    """Stores a draft and gives the job to validate it."""

    async def build(text: str | bytes, **options: tuple[str, ...]) -> ValidateDraft:
        data = text.encode() if isinstance(text, str) else text
        ref = await artifacts.put(TENANT, DOCUMENT, data, media_type="text/markdown", name="temp_output.md")
        return validate_draft(ref, **options)

    return build
