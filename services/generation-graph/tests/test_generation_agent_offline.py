"""The offline writer as the agent: it carries over every word and mends what a checker finds."""

import re

import pytest
from generation_agency import Agency
from stemma_cli.samples import SAMPLES
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


def guide(number: int) -> str:
    """About 33 KB with front matter, template tags, labels, lists, code and tables; no two paragraphs are alike."""
    parts = [f"---\ntitle: Guide {number}\n---\n{{% include a.html %}}\n"]
    for chapter in range(12):
        parts.append(
            f"## Part {chapter} of guide {number} {{%include tag.html %}}\n\nSee [the site][s{chapter}].[^1]\n"
        )
        parts += [
            f"Berth {number * 1000 + chapter * 50 + line} of the harbour holds _{line + 2} boats_ of the club, "
            f"which pays EUR {number * 100_000 + chapter * 1_000 + line} a year and keeps the rails painted.\n"
            for line in range(23)
        ]
        parts.append(f"- [ ] a task of part {chapter}\n    1. with a step\n\n```sh\n$ moor {number} {chapter}\n```\n")
        parts.append(
            f"| a | b |\n|---|---|\n| x{chapter} | {number + 7} m |\n\n[s{chapter}]: https://example.org/{number}\n"
        )
    return "\n".join([*parts, "[^1]: Seen by the harbour master.\n"])


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.req("T1", "T2", "G11")
async def test_a_folder_of_260_kilobytes_and_eight_files_ends_complete() -> None:
    files = {f"guide-{number}.md": guide(number) for number in range(1, 9)}
    assert sum(map(len, files.values())) >= 260_000
    agency = Agency()
    outcome = await agency.drive(await agency.job(files), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    assert (outcome.partial, outcome.warnings, outcome.left_out) == (False, (), None)
    assert [(check.check, check.passed) for check in outcome.evaluation.checks] == [("coverage", True)]
    assert [line for line in text.splitlines() if line.startswith("## ")] == [f"## Guide {n}" for n in range(1, 9)]
    assert agency.questions == []
    assert "{%" not in text
    assert len(set(re.findall(r"\[\^([\w-]+)\]:", text))) == 8, "a footnote of each file"


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
