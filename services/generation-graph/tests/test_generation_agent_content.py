"""What the inputs hold stands in the document: tables, addresses of labels, every word of the sample."""

import pytest
from generation_agency import Agency
from stemma_client.samples import SAMPLES
from stemma_contracts.v1.coverage import LeftOutList
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_generation_graph.graphs.document_agent.checking import Checked
from stemma_generation_graph.graphs.document_agent.images import as_tables, without_labels
from stemma_offline_writer import OfflineWriter

SAMPLE = SAMPLES / "agentic" / "inputs"
PRICES = 'lot;amount_eur;due\nSteel piles | long;310000;2027-06-01\n"Concrete\ndeck";512000;2027-07-01\n'
PEOPLE = '{"quay": {"lead": "Ann Lee", "phone": "555-0101"}, "team": [{"name": "Bo Ek"}, {"name": "Cy Dahl"}], "n": 3}'
RULES = "# Style\n\nAlign: true\n# ```\n# method_call(a,\n#             b)\nWidth: 80\n"
FILES = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in sorted(SAMPLE.rglob("*.*"))}


@pytest.mark.req("T1", "G5", "G15")
async def test_the_sample_and_tables_become_one_document_with_every_word_of_their_files() -> None:
    agency = Agency(answers=["skip"])
    files: dict[str, str | bytes] = {**FILES, "prices.csv": PRICES, "people.json": PEOPLE, "rules.yml": RULES}
    outcome = await agency.drive(await agency.job(files), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    assert all(
        table in text for table in ("## Prices\n\n| lot |", "## People\n\n|", f"## Rules\n\n````\n{RULES}````\n")
    )
    assert [(check.check, check.passed) for check in outcome.evaluation.checks] == [("coverage", True)]
    assert outcome.left_out is None
    assert not outcome.evaluation.judged
    assert not outcome.partial
    assert [(w.code, w.count) for w in outcome.warnings] == [("skipped_image", 1)]
    assert text.replace(RULES, "").count("\n# ") == 0
    assert "![Plan of the orchard with its four rows](media/plan.png)" in text
    assert "> Image not supplied: media/pruning-cut.png" in text
    for name, data in FILES.items():
        if name.endswith(".md"):
            words = [word for word in data.decode().split() if word.isalpha() and word not in ("img", "cut")]
            assert [word for word in words if word not in text] == []
    assert agency.state["current_chapter"] == len(agency.state["document_outline"]) == 9


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


@pytest.mark.req("T2", "G8")
def test_what_is_found_in_the_headings_above_a_chapter_is_none_of_its_issues() -> None:
    above, draft = "# D\n\n## A\n\n", "# D\n\n## A\n\nOne.\n\n## B\n\nTwo.\n"
    lines = (above.count("\n"), above.count("\n") + 1)
    found = [
        ValidationIssue(line_number=line, rule="MD", rule_description="Rule", message="Found") for line in (0, *lines)
    ]
    report = ValidationReport(validation_passed=False, issues=tuple(found), engine="test", engine_version="1")
    moved = Checked(draft, draft.index("## B"), above, excerpt=True).in_draft(report)
    assert [one.line_number for one in moved.issues] == [0, 7]
    assert not moved.validation_passed


@pytest.mark.req("T1", "G4")
def test_a_table_keeps_its_cells_and_json_has_a_table_for_records_of_one_form() -> None:
    assert as_tables(PRICES, "text/csv") == (
        "| lot | amount_eur | due |\n| --- | --- | --- |\n| Steel piles \\| long | 310000 | 2027-06-01 |\n"
        "| Concrete deck | 512000 | 2027-07-01 |\n"
    )
    shown = as_tables(PEOPLE, "application/json")
    assert "| lead | phone |\n| --- | --- |\n| Ann Lee | 555-0101 |\n" in shown
    assert "| name |\n| --- |\n| Bo Ek |\n| Cy Dahl |\n" in shown


@pytest.mark.req("T1", "G12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [BEM][bem] and [bem].\n\n[bem]: https://bem.info\n", "See [BEM](https://bem.info) and [bem](https://bem.info).\n\n\n"),
        ("[a][] b\n\n[a]: https://x.org/(y) 'T \"q\"'\n\nc\n", '[a](<https://x.org/(y)> "T \\"q\\"") b\n\n\n\nc\n'),
        ("[in](https://x.org) `[a]` [none][n]\n", "[in](https://x.org) `[a]` [none][n]\n"),
        ("[**b** c][l]\n\n[l]: x.md\n", "[**b** c](x.md)\n\n\n"),
        ("[a\nb][c\nd] e\n\n[c d]: https://x.org\n", "[a\nb](https://x.org)\n e\n\n\n"),
        ("[a][l]\n\n[l]: <x\\>.md> 'T\\\\'\n", '[a](x%3E.md "T\\\\")\n\n\n'),
        ("One.[^1]\n\n[^1]: Where.\n", "One.[^guides-apis-1]\n\n[^guides-apis-1]: Where.\n"),
    ],
)  # fmt: skip
def test_links_have_their_addresses_and_footnotes_the_name_of_their_file(text: str, expected: str) -> None:
    assert without_labels("guides/apis.md", text) == expected
    assert text.count("\n") == expected.count("\n")
