"""What a reviewer fills in."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator
from stemma_contracts.v1.cycles import ReviewVerdict

from stemma_generation_graph.writing.schemas import Filled, Line, Prose

Severity = Literal["critical", "major", "minor"]
GRAVE: frozenset[Severity] = frozenset({"critical", "major"})


class ReviewFinding(Filled):
    """One thing that is wrong or missing in one section."""

    section: Line = Field(description="id of the section that it is about")
    severity: Severity = Field(description="critical: it would not work; major: it must be mended; minor: it may stay")
    finding: Prose = Field(description="what is wrong or missing, and where, in one or two sentences")
    suggestion: Prose = Field(description="what would mend it, in a sentence")


class Review(Filled):
    """What a review found. Whether a revision is needed is computed by severity."""

    summary: Prose = Field(description="two to four sentences: how good the sections are as a whole")
    findings: list[ReviewFinding] = Field(default=[], description="the gravest first; none if all is well")

    @field_validator("findings")
    @classmethod
    def _about_known_sections(cls, findings: list[ReviewFinding], info: ValidationInfo) -> list[ReviewFinding]:
        known = (info.context or {}).get("sections")
        unknown = sorted({finding.section for finding in findings} - set(known or ())) if known is not None else []
        if unknown:
            raise ValueError(f"unknown sections: {unknown}; there are {sorted(known or ())}")
        return findings

    @property
    def verdict(self) -> ReviewVerdict:
        """Whether a finding is grave enough for a revision, and how many there are of each severity."""
        counted: Counter[str] = Counter(finding.severity for finding in self.findings)
        return ReviewVerdict(needs_revision=bool(GRAVE & counted.keys()), findings=dict(counted))
