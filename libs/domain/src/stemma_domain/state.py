"""The state of a document: a fold of its events.

A section is in exactly one phase; a field exists only in the phases where it has a meaning. What belongs to one feature
alone (an input, the ledger, a proposal, a thread) is in that feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from pydantic import Field
from rpds import HashTrieMap, HashTrieSet
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.document import BidOutcome, DocumentStatus
from stemma_contracts.v1.events import Event
from stemma_contracts.v1.inputs import InputVersion
from stemma_contracts.v1.jobs import OutlineEntry
from stemma_contracts.v1.library import ReuseView
from stemma_contracts.v1.needs import Answerer, GivenAnswer, Need
from stemma_contracts.v1.outline import PlanWording
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import Activity, SectionPlan, SectionStatus
from stemma_contracts.v1.staleness import TextDifference, UpstreamVersion
from stemma_contracts.v1.usage import MonthUsage, Usage
from stemma_contracts.v1.validation import OPEN_HEADING
from stemma_contracts.v1.views import AssignmentView, StaleView, ThreadView, VersionView

from .costs import Costs
from .features.ledger.state import Sought, Wordings
from .features.library.state import NO_ENTRY, Entry

if TYPE_CHECKING:  # a feature knows the document; the document only names what a feature keeps in it
    from stemma_domain.features.inputs.material import Input

    from .features.budget import Spending
    from .features.cycles import Cycle
    from .features.erasure import Erasure
    from .features.exports import Export
    from .features.forms import FormExport
    from .features.ledger.state import Ledger
    from .features.proposals import EndedProposal, Proposal
    from .features.returns import Return


@dataclass(frozen=True)
class Person:
    """A person whom the server knew (``verified``), or whom a program named; no name if the log says none."""

    name: str = ""
    verified: bool = False


NOBODY = Person()


def person_of(event: Event) -> Person:
    """The person behind an event."""
    return Person(event.actor, event.actor_verified) if event.actor else NOBODY


@dataclass(frozen=True)
class LastFailure:
    """The last failure; one ``aside`` was that of a check or of an edit that was to be proposed."""

    event: e.SectionFailure
    aside: bool


@dataclass(frozen=True)
class Notes:
    """Notes on a section. ``asker`` asked for the last edit or revision; ``refusal`` says why one was not made.

    ``stale`` says since when it is, not why.
    """

    asker: Person = NOBODY
    lint_round: int = 0
    refusal: ArtifactRef | None = None
    failure: LastFailure | None = None
    waits_since: datetime | None = None
    activity_since: datetime | None = None
    stale: StaleView | None = None


NO_NOTES = Notes()

NO_USAGE = Usage()


class Version(VersionView):
    """One version of a section's text, with what decisions rest on beside what its view tells.

    ``author`` is the person, or else the agent; empty if the log does not say. ``requirements`` are the rows of the
    ledger that it rests on, in which wording, and ``sought`` those that were looked for in it. ``renewed``: a machine
    wrote it anew, and what people had written was merged into it. ``difference`` is that from the version before, if it
    is known. ``current_from`` is the sequence from which on it was the text.
    """

    review: ReviewVerdict | None = None
    author: str = ""
    left_out: ArtifactRef | None = None
    requirements: Wordings = Field(default={})
    sought: Mapping[str, Sought] = Field(default={})
    renewed: bool = False
    difference: TextDifference | None = None
    current_from: int = 0


MOST_NAMES = 16
MOST_ANSWERS = 50
"""A job carries the latest only; 50 answers are about 15 KB."""


@dataclass(frozen=True)
class Tries:
    """The tries at one writing.

    Calls of the current one are recorded under ``recorded_as``, by default under its thread; ``before`` are the names
    of earlier ones, latest first. People gave ``answers`` to earlier ones, and ``given`` to the current one.
    """

    recorded_as: str = ""
    before: tuple[str, ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    given: tuple[GivenAnswer, ...] = ()


NO_TRIES = Tries()


def answered(tries: Tries, need: Need, answer: ArtifactRef) -> Tries:
    """The tries after a person answered a question."""
    if need.question is None:
        return tries
    return replace(tries, given=(*tries.given, GivenAnswer(question=need.question.digest, answer=answer)))


def resumed_again(tries: Tries, thread_id: str, job_id: str) -> Tries:
    """The tries when the same thread is resumed by another job: what that one asks of models is asked anew."""
    return replace(tries, recorded_as=job_id, before=_names_before(tries, thread_id))


def begun_again(tries: Tries, thread_id: str) -> Tries:
    """The tries when all begins anew, on another thread."""
    return Tries("", _names_before(tries, thread_id), (*tries.answers, *tries.given)[-MOST_ANSWERS:])


def _names_before(tries: Tries, thread_id: str) -> tuple[str, ...]:
    names = (tries.recorded_as, thread_id, *tries.before)
    return tuple(dict.fromkeys(filter(None, names)))[:MOST_NAMES]


@dataclass(frozen=True)
class Queued:
    """Waits until every direct upstream is settled and fresh."""

    guidance: ArtifactRef | None = None
    tries: Tries = NO_TRIES


@dataclass(frozen=True)
class Generating:
    """A generation job is open. In a lint round there is a report on the current version."""

    job_id: str
    upstream: tuple[UpstreamVersion, ...]
    guidance: ArtifactRef | None = None
    round: int = 0
    report: ArtifactRef | None = None
    tries: Tries = NO_TRIES
    inputs: tuple[InputVersion, ...] = ()
    requirements: Wordings = field(default_factory=dict)
    quote_only: bool = False


@dataclass(frozen=True)
class AwaitingAnswer:
    """The graph paused; the section waits for an answer, for days if need be."""

    thread_id: str
    need: Need
    generating: Generating


@dataclass(frozen=True)
class NeedDispatched:
    """The graph paused, and a service has an open job to meet what it needs."""

    job_id: str
    thread_id: str
    need: Need
    generating: Generating


@dataclass(frozen=True)
class Resuming:
    """The answer is there, or it failed to come, and a job to go on with the paused graph is open.

    ``retried`` says that it is not the first such job: if it dies too, the thread is given up.
    """

    job_id: str
    thread_id: str
    checkpoint_id: str
    answer: ArtifactRef
    generating: Generating
    answered_by: Answerer = "person"
    failed: bool = False
    detail: str = ""
    retried: bool = False


@dataclass(frozen=True)
class Validating:
    """The validator has an open job on the current version.

    ``generating`` is the phase that wrote it, which a lint round goes back to; None for a revision.
    """

    job_id: str
    generating: Generating | None = None


@dataclass(frozen=True)
class AwaitingReview:
    """The current version waits for a person."""


@dataclass(frozen=True)
class Approved:
    """The current version is settled."""


@dataclass(frozen=True)
class Edited:
    """The current version is settled, and a person's doing."""


