"""given / when / then for a decider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from stemma_contracts import Contract
from stemma_contracts.v1.events import DecisionRefused
from stemma_eventlog import Decider

C = TypeVar("C")
S = TypeVar("S")
E = TypeVar("E", bound=Contract)
AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Then(Generic[S, E]):
    """What a command gave: its events and the state after them."""

    events: tuple[E, ...]
    state: S

    def __iter__(self) -> Iterator[E]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def then(self, *expected: E) -> Then[S, E]:
        assert list(self.events) == list(expected)
        return self

    def then_types(self, *expected: type[E]) -> Then[S, E]:
        assert [type(event) for event in self.events] == list(expected)
        return self

    def then_refused(self, *codes: str) -> Then[S, E]:
        assert [e.problem.code if isinstance(e, DecisionRefused) else e for e in self.events] == list(codes)
        return self

    def then_nothing_happened(self) -> Then[S, E]:
        assert self.events == ()
        return self


@dataclass(frozen=True)
class Given(Generic[C, S, E]):
    decider: Decider[C, S, E]
    state: S

    def when(self, command: C) -> Then[S, E]:
        events = tuple(self.decider.decide(command, self.state))
        return Then(events, fold(self.decider, self.state, events))


def given(decider: Decider[C, S, E], *events: E) -> Given[C, S, E]:
    return Given(decider, fold(decider, decider.initial, events))


def fold(decider: Decider[C, S, E], state: S, events: Sequence[E]) -> S:
    for event in events:
        state = decider.evolve(state, event, AT, 0)
    return state
