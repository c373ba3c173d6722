"""The requirement ledger of a document: where its rows are, and what people decided about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stemma_contracts.v1.ledger import AnsweredRows, LedgerSummary, RequirementStatus
from stemma_contracts.v1.references import ArtifactRef


@dataclass(frozen=True)
class Standing:
    """What people decided about a row. ``section_id`` and ``owner`` are empty as long as nobody has it."""

    confirmed: bool = False
    dropped: bool = False
    merged_into: str = ""
    section_id: str = ""
    owner: str = ""
    status: RequirementStatus = "open"

    @property
    def counts(self) -> bool:
        """Whether the row is a demand of its own."""
        return not self.dropped and not self.merged_into


UNDECIDED = Standing()


@dataclass(frozen=True)
class Ledger:
    """``job_id`` is that of the reading that is under way; ``rows`` and the rest are of the last one that ended.

    ``sources`` are the names of the inputs that are read, with ``brief`` the brief too. ``standings`` are kept for
    rows that were withdrawn as well.
    """

    sources: tuple[str, ...] = ()
    brief: bool = True
    job_id: str | None = None
    rows: ArtifactRef | None = None
    difference: ArtifactRef | None = None
    summary: LedgerSummary = field(default_factory=LedgerSummary)
    standings: Mapping[str, Standing] = field(default_factory=dict)
    failure: str = ""

    @property
    def row_ids(self) -> frozenset[str]:
        """The rows that there are."""
        return frozenset((*self.summary.mandatory, *self.summary.others))

    def standing(self, requirement_id: str) -> Standing:
        """What people decided about a row."""
        return self.standings.get(requirement_id, UNDECIDED)

    @property
    def answers(self) -> tuple[AnsweredRows, ...]:
        """The rows that count, by the section that answers them and how that stands."""
        groups: dict[tuple[str, RequirementStatus], list[str]] = {}
        for name in (*self.summary.mandatory, *self.summary.others):
            if (now := self.standing(name)).counts:
                groups.setdefault((now.section_id, now.status), []).append(name)
        return tuple(
            AnsweredRows(section_id=section_id, status=status, requirement_ids=tuple(ids))
            for (section_id, status), ids in groups.items()
        )

    @property
    def open_mandatory(self) -> tuple[str, ...]:
        """The rows that must be answered and that nobody says are."""
        return tuple(
            name for name in self.summary.mandatory if (now := self.standing(name)).counts and now.status == "open"
        )

    def assigned_to(self, section_id: str) -> tuple[str, ...]:
        """The rows that a section has to answer, the mandatory ones first."""
        rows = (*self.summary.mandatory, *self.summary.others)
        return tuple(name for name in rows if self._is_asked_of(self.standing(name), section_id))

    @staticmethod
    def _is_asked_of(standing: Standing, section_id: str) -> bool:
        return standing.counts and standing.section_id == section_id and standing.status != "not_applicable"
