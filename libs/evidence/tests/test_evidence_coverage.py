"""Coverage: a paraphrase with all facts covers, headings do not, a translation cannot be compared."""

import pytest
from stemma_contracts.v1.coverage import BlockCoverage, LeftOut
from stemma_evidence import InputText, coverage

pytestmark = pytest.mark.req("T1")

TENDER = """---
title: Quay
---
# Tender for the quay

The City of Lund renews the old quay in the harbour. The contract has a value of EUR 4,250,000 and \
ends on 1 June 2027.

## Work

The contractor removes the wooden piles and drives steel piles into the sea bed along the whole quay.

- Divers of Nordic Marine AB inspect every pile before the concrete is poured.

| Lot | Price |
| --- | --- |
| Steel piles | EUR 310,000 |
| Concrete deck | EUR 512,000 |

![A drawing of the whole quay with every pile](media/quay.png)
"""
TITLE = "# Quay\n\n## Work\n\n"


def blocks(text: str, *left_out: LeftOut, source: str = TENDER) -> dict[str, BlockCoverage]:
    """The blocks by the line of the input that they begin in."""
    found = coverage([InputText("tender.md", source)], text, left_out)
    return {source.splitlines()[block.line - 1][:14]: block for block in found}


def standings(text: str, *left_out: LeftOut, source: str = TENDER) -> set[str]:
    return {block.standing for block in blocks(text, *left_out, source=source).values()}


def test_a_text_covers_itself_and_neither_front_matter_nor_images_are_asked_for() -> None:
    found = blocks(TENDER)
    assert {block.standing for block in found.values()} == {"covered"}
    assert len(found) == 6
    assert standings(TENDER.replace("![A drawing of the whole quay with every pile](media/quay.png)", "")) == {
        "covered"
    }


def test_headings_without_their_text_cover_nothing() -> None:
    headings = (
        "# Tender for the quay\n\n## Work\n\n## The contractor removes wooden piles, drives steel piles, sea bed\n"
    )
    assert standings(headings) == {"missing"}
    assert {block.why for block in blocks(headings).values()} == {"absent"}


PARAPHRASE = """# Renewal of the quay

## Contract

In the harbour the old quay is renewed by the City of Lund; the value of the contract is 4 250 000 euros, \
and it ends by 2027-06-01.

## Piles

Steel piles are driven into the sea bed along the whole length of the quay, once the contractor has removed \
the piles of wood. Every pile is inspected by divers of Nordic Marine AB before concrete is poured.

## Prices

Lots: steel piles at a price of EUR 310,000, a concrete deck for EUR 512,000.
"""


def test_a_paraphrase_with_all_facts_covers() -> None:
    assert standings(PARAPHRASE) == {"covered"}


@pytest.mark.parametrize(
    ("said", "instead", "lacking"),
    [
        ("4 250 000 euros", "4 520 000 euros", "EUR 4,250,000"),
        ("2027-06-01", "2027-07-01", "1 June 2027"),
        ("the City of Lund", "the owner", "City of Lund"),
    ],
)
def test_a_paraphrase_that_loses_one_fact_does_not_and_the_fact_is_named(said: str, instead: str, lacking: str) -> None:
    lost = blocks(PARAPHRASE.replace(said, instead))["The City of Lu"]
    assert (lost.standing, lost.why) == ("missing", "facts")
    assert any(lacking in fact for fact in lost.missing_facts), lost.missing_facts
    assert lost.section == "Contract"


def test_facts_in_one_section_and_words_in_another_do_not_cover() -> None:
    apart = PARAPHRASE.replace("the value of the contract is 4 250 000 euros, ", "") + "\nThe value: EUR 4,250,000.\n"
    assert blocks(apart)["The City of Lu"].standing == "missing"


def test_a_dropped_row_and_a_dropped_item_are_missing_by_themselves() -> None:
    short = TENDER.replace("| Concrete deck | EUR 512,000 |\n", "").replace("- Divers of", "- Crews of")
    missing = [name for name, block in blocks(short).items() if block.standing == "missing"]
    assert missing == ["| Concrete dec"]
    without = "\n".join(line for line in TENDER.splitlines() if not line.startswith("- Divers"))
    assert blocks(without)["- Divers of No"].standing == "missing"


GERMAN = """# Ausschreibung für den Kai

Die Stadt erneuert den alten Kai im Hafen. Der Auftrag hat einen Wert von 4.250.000 EUR und endet am 1. Juni 2027. \
Der Auftragnehmer entfernt die hölzernen Pfähle und rammt stählerne Pfähle in den Meeresboden entlang des ganzen Kais. \
Taucher prüfen jeden Pfahl, bevor der Beton gegossen wird, und melden jeden Schaden noch am selben Tag der Bauleitung.

## Preise

Die Stahlpfähle kosten 310.000 EUR, die Betonplatte kostet 512.000 EUR, und beides wird nach der Abnahme bezahlt.
"""


