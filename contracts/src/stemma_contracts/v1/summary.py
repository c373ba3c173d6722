"""The read model of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import AwareDatetime, Field, computed_field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token
from stemma_contracts.v1.section import Due

from .budgets import BudgetView
from .cycles import CycleSummary
from .document import BidOutcome, DocumentStatus
from .references import ArtifactRef
from .section import Activity, SectionStatus, Wait, waits_for
from .usage import MonthUsage, Usage

if TYPE_CHECKING:  # who lists documents reads no views
    from .views import SectionView


class SectionSummary(Contract):
    """One section in the read model of a document."""

    section_id: Token
    title: str
    status: SectionStatus
    activity: Activity | None = None
    version: int = 0
    stale: bool = False
    score: float | None = None
    issue_count: int = 0
    need_id: Token | None = None
    missing_blocks: int = Field(default=0, ge=0, description="blocks of the inputs that its text does not cover")
    proposal_id: Token | None = Field(default=None, description="of an edit that waits for a person")
    open_threads: int = Field(default=0, ge=0, description="threads of comments that nobody resolved")
    open_questions: int = Field(default=0, ge=0, description="those of them that wait for an answer")
    open_conflicts: int = Field(default=0, ge=0, description="where its new text and people changed the same")
    form_withdrawn: bool = Field(default=False, description="it answers a form that was withdrawn: nobody needs it")
    assignee: str = Field(default="", description="who is asked to see to it; empty: nobody in particular")
    due: Due | None = Field(default=None, description="when it is to be settled, as long as it is not")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def waits_for(self) -> tuple[Wait, ...]:
        """What of it waits for a person."""
        return waits_for(
            self.status,
            asks=self.need_id is not None or self.open_questions > 0,
            proposes=self.proposal_id is not None,
            stale=self.stale,
            form_withdrawn=self.form_withdrawn,
        )

    @classmethod
    def of(cls, section: SectionView, title: str) -> Self:
        """A section in short."""
        assignment, evaluation, validation = section.assignment, section.evaluation, section.validation
        return cls(
            section_id=section.section_id,
            title=title,
            status=section.status,
            activity=section.activity,
            version=section.version,
            stale=section.stale is not None,
            score=evaluation.score if evaluation and evaluation.judged else None,
            issue_count=section.issue_count,
            need_id=section.need.need_id if section.need and section.asks else None,
            missing_blocks=validation.coverage.missing_blocks if validation and validation.coverage else 0,
            proposal_id=section.proposal.proposal_id if section.proposal and section.proposes else None,
            open_threads=len(section.open_threads),
            open_questions=section.open_questions,
            open_conflicts=section.open_conflicts,
            form_withdrawn=section.form_withdrawn,
            assignee=assignment.assignee if assignment else "",
            due=assignment.due if assignment else None,
        )


class DocumentSummary(Contract):
    """The read model of a document; ``last_sequence`` is the stream sequence that it was folded to.

    Each section that rests has one of its own beside it (`SectionView`), which is as late as this one. Where there
    are so many sections that this would become large, their titles stand there alone.
    """

    document_id: Token
    kind: Token
    status: DocumentStatus
    title: ArtifactRef | None = None
    created_at: AwareDatetime
    last_sequence: int = Field(ge=0)
    sections: tuple[SectionSummary, ...] = ()
    cycle: CycleSummary | None = Field(default=None, description="of a document that is reviewed in cycles")
    language: str = Field(default="", max_length=35, description="BCP 47 primary tag")
    updated_at: AwareDatetime | None = None
    usage: Usage = Usage()
    month: MonthUsage | None = Field(default=None, description="of that usage, what came in the last month with any")
    budget: BudgetView | None = None
    input_count: int = Field(default=0, ge=0, description="the inputs are told by its first event")
    lacks_brief: bool = Field(default=False, description="the brief could not be read: a person has to give another")
    outlined_by: str = Field(default="", description="the request that demands its chapters; empty: no request does")
    outcome: BidOutcome = "open"
    rows: ArtifactRef | None = Field(default=None, description="LedgerRows as JSON: the demands that it answers")
