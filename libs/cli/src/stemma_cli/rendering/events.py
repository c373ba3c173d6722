"""The events of a document: decisions in a table, and all as trees, where an event hangs on what opened its job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stemma_client.client import Client
from stemma_client.reading import said_with
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.views import DocumentView

from stemma_cli.lookup import NOT_STORED
from stemma_cli.output import clean_line
from stemma_cli.wording import (
    detail_words,
    event_words,
    name_words,
    paused_words,
    person_words,
    version_words,
    waiting_words,
)

WIDE = 56
"""Columns of the screen below which the time since what led to a step is not told."""
LEGEND = ("seconds from the start, + from the cause", "*: critical path, what took longest")
_MARK = "*"


@dataclass(eq=False)
class Step:
    """An event with what it led to; ``after_s`` is the time since what led to it, 0 for a beginning."""

    event: RecordedEvent
    parent: Step | None = None
    children: list[Step] = field(default_factory=list)

    @property
    def after_s(self) -> float:
        return 0.0 if self.parent is None else self.since(self.parent)

    @property
    def trace_id(self) -> str:
        """The trace that it belongs to; empty if it was stored without one."""
        parts = self.event.envelope.trace.get("traceparent", "").split("-")
        return parts[1] if len(parts) == 4 else ""

    def since(self, other: Step) -> float:
        return (self.event.envelope.time - other.event.envelope.time).total_seconds()

    def walk(self) -> Iterable[Step]:
        yield self
        for child in self.children:
            yield from child.walk()


def trees(events: Sequence[RecordedEvent]) -> list[Step]:
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


def waiting_lines(view: DocumentView) -> Iterable[str]:
    if view.waiting and view.status is not DocumentStatus.CANCELLED:
        yield waiting_words(view.waiting)
    if view.status is DocumentStatus.PAUSED:
        yield paused_words(view)


def tree_lines(root: Step, width: int) -> Iterable[str]:
    """A tree: when it began and how long it took, and a line for each step; half of the width is left for words."""
    path = critical_path(root)
    seconds = f"{path[-1].since(root):.3f}"
    yield from _heading(root, seconds, width)
    steps, marked = list(_with_depth(root)), set(map(id, path))
    deepest = max(depth for _, depth in steps)
    for step, depth in steps:
        times = f"{step.since(root):{len(seconds)}.3f}"
        if width >= WIDE:
            times += f" {f'+{step.after_s:.3f}':>{len(seconds) + 1}}"
        before = f"{_MARK if id(step) in marked else ' '} {times}  "
        indent = _indent(depth, deepest, (width - len(before)) // 2)
        yield f"{before}{' ' * indent}{clean_line(event_words(step.event))}"


def _heading(root: Step, seconds: str, width: int) -> Sequence[str]:
    begun = f"{root.event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S}  {seconds} s"
    trace_id = f"trace {clean_line(root.trace_id) or '-'}"
    line = f"{begun}  {trace_id}"
    return [line] if len(line) <= width else [begun, trace_id]


def _indent(depth: int, deepest: int, room: int) -> int:
    """Two columns a step down the tree, one where it is deep for the room, and no more than the room."""
    return min(depth if 2 * deepest > room else 2 * depth, room)


def _with_depth(step: Step, depth: int = 0) -> Iterable[tuple[Step, int]]:
    yield step, depth
    for child in step.children:
        yield from _with_depth(child, depth + 1)


def tree_json(root: Step) -> dict[str, Any]:
    path = critical_path(root)
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


_ELSEWHERE = ("version", "actor", "by_policy", "starts", "makes_stale", "clears_stale")
_LONGEST = 200


def history_line(event: RecordedEvent) -> str:
    return f"{event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S} {event_words(event)}"


def _who(contract: Any) -> str:
    if contract.actor:
        return person_words(contract.actor, verified=contract.actor_verified)
    return "policy" if isinstance(contract, e.SectionApproved) else "editor agent"


def _what(event: RecordedEvent) -> str:
    details, refused = detail_words(event, without=_ELSEWHERE), ""
    if isinstance(event.contract, e.DecisionRefused):
        refused = f"{' '.join(event.contract.request.split('.')[1:-1])}: "
    return f"{refused}{name_words(event)}{f' ({details})' if details else ''}"


DECISIONS: Mapping[str, Callable[[tuple[RecordedEvent, str]], str]] = {
    "WHEN": lambda decided: f"{decided[0].envelope.time.astimezone():%Y-%m-%d %H:%M:%S}",
    "WHO": lambda decided: _who(decided[0].contract),
    "SECTION": lambda decided: getattr(decided[0].contract, "section_id", None) or "",
    "VERSION": lambda decided: version_words(getattr(decided[0].contract, "version", 0)),
    "WHAT": lambda decided: _what(decided[0]),
    "IN WORDS": lambda decided: decided[1] if len(decided[1]) <= _LONGEST else f"{decided[1][:_LONGEST]}...",
}
"""A decision with what was said."""


async def words_with(client: Client, document_id: str, event: RecordedEvent) -> str:
    """What was said in words with a decision or its result, in a line; an erased document has no texts any more."""
    said = await said_with(client, document_id, event)
    return NOT_STORED if said is None else clean_line(said)
