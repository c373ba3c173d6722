"""Coverage of a version, whoever wrote it, and what is mended before anybody is asked."""

import sys
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, LeftOut, LeftOutList
from stemma_contracts.v1.references import InputFile
from stemma_validator.covering import MAX_FOREIGN, MAX_NAMED_BYTES, summarised
from stemma_validator.engines.rumdl import SafeFixes

from .conftest import DOCUMENT, FIXES, LIMITS, RULES, TENANT, Desk

SITE = "# Site\n\nThe quay at Lund is 40 m long.\n\n## Cost\n\nThe deck costs EUR 4,250 in all.\n"
QUAY = "# Quay\n\nThe quay at Lund is 40 m long.\n"


async def covered(desk: Desk, draft: str, *inputs: InputFile, **fields: Any) -> CoverageSummary:
    given = (*inputs, *([] if inputs else [await desk.input(SITE, "site.md")]))
    outcome = await desk.handled(await desk.job(draft, plan={"covers_inputs": True}, inputs=given, **fields))
    assert outcome.validation.coverage is not None
    return outcome.validation.coverage


@pytest.mark.req("T1")
async def test_tells_by_file_and_chapter_what_a_text_of_anybody_lacks_and_what_no_program_reads(desk: Desk) -> None:
    pdf = InputFile(name="plan.pdf", artifact=await desk.put("%PDF", "plan.pdf", "application/pdf"))
    found = await covered(desk, QUAY, await desk.input(SITE, "site.md"), pdf)
    assert (found.total, found.covered, found.missing_blocks) == (3, 1, 2)
    assert [(m.file, m.chapter, m.line, m.why) for m in found.missing] == [
        ("site.md", "Cost", 7, "absent"),
        ("plan.pdf", "", 1, "unreadable"),
    ]
    report = await desk.stored(found.report, CoverageReport)
    assert [block.chapter for block in report.blocks] == ["Cost", ""]


@pytest.mark.req("T1")
async def test_what_the_writer_left_out_stays_left_out_and_a_section_that_need_not_cover_has_no_coverage(
    desk: Desk,
) -> None:
    named = LeftOutList(left_out=(LeftOut(file="site.md", heading="Cost", reason="Known to the client."),))
    found = await covered(desk, QUAY, left_out=await desk.put(named))
    assert (found.left_out, found.missing_blocks) == (1, 0)
    job = await desk.job(QUAY, inputs=(await desk.input(SITE, "site.md"),))
    assert (await desk.handled(job)).validation.coverage is None


@pytest.mark.req("T1")
async def test_large_inputs_are_compared_in_a_process_of_its_own(desk: Desk) -> None:
    long = "# Site\n\n" + "".join(f"The pile {n} stands in the sea bed near buoy {n * 7}.\n\n" for n in range(1500))
    found = await covered(desk, long.replace("pile 7 ", "pole 7 "), await desk.input(long, "long.md"))
    assert found.total == 1500


@pytest.mark.req("T2")
async def test_what_is_in_another_language_is_not_comparable_and_both_languages_are_named(desk: Desk) -> None:
    draft = "# Der Kai\n\n" + "Der Kai in Lund ist sehr lang und das Deck kostet nicht viel, aber es ist aus Holz. " * 4
    english = SITE + "\nThe deck is of the wood that stands in the sea for many years and does not rot at all. " * 4
    found = await covered(desk, f"{draft.strip()}\n", await desk.input(english, "site.md"))
    assert (found.covered, found.missing_blocks, found.not_comparable) == (0, 0, found.total)
    foreign = [(one.file, one.language, one.blocks) for one in found.foreign]
    assert (found.language, foreign) == ("de", [("site.md", "en", found.total)])
    report = await desk.stored(found.report, CoverageReport)
    assert (report.language, {block.language for block in report.blocks}) == ("de", {"en"})


@pytest.mark.req("T1")
def test_what_is_named_in_an_event_is_bounded_and_the_rest_is_counted() -> None:
    missing = BlockCoverage(file="\u4e00" * 80, chapter="", line=1, standing="missing", why="absent")
    foreign = BlockCoverage(file="a", chapter="", line=1, standing="not_comparable", language="de")
    blocks = [missing.model_copy(update={"chapter": f"{n} " + "\u4e00" * 300}) for n in range(100)]
    blocks += [foreign.model_copy(update={"file": f"{n}" + "\u4e00" * 80}) for n in range(100)]
    found = summarised(blocks, None)
    assert len(found.model_dump_json().encode()) < MAX_NAMED_BYTES + 1000
    assert len(found.missing) + found.more == 100
    assert (len(found.foreign), found.not_comparable) == (MAX_FOREIGN, 100)


@pytest.mark.req("T2")
async def test_what_is_safe_is_mended_and_the_issues_are_those_of_the_mended_text(desk: Desk) -> None:
    draft = "# Quay\nText _so_ and *so*.\n* one\n\n\n* two <b>x</b>\n"
    report = await desk.report(await desk.handled(await desk.job(draft, fix=True, always_report=True)))
    assert report.fixed is not None
    mended = (await desk.artifacts.get(TENANT, DOCUMENT, report.fixed)).decode()
    assert mended == "# Quay\n\nText *so* and *so*.\n\n- one\n\n- two <b>x</b>\n"
    assert {issue.rule for issue in report.issues} == {"MD033"}


@pytest.mark.req("T2")
async def test_what_is_not_safe_stays_as_it_is_and_a_linter_that_would_change_words_changes_nothing() -> None:
    for draft in ("# Quay.\n\n# Quay.\n", "# T\n\n<!-- rumdl-disable -->\n* a\n", "# Clean\n\nText.\n"):
        assert await FIXES.of(draft) == draft

    class Rewriter(SafeFixes):
        async def _mended(self, text: str) -> str:
            return text.replace("40", "41")

    fixes = Rewriter(RULES, executable=Path(sys.executable), limits=LIMITS)
    assert await fixes.of("# T\n\n40 m\n") == "# T\n\n40 m\n"
