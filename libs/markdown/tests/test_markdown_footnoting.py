"""Footnotes that a program adds to a text."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from stemma_markdown import Document, Footnote, with_footnotes

pytestmark = pytest.mark.req("I3")


def noted(text: str, **words: str) -> str:
    """The text with a footnote behind each of some words, by a letter that they begin with."""
    notes = [Footnote(text.index(word), text.index(word) + len(word), word_of) for word, word_of in words.items()]
    return with_footnotes(text, notes)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("One two.", "two.", "One two.[^source-1]"),
        ("*One two.* Three", "two.", "*One two.*[^source-1] Three"),
        ("Run `make all`", "all", "Run `make all`[^source-1]"),
        ("See [the plan](a.md), too", "plan", "See [the plan](a.md)[^source-1], too"),
        ("| a | b |\n|---|---|\n| c | d |", "d", "| a | b |\n|---|---|\n| c | d[^source-1] |"),
        ("See www.example.org", "www.example.org", "See www.example.org [^source-1]"),
    ],
)
def test_a_footnote_stands_behind_the_words_and_the_marks_that_close_them(text: str, word: str, expected: str) -> None:
    assert noted(text, **{word: "a.pdf, p. 1"}) == f"{expected}\n\n[^source-1]: a.pdf, p. 1\n"


def test_sentences_and_rows_that_say_the_same_one_after_the_other_have_one_and_others_their_own() -> None:
    text = "Aa. Bb. Cc.\n\nDd.\n"
    told = noted(text, **{"Aa.": "x", "Bb.": "x", "Cc.": "y", "Dd.": "y"})
    assert told.startswith("Aa. Bb.[^source-1] Cc.[^source-2]\n\nDd.[^source-3]\n")
    table = "| h |\n|---|\n| a1 |\n| b2 |\n"
    assert noted(table, a1="x", b2="x").startswith("| h |\n|---|\n| a1 |\n| b2[^source-1] |\n")
    overlapping = with_footnotes("One two. Three.", [Footnote(0, 8, "x"), Footnote(4, 8, "y")])
    assert overlapping == "One two.[^source-1] Three.\n\n[^source-1]: x\n"


def test_words_are_no_markup_and_labels_of_the_text_are_not_taken() -> None:
    told = noted("One.[^source-1]\n\n[^source-1]: Mine.\n", **{"One.": "[a](b) *c*"})
    assert "One.[^source1-1][^source-1]" in told
    (piece,) = [p for p in Document(told).prose if p.text.startswith("[a]")]
    assert piece.text == "[a](b) *c*"


@given(st.text(alphabet=st.sampled_from("ab19 *`_[]()|.,:;#>+-=~<&!'\"\\/$^@{}?"), min_size=1, max_size=40))
@example("price_sheet (v2).xlsx, Prices!A1:D20; a & b: 50 %")
@example("1. *a* <b> &amp; __c__")
@example("---")
@example("> [x](y) <b>")
def test_whatever_words_a_footnote_has_they_read_so(words: str) -> None:
    assume(words.strip())
    told = Document(with_footnotes("One.", [Footnote(0, 4, words)]))
    assert [(piece.kind, piece.text) for piece in told.prose][1:] == [("paragraph", " ".join(words.split()))]


def test_the_words_of_a_footnote_are_as_plain_as_can_be() -> None:
    words = "2026_price-sheet (v2).xlsx, Prices!A1:D20; mail.eml/a & b.docx, 1. Scope > “Work”, p. 12"
    assert with_footnotes("One.", [Footnote(0, 4, words)]).endswith(f"[^source-1]: {words}\n")
    assert with_footnotes("One.", [Footnote(0, 4, "http://a.b, :a:")]).endswith("]: http\\://a.b, \\:a:\n")


def test_a_text_in_which_they_would_be_no_footnotes_stays_as_it_is() -> None:
    text = "One.\n\n```\ncode that does not end\n"
    assert noted(text, **{"One.": "x"}) == text
    assert with_footnotes(text, []) == text
    assert with_footnotes("One.", [Footnote(2, 99, "beyond"), Footnote(3, 3, "nothing")]) == "One."


@given(st.text(alphabet=st.sampled_from("ab *`_[]()|\n.#>-~"), max_size=60), st.integers(0, 59), st.integers(1, 20))
def test_whatever_stands_around_it_all_words_stay(text: str, start: int, length: int) -> None:
    told = with_footnotes(text, [Footnote(start, min(start + length, len(text)), "x")])
    shown = told.partition("\n\n[^source-1]: ")[0].replace("[^source-1]", "")
    assert shown.replace(" ", "").rstrip("\n") == text.replace(" ", "").rstrip("\n")
