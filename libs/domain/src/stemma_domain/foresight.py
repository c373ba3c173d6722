"""What a command would lead to: the same decisions and folds over the state, followed to their end and not appended.

Nobody knows what models will write. All that they make is taken for another text than the one before, which passes its
checks and is approved by whoever reads it; sections that get stale by that are left for a person to decide about.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.coverage import CoverageSummary
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.events import DecisionRefused
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.plans import MOST_PLANNED, Plan, PlannedKind, PlannedWork
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationSummary

from .commands import Asked, Command, Merged, Record, RequestMeta
from .costs import NOTHING, Run, Usual, Work, expected
from .decide import decide
from .evolve import evolve
from .features.proposals import Proposed
from .hands import hand_at
from .staleness import staleness
from .state import AwaitingReview, Document, Queued, Section
from .work import open_job_ids, work_of

MOST_LOOKS = 60_000
"""At sections, by all decisions of a plan: each looks at all. What is queued by then is written too, of course."""
_WORK: dict[PlannedKind, Work] = {"write": "writing", "edit": "editing", "check": "checking"}
_PROVENANCE = Provenance(model="")
_PASSED = Evaluation(scores={}, score=1, passed=True)


@dataclass(frozen=True)
class Foreseen:
    """What comes of a command: nothing but ``problems`` where it is refused, else the document ``after`` all of it.

    ``work`` names sections with what models do to them, in its order; ``reviews`` are the sections that people approve.
    """

    before: Document
    after: Document
    problems: tuple[Problem, ...] = ()
    work: tuple[tuple[str, PlannedKind], ...] = ()
    reviews: tuple[str, ...] = ()

    @cached_property
    def stale(self) -> tuple[str, ...]:
        """The sections that become stale by it, and stay so until a person decides."""
        was = staleness(self.before)
        return tuple(name for name in staleness(self.after) if name not in was)

    @cached_property
    def fresh(self) -> tuple[str, ...]:
        """The sections that are not stale any more."""
        now = staleness(self.after)
        return tuple(name for name in staleness(self.before) if name not in now)


def foreseen(command: Command, document: Document) -> Foreseen:
    """What comes of a command; of work that is under way already, nothing."""
    run = _Run(document, spared=open_job_ids(document))
    events = decide(command, document)
    if problems := tuple(event.problem for event in events if isinstance(event, DecisionRefused)):
        return Foreseen(document, document, problems)
    run.happened(events)
    while run.decisions * len(document.sections) < MOST_LOOKS and (run.work_on() or run.approve()):
        pass
    late = (name for name, one in run.document.sections.items() if _is_queued_by_it(document.sections.get(name), one))
    run.work += [(name, "write") for name in late]
    return Foreseen(document, run.document, (), tuple(run.work), tuple(run.reviews))


def _is_queued_by_it(before: Section | None, after: Section) -> bool:
    """Whether it will be written once something else is done that is not a part of this."""
    return isinstance(after.phase, Queued) and not (before and isinstance(before.phase, Queued))


@dataclass
class _Run:
    document: Document
    spared: frozenset[str]
    work: list[tuple[str, PlannedKind]] = field(default_factory=list)
    reviews: dict[str, None] = field(default_factory=dict)
    decisions: int = 0

    def happened(self, events: Iterable[Any]) -> None:
        for event in events:
            self.document = _document(evolve(self.document, event))

    def work_on(self) -> bool:
        """Do all that is open; whether there was anything."""
        jobs = [task.make(*about) for job_id, task, about in work_of(self.document) if job_id not in self.spared]
        done = [(job, outcome) for job in jobs if (outcome := _outcome(job)) is not None]
        for job, outcome in done:
            self._decide(Record(outcome, self._merged(outcome)))
            self.work += [(str(outcome.section_id), kind) for kind in _kinds(job)]
        return bool(done)

    def approve(self) -> bool:
        """Approve what was made and waits for a person; whether there was anything."""
        made = dict.fromkeys(name for name, _ in self.work)
        waiting = [self.document.sections[name] for name in made if name not in self.reviews]
        asked = [request for section in waiting if (request := _approval(self.document, section)) is not None]
        for request in asked:
            name = f"plan-{self.decisions}"
            meta = RequestMeta(request_id=name, request_digest="0" * 64, actor="nobody", actor_verified=False)
            self._decide(Asked(request, meta, self.document.created_at))
        self.reviews |= dict.fromkeys(request.section_id for request in asked)
        return bool(asked)

    def _decide(self, command: Command) -> None:
        self.decisions += 1
        self.happened(decide(command, self.document))

    def _merged(self, outcome: o.Outcome) -> Merged | None:
        if not isinstance(outcome, o.SectionGenerated) or hand_at(self.document, outcome.job_id) is None:
            return None
        return Merged(_text(f"merged {outcome.job_id}"), Merge(theirs=outcome.draft))


def _document(state: object) -> Document:
    assert isinstance(state, Document)
    return state


def _text(name: str) -> ArtifactRef:
    """A text that nobody has written yet."""
    digest = sha256(name.encode()).hexdigest()
    return ArtifactRef(digest=digest, size=0, media_type="text/markdown", name="draft.md")


def _outcome(job: j.Job) -> o.Outcome | None:
    """What comes of a job on a section if all goes well; of other jobs, nothing is foreseen."""
    if not isinstance(job, j.SectionJob):
        return None
    about, text = job.echo(), _text(job.job_id)
    match job:
        case j.GraphJob():
            return o.SectionGenerated(**about, draft=text, evaluation=_PASSED, provenance=_PROVENANCE)
        case j.ReviseDraft():
            return o.DraftRevised(**about, draft=text, summary=text, provenance=_PROVENANCE)
        case j.EvaluateDraft():
            return o.DraftEvaluated(**about, evaluation=_PASSED, provenance=_PROVENANCE)
        case j.ValidateDraft():
            covers = CoverageSummary(total=0, covered=0) if job.section.covers_inputs else None
            found = ValidationSummary(passed=True, issue_count=0, engine="", engine_version="", coverage=covers)
            return o.DraftValidated(**about, validation=found)
        case _:
            return None


def _kinds(job: j.Job) -> Iterator[PlannedKind]:
    match job:
        case j.GraphJob():
            yield "write"
        case j.ReviseDraft():
            yield "edit"
        case j.EvaluateDraft():
            yield "check"
        case _:
            pass


def _approval(document: Document, section: Section) -> r.SectionDecision | None:
    about = {"document_id": document.document_id, "section_id": section.plan.section_id}
    if isinstance(section.proposal, Proposed) and section.proposal.check is None:
        proposal = section.proposal
        return r.AcceptEdit(**about, version=proposal.version, proposal_id=proposal.proposal_id)
    if isinstance(section.phase, AwaitingReview):
        return r.ApproveSection(**about, version=section.current_number)
    return None


def plan_of(found: Foreseen, usually: Usual) -> Plan:
    """What is foreseen, with what it takes."""
    takes = [(name, kind, _takes(found.after, name, kind, usually)) for name, kind in found.work]
    work = [
        PlannedWork(section_id=name, kind=kind, usage=run.usage if run else None, seconds=run.seconds if run else None)
        for name, kind, run in takes
    ]
    named = {"work": work, "stale": found.stale, "fresh": found.fresh, "reviews": found.reviews}
    usage = NOTHING
    for _, _, run in takes:
        usage = usage.plus(run.usage) if run else usage
    return Plan.model_validate(
        {
            **{name: tuple(listed[:MOST_PLANNED]) for name, listed in named.items()},
            "sequence": found.before.sequence,
            "left_off": sum(max(0, len(listed) - MOST_PLANNED) for listed in named.values()),
            "certain": not any(kind in ("write", "edit") for _, kind in found.work),
            "usage": usage,
            "unknown": sum(run is None for _, _, run in takes),
            "seconds": _seconds(found.after, work),
        }
    )


def _takes(document: Document, section_id: str, kind: PlannedKind, usually: Usual) -> Run | None:
    plan = document.sections[section_id].plan
    return expected(document.costs, section_id, plan.kind, _WORK[kind], usually)


def _seconds(document: Document, work: Iterable[PlannedWork]) -> float | None:
    """How long it takes if what can be made together is: each piece after those on the same section and those above.

    A look at a text is waited for by nobody.
    """
    ends: dict[str, float] = {}
    for one in (one for one in work if one.kind != "check"):
        if one.seconds is None:
            return None
        name = one.section_id
        begins = [ends.get(above, 0.0) for above in (name, *document.sections[name].plan.depends_on)]
        ends[name] = max(begins) + one.seconds
    return max(ends.values(), default=0.0)
