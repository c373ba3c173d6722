"""What the core is asked to decide. Free text was stored before: commands hold references."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.values import ArtifactRef, ExportFormat, InputFile, SectionPlan


@dataclass(frozen=True)
class Asked:
    """Whose request it is; the digest is that of the request's body."""

    request_id: str
    digest: str
    actor: str


@dataclass(frozen=True)
class Create:
    asked: Asked
    tenant: str
    document_id: str
    kind: str
    title: ArtifactRef | None
    brief: ArtifactRef
    inputs: tuple[InputFile, ...]
    sections: tuple[SectionPlan, ...]
    blueprint_digest: str
    time: datetime


@dataclass(frozen=True)
class Approve:
    asked: Asked
    section_id: str
    version: int


@dataclass(frozen=True)
class Revise:
    asked: Asked
    section_id: str
    version: int
    feedback: ArtifactRef


@dataclass(frozen=True)
class Retry:
    asked: Asked
    section_id: str


@dataclass(frozen=True)
class Answer:
    asked: Asked
    section_id: str
    need_id: str
    answer: ArtifactRef


@dataclass(frozen=True)
class Pause:
    asked: Asked


@dataclass(frozen=True)
class Resume:
    asked: Asked


@dataclass(frozen=True)
class Cancel:
    asked: Asked


@dataclass(frozen=True)
class Export:
    asked: Asked
    format: ExportFormat


@dataclass(frozen=True)
class Record:
    """Take in what a worker says of a job."""

    outcome: Outcome


Decision = Approve | Revise | Retry | Answer
Steering = Pause | Resume | Cancel | Export
Request = Create | Decision | Steering
Command = Request | Record
