"""Suggestions in comments: found again as they were made, and put where they break no mark of the text."""

import pytest
from stemma_contracts.suggestions import Suggestion, replaceable, suggestion_in, with_suggestion

pytestmark = pytest.mark.req("H2")


@pytest.mark.parametrize("words", ["shorter", "two\nlines", "a ```fence``` in it", "```suggestion\nx\n```", ""])
@pytest.mark.parametrize("said", ["", "Because it is."])
def test_what_a_comment_suggests_is_found_in_it_again(said: str, words: str) -> None:
    assert suggestion_in(with_suggestion(said, words)) == Suggestion(words, said)


def test_other_comments_and_other_code_suggest_nothing() -> None:
    assert suggestion_in("I have a suggestion.") is None
    assert suggestion_in("```python\nx\n```\n") is None


@pytest.mark.parametrize(
    ("text", "quote", "taken"),
    [
        ("The **pilot** costs 3.", "pilot** costs", "**pilot** costs"),
        ("The **pilot** costs 3.", "The **pilot", "The **pilot**"),
        ("The **pilot** costs 3.", "pilot", "pilot"),
        ("See `it` and _that_.", "it` and _that", "`it` and _that_"),
        ("See [this](x.md) now.", "this](x.md) now", None),
        ("A **long pilot** costs 3.", "pilot** costs", None),
    ],
)
def test_a_passage_is_replaced_with_the_marks_that_belong_to_it_or_not_at_all(
    text: str, quote: str, taken: str | None
) -> None:
    start = text.index(quote)
    place = replaceable(text, start, start + len(quote))
    assert (text[slice(*place)] if place else None) == taken


def test_a_comment_that_begins_thousands_of_blocks_is_read_once() -> None:
    begun = "```suggestion\n" * 40_000
    assert suggestion_in(begun) is None
    assert suggestion_in(f"{begun}````suggestion\nword\n````\n") == Suggestion("word", begun.strip())
