"""The events of a document as trees: an event hangs on the one that opened its job; a decision begins a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stemma_client.cli.output import say, say_json
from stemma_client.cli.wording import event_words
from stemma_client.client import Client
from stemma_client.recorded import RecordedEvent

from .finding import find_document

_MARK = "*"


@dataclass(eq=False)
class Step:
    """An event with what it led to; ``after_s`` is the time since what led to it, 0 for a beginning."""

    event: RecordedEvent
    parent: Step | None = None
    children: list[Step] = field(default_factory=list)

    @property
    def after_s(self) -> float:
        """Seconds since the step that led to this one."""
        return 0.0 if self.parent is None else self.since(self.parent)

    @property
    def trace_id(self) -> str:
        """The trace that it belongs to; empty if it was stored without one."""
        parts = self.event.envelope.trace.get("traceparent", "").split("-")
        return parts[1] if len(parts) == 4 else ""

    def since(self, other: Step) -> float:
        """Seconds between two steps."""
        return (self.event.envelope.time - other.event.envelope.time).total_seconds()

    def walk(self) -> Iterable[Step]:
        """This step and all that came of it."""
        yield self
        for child in self.children:
            yield from child.walk()


def trees(events: Sequence[RecordedEvent]) -> list[Step]:
    """The beginnings, each with all that came of it, in the order of the log."""
    by_number: dict[int, Step] = {}
    by_cause: dict[str, Step] = {}
    roots: list[Step] = []
    for event in events:
        step = Step(event, by_cause.get(event.envelope.causation_id) or by_number.get(_opened_by(event)))
        by_number[event.envelope.sequence] = step
        by_cause.setdefault(event.envelope.causation_id, step)
        (roots if step.parent is None else step.parent.children).append(step)
    return roots


def _opened_by(event: RecordedEvent) -> int:
    """The number of the event that opened the job behind this one, 0 if there is no job: the id of a job holds it."""
    parts = (getattr(event.contract, "job_id", None) or "").split(".")
    return int(parts[1]) if len(parts) > 2 and parts[1].isdecimal() else 0


def critical_path(root: Step) -> list[Step]:
    """The chain from a beginning to the last that came of it: making anything beside it faster gains nothing."""
    step: Step | None = max(root.walk(), key=lambda s: (s.event.envelope.time, s.event.envelope.sequence))
    path = []
    while step is not None:
        path.append(step)
        step = step.parent
    return path[::-1]


async def trace(client: Client, *, document: str, as_json: bool) -> None:
    """All trees of a document with times, each with its critical path marked."""
    for root in trees(await client.history(await find_document(client, document))):
        path = critical_path(root)
        if as_json:
            say_json(_as_json(root, path))
            continue
        seconds = path[-1].since(root)
        say(f"{root.event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S}  {seconds:.3f} s  trace {root.trace_id or '-'}")
        for line in _lines(root, root, set(map(id, path)), 0):
            print(line)


def _lines(root: Step, step: Step, path: set[int], depth: int) -> Iterable[str]:
    mark = _MARK if id(step) in path else " "
    yield f"{mark} {step.since(root):9.3f} {f'+{step.after_s:.3f}':>9}  {'  ' * depth}{event_words(step.event)}"
    for child in step.children:
        yield from _lines(root, child, path, depth + 1)


def _as_json(root: Step, path: Sequence[Step]) -> dict[str, Any]:
    return {
        "trace_id": root.trace_id,
        "time": root.event.envelope.time.isoformat(),
        "seconds": path[-1].since(root),
        "critical_path": [step.event.envelope.sequence for step in path],
        "steps": [_step_json(root, step) for step in root.walk()],
    }


def _step_json(root: Step, step: Step) -> dict[str, Any]:
    return {
        "number": step.event.envelope.sequence,
        "parent": step.parent.event.envelope.sequence if step.parent else None,
        "name": step.event.name,
        "section_id": getattr(step.event.contract, "section_id", None),
        "at_s": step.since(root),
        "after_s": step.after_s,
    }
