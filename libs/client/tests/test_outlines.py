"""Outlines as files."""

import pytest
from stemma_client.errors import InvalidInputError
from stemma_client.outlines import read_outline, write_outline
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
        ("o.md", "# A\n\ncollects: fees", "section 1: collects.0: "),
        ("o.md", "no heading", "there is no section in it"),
        ("o.docx", "", "ends in .json, .yaml or .md"),
    ],
)
def test_refuses_an_outline_with_the_section_at_fault(name: str, text: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_outline(name, text)
    assert words in str(refused.value)


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Why the ferry is needed, max 120 words.", 120),
        ("Why the ferry is needed. At most 1,200 words", 1200),
        ("Wozu die Fähre dient (max. 120 Wörter).", 120),
        ("Pourquoi le bac ; 120 mots au plus.", 120),
        ("渡し船の理由、120字以内。", 120),
        ("The reports, each max 120 words.", None),
        ("The request has max 120 words on that.", None),
        ("Of the 120 words, the most important.", None),
    ],
)
def test_a_limit_at_the_end_of_a_sentence_is_one(sentence: str, words: int | None) -> None:
    [section] = read_outline("o.md", f"# A\n\n{sentence}")
    assert (section.max_words, section.purpose) == (words, sentence)


@pytest.mark.req("P19")
def test_what_is_written_can_be_read_back() -> None:
    sections = (
        OutlineSection(title="Volume I - Technical: Plan", purpose="(1) Steps.", max_pages=10, max_words=300),
        OutlineSection(title="Budget", section_id="budget", kind="budget", depends_on=("plan",)),
        OutlineSection(title="Price", collects=("amounts", "people")),
    )
    assert read_outline("o.md", write_outline(sections)) == sections
