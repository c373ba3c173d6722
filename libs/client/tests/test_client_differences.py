import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_client.differences import Change, Kind, Piece, differences
from stemma_testkit.counting import calls

pytestmark = pytest.mark.req("P9")
PARTS = ["a", "b", "word", "One. ", "other", " ", "  ", "\n", "\r\n", "\n\n", "é", "- ", "# ", "| a |", "```\n", "二。"]
WORD = re.compile(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def side(change: Change, kind: Kind) -> str:
    return "".join(piece.text for piece in change.pieces if piece.kind in (Kind.SAME, kind))


def test_tells_the_words_that_differ_and_the_line() -> None:
    (change,) = differences("# Plan\n\nIt takes 12 weeks.\n", "# Plan\n\nIt takes 10 weeks.\n")

    assert (change.old_line, change.new_line) == (3, 3)
    assert change.pieces == (
        Piece(Kind.SAME, "It takes "),
        Piece(Kind.REMOVED, "12"),
        Piece(Kind.ADDED, "10"),
        Piece(Kind.SAME, " weeks."),
    )
    assert (change.words(Kind.REMOVED), change.words(Kind.ADDED)) == (1, 1)


def test_a_sentence_that_is_added_takes_nothing_with_it() -> None:
    (change,) = differences("There is one.\n", "There is one. And two.\n")

    assert change.pieces == (Piece(Kind.SAME, "There is one."), Piece(Kind.ADDED, " And two."))


@pytest.mark.parametrize("again", ["One.\nTwo.\n\nThree.\n", "One.\nTwo.\n\n\nThree.\n\n"])
def test_the_same_text_has_no_differences_however_many_blank_lines_it_has(again: str) -> None:
    assert differences("One.\nTwo.\n\nThree.\n", again) == ()


@pytest.mark.parametrize(("old", "new", "kind"), [("", "One.\n", Kind.ADDED), ("One.\n", "", Kind.REMOVED)])
def test_all_of_a_text_can_come_or_go(old: str, new: str, kind: Kind) -> None:
    (change,) = differences(old, new)

    assert {piece.kind for piece in change.pieces} <= {kind, Kind.SAME}
    assert change.words(kind) == 1


def test_only_the_lines_that_differ_of_a_long_list_are_told() -> None:
    old = "".join(f"- item {number}\n" for number in range(1, 10))
    changes = differences(old, old.replace("item 3", "thing 3").replace("item 8", "thing 8"))

    assert [(change.old_line, change.new_line) for change in changes] == [(3, 3), (8, 8)]
    assert [side(change, Kind.ADDED) for change in changes] == ["- thing 3\n", "- thing 8\n"]


def test_lines_behind_a_change_have_their_own_number_in_either_text() -> None:
    first, second = differences("```\na\nb\nc\nd\n```\n", "```\na\nb\nx\ny\nz\nc\nd!\n```\n")

    assert (first.old_line, first.new_line, side(first, Kind.ADDED)) == (4, 4, "x\ny\nz\n")
    assert (second.old_line, second.new_line) == (5, 8)


def test_a_paragraph_that_stands_elsewhere_has_moved_and_no_word_of_it_has_changed() -> None:
    old = "One is here.\n\nTwo is there.\n\nThree is far.\n"
    (change,) = differences(old, "Three is far.\n\nOne is here.\n\nTwo is there.\n")

    assert (change.moved, change.old_line, change.new_line) == (True, 5, 1)
    assert change.pieces == (Piece(Kind.SAME, "Three is far."),)


def test_sentences_are_told_apart_by_the_rules_of_their_language() -> None:
    (change,) = differences("一つ目です。二つ目です。", "一つ目です。別の文がここに入ります。", "ja")

    assert change.pieces[0] == Piece(Kind.SAME, "一つ目です。")


@pytest.mark.parametrize("line", ["| the same |\n", "the same\n\n", "- the same\n"])
def test_many_lines_that_are_alike_are_compared_in_linear_time(line: str) -> None:
    def compared(lines: int) -> int:
        old = line * lines
        return calls(lambda: differences(old, old + "one more\n"))

    assert compared(2_000) < 2.5 * compared(1_000)


@given(TEXTS, TEXTS)
def test_each_change_has_what_stands_at_its_lines_in_either_text(old: str, new: str) -> None:
    for change in differences(old, new):
        for line, text, kind in ((change.old_line, old, Kind.REMOVED), (change.new_line, new, Kind.ADDED)):
            if line is None:
                assert side(change, kind) == ""
            else:
                assert from_line(text, line).startswith(side(change, kind))


@given(TEXTS, TEXTS)
def test_a_word_that_only_one_text_has_is_told(old: str, new: str) -> None:
    changes = differences(old, new)
    for text, other, kind in ((old, new, Kind.REMOVED), (new, old, Kind.ADDED)):
        told = {word for c in changes for p in c.pieces if p.kind is kind for word in WORD.findall(p.text)}
        assert set(WORD.findall(text)) - set(WORD.findall(other)) <= told


def from_line(text: str, line: int) -> str:
    return "".join(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)[line - 1 :])
