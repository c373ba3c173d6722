"""Which places of files the sentences of a draft rest on, and whether the places that it names itself are so."""

import pytest
from stemma_contracts.v1.inputs import Anchor
from stemma_evidence import File, Labels, Named, named, supporting_places, units_of
from stemma_markdown import Document

REQUEST = """# Request

The service reaches ten rural clinics in Halden.

Vans are leased for 36 months and are electric, and the lessee insures them.

## Price

The price is firm for 24 months from the award of the contract.
"""
PRICES = """| Item | Cost |
| --- | --- |
| Van | 41,300 |
| Fridge | 2,750 |
"""
PLAN = "# Scope\n\nIntro.\n\n## Work\n\nThe team digs a trench along the northern road.\n"


def pages(*beginnings: str) -> tuple[Anchor, ...]:
    starts = enumerate(map(REQUEST.index, beginnings), 1)
    return tuple(Anchor(offset=at, kind="page", label=f"p. {number}") for number, at in starts)


FILES = (
    File("rfq.pdf", Labels(REQUEST, anchors=pages("# Request", "the lessee", "The price"))),
    File("prices.xlsx", Labels(PRICES, anchors=[Anchor(offset=0, kind="sheet", label="Prices!A1:B3")])),
    File("offer.docx", Labels(PLAN)),
)


def cited(draft: str) -> list[tuple[str, ...]]:
    """For each sentence and row of a draft, the places that it rests on."""
    units = units_of(Document(draft), "en")
    found = supporting_places(units, FILES)
    return [
        tuple(f"{c.name}, {c.anchor.label}" if c.anchor else c.name for c in found.get(number, ()))
        for number in range(len(units))
    ]


def named_in(draft: str) -> list[Named]:
    document = Document(draft)
    return list(named(document, units_of(document, "en"), FILES))


@pytest.mark.req("I3")
@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("Our service reaches ten rural clinics in Halden.", [("rfq.pdf, p. 1",)]),
        ("The price is firm for 24 months.", [("rfq.pdf, p. 3",)]),
        ("We drive electric vans, leased for 36 months, which is usual.", [("rfq.pdf, p. 1",)]),
        ("It is good. **And the lessee insures them**, always.", [(), ("rfq.pdf, p. 2",)]),
        ("| What | EUR |\n|---|---|\n| Fridge | 2,750 |\n| Boat | 17 |\n", [("prices.xlsx, Prices!A1:B3",), ()]),
        ("- The team digs a trench along the road.\n- It rains.\n", [("offer.docx, Scope > Work",), ()]),
        ("We like rural clinics and contracts.\n\n```\nThe price is firm for 24 months\n```\n", [()]),
        ("# The price is firm for 24 months\n\nYes.\n", [()]),
    ],
)
def test_a_sentence_that_rests_on_a_file_names_its_place(draft: str, expected: list[tuple[str, ...]]) -> None:
    assert cited(draft) == expected


@pytest.mark.req("I3")
def test_a_sentence_of_two_files_names_both_and_no_place_that_adds_nothing() -> None:
    both = "The price is firm for 24 months, and the team digs a trench along the northern road."
    assert cited(both) == [("rfq.pdf, p. 3", "offer.docx, Scope > Work")]
    twice = (*FILES, File("copy.md", Labels(REQUEST)))
    units = units_of(Document("The service reaches ten rural clinics in Halden."), "en")
    assert [place.name for place in supporting_places(units, twice)[0]] == ["rfq.pdf"]


@pytest.mark.req("I3")
def test_rows_of_values_are_cited_by_their_cells_and_a_text_without_places_by_its_name() -> None:
    table = File("costs.csv", Labels("Item;Cost\nVan;41300\nFridge;2750\n", "text/csv"), by_line=True)
    note = File("note.txt", Labels("The quay closes at noon on Sundays.\n", "text/plain"))
    units = units_of(Document("A fridge costs 2750. The quay closes at noon on Sundays."), "en")
    found = supporting_places(units, [table, note])
    assert found[0][0].anchor
    assert found[0][0].anchor.label == "A3:B3"
    assert found[1][0].anchor is None


@pytest.mark.req("I3")
def test_lines_have_the_labels_of_the_pages_that_they_stand_on_and_not_of_the_next_one() -> None:
    labels = FILES[0].labels
    assert [labels.within(*lines) for lines in ((1, 4), (1, 8), (5, 9), (9, 9), (0, 3), (3, 99))] == [
        ("p. 1",), ("p. 1", "p. 2"), ("p. 1", "p. 2", "p. 3"), ("p. 3",), (), (),
    ]  # fmt: skip


@pytest.mark.req("I3", "T9")
@pytest.mark.parametrize(
    ("draft", "exists", "holds"),
    [
        ("The price is firm for 24 months (rfq.pdf, p. 3).", True, True),
        ("The price is firm for 24 months. (rfq.pdf, p. 3)", True, True),
        ("Der Preis gilt 24 Monate (rfq.pdf, S. 3).", True, True),
        ("The price is firm for 24 months (rfq.pdf, pp. 2-3).", True, True),
        ("The price is firm for 24 months (rfq.pdf, p. 1).", True, False),
        ("The price is firm for 24 months (rfq.pdf, p. 99).", False, False),
        ("The price is firm for 24 months (rfq.pdf, 第 99 页).", False, False),
        ("A fridge costs EUR 2,750 (prices.xlsx, Prices!B3).", True, True),
        ("A fridge costs EUR 2,750 (prices.xlsx, Costs!B3).", False, False),
        ("A fridge costs EUR 2,750 (prices.xlsx, Prices!D9).", False, False),
        ("The team digs a trench (offer.docx, Scope > Work).", True, True),
        ("The team digs a trench (offer.docx, Scope > Tasks).", False, False),
        ("See rfq.pdf, p. 1.", True, True),
    ],
)
def test_a_place_that_a_draft_names_is_there_and_holds_its_words(draft: str, exists: bool, holds: bool) -> None:
    (found,) = named_in(draft)
    assert (found.exists, found.holds) == (exists, holds)


@pytest.mark.req("T9")
def test_a_file_that_is_named_without_a_place_is_no_citation_of_a_place() -> None:
    assert named_in("As rfq.pdf, which we read, says, other.pdf, p. 3, is out of date. See offer.docx, too.") == []


@pytest.mark.parametrize("name", ["PRICES.XLSX", "PRİCES.xlsx", "prıces.xlsx"])
def test_a_file_is_named_in_any_case_of_letters(name: str) -> None:
    (found,) = named_in(f"The van costs 41,300 ({name}, Prices!A2:B2).")
    assert (found.text, found.exists, found.holds) == (f"{name}, Prices!A2:B2", True, True)
