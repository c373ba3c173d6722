"""Where words stand in a text, and what it says with others in their places."""

import pytest
from stemma_markdown import put_instead, stand_at, standing

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


def test_puts_other_words_in_the_places_that_are_named_or_in_none() -> None:
    starts = [one.start for one in standing(TEXT, "24 months")]
    places = stand_at(TEXT, "24 months", starts[:2])
    assert places is not None
    changed = put_instead(TEXT, places, "36 months")
    assert changed.startswith("Terms of 36 months, not of 124 months.\nThe 36 months are fixed; 24\u00a0months")
    assert stand_at(TEXT, "24 months", [starts[0], starts[0] + 1]) is None
