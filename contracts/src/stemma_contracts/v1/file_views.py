"""The views of files that leave a document, and of those that come back."""

from collections import Counter
from datetime import datetime
from typing import Literal

from pydantic import Field, computed_field

from stemma_contracts.base import Contract

from .answers import Problem
from .bids import RuleChecks
from .coverage import NotCovered
from .exports import Contradictions, Cover, ExportFormat, ExportRemark, ExportWarning, OverlongSection, VersionPair
from .references import ArtifactRef
from .returned import ReturnFigures

ExportState = Literal["under_way", "done", "failed"]


class ExportView(Contract):
    """One export: neither ``artifact`` nor ``failure`` while the converter is at work. ``verified``: of who asked."""

    export_id: str
    format: ExportFormat
    asked_by: str = ""
    verified: bool = False
    asked_at: datetime | None = None
    redline: tuple[VersionPair, ...] = ()
    citations: bool = False
    matrix: bool = False
    cover: Cover | None = None
    artifact: ArtifactRef | None = None
    warnings: tuple[ExportWarning, ...] = ()
    not_covered: tuple[NotCovered, ...] = ()
    too_long: tuple[OverlongSection, ...] = ()
    rules: RuleChecks = ()
    contradictions: Contradictions = ()
    remarks: tuple[ExportRemark, ...] = ()
    open_requirements: tuple[str, ...] = ()
    open_list: ArtifactRef | None = Field(default=None, description="CSV: those requirements and where they stand")
    proof: ArtifactRef | None = Field(default=None, description="Proof as JSON: what the file proves of itself")
    failure: str | None = None
    failure_problem: Problem | None = None

    @property
    def counts(self) -> dict[str, int]:
        """What a person should know of the file, each with how often it is so."""
        counted = ("open_requirements", "contradictions", "too_long", "not_covered")
        counts = Counter({name: len(getattr(self, name)) for name in counted})
        counts["broken_rules"] = sum(rule.state == "broken" for rule in self.rules)
        for warning in self.warnings:
            counts[warning.code] += warning.count
        return {name: count for name, count in counts.items() if count}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> ExportState:
        """How far it is."""
        return "done" if self.artifact else "failed" if self.failure is not None else "under_way"


class FormExportView(Contract):
    """A form with answers in it: neither ``artifact`` nor ``reasons`` why there is none while they are being written.

    ``answered`` and ``unanswered`` are its fields by their ids.
    """

    export_id: str
    input_id: str
    input_version: int
    section_id: str
    version: int
    artifact: ArtifactRef | None = None
    answered: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> ExportState:
        """How far it is."""
        return "done" if self.artifact else "failed" if self.reasons else "under_way"


class ReturnView(Contract):
    """A file that came back: neither ``found`` nor ``problem`` while it is being read.

    ``found`` is the ReturnedDocument as JSON; its digest is what is named to take it over. ``applied`` are the sections
    of which somebody did.
    """

    return_id: str
    file: ArtifactRef
    asked_by: str = ""
    verified: bool = False
    asked_at: datetime | None = None
    found: ArtifactRef | None = None
    figures: ReturnFigures = ReturnFigures()
    problem: Problem | None = None
    applied: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> ExportState:
        """How far its reading is."""
        return "done" if self.found else "failed" if self.problem else "under_way"
