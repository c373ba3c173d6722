"""What foreign texts brought to light: nothing false, nothing called absent that is there, nothing in pieces."""

import pytest
from langchain_core.messages import HumanMessage
from stemma_evidence import UNSUPPORTED, ground, read
from stemma_languages import shipped
from stemma_models.prompting import block
from stemma_offline_writer import OfflineWriter

OUTLINE = [
    ("research", "Research", "facts and findings about schools, gardens, guards and grants", ""),
    ("timeline", "Timeline", "dates", "dates"),
    ("budget", "Budget", "costs", "amounts"),
]
# A lead-in that negates, as a sentence of its own, and an item with an amount.
EXCLUSIONS = {
    "en": ("No grant is paid for the following works.", "Gardens of less than EUR 5,000"),
    "de": ("Keine Zuschüsse werden für folgende Vorhaben gewährt.", "Gärten unter 5.000 Euro"),
    "fr": ("Aucune aide n'est versée pour les travaux suivants.", "Jardins de moins de 5 000 euros"),
    "es": ("No se concede ninguna ayuda para las obras siguientes.", "Jardines de menos de 5.000 euros"),
    "it": ("Nessun contributo è concesso per i lavori seguenti.", "Giardini sotto i 5.000 euro"),
    "nl": ("Er wordt geen subsidie gegeven voor de volgende werken.", "Tuinen onder de 5.000 euro"),
    "pt": ("Nenhum apoio é concedido para as obras seguintes.", "Jardins de menos de 5.000 euros"),
    "ja": ("次の工事には補助金は交付されません。", "5,000円未満の庭園"),
    "zh": ("下列工程不予补助。", "5000元以下的花园"),
}


def draft_of(
    name: str, language: str, inputs: dict[str, str], headings: str = "- Part", upstream: str = "", brief: str = "A."
) -> str:
    entries = [block("entry", about, id=key, kind=key, title=title, collects=c) for key, title, about, c in OUTLINE]
    title, about, collects = next((title, about, c) for key, title, about, c in OUTLINE if key == name)
    named = {"id": name, "kind": name, "title": title, "language": language, "collects": collects}
    texts = [block("evidence", text, name=file) for file, text in inputs.items()]
    before = [block("upstream", upstream, id="research", title="Research")] if upstream else []
    parts = [block("section", about, **named), block("outline", entries), block("headings", headings)]
    prompt = "\n".join([block("task", "section"), *parts, block("brief", brief), *texts, *before])
    return OfflineWriter().invoke([HumanMessage(prompt)]).text


@pytest.mark.req("T3")
@pytest.mark.parametrize("tag", sorted(shipped()))
@pytest.mark.parametrize("colon", [False, True])
def test_an_item_that_is_excepted_is_told_with_the_words_that_except_it_also_among_amounts(
    tag: str, colon: bool
) -> None:
    lead, item = EXCLUSIONS[tag]
    lead = f"{lead[:-1]}:" if colon else lead
    facts = f"# A\n\n**{lead[:2]}**{lead[2:]}\n\n- {item}\n"
    for name in ("research", "budget"):
        draft = draft_of(name, tag, {"a.md": facts})
        for line in (line for line in draft.splitlines() if item in line):
            above = draft[: draft.index(line)].rstrip().rpartition("\n")[2]
            assert lead in line or lead in above


@pytest.mark.req("T3")
def test_an_item_of_a_sentence_that_is_not_quoted_is_not_quoted_either() -> None:
    facts = "# Schools\n\n- b) Guards of schools and gardens;\n- c) Guards of grants in schools\n"
    assert "Guards" not in draft_of("research", "en", {"a.md": facts})
    assert "Guards" not in draft_of("research", "en", {"a.md": "# Not covered by grants\n\n- Guards of schools\n"})


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    "open_text",
    [
        "The (NAME OF THE BODY) paid schools grants of EUR 900 for guards.",
        "The school pays [name of the guard] a grant of EUR 900 each month.",
        "The school pays ________ a grant of EUR 900 each month.",
    ],
)
def test_a_text_that_somebody_is_to_fill_in_states_nothing(open_text: str) -> None:
    for name in ("research", "budget"):
        assert "900" not in draft_of(name, "en", {"a.md": f"# Grants\n\n> {open_text}\n"})


