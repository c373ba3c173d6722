"""Rows of the requirement ledger that are cut into several."""

from __future__ import annotations

import pytest
from stemma_contracts.v1.ledger import MOST_ROWS, LedgerRow, LedgerRows, RowCuts
from stemma_domain.features.ledger.feature import WrongCutError, split_rows

pytestmark = pytest.mark.req("L1")

QUOTE = "The contractor shall train users, write a manual and keep records."


def row(name: str, quote: str = QUOTE) -> LedgerRow:
    return LedgerRow(
        requirement_id=name, source="rfp.md", line=7, quote=quote, kind="work", obligation="should", place="p. 3"
    )


def cuts(name: str, *beginnings: str, of: str = QUOTE) -> RowCuts:
    return RowCuts(requirement_id=name, cuts=tuple(map(of.index, beginnings)))


LEDGER = LedgerRows(given=2, rows=(row("R1"), row("R2", "Answer calls within one hour.")))


def test_each_part_has_a_piece_of_the_words_and_all_else_of_the_row() -> None:
    cut, parts = split_rows(LEDGER, [cuts("R1", "write", "and keep")])
    assert [(one.requirement_id, one.quote) for one in cut.rows] == [
        ("R1", "The contractor shall train users,"),
        ("R1-2", "write a manual"),
        ("R1-3", "and keep records."),
        ("R2", "Answer calls within one hour."),
    ]
    assert [(one.requirement_id, one.parts) for one in parts] == [("R1", ("R1-2", "R1-3"))]
    assert {(one.place, one.obligation, one.part_of, one.parts_given) for one in cut.rows[:3]} == {
        ("p. 3", "should", "R1", 3)
    }
    assert cut.rows[3] == LEDGER.rows[1]


def test_parts_of_parts_are_parts_of_the_row_with_numbers_of_their_own() -> None:
    once, _ = split_rows(LEDGER, [cuts("R1", "write")])
    twice, _ = split_rows(once, [cuts("R1-2", "and keep", of=once.rows[1].quote), cuts("R1", "train")])
    assert [one.requirement_id for one in twice.rows] == ["R1", "R1-4", "R1-2", "R1-3", "R2"]
    assert " ".join(one.quote for one in twice.rows[:4]) == QUOTE
    assert {one.parts_given for one in twice.rows[:4]} == {4}


@pytest.mark.parametrize(
    ("split", "field"),
    [
        (RowCuts(requirement_id="R9", cuts=(4,)), "splits.0.requirement_id"),
        (RowCuts(requirement_id="R1", cuts=(4, 6)), "splits.0.cuts.1"),
        (RowCuts(requirement_id="R1", cuts=(len(QUOTE),)), "splits.0.cuts.0"),
    ],
)
def test_refuses_a_row_that_is_not_there_and_a_cut_within_a_word_or_behind_the_last(split: RowCuts, field: str) -> None:
    with pytest.raises(WrongCutError) as refused:
        split_rows(LEDGER, [split])
    assert refused.value.problem.field == field


def test_refuses_more_rows_than_a_ledger_can_have() -> None:
    full = LedgerRows(given=MOST_ROWS, rows=tuple(row(f"R{number}") for number in range(MOST_ROWS)))
    with pytest.raises(WrongCutError, match=f"at most {MOST_ROWS} rows"):
        split_rows(full, [cuts("R1", "write")])
