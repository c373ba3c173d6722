"""CSV and JSON among the inputs: the agent reads them as tables, and they stand in the document."""

import pytest
from generation_agency import Agency
from stemma_generation_graph.graphs.document_agent.images import as_tables
from stemma_offline_writer import OfflineWriter

PRICES = 'lot;amount_eur;due\nSteel piles | long;310000;2027-06-01\n"Concrete\ndeck";512000;2027-07-01\n'
PEOPLE = '{"quay": {"lead": "Ann Lee", "phone": "555-0101"}, "team": [{"name": "Bo Ek"}, {"name": "Cy Dahl"}], "n": 3}'


@pytest.mark.req("T1", "G4")
def test_a_table_keeps_its_cells_and_json_has_a_table_for_records_of_one_form() -> None:
    assert as_tables(PRICES, "text/csv") == (
        "| lot | amount_eur | due |\n| --- | --- | --- |\n| Steel piles \\| long | 310000 | 2027-06-01 |\n"
        "| Concrete deck | 512000 | 2027-07-01 |\n"
    )
    shown = as_tables(PEOPLE, "application/json")
    assert "| lead | phone |\n| --- | --- |\n| Ann Lee | 555-0101 |\n" in shown
    assert "| name |\n| --- |\n| Bo Ek |\n| Cy Dahl |\n" in shown


@pytest.mark.req("T1")
async def test_tables_are_carried_over_and_covered() -> None:
    agency = Agency()
    files = {"site.md": "# Site\n\nThe quay is 40 m long.\n", "prices.csv": PRICES, "people.json": PEOPLE}
    outcome = await agency.drive(await agency.job(files), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    assert "## Prices\n\n| lot |" in text
    assert "## People\n\n|" in text
    assert [(check.check, check.passed) for check in outcome.evaluation.checks] == [("coverage", True)]
    assert outcome.left_out is None


@pytest.mark.req("T1")
async def test_the_comments_of_a_yaml_file_are_no_chapters() -> None:
    agency = Agency()
    rules = "# Style\n\nAlign: true\n# ```\n# method_call(a,\n#             b)\nWidth: 80\n"
    files = {"site.md": "# Site\n\nThe quay is 40 m long.\n", "rules.yml": rules, "team.md": "# Team\n\nAnn leads.\n"}
    outcome = await agency.drive(await agency.job(files), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    assert f"## Rules\n\n````\n{rules}````\n" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Site", "## Rules", "## Team"]
    assert [(check.check, check.passed) for check in outcome.evaluation.checks] == [("coverage", True)]
