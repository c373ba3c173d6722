"""Sums: what a draft adds up is found in columns, lists and texts, and hardly any invented amount is one by chance."""

from decimal import Decimal
from random import Random

import pytest
from evidence_corpus import grounded, source
from stemma_evidence import UNSUPPORTED, Source, ceilings_of, sum_findings, sums_of
from stemma_evidence.lookup.grounding import COMPUTED

pytestmark = pytest.mark.req("T3", "T9")

YEARS = """# Costs

| Part | 2027 (EUR) | 2028 (EUR) |
|---|---|---|
| Roof | 5,100 | 840 |
| Cellar | 7,300 | 2,260 |
| Yard | 911 | 95 |
"""


def standings(draft: str, *sources: Source) -> list[tuple[str, str]]:
    found = grounded(draft, *sources)
    return [(item.claim.text, item.standing) for item in found if item.claim.kind == "amount"]


def column(amounts: list[int]) -> str:
    rows = "".join(f"| Item {number} | {amount} |\n" for number, amount in enumerate(amounts))
    return f"| Item | Cost (EUR) |\n|---|---|\n{rows}"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        (YEARS, "text/markdown"),
        ("Part;now_eur;then_eur\nRoof;5100;840\nCellar;7300;2260\nYard;911;95\n", "text/csv"),
        (
            "<table><tr><th>Part</th><th>A</th><th>B</th></tr><tr><td>Roof</td><td>EUR 5,100</td><td>EUR 840</td></tr>"
            "<tr><td>Cellar</td><td>EUR 7,300</td><td>EUR 2,260</td></tr>"
            "<tr><td>Yard</td><td>EUR 911</td><td>EUR 95</td></tr></table>\n",
            "text/markdown",
        ),
    ],
    ids=["markdown", "csv", "html"],
)
def test_the_sum_of_each_column_is_computed(text: str, media_type: str) -> None:
    draft = "All of it costs EUR 13,311 at first and EUR 3,195 then, not EUR 3,196.\n"
    assert standings(draft, source(text, media_type=media_type)) == [
        ("EUR 13,311", COMPUTED),
        ("EUR 3,195", COMPUTED),
        ("EUR 3,196", UNSUPPORTED),
    ]


def test_the_sums_of_a_long_column_are_those_of_all_of_it_of_its_beginning_and_of_its_end() -> None:
    amounts = [10_007 + 997 * number * number for number in range(60)]
    plan = source(column(amounts))
    for run in (amounts, amounts[:9], amounts[-7:]):
        assert standings(f"It costs EUR {sum(run)}.\n", plan) == [(f"EUR {sum(run)}", COMPUTED)]
    assert standings(f"It costs EUR {sum(amounts[20:27])}.\n", plan)[0][1] == UNSUPPORTED


def test_hardly_any_invented_amount_is_a_sum_of_a_table_with_very_many() -> None:
    random = Random(7)
    plan = source(column([random.randint(1_000, 99_999) for _ in range(600)]))
    draft = "\n\n".join(f"It costs EUR {random.randint(100_000, 999_999)}." for _ in range(150))
    assert sum(standing == COMPUTED for _, standing in standings(draft, plan)) <= 1


def test_the_sum_of_what_stands_in_several_chapters_is_computed() -> None:
    text = "# Roof\n\nIt costs EUR 5,100.\n\n# Cellar\n\nIt costs EUR 7,300.\n\n# Yard\n\nIt costs EUR 911.\n"
    assert standings("All costs EUR 13,311.\n", source(text)) == [("EUR 13,311", COMPUTED)]


def test_the_sum_of_what_was_computed_itself_is_computed() -> None:
    sheet = source("item,days,rate EUR\nA,2,110\nB,3,120\nC,4,130\n", media_type="text/csv")
    draft = f"{column([220, 360, 520])}| Total | {{}} |\n"
    assert standings(draft.format("1,100"), sheet)[-1] == ("1,100", COMPUTED)
    assert standings(draft.format("1,200"), sheet)[-1] == ("1,200", UNSUPPORTED)
    told = source("All costs EUR 1,100.\n")
    assert standings(draft.format("1,100"), sheet, told)[-1] == ("1,100", told.standing)


def test_the_sum_of_a_column_of_the_draft_is_computed() -> None:
    text = "Roof: EUR 5,100 now, EUR 840 then.\n\nCellar: EUR 7,300 now, EUR 2,260 then.\n\nYard: EUR 911, EUR 95.\n"
    draft = YEARS + "| All | 13,311 | 3,195 |\n"
    assert standings(draft, source(text))[-2:] == [("13,311", COMPUTED), ("3,195", COMPUTED)]


