"""Sentences in the languages that ship."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import sentence_ranges, sentences
from stemma_testkit.plugin import examples

TEXTS = [line.split(" ", 1) for line in Path(__file__).with_name("sentences.txt").read_text().splitlines()]
"""Of each text its language and its sentences."""


@pytest.mark.parametrize(("language", "sentences"), TEXTS)
def test_knows_abbreviations_numbers_dates_initials_and_hours(language: str, sentences: str) -> None:
    expected = sentences.split(" / ")
    text = ("" if language in ("ja", "zh") else " ").join(expected)
    assert [text[start:end] for start, end in sentence_ranges(text, language)] == expected


@examples(200)
@given(st.text(max_size=80), st.sampled_from(["en", "de", "fr", "es", "ja", "zh", "", "xx", "de-AT", "../../etc"]))
def test_leaves_out_nothing_but_space(text: str, language: str) -> None:
    ranges = sentence_ranges(text, language)
    kept = "".join(text[start:end] for start, end in ranges)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(start < end for start, end in ranges)


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
def test_a_source_in_brackets_belongs_to_the_sentence_before_it(language: str) -> None:
    alone = "The garden opens in 2027. (Brief)"
    found = [one.text for one in sentences(f"{alone} It has 12 beds. (facts.md, Beds)", language)]
    assert found == [alone, "It has 12 beds. (facts.md, Beds)"]
    assert [one.text for one in sentences(alone, language)] == [alone]


def test_a_sentence_has_its_markup_in_its_range() -> None:
    text = "# One. Two\n\n- It is **bold**. It\n  has [a link](x.md).\n"
    assert [(s.text, s.line, text[s.start : s.end]) for s in sentences(text, "en")] == [
        ("It is bold.", 3, "It is **bold**."),
        ("It has a link.", 3, "It\n  has [a link](x.md)."),
    ]


def test_a_sentence_may_be_longer_than_the_window() -> None:
    text = "Short one. " + "Word " * 2000 + "end. Last one."
    assert [end - start for start, end in sentence_ranges(text, "en")] == [10, 10004, 9]


@pytest.mark.req("S6")
@pytest.mark.parametrize(("lines", "sentences"), [(5, 1), (50, 2)])
def test_a_source_is_looked_for_in_the_few_characters_behind_a_sentence_alone(lines: int, sentences: int) -> None:
    """The expression itself does the work that a bound saves, where no call is counted: so the bound is shown."""
    assert len(sentence_ranges("It costs EUR 5." + "\n" * lines + "(plan.md)", "en")) == sentences
