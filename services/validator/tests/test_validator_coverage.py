"""Coverage of a version, whoever wrote it, and what is mended before anybody is asked."""

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, LeftOut, LeftOutList
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.validation import ValidationReport
from stemma_validator.covering import MAX_FOREIGN, MAX_NAMED_BYTES, summarised
from stemma_validator.engines import RumdlEngine
from stemma_validator.engines.rumdl import SafeFixes
from stemma_validator.handlers import on_validate_draft

from .conftest import DOCUMENT, FIXES, RULES, TENANT, stored, tools_of, validate_draft

SITE = "# Site\n\nThe quay at Lund is 40 m long.\n\n## Cost\n\nThe deck costs EUR 4,250 in all.\n"


class Desk:
    """The handler with its stores."""

    def __init__(self, artifacts: ArtifactStore, engine: RumdlEngine) -> None:
        self.artifacts, self.engine = artifacts, engine

    async def put(self, text: str, name: str = "site.md", media_type: str = "text/markdown") -> ArtifactRef:
        return await self.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type=media_type, name=name)

    async def job(self, draft: str, **fields: object) -> ValidateDraft:
        job = validate_draft(await self.put(draft, "draft.md"))
        plan = job.section.model_copy(update={"covers_inputs": True})
        inputs = (InputFile(name="site.md", artifact=await self.put(SITE)),)
        return job.model_copy(update={"section": plan, "inputs": inputs, **fields})

    async def coverage(self, job: ValidateDraft) -> CoverageSummary | None:
        self.outcome = await on_validate_draft(job, tools=tools_of(self.artifacts, self.engine))
        return self.outcome.validation.coverage


@pytest.fixture
def desk(artifacts: ArtifactStore, rumdl: RumdlEngine) -> Desk:
    return Desk(artifacts, rumdl)


@pytest.mark.req("T1")
async def test_tells_by_file_and_chapter_what_a_text_of_anybody_lacks(desk: Desk) -> None:
    found = await desk.coverage(await desk.job("# Quay\n\nThe quay at Lund is 40 m long.\n"))
    assert found is not None
    assert (found.total, found.covered, found.missing_blocks) == (2, 1, 1)
    assert [(m.file, m.chapter, m.line, m.why) for m in found.missing] == [("site.md", "Cost", 7, "absent")]
    report = await stored(desk.artifacts, found.report, CoverageReport)
    assert [block.chapter for block in report.blocks] == ["Cost"]


@pytest.mark.req("T1")
async def test_what_the_writer_left_out_stays_left_out_when_a_person_edits_the_text(desk: Desk) -> None:
    named = LeftOutList(left_out=(LeftOut(file="site.md", heading="Cost", reason="Known to the client."),))
    ref = await desk.put(named.model_dump_json(), "left-out.json", "application/json")
    found = await desk.coverage(await desk.job("# Quay\n\nThe quay at Lund is 40 m long.\n", left_out=ref))
    assert found is not None
    assert (found.left_out, found.missing_blocks) == (1, 0)


@pytest.mark.req("T1")
async def test_an_input_that_no_program_reads_is_named(desk: Desk) -> None:
    pdf = InputFile(name="plan.pdf", artifact=await desk.put("%PDF", "plan.pdf", "application/pdf"))
    found = await desk.coverage(await desk.job(SITE, inputs=(pdf,)))
    assert found is not None
    assert [(m.file, m.why) for m in found.missing] == [("plan.pdf", "unreadable")]


@pytest.mark.req("T1")
async def test_a_section_that_need_not_cover_the_inputs_has_no_coverage(desk: Desk) -> None:
    job = await desk.job("# Quay\n")
    assert await desk.coverage(job.model_copy(update={"section": validate_draft(job.draft).section})) is None


@pytest.mark.req("T1")
async def test_large_inputs_are_compared_in_a_process_of_its_own(desk: Desk) -> None:
    long = "# Site\n\n" + "".join(f"The pile {n} stands in the sea bed near buoy {n * 7}.\n\n" for n in range(1500))
    inputs = (InputFile(name="long.md", artifact=await desk.put(long, "long.md")),)
    found = await desk.coverage(await desk.job(long.replace("pile 7 ", "pole 7 "), inputs=inputs))
    assert found is not None
    assert found.total == 1500


@pytest.mark.req("T2")
async def test_what_is_in_another_language_is_not_comparable_and_both_languages_are_named(desk: Desk) -> None:
    draft = "# Der Kai\n\n" + "Der Kai in Lund ist sehr lang und das Deck kostet nicht viel, aber es ist aus Holz. " * 4
    english = SITE + "\nThe deck is of the wood that stands in the sea for many years and does not rot at all. " * 4
    inputs = (InputFile(name="site.md", artifact=await desk.put(english)),)
    found = await desk.coverage(await desk.job(f"{draft.strip()}\n", inputs=inputs))
    assert found is not None
    assert (found.covered, found.missing_blocks, found.not_comparable) == (0, 0, found.total)
    assert (found.language, [(one.file, one.language, one.blocks) for one in found.foreign]) == (
        "de",
        [("site.md", "en", found.total)],
    )
    report = await stored(desk.artifacts, found.report, CoverageReport)
    assert (report.language, {block.language for block in report.blocks}) == ("de", {"en"})


@pytest.mark.req("T1")
def test_what_is_named_in_an_event_is_bounded_and_the_rest_is_counted() -> None:
    blocks = [
        BlockCoverage(file="\u4e00" * 80, chapter=f"{n} " + "\u4e00" * 300, line=1, standing="missing", why="absent")
        for n in range(100)
    ]
    blocks += [
        BlockCoverage(file=f"{n}" + "\u4e00" * 80, chapter="", line=1, standing="not_comparable", language="de")
        for n in range(100)
    ]
    found = summarised(blocks, None)
    assert len(found.model_dump_json().encode()) < MAX_NAMED_BYTES + 1000
    assert len(found.missing) + found.more == 100
    assert (len(found.foreign), found.not_comparable) == (MAX_FOREIGN, 100)


@pytest.mark.req("T2")
async def test_what_is_safe_is_mended_and_the_issues_are_those_of_the_mended_text(desk: Desk) -> None:
    draft = "# Quay\nText _so_ and *so*.\n* one\n\n\n* two <b>x</b>\n"
    await desk.coverage((await desk.job(draft)).model_copy(update={"fix": True, "always_report": True}))
    report = await stored(desk.artifacts, desk.outcome.validation.report, ValidationReport)
    assert report.fixed is not None
    mended = (await desk.artifacts.get(TENANT, DOCUMENT, report.fixed)).decode()
    assert mended == "# Quay\n\nText *so* and *so*.\n\n- one\n\n- two <b>x</b>\n"
    assert {issue.rule for issue in report.issues} == {"MD033"}


@pytest.mark.req("T2")
@pytest.mark.parametrize(
    "draft",
    ["# Quay.\n\n# Quay.\n", "# T\n\n<!-- rumdl-disable -->\n* a\n", "# Clean\n\nText.\n"],
    ids=["headings", "switched off", "clean"],
)
async def test_what_is_not_safe_stays_as_it_is(draft: str) -> None:
    assert await FIXES.of(draft) == draft


@pytest.mark.req("T2")
async def test_a_linter_that_would_change_words_changes_nothing() -> None:
    import sys

    class Rewriter(SafeFixes):
        async def _mended(self, text: str) -> str:
            return text.replace("40", "41")

    fixes = Rewriter(RULES, executable=__import__("pathlib").Path(sys.executable), limits=Limits())
    assert await fixes.of("# T\n\n40 m\n") == "# T\n\n40 m\n"
