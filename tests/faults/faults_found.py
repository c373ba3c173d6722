"""What a soak has left in the streams, and all that was seen of it in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from faults_here import told_by
from faults_people import Asked
from faults_soak import SERVERS, Disturbance, Disturbed
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from stemma_contracts import Contract, Envelope, registry, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_testkit.model_server import ModelServer


@dataclass(frozen=True)
class Stored:
    """A message as it lies in a stream, where a client leaves out what is there twice."""

    envelope: Envelope
    contract: Contract

    @classmethod
    def read(cls, message: RawStreamMsg) -> Stored:
        """What a message says."""
        envelope = Envelope.from_headers(message.headers or {})
        return cls(envelope, registry.decode(envelope.type, message.data or b""))


@dataclass
class Found:
    """What the streams tell in the end; ``left`` is what nobody handles.

    A request is ``lost`` if it was never answered, or if the log tells nothing of it though it was accepted.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[object] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    completed: set[str] = field(default_factory=set)
    superseded: int = 0
    records: int = 0
    left: int = 0

    async def look(self, jetstream: JetStreamContext, asked: Asked) -> None:
        """Read all of it."""
        log = [Stored.read(message) for message in await _all(jetstream, subjects.EVENTS)]
        answers = [Stored.read(message) for message in await _all(jetstream, subjects.ANSWERS)]
        told = {event.envelope.correlation_id for event in log}
        self.lost = [*asked.unanswered, *(name for name in asked.accepted if name not in told)]
        self.doubled = [*_doubled(log), *_answered_twice(answers)]
        self.superseded = sum(isinstance(event.contract, e.OutcomeSuperseded) for event in log)
        self.completed = {_document(event) for event in log if isinstance(event.contract, e.DocumentCompleted)}
        self.dead = [told_by(message.headers or {}) for message in await _all(jetstream, subjects.DEAD)]
        self.records = (await jetstream.stream_info(subjects.RECORDS)).state.messages


async def _all(jetstream: JetStreamContext, stream: str) -> list[RawStreamMsg]:
    state = (await jetstream.stream_info(stream)).state
    numbers = range(state.first_seq, state.last_seq + 1) if state.messages else ()
    return [await jetstream.get_msg(stream, number) for number in numbers]


def _document(event: Stored) -> str:
    return event.envelope.subject.rpartition("/")[2]


def _doubled(log: Sequence[Stored]) -> Iterator[object]:
    """Events of one id, or of one number in their document, and drafts of one job.

    Two drafts may be one version: the same text written anew is no other one.
    """
    yield from _twice(event.envelope.id for event in log)
    yield from _twice((_document(event), event.envelope.sequence) for event in log)
    yield from _twice(event.contract.job_id for event in log if isinstance(event.contract, e.SectionDrafted))


def _answered_twice(answers: Sequence[Stored]) -> Iterator[object]:
    """Answers to one message, and to one request that say different things.

    A request that its caller has sent twice, because nothing came of the first for a while, is answered twice.
    """
    told = [one.contract for one in answers if isinstance(one.contract, (RequestAccepted, RequestRejected))]
    yield from _twice(answer.request_sequence for answer in told)
    sayings = {(answer.request_id, type(answer).__name__) for answer in told}
    yield from _twice(request_id for request_id, _ in sayings)


def _twice(names: Iterable[Hashable]) -> Iterator[Hashable]:
    return (name for name, number in Counter(names).items() if number > 1)


def counted(asked: Asked, found: Found) -> dict[str, object]:
    """What any proof counts of what was asked for and what is left of it."""
    return {
        "documents (completed)": f"{len(asked.documents)} ({len(found.completed)})",
        "requests (refused)": f"{asked.requests} ({asked.refused})",
        "exports (failed)": f"{asked.exports} ({len(asked.failed)})",
        "lost": len(found.lost),
        "doubled": len(found.doubled),
        "stuck": len(set(asked.documents) - asked.ended),
        "left in the queues": found.left,
        "dead letters": len(found.dead),
    }


def table(minutes: float, asked: Asked, found: Found, disturbed: Disturbed, model: ModelServer) -> str:
    """All that was seen, a line each, and memory and descriptors by service and minute."""
    recovered = sorted(disturbed.recoveries) or [0.0]
    marks = quantiles(recovered, n=100) if len(recovered) > 1 else recovered * 99
    done = disturbed.done
    kills, stops = (sum(n for one, n in done.items() if one.how == how) for how in ("kill", "stop"))
    servers = (f"{name} {done[Disturbance('kill', name)]}, {done[Disturbance('stop', name)]}" for name in SERVERS)
    rows = {
        "minutes": f"{minutes:g}",
        "kills, stops": f"{kills}, {stops}",
        "kills, stops of servers": "; ".join(servers),
        **counted(asked, found),
        "outcomes that came too late": found.superseded,
        "calls": model.total,
        "calls paid again, or cut off": model.total - found.records,
        "recovery p50, p99": f"{marks[49]:.1f} s, {marks[98]:.1f} s",
    }
    lines = [f"{name:30} {value}" for name, value in rows.items()]
    for name in disturbed.second:
        told = (f"{memory:.0f}/{descriptors}" for memory, descriptors in (one[name] for one in disturbed.samples))
        lines.append(f"{name:30} {' '.join(told)}")
    return "\n".join(["", *lines, "(of each service: megabytes/descriptors of the replica that is stopped, by minute)"])
