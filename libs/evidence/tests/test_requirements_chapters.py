"""The chapters that a request names for the bid."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_evidence.requirements import Source, demanded_chapters, find_outline, read_rules

REQUEST = (Path(__file__).parent / "rfp" / "proposal-format.md").read_text("utf-8")


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
        (
            "**2. Bidding Instructions.** Be brief.\n\n**6. Quotation Instructions.** Two files.\n\n"
            "a.  *Format.* Quotations shall be in PDF. Offerors must not scan them.\n\n"
            "b.  *Approach.* The offeror shall describe its method.\n\n1. *Risks.* Name three on 1 page at most.\n\n"
            "*c. Staff.* Bidders name two people.\n\n**7. Award.**\n\nd. *Rank.* Bidders are told.\n",
            [
                (
                    "Approach",
                    None,
                    "(b) The offeror shall describe its method.\n\n1. *Risks.* Name three on 1 page at most.",
                ),
                ("Staff", None, "(c) Bidders name two people."),
            ],
        ),
    ],
    ids=("order", "table", "volumes", "titled paragraphs"),
)
def test_finds_chapters_in_the_order_and_with_the_numbers_that_a_request_demands(
    text: str, sections: list[tuple[str, int | None, str]]
) -> None:
    found = find_outline([text])
    assert [(one.title, one.max_pages, one.purpose) for one in found] == sections


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("", []),
        ("# Proposal format\n\nBe brief.\n", []),
        ("# A\n\n1. One\n2. Two\n", []),
        ("Send it. Your offer has, in this order: Plan, Team and Cost. Thanks.\n", ["Plan", "Team", "Cost"]),
        ("# Proposal format\n\n- ...\n- Budget\n- Team\n", ["Budget", "Team"]),
        ("# Proposal format\n\n## :\n\n## Budget\n\n## Team\n", ["Budget", "Team"]),
    ],
)
def test_finds_nothing_where_nothing_is_asked_for_and_no_title_of_marks_alone(text: str, titles: list[str]) -> None:
    assert [section.title for section in find_outline([text])] == titles


@given(st.text(max_size=300))
def test_any_text_gives_an_outline_or_none(text: str) -> None:
    for section in find_outline([f"# Proposal format\n\n{text}"]):
        assert section.title.strip()


ORDER = "# RFP\n\nThe proposal must be organized in the following order:\n\n1. Letter\n2. Approach (max 5 pages)\n"


@pytest.mark.req("B6")
@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("en", ORDER, ["Letter", "Approach"]),
        ("en", f"{ORDER}3. Evaluation criteria\n", ["Letter", "Approach"]),
        ("de", "Das Angebot ist wie folgt zu gliedern:\n\n1. Deckblatt\n2. Vorgehen\n", ["Deckblatt", "Vorgehen"]),
        ("en", "# RFP\n\n## Proposal format\n\n1. Cover letter\n2. Approach\n", None),
        ("en", ORDER.replace("must", "should"), None),
        (
            "en",
            "The proposal must contain, in this order: A plan, our Team, and Cost. Sign it.\n",
            ["A plan", "our Team", "Cost"],
        ),
        ("de", "Das Angebot enthält in dieser Reihenfolge: Vorgehen, Team und Preis.\n", ["Vorgehen", "Team", "Preis"]),
        ("ja", "提案書は次の順に記載すること：概要、体制、費用。\n", ["概要", "体制", "費用"]),
        ("zh", "投标文件应按以下顺序编制：方案、团队和价格。\n", ["方案", "团队", "价格"]),
        (
            "en",
            "The proposal must contain, in this order: Plan (method, tools), Team (max. 2 pages) and Cost.\n",
            ["Plan", "Team", "Cost"],
        ),
        ("en", "The proposal must be structured as follows: see below.\n", None),
        ("en", "The contractor delivers the reports in the following order:\n\n1. Inception\n2. Final\n", None),
    ],
    ids="en criterion de unordered advice sentence sentence-de sentence-ja sentence-zh brackets one work".split(),
)
def test_gives_the_chapters_of_the_bid_that_a_request_demands_in_an_order_and_no_others(
    language: str, text: str, titles: list[str] | None
) -> None:
    source = Source("rfp.md", text, language)
    chapters = demanded_chapters([source], read_rules([source]))
    assert (chapters and [one.title for one in chapters.sections]) == titles


@pytest.mark.req("B6")
def test_a_chapter_has_what_the_request_says_of_it_and_gathers_what_its_title_is_a_word_for() -> None:
    about = (
        "References must include three clients of ours. The references are checked. Our budget is 2 pages long or so."
    )
    text = (
        f"Proposals have, in this order: Plan, References and Price.\n\n{about}\n\nThe Plan must not exceed 4 pages.\n"
    )
    source = Source("rfp.md", text, "en")
    chapters = demanded_chapters([source], read_rules([source]))
    assert chapters is not None
    assert [(one.purpose, one.max_pages, one.collects) for one in chapters.sections] == [
        ("The Plan must not exceed 4 pages.", 4, ()),
        ("References must include three clients of ours.", None, ()),
        ("", None, ("amounts",)),
    ]


@pytest.mark.req("B6")
def test_chapters_in_japanese_take_no_more_bytes_than_an_outline_may() -> None:
    told = "\u76ee" * 4_000
    parts = "".join(f"### \u90e8{n}\n\n{told}\n\n" for n in range(8))
    text = f"# RFP\n\nThe proposal must be organized in the following order.\n\n## Proposal format\n\n{parts}"
    source = Source("rfp.md", text, "en")
    chapters = demanded_chapters([source], read_rules([source]))
    assert chapters is not None
    assert chapters.source == "rfp.md"
    assert 60_000 < sum(len((one.title + one.purpose).encode()) for one in chapters.sections) <= 64 * 1024
