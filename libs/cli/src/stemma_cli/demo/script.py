"""What the demonstration decides about each sample: its texts, and which sections they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """Something a person says about one section."""

    section_id: str
    words: str


@dataclass(frozen=True)
class DemoScript:
    """The decisions of a person about a document, apart from its approvals.

    ``revised`` is sent back in its review; after the first export ``amended`` is written anew, as it quotes what the
    amended brief changes, ``instructed`` is changed by the editor agent, ``written`` gets a paragraph of the person's
    own and is kept, and ``regenerated`` is written anew with guidance. Every other section that becomes stale is kept.
    """

    revised: Change
    amended: str
    instructed: Change
    written: Change
    regenerated: Change

    @property
    def changed(self) -> frozenset[str]:
        """The sections whose text differs between the two exports."""
        changes = (self.instructed, self.written, self.regenerated)
        return frozenset({self.amended, *(change.section_id for change in changes)})


SCRIPTS: Mapping[str, DemoScript] = {
    "proposal": DemoScript(
        revised=Change("solution", "Say that both bicycles are serviced every month."),
        amended="budget",
        instructed=Change("connections", "Say that the schools of Oak Hill may join in the second year."),
        written=Change("timeline", "The couriers are hired in April 2027, after the council has decided."),
        regenerated=Change("budget", "Say that the council pays in two instalments."),
    )
}