@pytest.mark.req("T3")
def test_the_text_of_a_page_that_stands_in_its_front_matter_is_material() -> None:
    prose = "  The lamps cost EUR 900 in all.\n\n\n  ## More\n\n  Glue costs EUR 7.\n"
    page = f"---\ntitle: Lamps\ncontent: >-\n{prose}file:\n  - a.pdf\n---\n"
    draft = draft_of("budget", "en", {"a.md": page})
    assert "The lamps cost EUR 900 in all. (a.md)" in draft
    assert "Glue costs EUR 7. (a.md, More)" in draft


@pytest.mark.req("V1")
@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("2.The garden of schools has a guard.", r"2\.The garden of schools has a guard."),
        ("#1 of the schools has a garden.", r"\#1 of the schools has a garden."),
        ("2.5 hectares are the garden of schools.", "2.5 hectares are the garden of schools."),
    ],
)
def test_what_only_looks_like_a_mark_of_markdown_is_none_to_a_linter_either(sentence: str, written: str) -> None:
    assert f"\n{written} (a.md, A)" in draft_of("research", "en", {"a.md": f"# A\n\n{sentence}\n"})


@pytest.mark.req("T3")
def test_a_section_that_collects_dates_quotes_no_rules_about_dates() -> None:
    rules = "# Names\n\nA column with a date, a month or a week ends in period.\n\nThe gate opens on 4 July 2027.\n"
    draft = draft_of("timeline", "en", {"a.md": rules})
    assert "The gate opens on 4 July 2027." in draft
    assert "column" not in draft


@pytest.mark.req("T3")
def test_tables_of_contents_and_bibliographies_are_no_content() -> None:
    contents = "# Contents\n\n- 1 Guards of schools\n- Grants for gardens\n\n"
    text = "# 1 Guards of schools\n\nAll the schools have guards.\n\n# Grants for gardens\n\n- Grants for gardens\n\n"
    books = "# References\n\nGuards of schools, a book on gardens.\n"
    draft = draft_of("research", "en", {"a.md": contents + text + books})
    assert "All the schools have guards. (a.md, 1 Guards of schools)" in draft
    assert "- " not in draft
    assert "book" not in draft


@pytest.mark.req("T3")
def test_a_table_in_html_keeps_its_own_caption_and_the_lines_of_its_cells_apart() -> None:
    head = "<tr><th>Item</th><th>Price</th></tr>"
    tables = [
        f"<table><caption>Prices of {year}</caption>{head}<tr><td>Gate<br>Door</td><td>EUR 80</td></tr></table>"
        for year in (2023, 2024)
    ]
    draft = draft_of("budget", "en", {"a.md": "# Costs\n\n" + "\n\n".join(tables) + "\n"})
    assert "Table: Prices of 2023 (a.md, Costs)" in draft
    assert "Table: Prices of 2024 (a.md, Costs)" in draft
    assert "| Gate Door | EUR 80 |" in draft


@pytest.mark.req("T3")
def test_alternatives_with_roman_numbers_stand_together_below_what_announces_them() -> None:
    points = ["I. it comes too late;", "II. guards of other schools asked before;", "III. the school has no garden."]
    facts = "# Schools\n\nThe guards of schools and gardens refuse a visit if:\n\n" + "\n\n".join(points) + "\n"
    draft = draft_of("research", "en", {"a.md": facts})
    assert [point for point in points if point not in draft.replace("\\", "")] == []


@pytest.mark.req("T3")
def test_items_of_a_list_stand_below_those_that_they_stand_below_in_the_source() -> None:
    items = "- Guards watch schools.\n  - Guards of gardens get grants.\n    - Schools pay guards.\n- Schools are new."
    assert items in draft_of("research", "en", {"a.md": f"# Schools\n\n{items}\n"})
    numbers = "".join(f"{number}. guards of school {number}\n" for number in range(8, 12))
    draft = draft_of("research", "en", {"a.md": f"# Schools\n\nThe grants for gardens pay:\n\n{numbers}"})
    assert "\n- guards of school 10\n- guards of school 11" in draft
    left_out = "- Guards watch schools.\n- guards are late.\n  - Guards of gardens get grants for schools.\n"
    assert "\n- Guards of gardens" in draft_of("research", "en", {"a.md": left_out})


