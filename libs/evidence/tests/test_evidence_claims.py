"""What a text states in a form that can be looked up, in nine languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_evidence import UNSUPPORTED, Kind, Source, claims, ground, read
from stemma_evidence.sources.source import DRAFT
from stemma_testkit.counting import calls

pytestmark = pytest.mark.req("T3")
PIECES = (
    "1,", "1 ", "1 234 ", "“", '"a ', "A ", "A-", "[1", "<a", "<!--", "&am", "$", "1", "-", "June ", "a.b/", "§ 1 ",
    "千", "1万", "年月", "一", "www.a", "a@b.", "two ", " ", "\n", "](", "20 June to ", "A of ", "「", "1st ", "2027-",
)  # fmt: skip
"""Short texts that, repeated, cost readers most: unclosed marks, and numbers and words without an end."""

AMOUNTS = [
    ("en", "a budget of $2 million in all", "2000000 USD"),
    ("en", "costs EUR 4,250 a month", "4250 EUR"),
    ("en", "costs EUR 4.250 a month", "4250 EUR"),
    ("en", "costs US$ 3.5bn", "3500000000 USD"),
    ("en", "two million euros", "2000000 EUR"),
    ("en", "**EUR 4,250** a month", "4250 EUR"),
    ("en", "4,250&nbsp;&euro;", "4250 EUR"),
    ("en", "2\nmillion pounds", "2000000 GBP"),
    ("en", "25 cents", "0.25 EUR"),
    ("en", "costs EUR 2000 a month", "2000 EUR"),
    ("de", "kostet 2000 Euro im Monat", "2000 EUR"),
    ("de", "2,5 Mio. Euro", "2500000 EUR"),
    ("de", "4.250 € im Monat", "4250 EUR"),
    ("de", "12.345,67 EUR", "12345.67 EUR"),
    ("de", "3,5 Mrd. €", "3500000000 EUR"),
    ("de", "TEUR 500", "500000 EUR"),
    ("de", "zwei Millionen Euro", "2000000 EUR"),
    ("de", "zwei Billionen Euro", "2000000000000 EUR"),
    ("fr", "4 250 € par mois", "4250 EUR"),
    ("fr", "2,5 millions d’euros", "2500000 EUR"),
    ("fr", "3 M€", "3000000 EUR"),
    ("es", "1.250.000 €", "1250000 EUR"),
    ("es", "2,5 millones de euros", "2500000 EUR"),
    ("it", "2,5 milioni di euro", "2500000 EUR"),
    ("nl", "€ 2,5 miljoen", "2500000 EUR"),
    ("pt", "R$ 1.200,50", "1200.5 BRL"),
    ("ja", "予算は１２万円です", "120000 JPY"),
    ("ja", "予算は1億2000万円です", "120000000 JPY"),
    ("ja", "予算は三百万円です", "3000000 JPY"),
    ("zh", "预算为250万元", "2500000 CNY"),
    ("zh", "3.5亿美元", "350000000 USD"),
]

DATES = [
    ("en", "due on 1 June 2027.", "2027-06-01"),
    ("en", "due on June 1st, 2027.", "2027-06-01"),
    ("en", "due on 2027-06-01.", "2027-06-01"),
    ("en", "on 06/01/2027", "2027-06-01"),
    ("en", "in Q3 2027", "2027-Q3"),
    ("en", "the first quarter of 2028", "2028-Q1"),
    ("en", "at 2 pm", "T14:00"),
    ("en", "in June", "--06"),
    ("de", "am 1. Juni 2027", "2027-06-01"),
    ("de", "am 01.06.2027", "2027-06-01"),
    ("de", "im 3. Quartal 2027", "2027-Q3"),
    ("de", "bis März 2027", "2027-03"),
    ("fr", "le 1er juin 2027", "2027-06-01"),
    ("fr", "au deuxième trimestre 2027", "2027-Q2"),
    ("fr", "à 14h30", "T14:30"),
    ("es", "el 1 de junio de 2027", "2027-06-01"),
    ("it", "il 1º giugno 2027", "2027-06-01"),
    ("nl", "op 1 juni 2027", "2027-06-01"),
    ("pt", "em 1 de junho de 2027", "2027-06-01"),
    ("ja", "2027年6月1日に", "2027-06-01"),
    ("ja", "令和9年6月1日に", "2027-06-01"),
    ("ja", "令和 9年 6月 1日に", "2027-06-01"),
    ("de", "am 1.6. um", "--06-01"),
    ("ja", "午後は14時30分に", "T14:30"),
    ("zh", "二〇二七年六月", "2027-06"),
    ("en", "in the year 2027", "2027"),
    ("de", "Preise in EUR 2027", "2027"),
    ("it", "nel 2026 ha ospitato", "2026"),
]

QUANTITIES = [
    ("en", "640 square metres", "640 square-meter"),
    ("en", "640 sqm", "640 square-meter"),
    ("en", "412 children", "412"),
    ("en", "twenty-five children", "25"),
    ("en", "-5 °C", "-5 celsius"),
    ("es", "al menos 10 kg", "10 kilogram"),
    ("pt", "pelo menos 10 kg", "10 kilogram"),
    ("fr", "au moins 10 kg", "10 kilogram"),
    ("fr", "moins 10 kg", "-10 kilogram"),
    ("de", "640 m²", "640 square-meter"),
    ("de", "640 Quadratmeter", "640 square-meter"),
    ("de", "2000 Quadratmeter", "2000 square-meter"),
    ("de", "12,5 Prozent", "12.5 percent"),
    ("fr", "640 mètres carrés", "640 square-meter"),
    ("fr", "douze mois", "12 month"),
    ("ja", "640平方メートル", "640 square-meter"),
    ("zh", "百分之十五", "15 percent"),
]


def values(text: str, language: str, kind: Kind) -> list[str]:
    """The readings of all claims of one kind."""
    return [value for claim in claims(text, language) if claim.kind == kind for value in claim.values]


@pytest.mark.parametrize(("language", "text", "value"), AMOUNTS)
def test_reads_an_amount_with_currency_and_magnitude(language: str, text: str, value: str) -> None:
    assert value in values(text, language, "amount")


@pytest.mark.parametrize(("language", "text", "value"), DATES)
def test_reads_a_date_in_the_form_of_its_language(language: str, text: str, value: str) -> None:
    assert value in values(text, language, "date")
    assert len(claims(text, language)) == 1


@pytest.mark.parametrize(("language", "text", "value"), QUANTITIES)
def test_reads_a_quantity_with_its_unit(language: str, text: str, value: str) -> None:
    assert values(text, language, "quantity") == [value]


def test_a_year_before_an_amount_is_no_part_of_it() -> None:
    assert values("in 2027 EUR 500 were paid", "en", "date") == ["2027"]
    assert values("in 2027 EUR 500 were paid", "en", "amount") == ["500 EUR"]


def test_keeps_two_million_dollars_apart_from_two() -> None:
    assert not set(values("$2 million", "en", "amount")) & set(values("$2", "en", "amount"))


def test_carries_both_readings_of_an_ambiguous_separator() -> None:
    assert values("1.839 litres", "en", "quantity") == ["1.839 liter", "1839 liter"]
    assert values("1.839 Liter", "de", "quantity") == ["1839 liter"]


def test_gives_both_ends_of_a_range_what_stands_at_one() -> None:
    assert values("10–15 %", "en", "quantity") == ["10 percent", "15 percent"]
    assert "2000000 USD" in values("$2-3 million", "en", "amount")
    assert "3000000 USD" in values("$2-3 million", "en", "amount")
    assert values("between 1 June and 15 August 2027", "en", "date") == ["2027-06-01", "2027-08-15"]
    assert values("vom 1. bis 15. Juni 2027", "de", "date") == ["2027-06-01", "2027-06-15"]


def test_reads_names_quotations_and_citations() -> None:
    text = "The plan of Peter Schmidt (plan.md, Section 3.2 and [1]) says “nothing of this goes on” of Acme GmbH."
    assert values(text, "en", "name") == ["peter schmidt", "acme gmbh"]
    assert values(text, "en", "quotation") == ["nothing of this goes on"]
    assert values(text, "en", "citation") == ["plan.md", "section 3.2", "[1]"]


@pytest.mark.req("T3")
@pytest.mark.parametrize("text", ["FY23 Mar 01, 2022", "- Row 23\n\n  Mar 01, 2022\n\n  2024 people"])
def test_a_number_in_a_word_or_in_another_paragraph_is_no_day_or_year_of_a_date(text: str) -> None:
    assert "2022-03-01" in values(text, "en", "date")
    assert not [value for value in values(text, "en", "date") if value.startswith("--") or value.endswith("-23")]


def test_a_date_that_a_line_of_a_paragraph_begins_with_is_no_number_of_a_list() -> None:
    assert values("Wir beginnen am\n4. September 2027.\n", "de", "date") == ["2027-09-04"]
    assert claims("1. One\n2. Two\n", "en") == ()


def test_a_file_whose_name_has_spaces_is_found_by_its_whole_name_only() -> None:
    source = read("# A\n\nIt is so.\n", "text/markdown", "en", standing="input", name="Attachment A - Terms.md")
    for draft, missing in (("So it is (Attachment A - Terms.md, A).", []), ("So it is (Terms.md).", ["Terms.md"])):
        found = ground(read(draft, "text/markdown", "en", standing="draft", name=""), [source])
        assert [item.claim.text for item in found if item.standing == UNSUPPORTED] == missing


def test_a_place_is_named_by_the_words_of_its_heading() -> None:
    source = read('# <a name="1"></a>Costs\n\nEUR 5\n', "text/markdown", "en", standing="input", name="a.md")
    assert source.place(3).heading == "Costs"


def test_says_where_each_claim_stands() -> None:
    text = "# Title\n\nIt costs\nEUR 4,250.\n"
    (claim,) = claims(text, "en")
    assert text[claim.start : claim.end] == claim.text == "EUR 4,250"
    assert claim.line == 4


@pytest.mark.parametrize(
    "text",
    [
        "```\nEUR 5\n```\n",
        "~~~ text\n1 June 2027\n~~~",
        "<!-- EUR 5 -->",
        "1. One\n2. Two\n",
        "## 3.2 Aims\n",
        "(5) One\n\n[6] Two\n",
        "- **Finding 12:** This is as findings 3, 4 and 7-9 say. See point #11.\n",
        "Befund 13 bis 15; 指摘事項 5\n",
        "It is slow: (1) at noon, (2) at night and (3) at dawn.\n\n1) noon; 2) night\n",
        "| No. | What |\n| --- | --- |\n| 1 | noon |\n| 2 | night |\n| 3 | dawn |\n",
        "- R-3 is late.\n",
        "B2B, v1.2.3",
        "It is affected by CC0, nor by others.",
    ],
)
def test_stays_quiet_about_code_comments_and_numbers_that_only_order(text: str) -> None:
    assert claims(text, "en") == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Of (3) points it has two (2) copies.", ["3", "2"]),
        ("Befund 3,5 Prozent", ["3,5 Prozent"]),
        ("| 2 | noon |\n| 5 | night |\n", ["2", "5"]),
        ("At point 20 kg are left.", ["20 kg"]),
        ("There are 14 findings.", ["14"]),
    ],
)
def test_a_number_that_orders_nothing_is_a_claim(text: str, found: list[str]) -> None:
    assert [claim.text for claim in claims(text, "de")] == found


@given(st.text(alphabet=st.sampled_from(list("12.,:/-– €$%'’\n|*_[]()`<>&;万円年月日AaEURuni“”\"")), max_size=200))
def test_takes_any_text_and_each_claim_is_what_stands_at_its_place(text: str) -> None:
    for language in ("en", "de", "ja"):
        for claim in claims(text, language):
            assert text[claim.start : claim.end] == claim.text


@pytest.mark.parametrize(
    ("piece", "language"),
    [*((piece, "en") for piece in PIECES), *((piece, "ja") for piece in ("千", "年月", "「", "1万"))],
)
def test_twice_as_much_hostile_text_is_about_twice_the_work(piece: str, language: str) -> None:
    def work(length: int) -> int:
        return calls(lambda: claims((piece * (length // len(piece) + 1))[:length], language))

    work(500)  # What is compiled and kept for one length is so for all.
    assert work(4_000) < 2.3 * work(2_000) + 100


@pytest.mark.parametrize(
    ("text", "media_type"),
    [("Schritt,Termin\nStart,1. M\u00e4rz 2027\n", "text/csv"), ('{"am": "1. M\u00e4rz 2027"}', "application/json")],
)
def test_reads_a_date_at_the_beginning_of_a_cell(text: str, media_type: str) -> None:
    source = read(text, media_type, "de", standing="input", name="plan")
    assert [claim.values for claim in source.claims if claim.kind == "date"] == [("2027-03-01",)]


def test_a_claim_of_json_has_the_line_that_it_stands_on() -> None:
    text = '{"a": "x: \\"1\\"",\n "costs": [\n  {"rent": "EUR 5", "rent": "EUR 6"},\n  {},\n  {"heat" :\n 7.5}]}'
    source = read(text, "application/json", "en", standing="input", name="costs.json")
    assert [(claim.text, source.place(claim.line).line) for claim in source.claims] == [
        ("EUR 5", 3),
        ("EUR 6", 3),
        ("7.5", 6),
    ]


def unsupported(draft: str, language: str, *sources: Source) -> list[str]:
    """The words of a draft that nothing supports."""
    found = ground(read(draft, "text/markdown", language, standing="draft", name=""), sources)
    return [item.claim.text for item in found if item.standing == UNSUPPORTED]


def a_source(text: str, language: str = "en", name: str = "facts.md") -> Source:
    return read(text, "text/markdown", language, standing="input", name=name)


@pytest.mark.parametrize("text", ["5. Dezember 2027 ist der Tag.\n", "> 5. Dezember 2027\n", "- 5. Dezember 2027\n"])
def test_a_paragraph_that_begins_with_a_date_keeps_its_day(text: str) -> None:
    assert values(text, "de", "date") == ["2027-12-05"]


@pytest.mark.parametrize(
    ("text", "language"), [("| 項目 | 金額（EUR） |", "ja"), ("De kosten in EUR staan onderaan.", "nl")]
)
def test_the_code_of_a_currency_is_no_name(text: str, language: str) -> None:
    assert [claim for claim in claims(text, language) if claim.kind == "name"] == []


def test_the_letters_of_a_word_with_digits_are_no_name() -> None:
    assert claims("We test with Pa11y and axe, then Pa11y again.", "en") == ()


def test_numbers_in_the_name_of_a_file_are_no_claims_of_the_draft() -> None:
    source = a_source("It is so.", name="Attachment 5 - Terms 2024.md")
    assert unsupported("It is so (Attachment 5 - Terms 2024).", "en", source) == []
    assert unsupported("It is so in 2024.", "en", source) == ["2024"]


def test_a_numbered_part_of_a_document_is_found_in_another_language() -> None:
    assert unsupported("Siehe Kapitel 2 und Kapitel 3.", "de", a_source("See chapter 2.")) == ["Kapitel 3"]


def test_what_a_source_says_in_small_words_may_be_written_with_digits() -> None:
    assert unsupported("There are 3 halls and 4 rooms.", "en", a_source("There are three halls.")) == ["4"]


def test_a_translation_may_write_single_words_with_capitals_and_invents_no_names() -> None:
    source = a_source("The community met in Rouen.")
    draft = "Per questo la Comunità si riunì a Rouen con Carlo Vinci e il signor Bardi GmbH."
    assert unsupported(draft, "it", source) == ["Carlo Vinci", "Bardi GmbH"]


@pytest.mark.parametrize(
    ("language", "facts", "draft", "misplaced"),
    [
        ("en", "The roof costs EUR 5 000. The lift costs EUR 7 000.", "The lift costs EUR 5 000.", []),
        (
            "en",
            "The new roof of the hall costs EUR 5 000. The lift to the library costs EUR 7 000.",
            "We build the lift to the library for EUR 5 000.",
            ["EUR 5 000"],
        ),
        (
            "en",
            "| Part | Cost (EUR) |\n|---|---|\n| Roof tiles | 5 000 |\n| Stair lift | 7 000 |\n",
            "The roof tiles cost EUR 7 000 and the stair lift EUR 5 000.",
            ["EUR 7 000", "EUR 5 000"],
        ),
        ("ja", "県が3億円、組合が2億円を出す。", "県が2億円、組合が3億円を出します。", ["2億円", "3億円"]),
        ("zh", "屋顶费用500万元，电梯费用700万元。", "电梯费用500万元，屋顶费用700万元。", ["500万元", "700万元"]),
        (
            "en",
            "Quay B follows in the first half of 2028. All is in use on 15 October 2028.",
            "Quay B: H2 2028.",
            ["H2 2028"],
        ),
    ],
)
def test_a_value_that_the_sources_have_of_something_else_is_unsupported(
    language: str, facts: str, draft: str, misplaced: list[str]
) -> None:
    assert unsupported(draft, language, a_source(facts, language)) == misplaced


def test_a_quotation_with_an_entity_stands_where_it_was_taken_from() -> None:
    text = 'Wrong answer: "We hire a validation (IV&amp;V) expert to report on status."\n'
    source = read(text, "text/markdown", "en", standing="input", name="a.md")
    for quoted in (text, text.replace("&amp;", "&")):
        draft = read(quoted, "text/markdown", "en", standing="draft", name="")
        assert {item.claim.kind: item.standing for item in ground(draft, [source])}["quotation"] == "input"


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("language", "street"),
    [
        ("fr", "12 rue du 8 mai 1945"),
        ("it", "Via 25 aprile 12"),
        ("es", "Plaza del 2 de Mayo"),
        ("pt", "Avenida 25 de Abril"),
        ("de", "Straße des 17. Juni"),
    ],
)
def test_a_day_in_the_name_of_a_street_is_no_date(language: str, street: str) -> None:
    assert not [claim.text for claim in claims(street, language) if claim.kind == "date"]


@pytest.mark.req("T9")
@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("fr", "La rue du Lac ouvre le 8 mai 2027.", "8 mai 2027"),
        ("it", "In via Roma si apre il 25 aprile.", "25 aprile"),
        ("es", "La plaza del 2 de Mayo abre el 3 de mayo de 2027.", "3 de mayo de 2027"),
        ("de", "Die Straße des 17. Juni ist ab 18. Juni gesperrt.", "18. Juni"),
        ("en", "It goes via courier on 1 June 2027.", "1 June 2027"),
    ],
)
def test_a_day_beside_the_name_of_a_street_is_a_date(language: str, text: str, day: str) -> None:
    assert [claim.text for claim in claims(text, language) if claim.kind == "date"] == [day]


def test_a_claim_of_each_kind_has_the_line_that_it_begins_on() -> None:
    text = (
        "# Plan\n\nAda Berg GmbH pays\nEUR 5 on 1 May 2027 for\n12 kg, says she:\n"
        "“Nobody has ever\nseen such a thing,” in\nplan.pdf.\n"
    )
    lines = {claim.kind: claim.line for claim in claims(text, "en")}
    assert lines == {"name": 3, "amount": 4, "date": 4, "quantity": 5, "quotation": 6, "citation": 8}


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    "hiding",
    ["<!-- {} -->", "```\n{}\n```", "```\n{}", "~~~python\n# {}\n", "```python\n# {}\n```", "| {} |\n|---|\n"],
)
def test_a_draft_is_looked_at_whatever_stands_around_its_words(hiding: str) -> None:
    written = "# Price\n\n" + hiding.format("The total price is EUR 9,999.")
    draft = read(written, "text/markdown", "en", standing=DRAFT, name="")
    assert [claim.text for claim in draft.claims] == ["EUR 9,999"]
    source = read(written, "text/markdown", "en", standing="input", name="a.md")
    assert bool(source.claims) == ("<!--" not in hiding), "a comment of a source supports nothing"


@pytest.mark.req("T3")
def test_code_of_a_language_makes_no_claims() -> None:
    written = '# A\n\n```json\n{"port": 8080, "price": 9999}\n```\n'
    assert read(written, "text/markdown", "en", standing=DRAFT, name="").claims == ()
