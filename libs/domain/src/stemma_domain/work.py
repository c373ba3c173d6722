"""The table of work of a document: every open job, what it is for, and whose outcome of it counts.

It is derived from the state at every handling, so that no job can be lost: what is open is published from it, and what
an outcome means is looked up in it.
"""

from collections.abc import Iterator
from datetime import timedelta

from stemma_contracts import subjects
from stemma_contracts.v1.jobs import Job
from stemma_contracts.v1.outcomes import JobDead, Outcome, ThreadsHeld

from .commands import Timer
from .features import erasure
from .features.budget import is_spent
from .features.ledger.chapters import is_first_reading_open
from .hooks import Work
from .state import Document, Lifecycle, State, open_job_id
from .table import FEATURES

_PHASES = {phase: task for feature in FEATURES for phase, task in feature.phases.items()}
_BESIDE = [feature.work for feature in FEATURES if feature.work]
_WORKING = frozenset({Lifecycle.RUNNING, Lifecycle.COMPLETED, Lifecycle.FAILED})


def work_of(document: Document) -> Iterator[Work]:
    """Every open job, and what it is for; while a document is being erased, nothing else is waited for."""
    if document.erasure is not None:
        yield from erasure.work(document)
        return
    for section in document.sections.values():
        if (job_id := open_job_id(section.phase)) is not None:
            yield job_id, _PHASES[type(section.phase)], (document, section, section.phase)
    for beside in _BESIDE:
        yield from beside(document)


def open_jobs(state: State) -> tuple[Job, ...]:
    """Every job that is given out: for sections of a paused or cancelled document none, exports once it is read."""
    return tuple(task.make(*about) for _, task, about in openings(state).values())


def openings(state: State) -> dict[str, Work]:
    """What can be made into each open job, by its id: most were published before and need not be made again."""
    if not isinstance(state, Document):
        return {}
    works, reads, spent = state.lifecycle in _WORKING, is_first_reading_open(state), is_spent(state)
    return {
        job_id: (job_id, task, about)
        for job_id, task, about in work_of(state)
        if (works or not task.of_section) and not (reads and task.after_reading) and not (spent and task.is_aside)
    }


def closed_jobs(before: State, after: State) -> frozenset[str]:
    """The jobs about sections that nobody waits for any more; what a paused document has begun is waited for.

    Nothing of a document that is being erased is waited for.
    """
    of_all = isinstance(after, Document) and after.erasure is not None
    return _awaited(before, of_all) - _awaited(after, of_all)


def _awaited(state: State, of_all: bool) -> frozenset[str]:
    work = work_of(state) if isinstance(state, Document) else ()
    return frozenset(job_id for job_id, task, _ in work if of_all or task.of_section)


def open_job_ids(document: Document) -> frozenset[str]:
    """The ids of all jobs whose outcome would still count; those of a paused document too."""
    return frozenset(job_id for job_id, *_ in work_of(document))


_TIMERS = [feature.timers for feature in FEATURES if feature.timers]
ELAPSED = {name: elapsed for feature in FEATURES for name, elapsed in feature.elapsed.items()}
"""What a timer that elapsed gives, by its name."""


def timers_of(state: State, before: timedelta) -> Iterator[Timer]:
    """The timers that run; the first one of each time is so long ``before`` it."""
    for timers in _TIMERS:
        yield from timers(state, before) if isinstance(state, Document) else ()


OWNERS = {name: service for feature in FEATURES for name, service in feature.job_owners.items()}
_PARTS = 4


def name_of(job_id: str) -> str:
    """The name of a job, nothing for an id that no job has."""
    parts = job_id.split(".")
    return parts[2] if len(parts) == _PARTS else ""


def owner_of(job_id: str) -> str | None:
    return OWNERS.get(name_of(job_id))


def may_report(sender: str, outcome: Outcome) -> bool:
    """Whether an outcome is the sender's to report.

    The orchestrator reports jobs that were given up: of its own accord, or because of a message of their owner.
    """
    if isinstance(outcome, ThreadsHeld):
        return sender == subjects.GENERATION
    owner = owner_of(outcome.job_id)
    if sender == subjects.ORCHESTRATOR:
        return owner is not None and isinstance(outcome, JobDead) and outcome.service in (None, owner)
    return sender == owner


def is_ahead(job_id: str, document: Document) -> bool:
    """Whether no event of the document can have opened the job yet."""
    document_id, number, *_ = (*job_id.split("."), "")
    return document_id != document.document_id or not number.isdecimal() or int(number) > document.number
