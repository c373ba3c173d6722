"""Hostile Markdown in jobs and requests of the services that read it in their own process: each is answered.

What is read in a process with limits of its own is tried with it: by the converter and the validator.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import stemma_orchestrator
from generation_workshop import HEAD, RECIPE, Workshop, evaluation
from orchestrator_intake import commanded
from stemma_confinement import Limits
from stemma_contracts.v1.jobs import ReviseDraft
from stemma_contracts.v1.outcomes import (
    AnswerMalformed,
    DraftRevised,
    InputsMissing,
    InstructionRefused,
    Outcome,
    SectionGenerated,
)
from stemma_contracts.v1.requests import CreateDocument
from stemma_domain.features.documents import Create
from stemma_editor_agent.app import load_config
from stemma_editor_agent.handlers import Tools, on_revise_draft
from stemma_generation_graph.handlers import on_generate_section
from stemma_generation_graph.sources import Library, Reading
from stemma_messaging import config_dir
from stemma_models import ModelCaller
from stemma_orchestrator.catalog import load_catalog
from stemma_orchestrator.inputs import Limits as InputLimits
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.requests import Refused
from stemma_testkit.counting import UNITS, text_of
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

pytestmark = pytest.mark.req("S6")
SMALL, LARGE = 20_000, 1_000_000
HARD = ("brackets",)
ASKED_AGAIN = 3
EDITORS, PROMPTS = load_config(config_dir("stemma_editor_agent"))
CATALOG = load_catalog(Path(stemma_orchestrator.__file__).parents[2] / "config")


async def revised(text: str) -> bool:
    """The editor agent: a hostile draft, whose first block is made shorter."""
    workshop = Workshop()
    plan = (await workshop.job("approach")).section
    job = ReviseDraft(
        job_id="doc.7.revise.approach",
        document=HEAD,
        section=plan,
        version=1,
        draft=await workshop.store(text),
        instruction=await workshop.store("Make it shorter."),
        brief=await workshop.store("A ferry."),
    )
    answer = json.dumps({"changes": [{"block_id": "b1", "text": "Shorter."}], "summary": "Shorter.", "refused": None})
    model = ScriptedModel(script=[answer] * ASKED_AGAIN)
    caller = ModelCaller(model, RECIPE, workshop.records, workshop.artifacts)
    outcome: Outcome = await on_revise_draft(job, tools=Tools(workshop.artifacts, caller, PROMPTS, EDITORS, ANY_KIND))
    return isinstance(outcome, DraftRevised | InstructionRefused | AnswerMalformed)


async def generated(text: str) -> bool:
    """Generation: a hostile input, which is named where its limit ends it, a hostile brief, and such a draft, twice."""
    workshop = Workshop()
    tools = workshop.tools(ScriptedModel(script=[text, text, evaluation("approach")]))
    tools = replace(tools, library=Library(workshop.artifacts, Reading(Limits(seconds=4))))
    brief = await workshop.store(text, "brief.md")
    job = await workshop.job("approach", files={"hard.md": text}, brief=brief)
    outcome = await on_generate_section(job, tools=tools)
    if isinstance(outcome, InputsMissing):
        return re.fullmatch(r"hard\.md could not be read: more than 4 s of CPU time", outcome.detail) is not None
    return isinstance(outcome, SectionGenerated)


async def taken_in(text: str) -> bool:
    """The orchestrator: a hostile brief."""
    workshop = Workshop()

    async def graphs() -> frozenset[str] | None:
        return None

    def no_uploads(tenant: str) -> Any:
        raise AssertionError("nothing was uploaded")

    limits = InputLimits(*[2 * LARGE] * 4)
    intake = Intake(CATALOG, workshop.artifacts, no_uploads, graphs, limits)
    request = CreateDocument(kind="proposal", brief=text)
    try:
        command = await commanded(intake, request)
    except Refused as refusal:
        return bool(refusal.problems)
    return isinstance(command, Create)


Answered = Callable[[str], Awaitable[bool]]
SERVICES = pytest.mark.parametrize("answered", [revised, generated, taken_in])


@SERVICES
@pytest.mark.parametrize("name", HARD)
async def test_markdown_that_is_hard_to_read_is_answered(answered: Answered, name: str) -> None:
    assert await answered(text_of(UNITS[name], SMALL))


@pytest.mark.full
@SERVICES
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_whatever_markdown_holds_it_is_answered(answered: Answered, unit: str, size: int) -> None:
    async with asyncio.timeout(250):
        assert await answered(text_of(unit, size))
