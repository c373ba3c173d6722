"""given / when / then for a decider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from stemma_contracts import Contract
from stemma_eventlog import Decider

S = TypeVar("S")
AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Then(Generic[S]):
    """What a command gave: its events and the state after them."""

    events: tuple[Contract, ...]
    state: S

    def then(self, *expected: Contract) -> Then[S]:
        """The command gave just these events."""
        assert list(self.events) == list(expected)
        return self

    def then_types(self, *expected: type[Contract]) -> Then[S]:
        """The command gave events of just these types."""
        assert [type(event) for event in self.events] == list(expected)
        return self

    def then_nothing_happened(self) -> Then[S]:
        """The command gave no event."""
        assert self.events == ()
        return self


@dataclass(frozen=True)
class Given(Generic[S]):
    """A history."""

    decider: Decider[Any, S]
    state: S

    def when(self, command: Any) -> Then[S]:
        """Decide a command on the history."""
        events = tuple(self.decider.decide(command, self.state))
        return Then(events, fold(self.decider, self.state, events))


def given(decider: Decider[Any, S], *events: Contract) -> Given[S]:
    """Start from a history of events."""
    return Given(decider, fold(decider, decider.initial, events))


def fold(decider: Decider[Any, S], state: S, events: Sequence[Contract]) -> S:
    """The state after some more events."""
    for event in events:
        state = decider.evolve(state, event, AT, 0)
    return state
