"""Where a document stands that is reviewed in cycles."""

from __future__ import annotations

from dataclasses import dataclass

from stemma_contracts.v1.cycles import CyclePlan, CycleStatus
from stemma_contracts.v1.references import ArtifactRef


@dataclass(frozen=True)
class Cycle:
    """What was reviewed, what came of it, and what a person said to the result.

    ``revision_feedback`` is what the authors answer in the cycle that is under way, ``human_feedback`` what a person
    said before it, which counts until the final section is made. ``unmet_review`` asks for a revision and was gone
    on in spite of. ``approved`` is None while no person has decided.
    """

    plan: CyclePlan
    document_status: CycleStatus = CycleStatus.DRAFT
    revision_count: int = 0
    needs_revision: bool = False
    revision_feedback: ArtifactRef | None = None
    human_feedback: ArtifactRef | None = None
    unmet_review: ArtifactRef | None = None
    approved: bool | None = None
    human_revision_requested: bool = False

    @property
    def forced_continuation(self) -> bool:
        """Whether it went on although the last review asks for a revision."""
        return self.unmet_review is not None
