"""Small builders for histories: a section chain, outcomes of its jobs, and requests about it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import Any, TypeVar

import domain_asking as asking
from stemma_contracts import registry
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.evaluation import COMPLETE, Evaluation, ProgramCheck
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.review import ReviewPolicy
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.validation import ValidationSummary
from stemma_domain.commands import Command, Merged, Record, RequestMeta
from stemma_domain.decide import decide
from stemma_domain.evolve import evolve
from stemma_domain.state import Document, NoDocument, State, Version, open_job_id, status_of
from stemma_domain.work import open_jobs
from stemma_eventlog import Decider
from stemma_testkit.deciding import Then

J = TypeVar("J", bound=j.Job)
DECIDER: Decider[Command, State, AnyEvent] = Decider(NoDocument(), decide, evolve)
TENANT, DOCUMENT = asking.TENANT, asking.DOCUMENT
CHAIN = {"research": (), "solution": ("research",), "budget": ("solution",), "timeline": ("solution",)}


def ref(text: str, media_type: str = "text/markdown", name: str = "draft.md") -> ArtifactRef:
    return ArtifactRef(digest=sha256(text.encode()).hexdigest(), size=len(text), media_type=media_type, name=name)


def evaluation(score: float = 0.9, passed: bool = True) -> Evaluation:
    return Evaluation(scores={"clarity": score}, score=score, passed=passed)


def not_judged(complete: bool = True) -> Evaluation:
    checks = (ProgramCheck(check=COMPLETE, passed=complete), ProgramCheck(check="inputs_cited", passed=False))
    return Evaluation(scores={}, score=0, passed=False, judged=False, checks=checks)


def validation(passed: bool = True, found: str = "report") -> ValidationSummary:
    issues = 0 if passed else 2
    report = None if passed else ref(found, "application/json")
    return ValidationSummary(passed=passed, issue_count=issues, engine="rumdl", engine_version="1", report=report)


PROVENANCE = Provenance(model="offline")


def merged(text: str, theirs: str, conflicts: int = 0, ours: str = "") -> Merged:
    """What comes of merging what a machine wrote with what people had written."""
    kept = ref("conflicts", "application/json") if conflicts else None
    made = Merge(theirs=ref(theirs), conflicts=kept, count=conflicts)
    return Merged(ref(text), made, ref(ours) if ours else None)


def sent(event: AnyEvent) -> AnyEvent:
    """An event as its reader has it."""
    decoded = registry.decode(registry.entry_of(event).ce_type, registry.encode(event))
    assert isinstance(decoded, AnyEvent)
    return decoded


def meta(request_id: str) -> RequestMeta:
    return RequestMeta(request_id=request_id, request_digest="0" * 64, actor="ada", actor_verified=False)


@dataclass
class Story:
    """A document that is driven command by command through the pure core.

    After each of them a reader of the events as they are encoded has the same state.
    """

    state: State = field(default_factory=NoDocument)
    history: list[Any] = field(default_factory=list)
    now: datetime | None = None
    read: State = field(default_factory=NoDocument)
    _requests: Any = field(default_factory=lambda: count(1))

    def asked(self, request_id: str | None = None) -> RequestMeta:
        return RequestMeta(
            request_id=request_id or f"r{next(self._requests)}",
            request_digest="0" * 64,
            actor="ada",
            actor_verified=False,
        )

    def when(self, command: Command) -> Then[State, Any]:
        """Decide a command on all that was before, and go on with what it gave."""
        events = tuple(decide(command, self.state))
        self.happened(*events)
        return Then(events, self.state)

    def ask(self, build: Callable[..., Command], *values: Any, **named: Any) -> Then[State, Any]:
        """What somebody asks for, as `domain_asking` builds it."""
        return self.when(build(self.asked(), *values, **named))

    def happened(self, *events: AnyEvent) -> None:
        for event in events:
            self.state = evolve(self.state, event, self.now)
            self.read = evolve(self.read, sent(event), self.now)
        self.history.extend(events)
        assert self.read == self.state

    def create(
        self, dependencies: dict[str, tuple[str, ...]] | None = None, review: ReviewPolicy | None = None, **plan: Any
    ) -> Then[State, Any]:
        sections = tuple(
            SectionPlan(
                section_id=name,
                title=name.title(),
                kind=name,
                depends_on=upstream,
                review=review or ReviewPolicy(),
                **{"graph": "section", **plan},
            )
            for name, upstream in (dependencies or CHAIN).items()
        )
        return self.when(asking.create(self.asked("create"), sections=sections))

    @property
    def document(self) -> Document:
        assert isinstance(self.state, Document)
        return self.state

    def job_of(self, section_id: str) -> str:
        job_id = open_job_id(self.document.sections[section_id].phase)
        assert job_id is not None, f"{section_id} has no open job"
        return job_id

    def outcome(self, kind: type[o.Outcome], section_id: str, merged: Any = None, **fields: Any) -> Then[State, Any]:
        fields.setdefault("job_id", self.job_of(section_id) if "job_id" not in fields else None)
        return self.when(Record(kind(tenant=TENANT, document_id=DOCUMENT, section_id=section_id, **fields), merged))

    def drafted(self, section_id: str, text: str | None = None, merged: Any = None, **fields: Any) -> Then[State, Any]:
        return self.outcome(
            o.SectionGenerated,
            section_id,
            merged,
            draft=ref(text or f"text of {section_id}"),
            provenance=PROVENANCE,
            **{"evaluation": evaluation(), "usage": Usage(calls=2)} | fields,
        )

    def validated(self, section_id: str, passed: bool = True, found: str = "report") -> Then[State, Any]:
        return self.outcome(o.DraftValidated, section_id, validation=validation(passed, found))

    def reviewable(self, section_id: str) -> None:
        self.drafted(section_id)
        self.validated(section_id)

    def approve(self, section_id: str, version: int = 1, request_id: str | None = None) -> Then[State, Any]:
        return self.when(asking.approve(self.asked(request_id), section_id, version))

    def settle(self, *section_ids: str) -> None:
        for section_id in section_ids:
            self.reviewable(section_id)
            self.approve(section_id)

    def said(self, job: j.Job, kind: type[o.Outcome], **fields: Any) -> Then[State, Any]:
        """What a worker says of a job."""
        return self.when(Record(kind(**job.echo(), **fields)))

    def current(self, section_id: str = "research") -> Version:
        current = self.document.sections[section_id].current
        assert current is not None
        return current

    def status(self, section_id: str) -> str:
        return status_of(self.document.sections[section_id].phase)

    def document_status(self) -> str:
        return self.document.status

    def jobs(self, kind: type[J]) -> list[J]:
        """The open jobs of a kind."""
        return [job for job in open_jobs(self.state) if isinstance(job, kind)]

    def job(self, kind: type[J]) -> J:
        """The one open job of a kind."""
        (job,) = self.jobs(kind)
        return job

    def open_jobs(self) -> dict[str, Any]:
        return {job.job_id: job for job in open_jobs(self.state)}
