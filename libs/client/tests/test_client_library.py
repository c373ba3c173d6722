"""Approved texts are ranked by the words that they share with a demand, of their own more than of what stands above."""

from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_client.library import LEAST_SHARE, LibraryEntry, Passage, best, foreign_words, ranked_passages
from stemma_contracts.v1.document import BidOutcome
from stemma_contracts.v1.library import EntryRef, EntryView
from stemma_contracts.v1.references import ArtifactRef

pytestmark = pytest.mark.req("L8")
TURNOVER = "The bidder shall describe how it handles staff turnover in key roles."
DEPUTIES = "Each lead has a deputy, so that turnover of staff in key roles is handled in days."


def passage(number: int, text: str, language: str = "en", heading: str = "", *demands: str) -> Passage:
    return Passage(number, language, heading, text, demands)


def ranked(query: str, *passages: Passage, least: float = LEAST_SHARE) -> list[int]:
    [hits] = ranked_passages(passages, (query,), least)
    return [number for number, *_ in hits]


def test_a_text_is_offered_by_its_words_or_by_the_demand_that_it_answered() -> None:
    answered = passage(
        1, "Nobody leaves us without a handover.", "en", "", "Explain how staff turnover in key roles is handled."
    )
    assert ranked(TURNOVER, passage(0, DEPUTIES), answered, passage(2, "Lunch is at noon.")) == [1, 0]


def test_words_that_stand_in_the_heading_alone_or_are_too_few_offer_nothing() -> None:
    under = passage(0, "Records are kept for ten years.", "en", "Staff turnover in key roles")
    assert ranked(TURNOVER, under, passage(1, "Our staff has key cards.")) == []


@pytest.mark.parametrize(
    ("language", "query", "text"),
    [
        (
            "de",
            "Der Bieter hat drei Referenzen vergleichbarer Projekte zu nennen.",
            "Drei vergleichbare Projekte als Referenz nennen wir.",
        ),
        ("ja", "提案者は要員の交代への対応を説明すること。", "要員の交代への対応として副担当を置きます。"),
    ],
)
def test_inflected_words_and_texts_without_spaces_are_found_as_well(language: str, query: str, text: str) -> None:
    assert ranked(query, passage(0, text, language), passage(1, "Lunch is at noon.")) == [0]


def entry(name: str, outcome: BidOutcome) -> LibraryEntry:
    draft = ArtifactRef(digest="0" * 64, size=1, media_type="text/markdown", name="draft.md")
    about: dict[str, Any] = {"document_title": name, "section_title": "Team", "language": "en", "draft": draft}
    place = EntryRef(document_id=name, section_id="team", version=1)
    return LibraryEntry(
        entry=place, outcome=outcome, view=EntryView(approved_at=datetime(2026, 1, 1, tzinfo=UTC)), **about
    )


def test_of_texts_that_fit_as_well_as_each_other_those_of_a_bid_that_was_won_come_first_and_each_entry_once() -> None:
    library = [entry("lost", "lost"), entry("open", "open"), entry("won", "won")]
    passages = [passage(number % 3, DEPUTIES) for number in range(6)]
    hits = [(number, "", 0.8) for number in range(6)]
    assert [offer.entry.document_title for offer in best(library, passages, hits)] == ["won", "open", "lost"]


def test_names_and_days_of_a_passage_that_no_input_has_are_told_with_it() -> None:
    text = "We served the Harbour Office in March 2024, with the team of Northwind Systems."
    assert foreign_words(((text, "en"),), "# Northwind Systems\n") == [("Harbour Office", "March 2024")]
