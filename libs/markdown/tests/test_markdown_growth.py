"""Work grows with the length of a text, whatever it holds: counted in calls, not in seconds."""

from __future__ import annotations

import pytest
from stemma_markdown import Document, identify, nothing_identified
from stemma_testkit.counting import calls
from stemma_testkit.pathological import UNITS, text_of


def read(text: str) -> None:
    document = Document(text)
    for name in ("prose", "headings", "images", "links", "footnotes", "fences"):
        assert getattr(document, name) is not None
    assert document.sentences("en") is not None
    identify(nothing_identified(), text)


@pytest.mark.req("S6")
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_four_times_the_text_is_four_times_the_work(unit: str) -> None:
    few, many = (text_of(unit, size) for size in (1000, 4000))
    read(few)
    other = few + "a"  # whose sentences are not known yet
    assert calls(lambda: read(many)) < 5.5 * calls(lambda: read(other)) + 2000
