"""What is found in documents that nobody looked into, and how often text that others wrote is accused."""

from __future__ import annotations

import pytest
from evidence_corpus import Case, cases, translations, unseen
from evidence_table import Figures, by_seed, inventions, measured, nothing

pytestmark = pytest.mark.req("T3", "T9")


@pytest.fixture(scope="module")
def documents() -> Figures:
    figures = measured(unseen(), by_seed)
    print("\nunseen documents", *figures.lines(), sep="\n")
    return figures


def test_every_amount_and_date_that_is_invented_in_an_unseen_document_is_found() -> None:
    figures = measured(unseen(), inventions)
    assert sum(figures.planted_in.values()) >= 130
    assert len(figures.planted_in) == 9
    assert figures.share("invention", "amount", "date", "quantity", "quotation", "citation") == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("planting", "least"),
    [("changed", 0.97), ("magnitude", 0.97), ("rounding", 0.9), ("swap", 0.85), ("instead", 0.6)],
)
def test_what_else_is_wrong_with_an_unseen_document_is_mostly_found(
    documents: Figures, planting: str, least: float
) -> None:
    assert sum(documents.planted_in.values()) >= 600
    assert documents.share(planting) >= least


@pytest.mark.full
def test_clean_text_of_the_corpus_is_accused_at_most_once_a_page() -> None:
    figures = measured([*cases(), *translations("seen")], nothing)
    print("\nclean text", *figures.lines(), sep="\n")
    assert figures.pages > 40
    assert figures.accused.total() <= figures.pages


def test_clean_text_that_nobody_looked_into_is_accused_at_most_once_a_page() -> None:
    figures = measured([*unseen(), *translations("unseen")], nothing)
    print("\nunseen clean text", *figures.lines(), sep="\n")
    assert figures.pages > 35
    assert figures.accused.total() <= figures.pages
    assert figures.accused_kinds["amount"] + figures.accused_kinds["date"] == 0


def test_the_generator_plants_the_same_for_a_seed() -> None:
    case: Case = unseen()[0]
    assert [defect.text for defect in by_seed(case)] == [defect.text for defect in by_seed(case)]
