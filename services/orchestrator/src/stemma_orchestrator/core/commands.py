"""What the core is asked to decide. Free text was stored before: commands hold references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.section import SectionPlan


@dataclass(frozen=True)
class RequestMeta:
    """Whose request it is; the digest is that of the request's body.

    The actor is ``verified`` if the server vouches for it, else it is what the caller claims.
    """

    request_id: str
    digest: str
    actor: str
    verified: bool = False


@dataclass(frozen=True)
class Create:
    asked: RequestMeta
    tenant: str
    document_id: str
    kind: str
    title: ArtifactRef | None
    brief: ArtifactRef
    inputs: tuple[InputFile, ...]
    sections: tuple[SectionPlan, ...]
    blueprint_digest: str
    time: datetime
    cycle: CyclePlan | None = None
    language: str = ""


@dataclass(frozen=True)
class Approve:
    asked: RequestMeta
    section_id: str
    version: int


@dataclass(frozen=True)
class Revise:
    asked: RequestMeta
    section_id: str
    version: int
    feedback: ArtifactRef
    cycle: bool = False
    replace_edited: bool = False


@dataclass(frozen=True)
class Write:
    """Give a section the text of a person; ``version`` 0: nothing was written yet."""

    asked: RequestMeta
    section_id: str
    version: int
    draft: ArtifactRef


@dataclass(frozen=True)
class Edit:
    """Ask the editor agent for a change of any section, at any time."""

    asked: RequestMeta
    section_id: str
    version: int
    instruction: ArtifactRef


@dataclass(frozen=True)
class AcceptEdit:
    """Make a proposed edit the version; ``version`` is the one that it would change."""

    asked: RequestMeta
    section_id: str
    version: int
    proposal_id: str


@dataclass(frozen=True)
class RejectEdit:
    asked: RequestMeta
    section_id: str
    version: int
    proposal_id: str


@dataclass(frozen=True)
class Keep:
    asked: RequestMeta
    section_id: str
    version: int


@dataclass(frozen=True)
class Regenerate:
    asked: RequestMeta
    section_id: str
    version: int
    guidance: ArtifactRef | None
    replace_edited: bool


@dataclass(frozen=True)
class KeepSeveral:
    """Keep all of these sections, or none."""

    asked: RequestMeta
    sections: tuple[SeenVersion, ...]


@dataclass(frozen=True)
class RegenerateSeveral:
    """Have all of these sections written anew, or none."""

    asked: RequestMeta
    sections: tuple[SeenVersion, ...]
    guidance: ArtifactRef | None
    replace_edited: bool


@dataclass(frozen=True)
class Restore:
    asked: RequestMeta
    section_id: str
    version: int
    restore_version: int


@dataclass(frozen=True)
class Retry:
    asked: RequestMeta
    section_id: str


@dataclass(frozen=True)
class Answer:
    asked: RequestMeta
    section_id: str
    need_id: str
    answer: ArtifactRef
    form: str = ""
    decisions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    asked: RequestMeta


@dataclass(frozen=True)
class Resume:
    asked: RequestMeta


@dataclass(frozen=True)
class Cancel:
    asked: RequestMeta


@dataclass(frozen=True)
class Export:
    asked: RequestMeta
    format: ExportFormat
    redline: tuple[VersionPair, ...] = ()


@dataclass(frozen=True)
class Record:
    """Take in what a worker says of a job."""

    outcome: Outcome


EditCommand = Write | Edit | Keep | Regenerate | Restore
Decision = Approve | Revise | Retry | Answer | AcceptEdit | RejectEdit | EditCommand
Several = KeepSeveral | RegenerateSeveral
DocumentCommand = Pause | Resume | Cancel | Export
Request = Create | Decision | Several | DocumentCommand
Command = Request | Record
