"""What a feature of a document is to the core: a few hooks, each of which it may leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, TypeVarTuple

from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.jobs import Job
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.requests import Request

from .commands import Command
from .staleness import Staleness
from .state import Document, Phase, Section

C = TypeVar("C", bound=Command)
About = TypeVarTuple("About")


@dataclass(frozen=True)
class Task(Generic[*About]):
    """What jobs of a kind are for: ``make`` gives the job, ``settle`` the event that its outcome becomes, from what the
    work is about.

    Jobs of a section are not given out while its document is paused.
    """

    make: Callable[[*About], Job]
    settle: Callable[[*About, Outcome], AnyEvent]
    of_section: bool = True


Work = tuple[str, Task[*tuple[Any, ...]], tuple[Any, ...]]
"""The id of an open job, what it is for, and what that is about. A bare tuple: each handling looks through all of them,
and of most it wants the id alone."""


@dataclass(frozen=True)
class Feature(Generic[C]):
    """A feature, as it stands in the table of `table.py`.

    ``decide`` gives the events of one of its ``requests``, or a refusal. ``follow`` adds to the events of any command
    what they mean for it. ``phases`` are those in which a section has a job of it open, and what that is for;
    ``work`` names the jobs beside. ``job_owners`` says which service has them, by the names in their ids. A section
    starts, and a document is at its end, when every feature says that it ``may``.
    """

    requests: tuple[type[Request], ...] = ()
    decide: Callable[[C, Document], Sequence[AnyEvent]] | None = None
    follow: Callable[[Document, Sequence[AnyEvent]], Sequence[AnyEvent]] | None = None
    phases: Mapping[type[Phase], Task[Document, Section, Any]] = field(default_factory=dict)
    work: Callable[[Document], Iterable[Work]] | None = None
    job_owners: Mapping[str, str] = field(default_factory=dict)
    may_start: Callable[[Document, Section, Staleness], bool] | None = None
    may_end: Callable[[Document], bool] | None = None
