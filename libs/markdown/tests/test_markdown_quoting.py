"""Quotations are found where they stand, in the block that they stood in, and nowhere else by chance."""

import pytest
from stemma_markdown import Quotable

pytestmark = pytest.mark.req("H2")
TEXT = (
    "# Costs\n\nThe **pilot** costs\nEUR 480,000 [as planned](http://x.example).\n\n"
    "- The pilot ends in May.\n- Nothing else.\n"
)


def found(text: str, quote: str, before: str = "", within: tuple[int, int] | None = None) -> str | None:
    place = Quotable(text).find(quote, before, within)
    return text[slice(*place)] if place else None


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("pilot costs EUR 480,000", "pilot** costs\nEUR 480,000"),
        ("The **pilot** costs", "The **pilot** costs"),
        ("planned.  The pilot", "planned](http://x.example).\n\n- The pilot"),
        ("EUR 480,001", None),
        ("  ", None),
    ],
)
def test_a_quotation_is_found_as_it_is_read_or_written_whatever_its_spaces(quote: str, there: str | None) -> None:
    assert found(TEXT, quote) == there


def test_of_several_places_that_is_taken_before_which_the_same_words_stand() -> None:
    text = "One cost is low. Two cost is high.\n"
    for before, start in (("One", 4), ("low. Two", 21), ("", 4), ("nowhere", 4)):
        assert Quotable(text).find("cost", before) == (start, start + 4)


def test_a_quotation_stays_in_its_block_unless_it_is_long_and_stands_elsewhere_alone_or_after_the_same_words() -> None:
    second = (TEXT.index("- The"), len(TEXT))
    assert found(TEXT, "pilot", within=second) == "pilot"
    assert Quotable(TEXT).find("pilot", within=second) == (TEXT.rindex("pilot"), TEXT.rindex("pilot") + 5)
    assert found(TEXT, "as planned", within=second) is None
    assert found(TEXT, "as planned", "costs EUR 480,000", within=second) == "as planned"
    assert found(TEXT, "480,000 as planned", within=second) == "480,000 [as planned"