Resting = AwaitingReview | Approved | Edited


@dataclass(frozen=True)
class Revising:
    """The editor agent has an open job on the current version.

    ``edit`` says whether the result is settled at once (an edit) or reviewed (a revision); without a result
    the section is as ``before``: at rest, or to be written as it was going to be.
    """

    job_id: str
    instruction: ArtifactRef
    edit: bool
    before: Resting | Queued
    tries: Tries = NO_TRIES


@dataclass(frozen=True)
class Failed:
    """A job ended without a result; ``again`` is the phase to go back to if a draft or a paused graph is there.

    Without one a retry writes the section anew, by the same ``guidance`` and with what the ``tries`` left.
    """

    activity: Activity
    again: Validating | Resuming | None = None
    guidance: ArtifactRef | None = None
    tries: Tries = NO_TRIES


Working = Generating | NeedDispatched | Resuming | Revising | Validating
Phase = Queued | Working | AwaitingAnswer | Resting | Failed


@dataclass(frozen=True)
class Section:
    """A section: its plan, its phase, and all versions that it ever had.

    ``checks`` are the open jobs beside the phase, on the current version: their results change no status.
    ``proposal`` is an edit of the current version that is being made or waits for a person. A draft takes the place of
    people's words only where a person said so (``replaceable``), else it is merged with them. No decision of a person
    rests on ``notes``, on the ``assignment`` or on the ``threads`` of comments, which are in the order in which they
    began.
    """

    plan: SectionPlan
    phase: Phase = field(default_factory=Queued)
    versions: tuple[Version, ...] = ()
    revisions: int = 0
    replaceable: bool = False
    checks: Mapping[str, Activity] = field(default_factory=dict)
    proposal: Proposal | None = None
    ended_proposals: Mapping[str, EndedProposal] = field(default_factory=dict)
    notes: Notes = NO_NOTES
    threads: Mapping[str, ThreadView] = field(default_factory=dict)
    assignment: AssignmentView | None = None
    entry: Entry = NO_ENTRY

    @property
    def current(self) -> Version | None:
        """The version that decisions are about."""
        return self.versions[-1] if self.versions else None

    @property
    def current_number(self) -> int:
        """The number of the current version; 0 while nothing was written."""
        return self.versions[-1].number if self.versions else 0


@dataclass(frozen=True)
class HandledRequest:
    """What came of a request, so that the same request gets the same answer.

    A request about several sections may be refused for several reasons. ``started`` are the generation jobs that it
    opened at once, by section. ``sequence`` is that of its last event.
    """

    digest: str
    section_ids: tuple[str, ...] = ()
    export_id: str | None = None
    return_id: str | None = None
    problems: tuple[Problem, ...] = ()
    started: Mapping[str, str] = field(default_factory=dict)
    sequence: int = 0


class Lifecycle(StrEnum):
    """Whether a document may start work."""

    RUNNING = "running"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True)
class NoDocument:
    """Nothing was requested under this id yet."""


@dataclass(frozen=True)
class Allowance:
    """The budget of a tenant, and what its ``others`` came to, with what is under way in them.

    With a ``month``, such as 2026-11, only what that month cost counts.
    """

    budget: Budget
    others: Usage
    month: str = ""


UNTOLD = Allowance(Budget(), NO_USAGE)
"""Nobody looked what the tenant may spend: whatever depends on it raises `AllowanceUntold`."""


