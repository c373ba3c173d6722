"""The read model of a document."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .assignment import Due
from .cycles import CycleSummary
from .document import DocumentStatus
from .exports import ExportFormat
from .references import ArtifactRef
from .section import Activity, SectionStatus
from .usage import Usage


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
    form_withdrawn: bool = Field(default=False, description="it answers a form that was withdrawn: nobody needs it")
    assignee: str = Field(default="", description="who is asked to see to it; empty: nobody in particular")
    due: Due | None = Field(default=None, description="when it is to be settled, as long as it is not")


class ExportEntry(Contract):
    """An export: neither ``artifact`` nor ``failure`` while the converter is at work."""

    export_id: Token
    format: ExportFormat
    artifact: ArtifactRef | None = None
    failure: str = Field(default="", max_length=300)


class FormExportEntry(Contract):
    """A form with answers in it: neither ``artifact`` nor ``failure`` while they are being written."""

    export_id: Token
    input_id: Token
    artifact: ArtifactRef | None = None
    failure: str = Field(default="", max_length=300, description="the first reason why there is no file")
    unanswered: int = Field(default=0, ge=0, description="fields without an answer")


class DocumentSummary(Contract):
    """The read model of a document; ``last_sequence`` is the stream sequence that it was folded to.

    Each section that rests has one of its own beside it (`SectionDetails`), which is as late as this one. Where there
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
    input_count: int = Field(default=0, ge=0, description="the inputs are told by its first event")
    exports: tuple[ExportEntry, ...] = Field(default=(), description="the latest")
    form_exports: tuple[FormExportEntry, ...] = Field(default=(), description="the latest forms with answers in them")
    lacks_brief: bool = Field(default=False, description="the brief could not be read: a person has to give another")
