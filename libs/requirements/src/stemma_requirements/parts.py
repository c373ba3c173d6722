"""Rows that a person cut into several: one when they are compared, and cut at the same words when read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from stemma_contracts.v1.ledger import LedgerRow
from stemma_markdown import differing


def joined(rows: Sequence[LedgerRow]) -> tuple[list[LedgerRow], dict[str, list[LedgerRow]]]:
    """The rows with the parts of each one joined again, under the id of the whole, and those parts by that id."""
    parts: dict[str, list[LedgerRow]] = {}
    for row in rows:
        parts.setdefault(row.part_of or row.requirement_id, []).append(row)
    wholes = [own[0].model_copy(update={"requirement_id": name, "quote": _words(own)}) for name, own in parts.items()]
    return wholes, {name: own for name, own in parts.items() if own[0].part_of}


def cut_again(row: LedgerRow, parts: Sequence[LedgerRow]) -> Iterator[LedgerRow]:
    """The parts of a row as it reads now; one whose words are gone is none of them.

    Words that are new where two parts meet belong to the first of them.
    """
    words = row.quote.split(" ")
    for part, (start, end) in zip(parts, pairwise(_edges(parts, words)), strict=True):
        if start < end:
            about = {"requirement_id": part.requirement_id, "quote": " ".join(words[start:end])}
            yield row.model_copy(update=about | {"part_of": part.part_of, "parts_given": part.parts_given})


def _edges(parts: Sequence[LedgerRow], words: Sequence[str]) -> list[int]:
    """Where each part begins among the words of now, and where the last one ends."""
    before = _words(parts).split(" ")
    begins = list(accumulate(len(part.quote.split(" ")) for part in parts[:-1]))
    runs = [*differing(before, words)]
    return [0, *(_moved(begin, runs) for begin in begins), len(words)]


def _moved(place: int, runs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    """The place of now that was a place of before."""
    shift = 0
    for (start, end), (now, now_end) in runs:
        if place < start:
            break
        if place < end:
            return min(now + place - start, now_end)
        shift = now_end - end
    return place + shift


def _words(parts: Sequence[LedgerRow]) -> str:
    return " ".join(part.quote for part in parts)
