"""Drafts that are hard to read: whatever one holds, it is answered within the limits, and what ran into one says so."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.validation import ValidationReport
from stemma_testkit.pathological import UNITS, text_of
from stemma_validator.engines import RumdlEngine
from stemma_validator.engines.rumdl import SafeFixes, packaged_rumdl
from stemma_validator.handlers import on_validate_draft

from .conftest import RULES, stored, tools_of

pytestmark = pytest.mark.req("S6")
SMALL, LARGE = 20_000, 1_000_000
HARD = ("tables",)
TOLD = re.compile(
    r"Validation timeout \([\d.]+s\)|Validation out of memory \(\d+ MB\)|rumdl (crashed|output unreadable).*"
)

Told = Callable[[str, Limits], Awaitable[list[str]]]


@pytest.fixture
def told(artifacts: ArtifactStore, job_for: Callable[..., Awaitable[ValidateDraft]]) -> Told:
    """What kept checks of a draft from their end, which is its own input, its brief, and what it has to cover."""

    async def validate(text: str, limits: Limits) -> list[str]:
        job = await job_for(text)
        section = job.section.model_copy(update={"covers_inputs": True})
        inputs = (InputFile(name="input.md", artifact=job.draft),)
        job = job.model_copy(update={"section": section, "inputs": inputs, "brief": job.draft, "fix": True})
        engine = RumdlEngine(RULES, executable=packaged_rumdl(), limits=limits, processes=2)
        fixes = SafeFixes(RULES, executable=packaged_rumdl(), limits=limits)
        outcome = await on_validate_draft(job, tools=tools_of(artifacts, engine, limits, fixes=fixes))
        if outcome.validation.report is None:
            return []
        report = await stored(artifacts, outcome.validation.report, ValidationReport)
        return [issue.message for issue in report.issues if issue.rule == "STEMMA000"]

    return validate


@pytest.mark.parametrize("name", HARD)
async def test_a_draft_that_is_hard_to_read_is_answered_within_the_limit(told: Told, name: str) -> None:
    causes = await told(text_of(UNITS[name], SMALL), Limits(seconds=0.5))
    assert [cause for cause in causes if not TOLD.fullmatch(cause)] == []


@pytest.mark.full
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_whatever_a_draft_holds_it_is_answered_within_the_limit(told: Told, unit: str, size: int) -> None:
    async with asyncio.timeout(120):
        causes = await told(text_of(unit, size), Limits(seconds=2))
    assert [cause for cause in causes if not TOLD.fullmatch(cause)] == []
