"""The requirement ledger of a document: where its rows are, and what people decided about each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stemma_contracts.v1.ledger import LedgerSummary, LedgerWarning, RequirementStatus, SecondOpinion
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import RowView

Wordings = Mapping[str, int]
"""Rows by their ids, each in the wording that it had: how often it was changed by then."""


@dataclass(frozen=True)
class Sought:
    """What was found when a row, in a wording, was looked for in a text: a block that answers it, surely or not."""

    wording: int
    block_id: str = ""
    sure: bool = True


class Standing(RowView):
    """What people decided about a row.

    ``said`` is what a person said of the answer, None if nobody did: of the text of its section with the digest
    ``said_of``, and of the row in the wording ``said_wording``. Somebody last ``looked`` at the row in a wording, and
    at the text of its section with the digest ``looked_of``; empty: there was none, or nobody did.
    """

    said: RequirementStatus | None = None
    said_of: str = ""
    said_wording: int = 0
    looked: int | None = None
    looked_of: str = ""

    @property
    def counts(self) -> bool:
        """Whether the row is a demand of its own."""
        return not self.dropped and not self.merged_into


UNDECIDED = Standing()


@dataclass(frozen=True)
class Ledger:
    """``job_id`` is that of the reading that is under way; ``rows`` and the rest are of the last one that ended.

    Every request of the buyer is read, with ``brief`` the brief too; ``read`` has the digests that the requests had
    when the reading began, by their names. ``sources`` are names that somebody gave. ``standings`` are kept for rows
    that were withdrawn as well. ``wordings`` are those of the rows that were ever changed.

    ``opinion_job_id`` is that of a model that is being asked, ``wants_opinion`` whether one is after the reading that
    is under way, ``opinion`` what the last one said. ``asked_before`` are all those jobs, the latest first. ``closed``
    are the warnings that a person looked into.
    """

    sources: tuple[str, ...] = ()
    read: Mapping[str, str] = field(default_factory=dict)
    brief: bool = True
    job_id: str | None = None
    rows: ArtifactRef | None = None
    difference: ArtifactRef | None = None
    summary: LedgerSummary = field(default_factory=LedgerSummary)
    standings: Mapping[str, Standing] = field(default_factory=dict)
    failure: str = ""
    wordings: Wordings = field(default_factory=dict)
    wants_opinion: bool = False
    opinion_job_id: str | None = None
    opinion: SecondOpinion | None = None
    asked_before: tuple[str, ...] = ()
    closed: tuple[LedgerWarning, ...] = ()

    @property
    def warnings(self) -> tuple[LedgerWarning, ...]:
        return tuple(one for one in self.summary.warnings if one not in self.closed)

    @property
    def row_ids(self) -> frozenset[str]:
        return frozenset(self)

    def __iter__(self) -> Iterator[str]:
        """The rows that there are, the mandatory ones first."""
        yield from self.summary.mandatory
        yield from self.summary.others

    def standing(self, requirement_id: str) -> Standing:
        return self.standings.get(requirement_id, UNDECIDED)

    def wording(self, requirement_id: str) -> int:
        return self.wordings.get(requirement_id, 0)

    def said(self, requirement_id: str) -> RequirementStatus | None:
        """What a person said of the answer to a row, as long as it reads as it did then."""
        standing = self.standing(requirement_id)
        return standing.said if standing.said_wording == self.wording(requirement_id) else None

    def assigned_to(self, section_id: str) -> tuple[str, ...]:
        """The rows that a section has to answer, the mandatory ones first."""
        return tuple(name for name in self if self._is_asked_of(name, section_id))

    def _is_asked_of(self, requirement_id: str, section_id: str) -> bool:
        standing = self.standing(requirement_id)
        return standing.counts and standing.section_id == section_id and self.said(requirement_id) != "not_applicable"
