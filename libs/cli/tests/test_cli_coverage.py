"""What `show` and `watch` tell of the inputs that a section does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.coverage import CoverageSummary, ForeignInput, UncoveredChapter

CREATED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOST = "2 of 9 blocks of the inputs not covered"


@dataclass(frozen=True)
class Document:
    """A document with a section that waits for a person, and whose coverage may be set."""

    backstage: Any
    document_id: str
    requested: Any
    drafted: Any
    review: events.SectionReviewRequested

    async def with_coverage(self, coverage: CoverageSummary) -> str:
        assert self.review.validation is not None
        told = self.review.validation.model_copy(update={"coverage": coverage})
        asked = self.review.model_copy(update={"validation": told})
        draft = await self.backstage.text(self.document_id, "# Research\n")
        await self.backstage.append(self.document_id, self.requested, self.drafted("research", draft), asked)
        return self.document_id

    async def summarise(self) -> None:
        """Put it into the list from which an inbox is made."""
        await self.backstage.list_research(self.document_id)


@pytest.fixture
def document(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> Document:
    return Document(backstage, document_id, requested, drafted, reviewable("research"))


@pytest.fixture
async def lacking(document: Document, client: Any) -> str:
    chapter = UncoveredChapter(file="tender.md", chapter="Price", line=9, blocks=2, why="facts")
    return await document.with_coverage(
        CoverageSummary(total=9, covered=6, left_out=1, missing_blocks=2, missing=(chapter,), more=3)
    )


@pytest.fixture
async def foreign(document: Document, client: Any) -> str:
    inputs = (
        ForeignInput(file="tender.md", language="en", blocks=4),
        ForeignInput(file="plan.md", language="ja", blocks=1),
    )
    return await document.with_coverage(
        CoverageSummary(total=9, covered=4, not_comparable=5, language="de", foreign=inputs)
    )


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
async def test_inbox_tells_how_much_is_not_covered(cli: Any, document: Document, lacking: str) -> None:
    await document.summarise()
    done = await cli("inbox")
    [row] = [line for line in done.stdout.splitlines() if lacking in line]
    assert LOST in row


@pytest.mark.req("T1", "T7")
async def test_watch_tells_how_much_is_not_covered(cli: Any, lacking: str) -> None:
    done = await cli("watch", lacking)
    assert LOST in done.stdout + done.stderr


@pytest.mark.req("T2", "T7")
@pytest.mark.parametrize("command", [("show",), ("show", "research")], ids=" ".join)
async def test_show_names_each_input_in_another_language_and_why_it_is_not_compared(
    cli: Any, foreign: str, command: tuple[str, ...]
) -> None:
    done = await cli(command[0], foreign, *command[1:])
    told = done.stdout + done.stderr
    assert "coverage: 4 of 9 blocks of the inputs are covered; 5 not comparable" in told
    assert "tender.md: 4 blocks in English not comparable with the text, which is in German" in told
    assert "plan.md: 1 block in Japanese not comparable with the text, which is in German" in told


@pytest.mark.req("T2", "T7")
async def test_inbox_and_watch_name_both_languages(cli: Any, document: Document, foreign: str) -> None:
    await document.summarise()
    words = "5 blocks in English and Japanese not comparable with the text, which is in German"
    inbox = await cli("inbox")
    assert [words in line for line in inbox.stdout.splitlines() if foreign in line] == [True]
    watched = await cli("watch", foreign)
    assert words in watched.stdout + watched.stderr


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
