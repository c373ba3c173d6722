"""Which rows of the requirement ledger a page lists, and how far the ledger is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from pydantic import BaseModel
from stemma_client.ledgers import LedgerEntry
from stemma_contracts.v1.ledger import Obligation, RequirementKind, RequirementStatus

Decided = Literal["found", "confirmed", "dropped", "merged"]
NO_SECTION = "-"
"""What stands for the rows that nobody gave to a section, where a section is named."""
ON_A_PAGE = 100


class Filter(BaseModel):
    """The rows that are listed; what is empty limits nothing, but that rows which do not count are left out."""

    status: RequirementStatus | Literal[""] = ""
    decided: Decided | Literal[""] = ""
    kind: RequirementKind | Literal[""] = ""
    obligation: Obligation | Literal[""] = ""
    section: str = ""
    text: str = ""
    page: int = 1

    def lists(self, entry: LedgerEntry) -> bool:
        """Whether a row is among them."""
        row, standing = entry.row, entry.standing
        return (
            (self.decided == entry.decided if self.decided else entry.counts)
            and self.status in ("", standing.status)
            and self.kind in ("", row.kind)
            and self.obligation in ("", row.obligation)
            and self.section in ("", standing.section_id or NO_SECTION)
            and self.text.strip().casefold() in _words(entry)
        )

    def query(self, **other: object) -> str:
        """The same filter in an address, with something in it changed."""
        given = {name: value for name, value in {**self.model_dump(exclude_defaults=True), **other}.items() if value}
        return urlencode(given)


def filter_of(
    status: RequirementStatus | Literal[""] = "",
    decided: Decided | Literal[""] = "",
    kind: RequirementKind | Literal[""] = "",
    obligation: Obligation | Literal[""] = "",
    section: Annotated[str, Query(max_length=64)] = "",
    text: Annotated[str, Query(max_length=300)] = "",
    page: Annotated[int, Query(ge=1, le=1000)] = 1,
) -> Filter:
    """The filter in the address of a page."""
    return Filter(
        status=status, decided=decided, kind=kind, obligation=obligation, section=section, text=text, page=page
    )


Wanted = Annotated[Filter, Depends(filter_of)]


@dataclass(frozen=True)
class Listed:
    """A page of the rows that a filter lists."""

    entries: tuple[LedgerEntry, ...]
    total: int
    page: int
    pages: int


def listed(entries: Iterable[LedgerEntry], wanted: Filter) -> Listed:
    """The rows of the page that is wanted, the last one if there are not so many."""
    found = [entry for entry in entries if wanted.lists(entry)]
    pages = max(1, -(-len(found) // ON_A_PAGE))
    page = min(wanted.page, pages)
    return Listed(tuple(found[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]), len(found), page, pages)


@dataclass(frozen=True)
class Coverage:
    """How the rows stand that count: by status, those that nobody confirmed, those of no section."""

    rows: int
    by_status: Mapping[RequirementStatus, int]
    mandatory: int
    open_mandatory: int
    unconfirmed: int
    unassigned: int

    def bars(self) -> Iterator[tuple[RequirementStatus, int, int]]:
        """Each status with where its part of a bar begins and how long it is, in rows."""
        at = 0
        for status, count in self.by_status.items():
            yield status, at, count
            at += count


STATUSES: tuple[RequirementStatus, ...] = ("verified", "addressed", "not_applicable", "open")


def coverage_of(entries: Sequence[LedgerEntry], open_mandatory: Sequence[str]) -> Coverage:
    """The coverage of a ledger, or of the rows of a section; what must be answered and is not is told with it."""
    counted = [entry for entry in entries if entry.counts]
    statuses = Counter(entry.standing.status for entry in counted)
    names = {entry.row.requirement_id for entry in counted}
    return Coverage(
        len(counted),
        {status: statuses[status] for status in STATUSES},
        sum(entry.row.obligation == "mandatory" for entry in counted),
        len(names.intersection(open_mandatory)),
        sum(entry.decided == "found" for entry in counted),
        sum(not entry.standing.section_id for entry in counted),
    )


def by_section(entries: Sequence[LedgerEntry], open_mandatory: Sequence[str]) -> Mapping[str, Coverage]:
    """The coverage of each section that has rows."""
    rows: dict[str, list[LedgerEntry]] = {}
    for entry in entries:
        if entry.counts and entry.standing.section_id:
            rows.setdefault(entry.standing.section_id, []).append(entry)
    return {name: coverage_of(of, open_mandatory) for name, of in rows.items()}


def _words(entry: LedgerEntry) -> str:
    row = entry.row
    told = (row.requirement_id, row.quote, row.announced_by, row.source, row.place, *row.headings)
    return " ".join((*told, entry.standing.owner)).casefold()
