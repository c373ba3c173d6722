"""Outlines as files, and those that inputs ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_client.errors import InvalidInputError
from stemma_client.outlines import find_outline, read_outline, write_outline
from stemma_contracts.v1.outline import OutlineSection

MARKDOWN = """# Our proposal

## Team (2 pages)

Who does it.

### CVs

One each.

## Budget

id: budget
kind: budget
depends on: team, approach
max 500 words

All rates, and 12 pages of them in the annex.
"""
YAML = """
sections:
  - title: Team
    max_pages: 2
  - id: budget
    depends_on: [team]
"""
REQUEST = (Path(__file__).parent / "rfp" / "proposal-format.md").read_text("utf-8")


@pytest.mark.req("P19")
def test_reads_an_outline_in_markdown() -> None:
    team, budget = read_outline("outline.md", MARKDOWN)
    assert (team.title, team.max_pages, team.purpose) == ("Team", 2, "Who does it.\n\n### CVs\n\nOne each.")
    assert (budget.section_id, budget.kind, budget.depends_on) == ("budget", "budget", ("team", "approach"))
    assert (budget.max_words, budget.max_pages) == (500, None)
    assert budget.purpose == "All rates, and 12 pages of them in the annex."


@pytest.mark.req("P19")
def test_an_outline_names_upstreams_by_title_also_where_one_has_a_comma() -> None:
    text = "## Costs, rates and risks\n\nx\n\n## Team\n\ndepends on: Costs, rates and risks, team\n"
    assert read_outline("o.md", text)[1].depends_on == ("Costs, rates and risks", "team")


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("name", "text"),
    [("o.yaml", YAML), ("o.json", '[{"title": "Team", "max_pages": 2}, {"id": "budget", "depends_on": ["team"]}]')],
)
def test_reads_an_outline_as_data(name: str, text: str) -> None:
    assert read_outline(name, text) == (
        OutlineSection(title="Team", max_pages=2),
        OutlineSection(section_id="budget", depends_on=("team",)),
    )


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("o.yaml", "- title: A\n- title: [", "o.yaml: line 2: "),
        ("o.json", "[{]", "o.json: line 1: "),
        ("o.json", '{"sections": 1}', "must be a list of sections"),
        ("o.json", '[{"title": "A", "max_word": 1}]', "section 1: 'max_word' is not known; known are: id, title"),
        ("o.json", '[{"title": "A"}, {"title": "B", "max_words": 0}]', "section 2: max_words: "),
        ("o.json", '[{"purpose": "x"}]', "section 1: title: give a title"),
        ("o.md", "no heading", "there is no section in it"),
        ("o.docx", "", "ends in .json, .yaml or .md"),
    ],
)
def test_refuses_an_outline_with_the_section_at_fault(name: str, text: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_outline(name, text)
    assert words in str(refused.value)


@pytest.mark.req("P19")
def test_finds_the_sections_that_a_request_asks_for() -> None:
    found = find_outline([REQUEST])
    assert [section.title for section in found] == [
        "Introduction",
        "Technical Understanding And Approach",
        "Project Management Approach",
        "Approach to User Interface and User Experience Design",
        "Staffing Plan",
        "Similar Experience and Qualifications",
    ]
    assert found[2].purpose.startswith("(Sec. 4.04) Offerors should plan to discuss")
    assert {section.max_pages for section in found} == {None}


@pytest.mark.req("P19")
def test_finds_a_list_of_sections_with_their_limits() -> None:
    text = (
        "# Anfrage\n\n## Gliederung des Angebots\n\n1. Verständnis der Aufgabe (höchstens 2 Seiten)\n"
        "2. Vorgehen: Schritte und Rollen, maximal 500 Wörter\n3. **Preis**\n\nDanke.\n"
    )
    titles = [(one.title, one.max_words, one.max_pages) for one in find_outline([text])]
    assert titles == [("Verständnis der Aufgabe", None, 2), ("Vorgehen", 500, None), ("Preis", None, None)]


@pytest.mark.req("B6")
@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (
            "# Anfrage\n\nDas Angebot ist wie folgt zu gliedern:\n\nA. Deckblatt (1 Seite)\n"
            "B. Vorgehen (max. 5 Seiten)\n",
            [("Deckblatt", 1, "(A)"), ("Vorgehen", 5, "(B)")],
        ),
        (
            "# RFP\n\n## Proposal format\n\n| Volume | Title | Page limit |\n| --- | --- | --- |\n"
            "| Volume I | Approach | 30 |\n| Volume II | Price | none |\n",
            [("Volume I: Approach", 30, ""), ("Volume II: Price", None, "")],
        ),
        (
            "# RFP\n\n## Proposal contents\n\n### Volume I - Technical\n\n1. Staff\n2. Plan (max 10 pages)\n\n"
            "### Volume II - Price\n\nAll rates.\n",
            [
                ("Volume I - Technical: Staff", None, "(1)"),
                ("Volume I - Technical: Plan", 10, "(2)"),
                ("Volume II - Price", None, "All rates."),
            ],
        ),
    ],
    ids=("order", "table", "volumes"),
)
def test_finds_chapters_in_the_order_and_with_the_numbers_that_a_request_demands(
    text: str, sections: list[tuple[str, int | None, str]]
) -> None:
    found = find_outline([text])
    assert [(one.title, one.max_pages, one.purpose) for one in found] == sections
    assert read_outline("o.md", write_outline(found)) == found


@pytest.mark.parametrize("text", ["", "# Proposal format\n\nBe brief.\n", "# A\n\n1. One\n2. Two\n"])
def test_finds_nothing_where_nothing_is_asked_for(text: str) -> None:
    assert find_outline([text]) == ()


def test_what_is_found_can_be_read_back() -> None:
    found = find_outline([REQUEST])
    assert read_outline("o.md", write_outline(found)) == found


@given(st.text(max_size=300))
def test_any_text_gives_an_outline_or_none(text: str) -> None:
    for section in find_outline([f"# Proposal format\n\n{text}"]):
        assert section.title.strip()


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    "marks_only",
    ["# Proposal format\n\n- ...\n- Budget\n- Team\n", "# Proposal format\n\n## :\n\n## Budget\n\n## Team\n"],
)
def test_stays_quiet_about_titles_of_nothing_but_marks(marks_only: str) -> None:
    assert [section.title for section in find_outline([marks_only])] == ["Budget", "Team"]


@pytest.mark.req("P19")
def test_looks_at_each_of_many_headings_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    class Counted(list[Any]):
        def __getitem__(self, place: Any) -> Any:
            nonlocal looks
            looks += 1
            return super().__getitem__(place)

        def __iter__(self) -> Iterator[Any]:
            nonlocal looks
            looks += len(self)
            return super().__iter__()

    monkeypatch.setattr("stemma_client.outlines.list", Counted, raising=False)
    find_outline(["# Proposal format\n## a\n## b\n" * 200])
    assert 0 < looks < 200 * 3 * 20