def test_a_translation_is_not_comparable() -> None:
    assert standings(PARAPHRASE, source=GERMAN) == {"not_comparable"}


def test_in_a_text_that_has_both_languages_what_is_left_of_one_of_them_is_missing() -> None:
    both = PARAPHRASE + "\n" + GERMAN.replace("# Aus", "## Aus").split("## Preise")[0]
    assert standings(both, source=GERMAN) == {"covered", "missing"}


def test_what_the_writer_names_is_left_out_with_all_that_stands_below_it() -> None:
    chapter = LeftOut(file="tender.md", heading="WORK ", reason="Not asked for.")
    found = blocks(TITLE, chapter)
    assert [block.standing for block in found.values()] == ["missing", *["left_out"] * 5]
    whole = LeftOut(file="tender.md", reason="Another tender.")
    assert standings(TITLE, whole) == {"left_out"}
    other = LeftOut(file="other.md", reason="Another tender.")
    assert standings(TITLE, other) == {"missing"}


def test_an_input_that_is_no_text_is_named() -> None:
    [block] = coverage([InputText("plan.pdf", None)], TENDER, ())
    assert (block.file, block.standing, block.why) == ("plan.pdf", "missing", "unreadable")
    [named] = coverage([InputText("plan.pdf", None)], TENDER, [LeftOut(file="plan.pdf", reason="A drawing.")])
    assert (named.standing, named.why) == ("left_out", None)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    source = "# 码头\n\n承包商沿整个码头拆除木桩并将钢桩打入海床。混凝土浇筑前潜水员检查每根桩。\n"
    assert standings(
        "# 工程\n\n承包商沿着整个码头拆除木桩，并将钢桩打入海床。\n\n每根桩在混凝土浇筑前由潜水员检查。\n",
        source=source,
    ) == {"covered"}
    assert standings("# 工程\n\n预算见附件，评分标准由委员会决定。\n", source=source) == {"missing"}


PRICES = """lot;amount_eur;pieces;due
Steel piles;310000;412;2027-06-01
Concrete deck;512000;1;2027-07-01
"""
AS_TABLE = """# Quay

## Prices

| lot | amount_eur | pieces | due |
| --- | --- | --- | --- |
| Steel piles | 310000 | 412 | 2027-06-01 |
| Concrete deck | 512000 | 1 | 2027-07-01 |
"""


def of_rows(source: str, text: str, media_type: str = "text/csv", *left_out: LeftOut) -> list[tuple[int, str]]:
    found = coverage([InputText("prices", source, media_type)], text, left_out)
    return [(block.line, block.standing) for block in found]


def test_the_rows_of_a_csv_file_are_compared_by_their_values() -> None:
    assert of_rows(PRICES, AS_TABLE) == [(2, "covered"), (3, "covered")]
    prose = "# Quay\n\nThe 412 steel piles cost EUR 310,000 and are due on 1 June 2027.\n"
    assert of_rows(PRICES, prose) == [(2, "covered"), (3, "missing")]
    for wrong in (("310000", "301000"), ("412", "421"), ("2027-06-01", "2027-06-10"), ("Steel piles", "Wooden poles")):
        assert of_rows(PRICES, AS_TABLE.replace(*wrong)) == [(2, "missing"), (3, "covered")]
    assert of_rows(PRICES, "# Quay\n", "text/csv", LeftOut(file="prices", reason="No.")) == [
        (2, "left_out"),
        (3, "left_out"),
    ]


def test_the_objects_of_json_are_compared_by_their_values() -> None:
    source = '[{"lot": "Steel piles", "amount_eur": 310000},\n {"lot": "Concrete deck", "amount_eur": 512000}]'
    assert of_rows(source, AS_TABLE, "application/json") == [(1, "covered"), (2, "covered")]
    assert of_rows(source, AS_TABLE.replace("512000", "521000"), "application/json") == [(1, "covered"), (2, "missing")]


def test_a_row_of_numbers_is_looked_for_in_every_section() -> None:
    text = "# Quay\n\n" + "".join(f"## Pile {n}\n\nIt is {1000 + n} and {3000 + n} long.\n\n" for n in range(300))
    assert of_rows("a;b\n1290;3290\n1291;3292\n", text) == [(2, "covered"), (3, "missing")]
