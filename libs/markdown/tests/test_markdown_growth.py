"""Work grows with the length of a text, whatever it holds: counted in calls, not in seconds."""

import pytest
from stemma_markdown import (
    Document,
    Quotable,
    differences,
    identify,
    marked,
    merge,
    nothing_identified,
    renew,
    single_changes,
    without,
)
from stemma_markdown.adopting import Returned, adopt
from stemma_markdown.comparing import MOST_LINES
from stemma_markdown.quoting import MOST_PLACES
from stemma_testkit.counting import UNITS, calls, characters, text_of

pytestmark = pytest.mark.req("S6", "L4", "W2", "H2")


def read(text: str) -> None:
    document = Document(text)
    for name in ("prose", "headings", "images", "links", "footnotes", "fences"):
        assert getattr(document, name) is not None
    assert document.sentences("en") is not None
    identify(nothing_identified(), text)


def merging(unit: str, size: int) -> int:
    base = text_of(unit, size)
    half = len(base) // 2
    ours, theirs = f"{base[:half]} ours {base[half:]}", f"theirs {base}"
    return calls(lambda: merge(base, ours, theirs))


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_four_times_the_text_is_four_times_the_work_to_read_and_to_merge(unit: str) -> None:
    few, many = (text_of(unit, size) for size in (1000, 4000))
    read(few)
    other = few + "a"  # whose sentences are not known yet
    assert calls(lambda: read(many)) < 5.5 * calls(lambda: read(other)) + 2000
    assert merging(unit, 600) < 5.5 * merging(unit, 150) + 2000


@pytest.mark.full
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_four_times_a_long_text_is_four_times_the_work_to_merge(unit: str) -> None:
    assert merging(unit, 4000) < 5.5 * merging(unit, 1000) + 2000


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


def paragraphs(text: int, size: int, gap: str = "\n\n") -> str:
    """Paragraphs, each of which is like its neighbour in another text and the same in none."""
    return "".join(f"W{text * size + number} is v{number}.{gap}" for number in range(size))


@pytest.mark.parametrize(("gap", "size"), [("\n\n", 4100), (" ", 3000)], ids=["paragraphs", "sentences"])
def test_texts_that_differ_in_more_parts_than_are_compared_take_little_more_work(gap: str, size: int) -> None:
    def work(size: int) -> int:
        old, new, other = (paragraphs(text, size, gap) for text in range(3))
        return calls(lambda: (single_changes(old, new), merge(old, new, other)))

    work(10)  # what is made once is there
    few = work(100)
    assert work(size) < size / 100 * few / 2


def test_four_times_the_figures_of_a_sentence_are_four_times_the_work_to_mark() -> None:
    def work(size: int) -> int:
        text = " and ".join(f"{number} euros" for number in range(size))
        return characters(lambda: marked(text))

    assert work(400) < 5.5 * work(100)


@pytest.mark.parametrize("size", [4100, MOST_LINES])
def test_of_texts_that_are_too_long_to_compare_nothing_is_lost(size: int) -> None:
    old, new, other = (paragraphs(text, size) for text in range(3))
    (conflict,) = merge(old, new, other).conflicts
    assert merge(old, new, other).text == new
    assert (conflict.base.rstrip(), conflict.ours.rstrip(), conflict.theirs) == (old.rstrip(), new.rstrip(), other)
    assert renew(old, new, other, [(old, new)]) == merge(old, new, other)
    assert renew(old, new, old, [(old, new)]) == merge(old, new, old) == merge(old, new, new)
    assert without(new, single_changes(old, new)).rstrip() == old.rstrip()
    assert not single_changes(old, old)


@pytest.mark.parametrize("definition", ["", "[^here {}]: A note.\n\n"])
def test_four_times_the_changes_and_new_paragraphs_are_four_times_the_work_to_adopt(definition: str) -> None:
    def work(size: int) -> int:
        draft = "".join(f"Words {number} are *[here {number}]*.\n\n" for number in range(size))
        draft += "".join(definition.format(number) for number in range(size))
        rows = [Returned(f"{one.text} too", (number,)) for number, one in enumerate(Document(draft).prose)]
        return calls(lambda: adopt(draft, [*rows, *(Returned("New.") for _ in range(8 * size))]))

    assert work(100) < 5.5 * work(25)


def test_a_quotation_that_stands_everywhere_is_as_much_work_in_a_longer_text() -> None:
    few, many = ("x" * size for size in (MOST_PLACES, 20 * MOST_PLACES))
    assert calls(lambda: Quotable(many).find("x", "x")) < 2 * calls(lambda: Quotable(few).find("x", "x"))
