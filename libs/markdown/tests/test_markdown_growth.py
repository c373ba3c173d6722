"""Work grows with the length of a text, whatever it holds: counted in calls, not in seconds."""

import pytest
from stemma_markdown import Document, differences, identify, merge, nothing_identified
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


@pytest.mark.req("S6")
@pytest.mark.parametrize(
    ("before", "after"),
    [("word\n\n", "other\n\n"), ("a\n", "b\n"), ("|a|b|\n|-|-|\n", "|a|c|\n")],
    ids=["blocks", "lines", "tables"],
)
def test_four_times_the_texts_are_four_times_the_work_to_compare_and_to_merge(before: str, after: str) -> None:
    def work(size: int) -> int:
        old, new = text_of(before, size), text_of(after + before, size)
        other = text_of(before + after, size) + before
        return calls(lambda: (differences(old, new), merge(old, new, other)))

    work(100)  # what is made once is there
    assert work(2000) < 5.5 * work(500) + 2000
