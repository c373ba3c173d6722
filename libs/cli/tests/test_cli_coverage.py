"""What `show` and `watch` tell of the inputs that a section does not hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from stemma_contracts.v1.coverage import CoverageSummary, ForeignInput, UncoveredChapter

Covered = Callable[[CoverageSummary], Awaitable[str]]


@pytest.fixture
def covered(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> Covered:
    """A document with a section that waits for a person, and has this coverage."""

    async def made(coverage: CoverageSummary) -> str:
        waits = reviewable("research")
        validation = waits.validation.model_copy(update={"coverage": coverage})
        draft = drafted("research", await backstage.text(document_id, "# Research\n"))
        await backstage.append(document_id, requested, draft, waits.model_copy(update={"validation": validation}))
        await backstage.list_research(document_id)
        return document_id

    return made


async def told_everywhere(cli: Any, document_id: str) -> tuple[str, str, str]:
    """What is told beside the text of the section, and in one line of the inbox and of watch."""
    section, watched = await cli("show", document_id, "research"), await cli("watch", document_id)
    assert section.stdout == "# Research\n"
    [row] = [line for line in (await cli("inbox")).stdout.splitlines() if document_id in line]
    return section.stderr, row, watched.stdout + watched.stderr


@pytest.mark.req("T1", "T7")
async def test_each_chapter_that_lacks_something_is_named_and_how_much_is_not_covered(
    cli: Any, covered: Covered
) -> None:
    chapter = UncoveredChapter(file="tender.md", chapter="Price", line=9, blocks=2, why="facts")
    lacking = await covered(
        CoverageSummary(total=9, covered=6, left_out=1, missing_blocks=2, missing=(chapter,), more=3)
    )
    document = (await cli("show", lacking)).stdout
    beside, row, watched = await told_everywhere(cli, lacking)
    for words in (
        "coverage: 6 of 9 blocks of the inputs are covered; 2 missing, 1 left out",
        "not covered: tender.md, Price, line 9: amounts, dates or names are missing (2 blocks)",
        "not covered: 3 more chapters; the export names them",
    ):
        assert words in document
        assert words in beside
    assert ["2 of 9 blocks of the inputs not covered" in told for told in (row, watched)] == [True, True]


@pytest.mark.req("T2", "T7")
async def test_each_input_in_another_language_is_named_and_why_it_is_not_compared(cli: Any, covered: Covered) -> None:
    inputs = (
        ForeignInput(file="tender.md", language="en", blocks=4),
        ForeignInput(file="plan.md", language="ja", blocks=1),
    )
    foreign = await covered(CoverageSummary(total=9, covered=4, not_comparable=5, language="de", foreign=inputs))
    document = (await cli("show", foreign)).stdout
    beside, row, watched = await told_everywhere(cli, foreign)
    for words in (
        "coverage: 4 of 9 blocks of the inputs are covered; 5 not comparable",
        "tender.md: 4 blocks in English not comparable with the text, which is in German",
        "plan.md: 1 block in Japanese not comparable with the text, which is in German",
    ):
        assert words in document
        assert words in beside
    both = "5 blocks in English and Japanese not comparable with the text, which is in German"
    assert [both in told for told in (row, watched)] == [True, True]


@pytest.mark.req("T1", "T7")
async def test_show_tells_where_nobody_could_find_out_what_is_covered(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    research, *others = requested.sections
    covering = research.model_copy(update={"covers_inputs": True})
    asked = requested.model_copy(update={"sections": (covering, *others)})
    words = "research: coverage: nobody could find out what of the inputs it covers"
    await backstage.append(document_id, asked, drafted("research"))
    assert words not in (await cli("show", document_id)).stdout, "it is being checked"
    await backstage.append(document_id, reviewable("research"))
    assert words in (await cli("show", document_id)).stdout
