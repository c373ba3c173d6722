"""Rows and cells: which are heads, which are values, and what is a table at all."""

import pytest
from evidence_corpus import source, unsupported
from stemma_evidence import Source, placed, rows_of
from stemma_evidence.sources.tables import in_column

pytestmark = pytest.mark.req("T1", "T3")


def missing(draft: str, *sources: Source) -> list[str]:
    return [claim.text for claim in unsupported(draft, *sources)]


@pytest.mark.parametrize("first", ["Rent,4250", "Rent,EUR 4250", "2027-06-01,Rent", "4250"])
def test_a_first_row_with_a_value_is_no_head(first: str) -> None:
    assert [line for line, _ in rows_of(f"{first}\nHeat,310\n", "text/csv")] == [1, 2]
    assert all("(Rent)" not in claim.text for claim in source(f"{first}\nHeat,310\n", media_type="text/csv").claims)


@pytest.mark.parametrize("head", ["item,cost_eur", "item,2027,2028", "item,2027/28", "item,Q1 2027"])
def test_a_first_row_of_names_and_years_is_a_head(head: str) -> None:
    assert [line for line, _ in rows_of(f"{head}\nHeat,310,311\n", "text/csv")] == [2]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("b_eur", "4250 EUR (b_eur)"),
        ("variant_b_eur", "4250 EUR (variant_b_eur)"),
        ("cost_k_eur", "4250 kEUR (cost_k_eur)"),
        ("cost_m_eur", "4250 mEUR (cost_m_eur)"),
        ("cost_bn_eur", "4250 bn EUR (cost_bn_eur)"),
        ("weight_kg", "4250 kg (weight_kg)"),
        ("all_costs", "4250 (all_costs)"),
        ("plan_b", "4250 (plan_b)"),
    ],
)
def test_the_words_of_a_name_with_underscores_are_read_one_by_one(name: str, cell: str) -> None:
    assert in_column("4250", name, "en") == cell


@pytest.mark.parametrize(
    ("name", "numbers"), [("b_eur", [4250]), ("cost_k_eur", [4250, 4_250_000]), ("k_EUR", [4250, 4_250_000])]
)
def test_no_letter_of_a_name_makes_billions_of_an_amount_which_is_read_without_its_size_too(
    name: str, numbers: list[int]
) -> None:
    (claim,) = source(f"| Item | {name} |\n|---|---|\n| Rent | 4250 |\n").claims
    assert (sorted(map(int, claim.numbers)), claim.units) == (numbers, ("EUR",))


def test_lists_in_a_list_of_json_are_rows() -> None:
    rows = list(rows_of('[["Rent", 4250],\n ["Heat", 310], "end"]', "application/json"))
    assert [(line, [cell for _, cell in cells]) for line, cells in rows] == [
        (1, ["Rent", "4250"]),
        (2, ["Heat", "310"]),
        (2, ["end"]),
    ]


@pytest.mark.parametrize("first", ["a \\| b", "so it is and " * 400], ids=["a bar", "a long cell"])
def test_what_stands_in_a_cell_ends_and_moves_no_column(first: str) -> None:
    plan = source(f"| Note | Cost (EUR) | Pieces |\n|---|---|---|\n| {first} | 5000 | 12 |\n")
    assert [(claim.text, claim.units) for claim in plan.claims] == [("5000", ("EUR",)), ("12", ())]
    assert "piec" in {term[:4] for term in plan.contexts[1].near}


def test_the_tag_of_a_table_that_is_shown_as_code_begins_no_table() -> None:
    text = "Use `<table>` here.\n\nThe roof of the old hall costs EUR 5,000 in all.\n"
    for shown in (text, text.replace("`<table>`", "\n\n```\n<table>\n```\n\nit")):
        assert source(shown).fingerprints
        assert source(shown + "\nIt has 12 doors.\n").loose == frozenset()


def test_an_address_is_no_file_that_has_its_name() -> None:
    plan = source("The roof is red.")
    assert missing("See facts.md and plans/facts.md.\n", plan) == []
    assert missing("See https://example.com/facts.md for it.\n", plan) == ["https://example.com/facts.md"]


def test_a_number_behind_a_year_is_read_by_itself() -> None:
    plan = source("In 2027 300 guests came.")
    assert missing("In 2027 300 guests came.\n", plan) == []
    assert missing("In 2027 980 guests came.\n", plan) == ["980"]
    assert [claim.values for claim in source("It has 12 300 m and 1 234 567 m.").claims] == [
        ("12300 meter",),
        ("1234567 meter",),
    ]


def test_the_numbers_before_own_headings_are_own_and_no_others() -> None:
    draft = "# 3 Aims\n\n## 3.2 Costs\n\nSee Section 3.2, section 3 and Section 3.7.\n"
    assert missing(draft, source("The roof is red.")) == ["Section 3.7"]


def test_joined_cells_push_the_others_under_the_heads_that_they_stand_under() -> None:
    rows: list[list[tuple[str, dict[str, str]]]] = [
        [("Item", {"rowspan": "2"}), ("Cost", {"colspan": "2"})],
        [("2025", {}), ("2026", {})],
        [("Roof", {"rowspan": "2"}), ("EUR 100", {}), ("EUR 200", {})],
        [("EUR 300", {"colspan": "2"}), ("EUR 9", {})],
        [("Gates", {"colspan": "3", "rowspan": "1"})],
        [("Wall", {"colspan": "x", "rowspan": "-1"}), ("EUR 400", {"colspan": " 1 ", "rowspan": ""})],
    ]
    assert list(placed(rows)) == [
        ["Item", "Cost", "Cost"],
        ["↑", "2025", "2026"],
        ["Roof", "EUR 100", "EUR 200"],
        ["↑", "EUR 300", "←", "EUR 9"],
        ["Gates", "", ""],
        ["Wall", "EUR 400"],
    ]


def test_a_cell_reaches_no_further_than_html_allows() -> None:
    rows = [[("a", {"colspan": "9999999999", "rowspan": "0"})], [("b", {"colspan": "99"})], []]
    assert [len(row) for row in placed(rows)] == [1, 100, 1]


def test_a_word_has_the_first_line_of_each_block_in_whatever_form_it_stands_there() -> None:
    text = "Halls and a\nhall here.\n\nThe hall, x\nits halls.\n"
    words = source(text).words
    assert (words["hall"], words["halls"]) == ({0: 1, 1: 4}, {0: 1, 1: 5})
