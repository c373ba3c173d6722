"""A whole document under a hostile bus: people, workers and two orchestrators that die, from one seed.

The orchestrators are the real loop over the real core. Invariants are looked at when all is at rest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any

import domain_asking as asking
from domain_naive import Say
from domain_story import DECIDER, DOCUMENT, TENANT, merged, meta, ref, sent
from domain_witness import NEED, outcome_of
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SectionPlan
from stemma_domain.commands import Asked, Command, Record
from stemma_domain.evolve import evolve
from stemma_domain.features.documents import Create
from stemma_domain.features.proposals import Proposed
from stemma_domain.hands import UnmergedDraft, changed_at, hand_at
from stemma_domain.staleness import staleness
from stemma_domain.state import (
    AwaitingAnswer,
    AwaitingReview,
    Document,
    Failed,
    Lifecycle,
    NoDocument,
    Resting,
    Section,
    State,
)
from stemma_domain.work import name_of, open_jobs
from stemma_eventlog import (
    AppendUnknown,
    Cause,
    Decider,
    EventLog,
    EventStore,
    MemoryEventLog,
    Recorded,
    StreamId,
    TooManyConflicts,
)
from stemma_testkit.simulation import HostileEventLog, MemoryBus, Process, World, simulated

STREAM = StreamId(TENANT, DOCUMENT)
ORCHESTRATOR, WORKERS = "orchestrator", "workers"
AGAIN = (AppendUnknown, TooManyConflicts, UnmergedDraft)
MOST_ROUNDS = 60
Store = EventStore[Command, State, e.AnyEvent]
Core = Decider[Command, State, e.AnyEvent]
WORK: dict[str, tuple[str, ...]] = {
    "generate": ("generated", "paused", "failed", "malformed", "dead"),
    "resume": ("generated", "paused", "dead"),
    "revise": ("revised", "refused", "dead"),
    "validate": ("validated", "validated", "dead"),
    "evaluate": ("evaluated", "failed"),
    "convert": ("converted", "not converted", "dead"),
}
"""What workers say of a job, by its name; the first goes well."""


class Broken(AssertionError):
    """An invariant does not hold; the message names it."""


def require(holds: bool, invariant: str) -> None:
    if not holds:
        raise Broken(invariant)


@dataclass
class Parts:
    """What a run is made of, so that a defect can be put in the place of each."""

    core: Core = DECIDER
    log: Callable[[EventLog, World], EventLog] = HostileEventLog
    publishes: Callable[[Sequence[e.AnyEvent], State], Sequence[j.Job]] = lambda _, state: open_jobs(state)


def remembering(core: Core) -> Core:
    """The same core, which folds each event once: who begins anew reads what others have read."""
    known: dict[tuple[int, int], tuple[State, e.AnyEvent, State]] = {}

    def evolved(state: State, event: e.AnyEvent, at: datetime, sequence: int) -> State:
        key = (id(state), id(event))
        if key not in known:
            known[key] = (state, event, core.evolve(state, event, at, sequence))
        return known[key][-1]

    return replace(core, evolve=evolved)


class Orchestrator:
    """One life of a process: what it remembers is gone when it dies."""

    def __init__(self, log: EventLog, bus: MemoryBus, world: World, parts: Parts) -> None:
        self._store: Store = EventStore(log, parts.core)
        self._bus, self._world, self._parts = bus, world, parts
        self._published: set[str] = set()

    async def __call__(self, command: Command) -> None:
        state = (await self._store.known(STREAM)).state
        merged_one = _merged(command, state)
        if isinstance(command, Record) and merged_one is not command:
            self._world.faults[f"{type(command.outcome).__name__} merged"] += 1
        handled = await self._store.handle(STREAM, merged_one, _cause(command))
        for job in self._parts.publishes(handled.events, handled.folded.state):
            if job.job_id not in self._published:
                await self._world.step()
                self._bus.send(WORKERS, job)
                self._published.add(job.job_id)


def _merged(command: Command, state: State) -> Command:
    """What the orchestrator merges before it decides: a machine's text with what people wrote meanwhile."""
    if not isinstance(command, Record) or not isinstance(state, Document):
        return command
    match command.outcome:
        case o.SectionGenerated(job_id=job_id, draft=draft) if hand := hand_at(state, job_id):
            ours = hand.ours
        case o.DraftRevised(job_id=job_id, draft=draft) if changed := changed_at(state, job_id):
            _, ours = changed
        case _:
            return command
    return Record(command.outcome, replace(merged(f"{ours.digest} and {draft.digest}", "theirs"), ours=ours))


