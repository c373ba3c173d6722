"""Changes that are taken back one by one: every other word stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_client.differences import differences as line_differences
from stemma_client.differences import placed, placed_changes
from stemma_markdown import differences, single_changes, split, without
from stemma_testkit.counting import characters

pytestmark = pytest.mark.req("H2")
WORDS = st.sampled_from(["Pilot", "costs", "480,000", "euros", "a", "year", "and", "more"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(lambda words: " ".join(words) + ".")
BLOCKS = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)
TEXTS = st.lists(BLOCKS, max_size=5).map(lambda blocks: "".join(f"{block}\n\n" for block in blocks))
OLD = "# Costs\n\nIt costs 5 euros. It is small.\n\nGone.\n\nLast words.\n"
NEW = "# Costs\n\nIt costs 6 euros. It is very small.\n\nLast words.\n\nNew.\n"


def contents(text: str) -> list[str]:
    return [block.content.strip() for block in split(text) if block.content.strip()]


def letters(text: str) -> str:
    return "".join(text.split())


def test_each_change_is_taken_back_alone() -> None:
    changes = single_changes(OLD, NEW)
    assert [(one.line, one.removed.strip(), one.added.strip()) for one in changes] == [
        (3, "5", "6"),
        (3, "", "very"),
        (5, "Gone.", ""),
        (7, "", "New."),
    ]
    assert without(NEW, []) == NEW
    assert without(NEW, changes[:1]) == NEW.replace("6", "5")
    assert without(NEW, changes[1:2]) == NEW.replace("very ", "")
    assert contents(without(NEW, changes[2:3])) == contents(NEW.replace("Last", "Gone.\n\nLast"))
    assert contents(without(NEW, changes)) == contents(OLD)


@given(TEXTS, TEXTS)
def test_all_changes_taken_back_are_the_older_text(old: str, new: str) -> None:
    if not any(block.moved for block in differences(old, new)):
        assert contents(without(new, single_changes(old, new))) == contents(old)


@given(TEXTS, TEXTS, st.data())
def test_a_change_that_is_taken_back_takes_no_other_word_with_it(old: str, new: str, data: st.DataObject) -> None:
    changes = single_changes(old, new)
    if changes:
        chosen = data.draw(st.sampled_from(changes))
        left, around = letters(without(new, [chosen])), (new[: chosen.start], chosen.removed, new[chosen.end :])
        assert left == letters("".join(around))
        assert letters(chosen.added) == letters(new[chosen.start : chosen.end])


@given(TEXTS, TEXTS)
def test_each_change_stands_once_among_the_words_of_the_differences(old: str, new: str) -> None:
    singles = single_changes(old, new)
    shown = [piece for _, pieces in placed(line_differences(old, new), singles) for piece in pieces]
    assert [number for number in shown if isinstance(number, int)] == list(range(len(singles)))


@pytest.mark.req("S6")
def test_four_times_the_changes_are_four_times_the_work() -> None:
    def work(number: int) -> int:
        old, new = ("".join(f"Aaa {step * place} bbb.\n\n" for place in range(number)) for step in (3, 7))
        return characters(lambda: placed_changes(old, new))

    assert work(200) < 6 * work(50)


@given(TEXTS, TEXTS)
def test_both_ways_of_telling_changes_agree(old: str, new: str) -> None:
    singles = single_changes(old, new)
    assert placed_changes(old, new) == (placed(line_differences(old, new), singles), singles)
