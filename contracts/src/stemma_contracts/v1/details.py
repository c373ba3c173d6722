"""The read model of a section: all that a page about it shows, with what is large or old by reference."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token

from .assignment import Due
from .evaluation import Evaluation
from .inputs import ChangedInput
from .ledger import RequirementChange
from .needs import Need
from .provenance import GenerationWarning, Origin
from .references import ArtifactRef
from .section import Activity, SectionStatus
from .staleness import StaleReason
from .validation import ValidationSummary


class StaleState(Contract):
    """Why a section is stale now, and the event that made it so: its time, its sequence, the section it is about."""

    reasons: tuple[StaleReason, ...]
    since: AwareDatetime | None = None
    sequence: int = Field(default=0, ge=0)
    cause: Token | None = None
    inputs: tuple[ChangedInput, ...] = ()
    requirements: tuple[RequirementChange, ...] = ()


class VersionEntry(Contract):
    """One version of a section; the event at ``sequence`` of the log tells how it was made."""

    number: int = Field(ge=1)
    draft: ArtifactRef
    origin: Origin
    made_by: str = Field(default="", description="the person who wrote it or asked for it, else the model")
    verified: bool = Field(default=False, description="whether the server knew that person")
    made_at: AwareDatetime | None = None
    restored_version: int | None = None
    sequence: int = Field(default=0, ge=0)


class ProposalEntry(Contract):
    """An edit of the version that a person has still to accept; no ``draft`` while the editor agent is at work."""

    proposal_id: Token
    version: int = Field(ge=1)
    asked_by: str = ""
    verified: bool = False
    asked_at: AwareDatetime | None = None
    made_at: AwareDatetime | None = None
    draft: ArtifactRef | None = None
    summary: ArtifactRef | None = None
    base_digest: Digest | None = None
    checking: bool = False
    validation: ValidationSummary | None = None
    unchecked: str = Field(default="", description="why its text could not be validated")


class SectionDetails(Contract):
    """The read model of a section, under a key of its own beside that of its document.

    It is written when the section rests, waits or failed and something in it changed, as of ``last_sequence`` of the
    log: while it is made, the read model of its document tells where it stands. Of many versions the latest stand here;
    ``earlier_versions`` counts the others.
    """

    document_id: Token
    section_id: Token
    title: str
    kind: Token
    graph: Token
    purpose: str = ""
    depends_on: tuple[Token, ...] = ()
    covers_inputs: bool = False
    last_sequence: int = Field(ge=0)
    status: SectionStatus
    activity: Activity | None = None
    checks: tuple[Activity, ...] = Field(default=(), description="looks at the version that change no status")
    lint_round: int = Field(default=0, ge=0)
    version: int = Field(default=0, ge=0, description="the current one; 0: nothing is written")
    versions: tuple[VersionEntry, ...] = ()
    earlier_versions: int = Field(default=0, ge=0)
    evaluation: Evaluation | None = None
    validation: ValidationSummary | None = None
    warnings: tuple[GenerationWarning, ...] = ()
    stale: StaleState | None = None
    need: Need | None = None
    more_references: int = Field(
        default=0, ge=0, description="references that the need has beyond those that stand here"
    )
    proposal: ProposalEntry | None = None
    asked_by: str = Field(default="", description="who asked for the last edit or revision")
    refusal: ArtifactRef | None = Field(default=None, description="why the editor agent did not make it")
    failure: str = Field(default="", max_length=400, description="the last one, in short")
    missing: tuple[Token, ...] | None = Field(default=None, description="what was not there to write from")
    waits_since: AwareDatetime | None = None
    open_threads: int = Field(default=0, ge=0, description="threads of comments that nobody resolved")
    assignee: str = Field(default="", description="who is asked to see to it; empty: nobody in particular")
    due: Due | None = Field(default=None, description="when it is to be settled, as long as it is not")
    assigned_by: str = ""
    assigned_at: AwareDatetime | None = None