@pytest.mark.parametrize(("heading", "joint"), [("# ", "\n\n"), ("", " ")], ids=["of a chapter", "of a paragraph"])
def test_in_a_long_text_the_sum_of_what_stands_together_is_computed(heading: str, joint: str) -> None:
    rows = [[10_007 + 997 * (7 * part + at) ** 2 for at in range(7)] for part in range(6)]
    said = (f"{heading}Part\n\n{joint.join(f'It costs EUR {one}.' for one in row)}\n\n" for row in rows)
    plan, astride = source("".join(said)), [*rows[2][4:], *rows[3][:4]]
    assert standings(f"It costs EUR {sum(rows[2])}.\n", plan) == [(f"EUR {sum(rows[2])}", COMPUTED)]
    assert standings(f"It costs EUR {sum(astride)}.\n", plan) == [(f"EUR {sum(astride)}", UNSUPPORTED)]


def test_what_is_left_of_a_whole_is_computed() -> None:
    text = "The budget is EUR 100,000, of which EUR 41,307 go to the roof and EUR 22,151 to the cellar.\n"
    assert standings("EUR 36,542 are left.\n", source(text)) == [("EUR 36,542", COMPUTED)]
    assert standings("EUR 36,524 are left.\n", source(text)) == [("EUR 36,524", UNSUPPORTED)]


def test_two_amounts_that_only_follow_each_other_make_no_sum() -> None:
    text = "# Roof\n\nIt costs EUR 5,107.\n\n# Cellar\n\nIt costs EUR 7,313.\n\n# Yard\n\nIt costs EUR 911.\n"
    assert standings("It costs EUR 12,420.\n", source(text)) == [("EUR 12,420", UNSUPPORTED)]


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ("about EUR 1.9 million", COMPUTED),
        ("about EUR 2 million", COMPUTED),
        ("about EUR 1 million", UNSUPPORTED),
        ("EUR 1.9 million", UNSUPPORTED),
    ],
)
def test_a_rounded_amount_is_supported_by_one_that_is_near_alone(said: str, standing: str) -> None:
    assert [found for _, found in standings(f"It costs {said}.\n", source("It costs EUR 1,880,000.\n"))] == [standing]


def table(*rows: str, head: str = "Item | Price") -> str:
    return "\n".join(f"| {row} |" for row in (head, "--- | ---", *rows)) + "\n"


