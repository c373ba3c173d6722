"""The offline writer as the agent: it carries over every word and mends what a checker finds."""

import pytest
from generation_agency import Agency
from stemma_client.samples import SAMPLES
from stemma_contracts.v1.coverage import LeftOutList
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_offline_writer import OfflineWriter

SAMPLE = SAMPLES / "agentic" / "inputs"
FILES = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in sorted(SAMPLE.rglob("*.*"))}


@pytest.mark.req("G5", "G15")
async def test_the_sample_becomes_one_document_with_every_word_of_its_files() -> None:
    agency = Agency(answers=["skip"])
    outcome = await agency.drive(await agency.job(FILES), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    print(text)
    assert not outcome.evaluation.judged
    assert not outcome.partial
    assert [(w.code, w.count) for w in outcome.warnings] == [("skipped_image", 1)]
    assert text.count("\n# ") == 0
    assert "![Plan of the orchard with its four rows](media/plan.png)" in text
    assert "> Image not supplied: media/pruning-cut.png" in text
    for name, data in FILES.items():
        if name.endswith(".md"):
            words = [word for word in data.decode().split() if word.isalpha() and word not in ("img", "cut")]
            assert [word for word in words if word not in text] == []
    assert agency.state["current_chapter"] == len(agency.state["document_outline"]) == 6


@pytest.mark.req("T1", "G7")
async def test_what_a_mend_takes_away_is_left_out_by_name_and_the_run_ends() -> None:
    lost = ValidationIssue(line_number=5, rule="STEMMA008", rule_description="Footnotes", message="No such footnote")
    report = ValidationReport(validation_passed=False, issues=(lost,), engine="test", engine_version="1")
    agency = Agency(reports=[report])
    files = {"site.md": "# Site\n\n[^the-quay-is-40-m-long].\n"}
    outcome = await agency.drive(await agency.job(files), OfflineWriter())
    assert "40-m" not in await agency.workshop.read(outcome.draft)
    assert (outcome.partial, outcome.warnings) == (False, ())
    assert outcome.left_out is not None
    [named] = LeftOutList.model_validate_json(await agency.workshop.read(outcome.left_out)).left_out
    assert (named.file, named.heading) == ("site.md", "Site")
    assert "could not be carried over" in named.reason
