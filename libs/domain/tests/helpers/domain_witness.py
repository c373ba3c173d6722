"""Holds the core against the naive model, decision by decision, and draws what happens next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import domain_asking as asking
from domain_naive import Ask, Book, Kept, Part, Say
from domain_story import DOCUMENT, PROVENANCE, TENANT, evaluation, ref, sent, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.commands import Asked, RequestMeta
from stemma_domain.evolve import evolve
from stemma_domain.features.proposals import Proposed, Proposing
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, NoDocument, Section, State, Version, open_job_id, status_of
from stemma_domain.texts import text_of
from stemma_domain.work import closed_jobs, open_jobs

Move = Ask | Say
NEED = "n1"
REFUSALS: dict[str, tuple[str, ...]] = {
    "document status": tuple(f"document_{status}" for status in DocumentStatus),
    "unknown section": ("section_unknown",),
    "status": tuple(f"section_{status}" for status in SectionStatus),
    "unknown need": ("question_closed",),
    "old version": ("version_old", "nothing_written"),
    "conflicts": ("conflicts_open",),
    "revision limit": ("revision_limit",),
    "nothing written": ("nothing_written",),
    "not stale": ("section_not_stale",),
    "unknown version": ("version_unknown",),
    "unknown proposal": ("proposal_unknown",),
    "void proposal": ("proposal_void",),
    "withdrawn proposal": ("proposal_refused", "proposal_failed"),
    "decided proposal": ("proposal_accepted", "proposal_rejected"),
    "open proposal": ("proposal_open", "proposal_in_work"),
}
"""What the naive model calls a refusal, and the codes of it."""
CHECKS = {"check-validate": "validate", "check-evaluate": "evaluate"}


@dataclass
class Witness:
    """Has seen every decision so far; ``jobs`` are the ids of the jobs behind the tickets."""

    book: Book
    state: State = field(default_factory=NoDocument)
    jobs: dict[int, str] = field(default_factory=dict)
    work: dict[int, tuple[str, str]] = field(default_factory=dict)
    proposals: dict[int, str] = field(default_factory=dict)

    @property
    def document(self) -> Document:
        assert isinstance(self.state, Document)
        return self.state

    def begun(self, events: Sequence[e.AnyEvent]) -> None:
        """The document was requested."""
        self._fold(events)
        assert _names(events, "starts") == self.book.started
        self._agree()

    def saw(self, move: Move, events: Sequence[e.AnyEvent]) -> None:
        """A decision, and what is the case after it."""
        before, open_before, state = self.book.stale(), self.book.tickets(), self.state
        void_before = self._void()
        said = self.book.ask(move) if isinstance(move, Ask) else self.book.say(move)
        self._fold(events)
        self._as_said(said, events)
        assert _names(events, "starts") == self.book.started
        after = self.book.stale()
        marks = {mark.section_id: _reasons(mark) for event in events for mark in event.makes_stale}
        assert marks == {name: self.book.reasons(name) for name in after - before}
        assert _names(events, "clears_stale") == before - after
        voided = [event.proposal_id for event in events if isinstance(event, e.SectionEditVoided)]
        assert sorted(voided) == sorted(self.proposals[number] for number in self._void() - void_before)
        self._agree()
        closed = {ticket for ticket in open_before.keys() - self.book.tickets() if open_before[ticket][0] != "convert"}
        assert closed_jobs(state, self.state) == {self.jobs[ticket] for ticket in closed}

    def _void(self) -> set[int]:
        parts = self.book.parts.values()
        return {number for part in parts for number, fate in part.fates.items() if fate == "void proposal"}

    def ticket_of(self, job_id: str) -> int:
        return next(ticket for ticket, job in self.jobs.items() if job == job_id)

    def _fold(self, events: Sequence[e.AnyEvent]) -> None:
        for event in events:
            self.state = evolve(self.state, sent(event))

    def _as_said(self, said: str, events: Sequence[e.AnyEvent]) -> None:
        match said:
            case "again":
                assert events == []
            case "late":
                assert [type(event) for event in events] == [e.OutcomeSuperseded]
            case "":
                assert not isinstance(events[0], e.DecisionRefused | e.OutcomeSuperseded)
            case "several":
                assert len(events) == len(self.book.refused)
                for event, (position, refusal) in zip(events, self.book.refused, strict=True):
                    assert _refused_as(event, refusal)
                    assert isinstance(event, e.DecisionRefused)
                    assert event.problem.field.startswith((f"sections.{position}.", "replace_edited"))
            case _:
                assert [_refused_as(event, said) for event in events] == [True]

    def _agree(self) -> None:
        """Core and model say the same of every section and of the document."""
        book, document = self.book, self.document
        assert document.status == book.status
        for name, section in document.sections.items():
            part = book.parts[name]
            assert status_of(section.phase) == part.status, name
            assert [_plain(version, document) for version in section.versions] == [
                (number, ref(text.words).digest, text.rests_on, text.human, _digests(text.kept_anyway))
                for number, text in enumerate(part.texts, start=1)
            ]
            self._agree_on_proposal(section, part)
        told = {name: [_reason(reason) for reason in because.reasons] for name, because in staleness(document).items()}
        assert told == {name: book.reasons(name) for name in book.stale()}
        self._agree_on_work()

    def _agree_on_proposal(self, section: Section, part: Part) -> None:
        found, known = section.proposal, part.proposal
        assert (found is None) == (known is None)
        if found is None or known is None:
            return
        assert self.proposals.setdefault(known.number, found.proposal_id) == found.proposal_id
        assert found.version == known.version <= section.current_number
        digest = found.draft.digest if isinstance(found, Proposed) else ""
        assert digest == (ref(known.words).digest if known.words else "")

    def _agree_on_work(self) -> None:
        """Every ticket has a job, the same as long as it is open; only that work is published."""
        tickets = self.book.tickets()
        self.work |= tickets
        for ticket, (kind, name) in tickets.items():
            job_id = self._job_of(kind, name, ticket)
            assert self.jobs.setdefault(ticket, job_id) == job_id
        assert len(set(self.jobs.values())) == len(self.jobs)
        halted = self.book.status in (DocumentStatus.PAUSED, DocumentStatus.CANCELLED)
        wanted = {ticket for ticket, (kind, _) in tickets.items() if kind == "convert" or not halted}
        published = {job.job_id: job for job in open_jobs(self.state)}
        assert published.keys() == {self.jobs[ticket] for ticket in wanted}
        if self.book.status == DocumentStatus.COMPLETED:
            beside = {j.ValidateDraft, j.EvaluateDraft, j.ConvertDocument, j.ReviseDraft}
            assert {type(job) for job in published.values()} <= beside
        for job in published.values():
            if isinstance(job, j.GenerateSection):
                words = self.book.parts[job.section.section_id].guidance
                assert (job.guidance.digest if job.guidance else "") == (ref(words).digest if words else "")

    def _job_of(self, kind: str, name: str, ticket: int) -> str:
        if kind == "convert":
            wanted = sorted(t for t, (work, _) in self.work.items() if work == "convert")
            found = list(self.document.exports.values())[wanted.index(ticket)].job_id
        elif kind == "propose":
            proposal = self.document.sections[name].proposal
            found = proposal.job_id if isinstance(proposal, Proposing) else None
        elif kind == "check-proposal":
            proposal = self.document.sections[name].proposal
            found = proposal.check if isinstance(proposal, Proposed) else None
        elif kind in CHECKS:
            found = next(job for job, what in self.document.sections[name].checks.items() if what == CHECKS[kind])
        else:
            found = open_job_id(self.document.sections[name].phase)
        assert found is not None
        return found


def _refused_as(event: e.AnyEvent, refusal: str) -> bool:
    return isinstance(event, e.DecisionRefused) and event.problem.code in REFUSALS[refusal]


def _names(events: Sequence[e.AnyEvent], field_name: str) -> set[str]:
    return {name for event in events for name in getattr(event, field_name)}


def _reasons(mark: Any) -> list[tuple[str, int, int, bool]]:
    return [_reason(reason) for reason in mark.reasons]


def _reason(reason: Any) -> tuple[str, int, int, bool]:
    return reason.upstream_section_id, reason.accepted_version, reason.current_version, reason.upstream_stale


def _digests(kept: Kept) -> Kept:
    return {up: frozenset((name, ref(words).digest) for name, words in causes) for up, causes in kept.items()}


def _plain(version: Version, document: Document) -> tuple[int, str, dict[str, int], bool, Kept]:
    rests_on = {up.section_id: up.version for up in version.rests_on}
    kept_anyway = {
        up.section_id: frozenset(
            (cause.section_id, str(text_of(document.sections[cause.section_id], cause.version)))
            for cause in up.stale_because
        )
        for up in version.rests_on
        if up.stale
    }
    return version.number, version.draft.digest, rests_on, version.is_a_persons, kept_anyway


STEERING = {
    "pause": asking.pause,
    "resume": asking.resume,
    "cancel": asking.cancel,
}


def command_of(ask: Ask, asked: RequestMeta, proposed: Mapping[int, str]) -> Asked[Any]:
    """The request behind what a person asks for; ``proposed`` are the ids behind the numbers."""
    if ask.several:
        return _about_several(ask, asked)
    if ask.verb in ("accept", "reject"):
        decide = asking.accept if ask.verb == "accept" else asking.reject
        return decide(asked, ask.section, ask.version, proposed.get(ask.number, "nothing"))
    return _about_one(ask, asked)


def _about_one(ask: Ask, asked: RequestMeta) -> Asked[Any]:
    name, version, words = ask.section, ask.version, ref(ask.words, "text/plain")
    match ask.verb:
        case "approve":
            return asking.approve(asked, name, version)
        case "revise":
            return asking.revise(asked, name, version, words)
        case "write":
            return asking.write(asked, name, version, ref(ask.words))
        case "edit":
            return asking.edit(asked, name, version, words)
        case "keep":
            return asking.keep(asked, name, version)
        case "regenerate":
            return asking.regenerate(asked, name, version, words if ask.words else None, ask.replace)
        case "restore":
            return asking.restore(asked, name, version, ask.number)
        case "retry":
            return asking.retry(asked, name)
        case "answer":
            return asking.answer(asked, name, NEED, words)
        case "export":
            return asking.export(asked, ExportFormat.MD)
        case _:
            return STEERING[ask.verb](asked)


def _about_several(ask: Ask, asked: RequestMeta) -> Asked[Any]:
    seen = tuple(SeenVersion(section_id=name, version=version) for name, version in ask.several)
    if ask.verb == "keep":
        return asking.keep_several(asked, seen)
    return asking.regenerate_several(asked, seen, ref(ask.words, "text/plain") if ask.words else None, ask.replace)


FAILURES: dict[str, type[o.Outcome]] = {
    "failed": o.ModelUnavailable,
    "malformed": o.AnswerMalformed,
    "dead": o.JobDead,
}


def outcome_of(say: Say, job_id: str, section_id: str | None, document_id: str = DOCUMENT) -> o.Outcome:
    """The outcome behind what a worker says."""
    about: dict[str, Any] = {"job_id": job_id, "tenant": TENANT, "document_id": document_id, "section_id": section_id}
    match say.verb:
        case "generated":
            judged = evaluation(passed=say.good)
            return o.SectionGenerated(**about, draft=ref(say.words), evaluation=judged, provenance=PROVENANCE)
        case "paused":
            need = Need(need_id=NEED, kind="question", checkpoint_id="cp1")
            return o.GraphPaused(**about, thread_id=job_id, need=need)
        case "revised":
            return o.DraftRevised(**about, draft=ref(say.words), summary=ref("cut"), provenance=PROVENANCE)
        case "refused":
            return o.InstructionRefused(**about, reason=ref("no"))
        case "validated":
            return o.DraftValidated(**about, validation=validation(say.good, say.words))
        case "evaluated":
            return o.DraftEvaluated(**about, evaluation=evaluation(passed=say.good), provenance=PROVENANCE)
        case "converted":
            return o.DocumentConverted(**about, artifact=ref("document"))
        case "not converted":
            return o.ConversionFailed(**about, detail="timeout")
        case _:
            return FAILURES[say.verb](**about)


ANSWERS = {
    "generate": ("generated", "generated", "generated", "paused", "failed", "malformed", "dead"),
    "resume": ("generated", "generated", "paused", "failed", "dead"),
    "resume again": ("generated", "paused", "failed", "dead", "dead"),
    "edit": ("revised", "revised", "refused", "dead"),
    "revise": ("revised", "revised", "refused", "malformed"),
    "propose": ("revised", "revised", "revised", "refused", "dead"),
    "validate": ("validated", "validated", "validated", "dead"),
    "check-validate": ("validated", "dead"),
    "check-evaluate": ("evaluated", "failed"),
    "check-proposal": ("validated", "dead"),
    "convert": ("converted", "not converted", "dead"),
}


def say_of(ticket: int, work: tuple[str, str], choice: int, good: bool) -> Say:
    """One of the outcomes that fit some work."""
    kind, name = work
    verbs = ANSWERS[kind]
    return Say(verbs[choice % len(verbs)], ticket, f"{name} {choice % 3}", good)
