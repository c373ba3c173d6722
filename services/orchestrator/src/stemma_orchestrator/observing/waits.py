"""How long people let something wait: measured when they decide, by the clock of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum

from stemma_domain.features.proposals import Proposed
from stemma_domain.state import AwaitingAnswer, AwaitingReview, Document, Lifecycle, Section, State
from stemma_telemetry.metrics import histogram
from stemma_telemetry.names import Attr, Metric

_WAITED = histogram(Metric.WAITED)


class WaitsFor(StrEnum):
    """What a person has to do."""

    REVIEW = "review"
    ANSWER = "answer"
    PROPOSAL = "proposal"


def measure_waits(tenant: str, before: State, after: State, at: datetime) -> None:
    """Measure what a request ended."""
    for waits_for, since in ended_waits(before, after):
        waited = max(0.0, (at - since).total_seconds())
        _WAITED.record(waited, {Attr.TENANT: tenant, Attr.WAITS_FOR: waits_for})


def ended_waits(before: State, after: State) -> Iterator[tuple[WaitsFor, datetime]]:
    """What waited and waits no more, and since when it did; who cancels a document decides nothing else."""
    if isinstance(before, Document) and isinstance(after, Document) and after.lifecycle is not Lifecycle.CANCELLED:
        yield from _ended(before.sections, after.sections)


def _ended(before: Mapping[str, Section], after: Mapping[str, Section]) -> Iterator[tuple[WaitsFor, datetime]]:
    for name, section in before.items():
        if section is not (now := after[name]):
            left = dict(_waits(now))
            yield from ((what, since) for what, since in _waits(section) if left.get(what) != since)


def _waits(section: Section) -> Iterator[tuple[WaitsFor, datetime]]:
    since = section.notes.waits_since
    match section.phase:
        case AwaitingReview() if since is not None:
            yield WaitsFor.REVIEW, since
        case AwaitingAnswer() if since is not None:
            yield WaitsFor.ANSWER, since
        case _:
            pass
    match section.proposal:
        case Proposed(made_at=datetime() as made_at):
            yield WaitsFor.PROPOSAL, made_at
        case _:
            pass
