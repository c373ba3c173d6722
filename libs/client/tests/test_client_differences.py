from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_client.differences import Change, Kind, Piece, differences

TEXTS = st.lists(st.sampled_from(["a", "b", "word", "other", " ", "  ", "\n", "\n\n", "é", "-"]), max_size=40).map(
    "".join
)


def side(change: Change, kind: Kind) -> str:
    return "".join(piece.text for piece in change.pieces if piece.kind in (Kind.SAME, kind))


def test_tells_the_words_that_differ_and_the_line() -> None:
    (change,) = differences("# Plan\n\nIt takes 12 weeks.\n", "# Plan\n\nIt takes 10 weeks.\n")

    assert (change.old_line, change.new_line) == (3, 3)
    assert change.pieces == (
        Piece(Kind.SAME, "It takes "),
        Piece(Kind.REMOVED, "12"),
        Piece(Kind.ADDED, "10"),
        Piece(Kind.SAME, " weeks.\n"),
    )
    assert (change.words(Kind.REMOVED), change.words(Kind.ADDED)) == (1, 1)


def test_a_sentence_that_is_added_takes_nothing_with_it() -> None:
    (change,) = differences("One.\n", "One. And two.\n")

    assert change.pieces == (Piece(Kind.SAME, "One."), Piece(Kind.ADDED, " And two."), Piece(Kind.SAME, "\n"))


def test_the_same_text_has_no_differences() -> None:
    assert differences("One.\nTwo.\n", "One.\nTwo.\n") == ()


@pytest.mark.parametrize(("old", "new", "kind"), [("", "One.\n", Kind.ADDED), ("One.\n", "", Kind.REMOVED)])
def test_all_of_a_text_can_come_or_go(old: str, new: str, kind: Kind) -> None:
    (change,) = differences(old, new)

    assert {piece.kind for piece in change.pieces} <= {kind, Kind.SAME}
    assert change.words(kind) == 1


@given(TEXTS, TEXTS)
def test_changes_turn_one_text_into_the_other(old: str, new: str) -> None:
    lines = old.splitlines(keepends=True)
    for change in reversed(differences(old, new)):
        before, after = side(change, Kind.REMOVED), side(change, Kind.ADDED)
        first = change.old_line - 1
        last = first + len(before.splitlines())
        assert "".join(lines[first:last]) == before
        lines[first:last] = [after]

    assert "".join(lines) == new