def findings(draft: str, language: str = "en", *, asked: str = "", others: str = "", known: str = "") -> list[str]:
    ceilings = [("brief.md", most) for most in ceilings_of(asked, language)]
    found = sum_findings(sums_of(draft, language), ceilings, [("plan", sums_of(others, language))], [known])
    return [f"{one.kind}: {one.found}, {one.other}, {one.where}" for one in found]


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", table("A | EUR 40,000", "B | EUR 60,000", "Total | EUR 101,000"), ["EUR 101,000, 100,000 EUR"]),
        ("en", table("A | EUR 40,000", "B | EUR 60,000", "Sum | EUR 101,000"), ["EUR 101,000, 100,000 EUR"]),
        ("de", table("A | 1.000,50 €", "B | 2.000,00 €", "Summe | 3.100,50 €"), ["3.100,50 €, 3,000.50 EUR"]),
        ("fr", table("A | 1 000 €", "B | 2 000 €", "Total | 3 100 €"), ["3 100 €, 3,000 EUR"]),
        ("es", table("A | 1.000", "B | 2.000", "Total | 3.100", head="Concepto | Importe (EUR)"), ["3.100, 3,000 EUR"]),
        ("it", table("A | € 1.000", "B | € 2.000", "Totale | € 3.100"), ["€ 3.100, 3,000 EUR"]),
        ("nl", table("A | € 1.000", "B | € 2.000", "Totaal | € 3.100"), ["€ 3.100, 3,000 EUR"]),
        ("pt", table("A | R$ 1.000", "B | R$ 2.000", "Total | R$ 3.100"), ["R$ 3.100, 3,000 BRL"]),
        ("ja", table("A | 1,000円", "B | 2,000円", "合計 | 3,100円"), ["3,100円, 3,000 JPY"]),
        ("zh", table("A | 1,000元", "B | 2,000元", "合计 | 3,100元"), ["3,100元, 3,000 CNY"]),
    ],
)
def test_a_total_that_its_rows_do_not_come_to_is_found_in_nine_languages(
    language: str, text: str, found: list[str]
) -> None:
    assert findings(text, language) == [f"differs: {one}, " for one in found]


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    "text",
    [
        table("A | EUR 40", "B | EUR 60", "Total | EUR 100"),
        table("A | EUR 40", "B | EUR 60", "Subtotal | EUR 100", "C | EUR 5", "D | EUR 6", "Total | EUR 111"),
        table("A | EUR 40", "B | EUR 60", "Net total | EUR 100", "VAT 19 % | EUR 19", "Total | EUR 119"),
        table("A | EUR 40", "of which labour | EUR 10", "B | EUR 60", "Total | EUR 100"),
        table("A | EUR 40", "B | EUR 60", "Discount | EUR 5", "Total | EUR 95"),
        table("A | EUR 33.33", "B | EUR 66.66", "Total | EUR 100.00"),
        table("A | 2 | EUR 4 | EUR 8", "B | 1 | EUR 6 | EUR 6", "Total | | | EUR 14", head="Item | n | Each | Price"),
        table("2026 | EUR 40", "2027 | EUR 60", head="Year | Turnover"),
    ],
)
def test_stays_quiet_about_totals_that_are_right_in_one_of_the_usual_ways(text: str) -> None:
    assert findings(text, asked="The bid must not exceed EUR 150.") == []


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("en", "The total price must not exceed EUR 100,000."),
        ("de", "Der Angebotspreis darf 100.000 EUR nicht überschreiten."),
        ("fr", "Le montant total de l'offre ne doit pas dépasser 100 000 EUR."),
        ("es", "El precio de la oferta no podrá superar los 100.000 EUR."),
        ("it", "L'importo complessivo dell'offerta non può superare 100.000 EUR."),
        ("nl", "De totale prijs mag niet hoger zijn dan 100.000 EUR."),
        ("pt", "O preço da proposta não pode ultrapassar 100.000 EUR."),
        ("ja", "総額は100,000ユーロを超えないこと。"),
        ("zh", "总价不得超过100,000欧元。"),
    ],
)
def test_prices_that_come_to_more_than_the_request_allows_are_found(language: str, asked: str) -> None:
    [most] = ceilings_of(f"# Limits\n\nThe garden.\n\n{asked}\n", language)
    assert (most.amount, most.currencies, most.line) == (Decimal(100_000), ("EUR",), 5)
    prices = sums_of(table("A | EUR 40,000", "B | EUR 66,050"), "en")
    [found] = sum_findings(prices, [("brief.md", most)], [], [])
    assert (found.kind, str(found.found), found.where) == ("over", "106,050 EUR", "brief.md")


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    "asked",
    [
        "Running it must not cost more than EUR 60 a month.",
        "The liability of the bidder is limited to a maximum of EUR 50 in total.",
        "The bid is at most 20 pages long.",
        "The bid must not exceed USD 5.",
        "A preference of 5%, not to exceed EUR 50, will be applied to the price.",
    ],
)
def test_a_limit_that_is_none_of_the_whole_price_is_no_ceiling(asked: str) -> None:
    assert findings(table("A | EUR 40", "B | EUR 60"), asked=asked) == []


@pytest.mark.req("B8")
def test_a_part_of_a_row_does_not_count_twice_in_a_table_without_a_total() -> None:
    prices = table("A | EUR 40", "of which labour | EUR 10", "B | EUR 60")
    assert findings(prices, asked="The bid must not exceed EUR 105.") == []
    assert findings(prices, asked="The bid must not exceed EUR 95.") == ["over: 100 EUR, EUR 95, brief.md"]


@pytest.mark.req("B8")
def test_a_total_that_another_section_states_otherwise_is_found_from_either_side() -> None:
    prices, said = table("A | EUR 40,000", "B | EUR 60,000"), "In total this comes to EUR 99,000.\n"
    assert findings(said, others=prices) == ["elsewhere: EUR 99,000, 100,000 EUR, plan"]
    assert findings(prices, others=said) == ["elsewhere: 100,000 EUR, EUR 99,000, plan"]
    assert findings(f"{prices}\n{said}") == ["elsewhere: EUR 99,000, 100,000 EUR, "]
    assert findings(said.replace("99", "100"), others=prices) == []
    assert findings("The price is EUR 99,000, and a year costs EUR 9,000.", others=prices) == [
        "elsewhere: EUR 99,000, 100,000 EUR, plan"
    ]
    assert findings(said, others=prices, known="The town spends EUR 99,000 in total.") == []
