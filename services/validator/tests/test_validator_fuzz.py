"""Drafts that are hard to read: whatever one holds, it is answered within the limits, and what ran into one says so."""

import asyncio
import re

import pytest
from stemma_confinement import Limits
from stemma_contracts.v1.references import InputFile
from stemma_testkit.counting import UNITS, text_of
from stemma_validator.engines import RumdlEngine
from stemma_validator.engines.rumdl import SafeFixes, packaged_rumdl

from .conftest import RULES, Desk

pytestmark = pytest.mark.req("S6")
SMALL, LARGE = 20_000, 1_000_000
TOLD = re.compile(
    r"(Validation timeout \([\d.]+s\)|Validation out of memory \(\d+ MB\)|rumdl (crashed|output unreadable)[^;]*|; )+"
)


async def untold(desk: Desk, text: str, limits: Limits) -> list[str]:
    """What kept checks from their end without saying so, of a draft that is its own input, brief and coverage."""
    draft = await desk.put(text)
    inputs = (InputFile(name="input.md", artifact=draft),)
    job = await desk.job(draft, plan={"covers_inputs": True}, inputs=inputs, brief=draft, fix=True)
    engine = RumdlEngine(RULES, executable=packaged_rumdl(), limits=limits, processes=2)
    fixes = SafeFixes(RULES, executable=packaged_rumdl(), limits=limits)
    outcome = await desk.handled(job, engine=engine, limits=limits, fixes=fixes)
    issues = (await desk.report(outcome)).issues if outcome.validation.report else ()
    return [one.message for one in issues if one.rule == "STEMMA000" and not TOLD.fullmatch(one.message)]


async def test_a_draft_that_is_hard_to_read_is_answered_within_the_limit(desk: Desk) -> None:
    assert await untold(desk, text_of(UNITS["tables"], SMALL), Limits(seconds=0.5)) == []


@pytest.mark.full
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_whatever_a_draft_holds_it_is_answered_within_the_limit(desk: Desk, unit: str, size: int) -> None:
    async with asyncio.timeout(120):
        assert await untold(desk, text_of(unit, size), Limits(seconds=2)) == []