class AllowanceUntold(Exception):
    """What was to be decided costs something, so that it has to be decided with what its tenant may spend."""


@dataclass(frozen=True)
class Document:
    """A document as its log has it.

    ``owner`` asked for it. ``brief`` is what was read of the brief, or its file while nothing was. ``number`` counts
    its events; ``time`` and ``sequence`` (its place in the stream) are those of the last one. ``wordings`` are the
    titles of its sections in other languages, as long as its own is that of a brief that nobody has read. So long its
    title may be the name of a file. ``outlined_by`` is the request whose chapters its sections are, where
    ``chapters_from_request`` allowed that. What grows with every event is shared with the state before, so that a fold
    of many events stays linear. ``allowance`` is there only while a command is decided.
    """

    tenant: str
    document_id: str
    kind: str
    title: ArtifactRef | None
    brief: ArtifactRef
    created_at: datetime
    sections: Mapping[str, Section]
    inputs: Mapping[str, Input] = field(default_factory=dict)
    number: int = 0
    lifecycle: Lifecycle = Lifecycle.RUNNING
    exports: Mapping[str, Export] = field(default_factory=dict)
    form_exports: Mapping[str, FormExport] = field(default_factory=dict)
    returns: Mapping[str, Return] = field(default_factory=dict)
    requests: HashTrieMap[str, HandledRequest] = field(default_factory=HashTrieMap)
    settled_jobs: HashTrieSet[str] = field(default_factory=HashTrieSet)
    cycle: Cycle | None = None
    language: str = ""
    said: tuple[ArtifactRef, ...] = ()
    instructions: tuple[ArtifactRef, ...] = ()
    time: datetime | None = None
    sequence: int = 0
    usage: Usage = NO_USAGE
    month: MonthUsage | None = None
    allowance: Allowance | None = None
    costs: Costs = field(default_factory=Costs)
    spending: Spending | None = None
    ledger: Ledger | None = None
    wordings: tuple[PlanWording, ...] = ()
    titled_by_file: bool = False
    chapters_from_request: bool = False
    outlined_by: str = ""
    owner: str = ""
    outcome: BidOutcome = "open"
    reuses: Mapping[str, ReuseView] = field(default_factory=dict)
    erasure: Erasure | None = None

    @property
    def status(self) -> DocumentStatus:
        return DocumentStatus(self.lifecycle)

    @cached_property
    def outline(self) -> tuple[OutlineEntry, ...]:
        """What each section is told of all of them; the jobs that start together share it."""
        plans = (section.plan for section in self.sections.values())
        return tuple(
            OutlineEntry(section_id=p.section_id, title=p.title, kind=p.kind, purpose=p.purpose, collects=p.collects)
            for p in plans
        )


@dataclass(frozen=True)
class Erased:
    """A document that is gone: what its last event certifies, and the time and place of that one."""

    certificate: e.DocumentErased
    time: datetime | None
    sequence: int


State = NoDocument | Document | Erased


def open_job_id(phase: Phase) -> str | None:
    return phase.job_id if isinstance(phase, Working) else None


def status_of(phase: Phase) -> SectionStatus:
    match phase:
        case Queued():
            return SectionStatus.QUEUED
        case Generating() | NeedDispatched() | Resuming() | Revising() | Validating() | AwaitingAnswer():
            return SectionStatus.GENERATING
        case AwaitingReview():
            return SectionStatus.AWAITING_REVIEW
        case Approved():
            return SectionStatus.APPROVED
        case Edited():
            return SectionStatus.EDITED
        case Failed():
            return SectionStatus.FAILED
        case _:
            assert_never(phase)


def activity_of(phase: Phase) -> Activity | None:
    """What is being done to a section, if anything."""
    match phase:
        case Generating() | NeedDispatched() | Resuming() | AwaitingAnswer():
            return Activity.GENERATE
        case Revising():
            return Activity.EDIT
        case Validating():
            return Activity.VALIDATE
        case Queued() | AwaitingReview() | Approved() | Edited() | Failed():
            return None
        case _:
            assert_never(phase)


def guidance_of(phase: Phase) -> ArtifactRef | None:
    """The guidance that a section is, or is to be, written by."""
    match phase:
        case Queued() | Generating() | Failed():
            return phase.guidance
        case AwaitingAnswer() | NeedDispatched() | Resuming():
            return phase.generating.guidance
        case Validating():
            return phase.generating.guidance if phase.generating else None
        case Revising():
            return guidance_of(phase.before)
        case AwaitingReview() | Approved() | Edited():
            return None
        case _:
            assert_never(phase)


def has_open_heading(section: Section) -> bool:
    """Whether the current text waits for a person with a heading under which nothing stands."""
    validation = section.current.validation if section.current else None
    return isinstance(section.phase, AwaitingReview) and validation is not None and OPEN_HEADING in validation.rules


def with_section(document: Document, section: Section) -> Document:
    """The document with this section in place of the one of its id."""
    return replace(document, sections={**document.sections, section.plan.section_id: section})


def settled(document: Document, closed_job: str) -> Document:
    """The document with a job whose outcome is in its log."""
    return replace(document, settled_jobs=document.settled_jobs.insert(closed_job))