def _cause(command: Command) -> Cause:
    match command:
        case Record(outcome=outcome):
            return Cause(f"{outcome.job_id}.outcome", "/workers", asking.NOW)
        case Asked(asked=asked):
            return Cause(asked["request_id"], "/people", asking.NOW)
        case _:
            raise TypeError(command)


@dataclass
class Worker:
    """Does a job, and does it again in other words if it dies before that is acknowledged."""

    bus: MemoryBus
    world: World
    well: bool = False

    async def __call__(self, job: j.Job) -> None:
        await self.world.step()
        verbs = WORK[name_of(job.job_id)]
        verb = verbs[0] if self.well or self.world.chance.random() < 0.7 else self.world.chance.choice(verbs)
        section_id = job.section.section_id if isinstance(job, j.SectionJob) else None
        say = Say(verb, 0, f"text {self.world.chance.randrange(10**9)}", self.well or self.world.chance.random() < 0.7)
        self.bus.send(ORCHESTRATOR, Record(outcome_of(say, job.job_id, section_id)))
        await self.world.step()


@dataclass
class Run:
    """A document from its request to its end. ``wild`` things are asked for first, then what brings it to its end."""

    world: World
    parts: Parts
    log: MemoryEventLog
    seen: Store
    asked: list[Asked[Any]] = field(default_factory=list)
    written: dict[str, tuple[str, str]] = field(default_factory=dict)

    async def __call__(self) -> None:
        bus = MemoryBus(self.world, AGAIN)
        log = self.parts.log(self.log, self.world)
        worker = Worker(bus, self.world)
        bus.serve(
            ORCHESTRATOR,
            *(Process(self.world, lambda: Orchestrator(log, bus, self.world, self.parts)) for _ in range(2)),
        )
        bus.serve(WORKERS, *(Process(self.world, lambda: worker) for _ in range(2)))
        self._send(bus, self._create())
        for _ in range(self.world.chance.randint(0, 8)):
            await self.world.wait(2)
            if isinstance(state := await self.state(), Document):
                self._send(bus, self._something(state))
        worker.well = True
        await self._to_its_end(bus)
        require(not bus.failed, f"no message is poison: {bus.failed[:1]}")
        await self._look()

    async def _to_its_end(self, bus: MemoryBus) -> None:
        for _ in range(MOST_ROUNDS):
            await bus.settled()
            state = await self.state()
            wanted = list(self._wanted(state)) if isinstance(state, Document) else []
            if not wanted:
                break
            for command in wanted:
                self._send(bus, command)
        ended = isinstance(state, Document) and state.lifecycle in (Lifecycle.COMPLETED, Lifecycle.CANCELLED)
        require(ended and not open_jobs(state), "whoever goes on comes to an end")

    async def state(self) -> State:
        """The document as people see it, who see it as it is."""
        return (await self.seen.load(STREAM)).state

    def _send(self, bus: MemoryBus, command: Asked[Any]) -> None:
        self.asked.append(command)
        bus.send(ORCHESTRATOR, command)

    def _meta(self) -> Any:
        return meta(f"r{len(self.asked)}")

    def _create(self) -> Create:
        chance, names = self.world.chance, "abc"[: self.world.chance.randint(2, 3)]
        ups = {name: tuple(up for up in names[:place] if chance.random() < 0.6) for place, name in enumerate(names)}
        review = ReviewPolicy(mode=chance.choice([ReviewMode.HUMAN, ReviewMode.HUMAN, ReviewMode.NONE]))
        about: dict[str, Any] = {
            "review_edits": chance.choice(["human", "none"]),
            "max_lint_rounds": 1,
            "max_revisions": 2,
        }
        plans = tuple(
            SectionPlan(
                section_id=name, title=name, kind=name, graph="section", depends_on=above, review=review, **about
            )
            for name, above in ups.items()
        )
        return asking.create(meta("r0"), sections=plans)

    def _something(self, document: Document) -> Asked[Any]:
        """Anything that people ask for, about any version."""
        chance, who = self.world.chance, self._meta()
        section = chance.choice([*document.sections.values()])
        name, version = section.plan.section_id, max(1, section.current_number - (chance.random() < 0.1))
        words, draft = ref(f"words {len(self.asked)}", "text/plain"), ref(f"written {len(self.asked)}")
        asks: list[Callable[[], Asked[Any]]] = [
            lambda: asking.approve(who, name, version),
            lambda: asking.write(who, name, version, draft),
            lambda: asking.edit(who, name, version, words),
            lambda: asking.regenerate(who, name, version, words, chance.random() < 0.5),
            lambda: asking.restore(who, name, version, chance.randint(1, 3)),
            lambda: asking.revise(who, name, version, words),
            lambda: asking.withdraw_approval(who, name, version),
            lambda: asking.keep(who, name, version),
            lambda: asking.export(who, ExportFormat.MD),
            lambda: asking.pause(who),
            lambda: asking.resume(who),
        ]
        ask = chance.choice(asks)() if chance.random() < 0.97 else asking.cancel(who)
        if isinstance(ask.request, r.EditSection) and "text" in ask.stored:
            self.written[who["request_id"]] = (name, draft.digest)
        return ask

    def _wanted(self, document: Document) -> Iterator[Asked[Any]]:
        """What brings it on, of what people may do."""
        if document.lifecycle is Lifecycle.CANCELLED:
            return
        if document.lifecycle is Lifecycle.PAUSED:
            yield asking.resume(self._meta())
        stale = staleness(document)
        for name, section in document.sections.items():
            if ask := self._for(name, section, is_stale=name in stale):
                yield ask

    def _for(self, name: str, section: Section, *, is_stale: bool) -> Asked[Any] | None:
        who, version = self._meta(), section.current_number
        match section.phase:
            case AwaitingAnswer():
                return asking.answer(who, name, NEED, ref("because"))
            case Failed():
                return asking.retry(who, name)
            case _ if isinstance(section.proposal, Proposed):
                return asking.reject(who, name, version, section.proposal.proposal_id)
            case AwaitingReview():
                return asking.approve(who, name, version)
            case phase if is_stale and isinstance(phase, Resting):
                return asking.keep(who, name, version)
            case _:
                return None

    async def _look(self) -> None:
        """The invariants of a log at rest."""
        events = [one for one in await self.log.read(STREAM) if isinstance(one, Recorded)]
        state = await self.state()
        read: State = NoDocument()
        for event in events:
            assert isinstance(event.event, e.AnyEvent)
            read = evolve(read, sent(event.event), event.envelope.time, event.sequence)
        require(read == state, "what is read again is the same")
        assert isinstance(state, Document)
        numbers = [event.envelope.sequence for event in events]
        require(numbers == list(range(1, len(events) + 1)), "numbers follow each other")
        ids = Counter(event.envelope.id for event in events)
        require(max(ids.values()) == 1, "no event is there twice")
        decided, settled = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for event in events:
            if request := getattr(event.event, "request_id", None):
                decided[request].add(event.envelope.causation_id)
            if not isinstance(event.event, e.OutcomeSuperseded) and (job := getattr(event.event, "job_id", None)):
                settled[job].add(event.envelope.causation_id)
        require(decided.keys() == {one.asked["request_id"] for one in self.asked}, "every request is decided")
        require(all(len(causes) == 1 for causes in decided.values()), "no request is decided twice")
        require(all(len(causes) == 1 for causes in settled.values()), "no job has two outcomes")
        refused = {one.event.request_id for one in events if isinstance(one.event, e.DecisionRefused)}
        for request, (name, digest) in self.written.items():
            texts = {version.draft.digest for version in state.sections[name].versions}
            require(request in refused or digest in texts, "no word of a person is lost")
        if state.lifecycle is Lifecycle.COMPLETED:
            require(all(section.current for section in state.sections.values()), "what is completed is written")
            require(not staleness(state), "what is completed is fresh")


def simulate(seed: int, parts: Parts) -> World:
    """One document from its request to its end. Raises `Broken`."""
    world = World(Random(seed))
    log, parts = MemoryEventLog(), replace(parts, core=remembering(parts.core))
    simulated(Run(world, parts, log, EventStore(log, parts.core)))
    return world
