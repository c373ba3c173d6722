"""What a feature of a document is to the core: a few hooks, each of which it may leave out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar, TypeVarTuple

from stemma_contracts.v1.events import AnyEvent, Event
from stemma_contracts.v1.jobs import Job
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.requests import Request

from .commands import Command, Timer
from .staleness import Staleness
from .state import Document, Phase, Section

C = TypeVar("C", bound=Command)
About = TypeVarTuple("About")


@dataclass(frozen=True)
class Task(Generic[*About]):
    """What jobs of a kind are for: ``make`` gives the job, ``settle`` the event that its outcome becomes, from what the
    work is about.

    Jobs of a section are not given out while its document is paused, those ``after_reading`` not before the first
    reading of the request, and a paid look that is ``is_aside`` not while the budget is spent. What was given out
    before that counts all the same.
    """

    make: Callable[[*About], Job]
    settle: Callable[[*About, Outcome], AnyEvent]
    of_section: bool = True
    after_reading: bool = False
    is_aside: bool = False


Work = tuple[str, Task[*tuple[Any, ...]], tuple[Any, ...]]
"""The id of an open job, what it is for, and what that is about. A bare tuple: each handling looks through all of them,
and of most it wants the id alone."""


@dataclass(frozen=True)
class Feature(Generic[C]):
    """A feature, as it stands in the table of `table.py`.

    ``decide`` gives the events of one of its ``requests``, or a refusal. ``follow`` adds to the events of any command
    what they mean for it. ``evolve`` folds one of its ``events``; ``after`` adds what any event, once it is folded,
    means for the feature. ``phases`` are those in which a section has a job of it open, and what that is for;
    ``work`` names the jobs beside. ``job_owners`` says which service has them, by the names in their ids. A section
    starts, and a document is at its end, when every feature says that it ``may``. ``timers`` are those that run, the
    first of each pair so long before the time itself; ``elapsed`` gives, by the name of a timer, the events of one that
    elapsed. ``due`` gives the events that a document calls for by itself, once those of a command are folded. ``view``
    gives the fields of the view of a section that are its own.
    """

    requests: tuple[type[Request], ...] = ()
    decide: Callable[[C, Document], Sequence[AnyEvent]] | None = None
    follow: Callable[[Document, Sequence[AnyEvent]], Sequence[AnyEvent]] | None = None
    events: tuple[type[Event], ...] = ()
    evolve: Callable[[Document, Any], Document] | None = None
    after: Callable[[Document, AnyEvent], Document] | None = None
    phases: Mapping[type[Phase], Task[Document, Section, Any]] = field(default_factory=dict)
    work: Callable[[Document], Iterable[Work]] | None = None
    job_owners: Mapping[str, str] = field(default_factory=dict)
    may_start: Callable[[Document, Section, Staleness], bool] | None = None
    may_end: Callable[[Document], bool] | None = None
    timers: Callable[[Document, timedelta], Iterable[Timer]] | None = None
    elapsed: Mapping[str, Callable[[Timer, Document], Sequence[AnyEvent]]] = field(default_factory=dict)
    due: Callable[[Document], Sequence[AnyEvent]] | None = None
    view: Callable[[Section], Mapping[str, Any]] | None = None
