"""Telling by words what a sentence is to its reader, and how it hangs on what stands around it."""

from pathlib import Path

import pytest
from stemma_languages import is_addressed, is_caption, is_instruction, leans, negates, shipped
from stemma_languages.languages import DATA

pytestmark = pytest.mark.req("T3", "T4")
HERE = Path(__file__).parent
ASKED = [line.split(" ", 2) for line in (HERE / "instructions.txt").read_text().splitlines()]
"""``language sign sentence``; ``+``: it asks something of its writer."""
SENTENCES = [line.split(" ", 2) for line in (HERE / "sentences.txt").read_text().splitlines()]
"""``language kind sentence``: addressed to bidders or about its own document, leaning on others, or a fact."""


@pytest.mark.parametrize("language", shipped())
def test_an_instruction_to_the_writer_is_known_as_one_and_a_statement_is_none(language: str) -> None:
    own = [(sign == "+", sentence) for tag, sign, sentence in ASKED if tag == language]
    assert {sign for sign, _ in own} == {True, False}
    assert [sentence for sign, sentence in own if is_instruction(sentence, language) != sign] == []


def test_every_language_has_such_words_and_another_one_none() -> None:
    for folder in ("instructions", "sentences"):
        assert {file.stem for file in (DATA / folder).glob("*.json")} == set(shipped())
    assert not is_instruction("Skriv om haven.", "da")


@pytest.mark.parametrize("language", shipped())
def test_tells_what_is_false_or_says_nothing_in_another_document_from_a_fact(language: str) -> None:
    own = [(kind, sentence) for tag, kind, sentence in SENTENCES if tag == language]
    assert [kind for kind, _ in own] == ["addressed", "addressed", "leaning", "fact"]
    for kind, sentence in own:
        assert kind == "leaning" or is_addressed(sentence, "", language) == (kind == "addressed")
        assert kind == "addressed" or leans(sentence, language) == (kind == "leaning")


def test_a_heading_for_bidders_holds_for_what_stands_below() -> None:
    assert is_addressed("The lawn is flat.", "Instructions to offerors", "en")


def test_a_label_with_a_number_or_a_mark_opens_a_caption_and_no_sentence() -> None:
    for caption in ("Figure 3: The plan", "Table 2.1 – Prices", "Fig. 4 The plan", "Source: the town"):
        assert is_caption(caption, "en")
    for sentence in ("Table tennis is played.", "Figures are told.", "The figure 3: a plan"):
        assert not is_caption(sentence, "en")
    assert is_caption("図1 計画", "ja")
    assert not is_caption("図書館は町のものです。", "ja")


@pytest.mark.parametrize("apostrophe", "'\u2019")
def test_words_are_known_by_either_apostrophe(apostrophe: str) -> None:
    assert negates(f"The lift isn{apostrophe}t in the price.", "en")
    assert leans(f"C{apostrophe}est le cas en mai.", "fr")
    assert is_addressed(f"The offeror{apostrophe}s copy is red.", "", "en")
