"""Who asked for something, as the log has it."""

from __future__ import annotations

from dataclasses import dataclass

from stemma_contracts.v1.events import Event


@dataclass(frozen=True)
class Person:
    """A person whom the server knew (``verified``), or whom a program named; no name if the log says none."""

    name: str = ""
    verified: bool = False


NOBODY = Person()


def person_of(event: Event) -> Person:
    """The person behind an event."""
    return Person(event.actor, event.actor_verified) if event.actor else NOBODY
