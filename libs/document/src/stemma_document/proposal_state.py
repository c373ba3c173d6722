"""An edit of a settled section that a person has still to accept; it stands beside the section's phase."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationSummary

from .persons import NOBODY, Person


@dataclass(frozen=True)
class Proposing:
    """The editor agent has an open job on the version."""

    proposal_id: str
    job_id: str
    version: int
    instruction: ArtifactRef
    asker: Person = NOBODY
    asked_at: datetime | None = None


@dataclass(frozen=True)
class Proposed:
    """The changed text waits for a person; ``check`` is the open job that validates it.

    ``unchecked`` says why that could not be done.
    """

    proposal_id: str
    version: int
    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance
    check: str | None = None
    asker: Person = NOBODY
    asked_at: datetime | None = None
    made_at: datetime | None = None
    base_digest: str = ""
    validation: ValidationSummary | None = None
    unchecked: str = ""


ProposalEnd = Literal["accepted", "rejected", "voided", "refused", "failed"]
"""By a person, by a newer version, or by the editor agent, which made nothing to be proposed."""


@dataclass(frozen=True)
class EndedProposal:
    """What became of a proposed edit of a version."""

    version: int
    how: ProposalEnd


Proposal = Proposing | Proposed
