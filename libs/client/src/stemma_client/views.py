"""What is known of a document: a small read model that the reader folds by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stemma_contracts.v1.values import (
    Activity,
    ArtifactRef,
    DocumentStatus,
    Evaluation,
    ExportFormat,
    ExportWarning,
    Need,
    SectionStatus,
    Usage,
    ValidationSummary,
)


@dataclass(frozen=True)
class SectionView:
    """One section: ``version`` 0 means that nothing was written yet; ``failure`` is the last one, in short."""

    section_id: str
    title: str
    kind: str
    status: SectionStatus = SectionStatus.QUEUED
    activity: Activity | None = None
    version: int = 0
    draft: ArtifactRef | None = None
    evaluation: Evaluation | None = None
    validation: ValidationSummary | None = None
    lint_round: int = 0
    need: Need | None = None
    refusal: ArtifactRef | None = None
    failure: str | None = None
    failed_at: Activity | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for a person: for a review, or for an answer that no service can give."""
        asks = self.need is not None and self.need.kind in ("question", "upload")
        return asks or self.status is SectionStatus.AWAITING_REVIEW

    @property
    def at_work(self) -> bool:
        """Whether a service is at work on it, or soon will be."""
        return self.status is SectionStatus.GENERATING and not self.waits

    @property
    def issue_count(self) -> int:
        """Lint issues of the current version, as far as they are known."""
        return self.validation.issue_count if self.validation else 0


@dataclass(frozen=True)
class ExportView:
    """One export: neither ``artifact`` nor ``failure`` while the converter is at work."""

    export_id: str
    format: ExportFormat
    artifact: ArtifactRef | None = None
    warnings: tuple[ExportWarning, ...] = ()
    failure: str | None = None


@dataclass(frozen=True)
class DocumentView:
    """A document as its events tell it; ``last_sequence`` is the stream sequence of the last one."""

    document_id: str
    kind: str = ""
    status: DocumentStatus = DocumentStatus.RUNNING
    title: ArtifactRef | None = None
    created_at: datetime | None = None
    sections: Mapping[str, SectionView] = field(default_factory=dict)
    exports: Mapping[str, ExportView] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    last_sequence: int = 0

    @property
    def waiting(self) -> tuple[SectionView, ...]:
        """The sections that wait for a person."""
        return tuple(s for s in self.sections.values() if s.waits)

    @property
    def at_work(self) -> bool:
        """Whether any service is at work on a section of it."""
        return any(s.at_work for s in self.sections.values())
