"""Rows of the requirement ledger cut into several, each with a piece of the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import MOST_ROWS, LedgerRow, LedgerRows, RowCuts, RowParts


class WrongCutError(ValueError):
    """A cut that cannot be made; ``problem`` names its field in the request."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def split_rows(ledger: LedgerRows, splits: Sequence[RowCuts]) -> tuple[LedgerRows, tuple[RowParts, ...]]:
    """The ledger with rows cut, and the ids of their new parts.

    A part of a row is numbered after all that the row ever had, so that no id is given twice, and parts of parts are
    parts of the row. Raises `WrongCutError` for a row that is not there, for a cut that is not before a word, and if
    the ledger would have too many rows.
    """
    known = {row.requirement_id: row for row in ledger.rows}
    for position, split in enumerate(splits):
        _check(split, known, f"splits.{position}")
    if len(ledger.rows) + sum(len(split.cuts) for split in splits) > MOST_ROWS:
        raise WrongCutError(Problem.of("rows_too_many", "splits", max_rows=MOST_ROWS))
    parts, given = _numbered(splits, known)
    cuts = {split.requirement_id: split.cuts for split in splits}
    rows = (part for row in ledger.rows for part in _parts(row, cuts, parts, given))
    told = tuple(RowParts(requirement_id=name, parts=ids) for name, ids in parts.items())
    return ledger.model_copy(update={"rows": tuple(rows)}), told


def _check(split: RowCuts, known: Mapping[str, LedgerRow], field: str) -> None:
    row = known.get(split.requirement_id)
    if row is None:
        about = {"requirement_id": split.requirement_id}
        raise WrongCutError(Problem.of("row_unknown", f"{field}.requirement_id", **about))
    for number, cut in enumerate(split.cuts):
        if cut >= len(row.quote) or row.quote[cut - 1] != " ":
            where, name = f"{field}.cuts.{number}", row.requirement_id
            raise WrongCutError(Problem.of("cut_within_word", where, requirement_id=name, position=cut))


def _numbered(
    splits: Sequence[RowCuts], known: Mapping[str, LedgerRow]
) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """The ids of the new parts of each row, and the highest number of each row that has parts now."""
    parts, given = dict[str, tuple[str, ...]](), dict[str, int]()
    for split in splits:
        row = known[split.requirement_id]
        whole = _whole(row)
        first = given.get(whole, max(1, row.parts_given)) + 1
        given[whole] = first + len(split.cuts) - 1
        parts[row.requirement_id] = tuple(f"{whole}-{number}" for number in range(first, given[whole] + 1))
    return parts, given


def _parts(
    row: LedgerRow,
    cuts: Mapping[str, Sequence[int]],
    parts: Mapping[str, Sequence[str]],
    given: Mapping[str, int],
) -> Iterator[LedgerRow]:
    """The row with its new parts; one that others of its whole were cut from knows of the ids that they got."""
    whole = _whole(row)
    if whole not in given:
        yield row
        return
    edges = (0, *cuts.get(row.requirement_id, ()), len(row.quote) + 1)
    names = (row.requirement_id, *parts.get(row.requirement_id, ()))
    for name, (start, end) in zip(names, pairwise(edges), strict=True):
        about = {"requirement_id": name, "quote": row.quote[start : end - 1]}
        yield row.model_copy(update=about | {"part_of": whole, "parts_given": given[whole]})


def _whole(row: LedgerRow) -> str:
    return row.part_of or row.requirement_id
