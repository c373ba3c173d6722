"""What `show` and `watch` tell of the inputs that a section does not hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.coverage import CoverageSummary, UncoveredChapter
from stemma_contracts.v1.values import DocumentStatus, DocumentSummary, SectionStatus, SectionSummary

CREATED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOST = "2 of 9 blocks of the inputs not covered"


@pytest.fixture
async def lacking(backstage: Any, client: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    chapter = UncoveredChapter(file="tender.md", chapter="Price", line=9, blocks=2, why="facts")
    coverage = CoverageSummary(total=9, covered=6, left_out=1, missing_blocks=2, missing=(chapter,), more=3)
    asked: events.SectionReviewRequested = reviewable("research")
    assert asked.validation is not None
    told = asked.validation.model_copy(update={"coverage": coverage})
    asked = asked.model_copy(update={"validation": told})
    draft = await backstage.text(document_id, "# Research\n")
    await backstage.append(document_id, requested, drafted("research", draft), asked)
    return document_id


@pytest.mark.req("T1", "T7")
async def test_show_names_each_chapter_that_lacks_something(cli: Any, lacking: str) -> None:
    done = await cli("show", lacking)
    assert "coverage: 6 of 9 blocks of the inputs are covered; 2 missing, 1 left out" in done.stdout
    words = "not covered: tender.md, Price, line 9: amounts, dates or names are missing (2 blocks)"
    assert words in done.stdout
    assert "not covered: 3 more chapters; the export names them" in done.stdout


@pytest.mark.req("T1", "T7")
async def test_show_of_a_section_names_them_beside_its_text(cli: Any, lacking: str) -> None:
    done = await cli("show", lacking, "research")
    assert "coverage: 6 of 9 blocks of the inputs are covered; 2 missing, 1 left out" in done.stderr
    assert "not covered: tender.md, Price, line 9" in done.stderr
    assert "covered" not in done.stdout


@pytest.mark.req("T1", "T7")
async def test_inbox_tells_how_much_is_not_covered(cli: Any, backstage: Any, lacking: str) -> None:
    waiting = SectionSummary(section_id="research", title="Research", status=SectionStatus.AWAITING_REVIEW, version=1)
    await backstage.summarise(
        DocumentSummary(
            document_id=lacking,
            kind="proposal",
            status=DocumentStatus.RUNNING,
            created_at=CREATED_AT,
            last_sequence=1,
            sections=(waiting,),
        )
    )
    done = await cli("inbox")
    [row] = [line for line in done.stdout.splitlines() if lacking in line]
    assert LOST in row


@pytest.mark.req("T1", "T7")
async def test_watch_tells_how_much_is_not_covered(cli: Any, lacking: str) -> None:
    done = await cli("watch", lacking)
    assert LOST in done.stdout + done.stderr