@pytest.mark.req("T3")
def test_sentences_of_one_item_stay_in_one_item() -> None:
    item = "- Guards watch schools and gardens. Schools pay guards some grants."
    assert f"{item} (a.md, A)" in draft_of("research", "en", {"a.md": f"# A\n\n{item}\n"})


@pytest.mark.req("T3")
@pytest.mark.parametrize("opening", ["**Night**\n", "Night<br>", "Night  \n", "**Night:** "])
def test_a_label_on_a_line_of_its_own_is_not_glued_to_the_sentence_after_it(opening: str) -> None:
    draft = draft_of("research", "en", {"a.md": f"# A\n\n{opening}Guards of schools watch gardens.\n"})
    assert "Night: Guards of schools watch gardens." in draft


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("tag", "caption"),
    [
        ("en", "Figure 3: Guards of schools and gardens with grants."),
        ("de", "Abb. 2.1 – Wachen an Schulen und Gärten mit Zuschuss."),
        ("zh", "图3 学校和花园的警卫情况。"),
    ],
)
def test_a_caption_is_no_sentence(tag: str, caption: str) -> None:
    assert caption not in draft_of("research", tag, {"a.md": f"# A\n\n{caption}\n"})


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("tag", "heading", "fact"),
    [
        ("de", "Zeitplan", "Die Wege werden vor den Beeten gebaut."),
        ("fr", "Calendrier", "Les chemins sont construits avant les parterres."),
        ("ja", "スケジュール", "道は花壇より先に作られます。"),
    ],
)
def test_what_stands_under_a_heading_that_names_a_section_stands_in_it(tag: str, heading: str, fact: str) -> None:
    inputs = {"a.md": f"# A\n\n## {heading}\n\n{fact}\n"}
    assert fact in draft_of("timeline", tag, inputs)
    assert fact not in draft_of("research", tag, inputs)


@pytest.mark.req("T3")
def test_a_table_with_an_empty_head_is_quoted_with_all_its_amounts() -> None:
    facts = "# Costs\n\n|  |  |\n|---|---|\n| **Gate** | EUR 80 |\n|  |  |\n| Door | EUR 90 |\n"
    assert "|  |  |\n| --- | --- |\n| Gate | EUR 80 |\n| Door | EUR 90 |" in draft_of("budget", "en", {"a.md": facts})


@pytest.mark.req("T3")
def test_of_the_options_of_a_form_those_that_are_ticked_are_quoted() -> None:
    facts = "# Grants\n\n- [ ] The school was paid EUR 500.\n- [x] The school was paid EUR 700.\n"
    draft = draft_of("budget", "en", {"a.md": facts})
    assert "- The school was paid EUR 700." in draft
    assert "500" not in draft


@pytest.mark.req("T3")
def test_an_amount_stands_under_its_own_head_also_where_cells_of_html_are_joined() -> None:
    rows = ["<th>Item</th><th>2025</th><th>2026</th>", '<td rowspan="2">Gate</td><td>EUR 70</td><td>EUR 80</td>']
    table = "".join(f"<tr>{row}</tr>" for row in [*rows, "<td>EUR 90</td><td>EUR 95</td>"])
    draft = draft_of("budget", "en", {"a.md": f"# Costs\n\n<table>{table}</table>\n"})
    assert "| Gate | EUR 70 | EUR 80 |\n| ↑ | EUR 90 | EUR 95 |" in draft


@pytest.mark.req("T3")
def test_the_number_in_the_heading_of_a_table_is_nothing_that_the_draft_says() -> None:
    table = "| | |\n|---|---|\n| Bid of one | EUR 83 |\n"
    facts = "# Rating\n\nBids have had prices for three years.\n\n## Step 2\n\nThe prices of the bids are:\n\n" + table
    draft = draft_of("budget", "en", {"a.md": facts})
    sources = [read(facts, "text/markdown", "en", standing="input", name="a.md")]
    grounded = ground(read(draft, "text/markdown", "en", standing="draft", name=""), sources, ["Budget", "Costs"])
    assert "Table: The prices of the bids are (a.md, Step 2)" in draft
    assert [g.claim.text for g in grounded if g.standing == UNSUPPORTED] == []
