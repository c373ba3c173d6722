"""Where words stand in a text, and what it says with others in their places."""

import pytest
from stemma_markdown import put_instead, stand_at, standing
from stemma_markdown.standing import AROUND

pytestmark = pytest.mark.req("L5")
TEXT = (
    "Terms of 24 months, not of 124 months.\nThe 24\nmonths are fixed; 24\u00a0months, or 24 monthsly, 1.24 months.\n"
)


def test_finds_words_whatever_lies_between_them_and_never_a_part_of_others() -> None:
    found = list(standing(TEXT, "24 months"))
    assert [TEXT[one.start : one.end] for one in found] == ["24 months", "24\nmonths", "24\u00a0months"]
    assert [one.line for one in found] == [1, 2, 3]
    assert (found[0].before, found[0].behind) == ("Terms of ", ", not of 124 months.")
    assert list(standing(TEXT, " ")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It costs 1 500 EUR, 1\u202f500 EUR or 1'500 EUR.", "500 EUR"),
        ("It costs 24 000 EUR by 24:30 under REQ-24.", "24"),
        ("`24 months`\n\n    24 months\n\n~~~\n24 months\n~~~", "24 months"),
        ("[here](http://x.example/24) <b title='24'>", "24"),
        ("They say:\n\n> It takes 24 months.", "24 months"),
        ("Chapter 24\n\nmonths", "24 months"),
        ("It takes **24** months.", "24 months"),
    ],
)
def test_leaves_what_a_text_does_not_say_or_says_of_another_number(text: str, words: str) -> None:
    assert list(standing(text, words)) == []


def test_finds_words_in_cells_links_and_emphasis_and_across_the_lines_of_lists() -> None:
    text = "| 24 months |\n|--|\n| a |\n\n- **24\n  months** [24 months](x) 24&nbsp;months, 2024 500 EUR\n"
    found = [text[one.start : one.end] for one in standing(text, "24 months")]
    assert found == ["24 months", "24\n  months", "24 months", "24&nbsp;months"]
    assert len(list(standing(text, "500 EUR"))) == 1


def test_shows_a_bounded_part_of_a_line_that_is_the_whole_text() -> None:
    found = list(standing("a " * 2000, "a"))
    assert len(found) == 2000
    assert max(len(one.before) + len(one.behind) for one in found) <= 2 * AROUND


def test_puts_other_words_in_the_places_that_are_named_or_in_none() -> None:
    starts = [one.start for one in standing(TEXT, "24 months")]
    places = stand_at(TEXT, "24 months", starts[:2])
    assert places is not None
    changed = put_instead(TEXT, places, "36 months")
    assert changed.startswith("Terms of 36 months, not of 124 months.\nThe 36 months are fixed; 24\u00a0months")
    assert stand_at(TEXT, "24 months", [starts[0], starts[0] + 1]) is None
