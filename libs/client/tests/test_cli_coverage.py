"""What `show` and `watch` tell of the inputs that a section does not hold."""

from __future__ import annotations

from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.coverage import CoverageSummary, UncoveredChapter

LOST = "2 of 9 blocks of the inputs not covered"


@pytest.fixture
async def lacking(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    chapter = UncoveredChapter(file="tender.md", chapter="Price", line=9, blocks=2, why="facts")
    coverage = CoverageSummary(total=9, covered=6, left_out=1, missing_blocks=2, missing=(chapter,), more=3)
    asked: events.SectionReviewRequested = reviewable("research")
    assert asked.validation is not None
    told = asked.validation.model_copy(update={"coverage": coverage})
    asked = asked.model_copy(update={"validation": told})
    await backstage.append(document_id, requested, drafted("research"), asked)
    return document_id


@pytest.mark.req("T1", "T7")
async def test_show_names_each_chapter_that_lacks_something(cli: Any, lacking: str) -> None:
    done = await cli("show", lacking)
    assert "coverage: 6 of 9 blocks of the inputs are covered; 2 missing, 1 left out" in done.stdout
    words = "not covered: tender.md, Price, line 9: amounts, dates or names are missing (2 blocks)"
    assert words in done.stdout
    assert "not covered: 3 more chapters; the export names them" in done.stdout


@pytest.mark.req("T1", "T7")
async def test_watch_tells_how_much_is_not_covered(cli: Any, lacking: str) -> None:
    done = await cli("watch", lacking)
    assert LOST in done.stdout + done.stderr
