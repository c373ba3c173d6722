"""The table of work of a document: every open job, and what it is for.

It is derived from the state at every handling, so that no job can be lost: what is open is published from it, and what
an outcome means is looked up in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1.jobs import Job
from stemma_document.state import Document, Lifecycle, State, open_job_id

from .features import FEATURES
from .hooks import Work

_PHASES = {phase: task for feature in FEATURES for phase, task in feature.phases.items()}
_BESIDE = [feature.work for feature in FEATURES if feature.work]
_WORKING = frozenset({Lifecycle.RUNNING, Lifecycle.COMPLETED, Lifecycle.FAILED})


def work_of(document: Document) -> Iterator[Work]:
    """Every open job, and what it is for."""
    for section in document.sections.values():
        if (job_id := open_job_id(section.phase)) is not None:
            yield job_id, _PHASES[type(section.phase)], (document, section, section.phase)
    for beside in _BESIDE:
        yield from beside(document)


def open_jobs(state: State) -> tuple[Job, ...]:
    """Every job that is open: none for sections of a paused or cancelled document, exports always."""
    return tuple(task.make(*about) for _, task, about in openings(state).values())


def openings(state: State) -> dict[str, Work]:
    """What can be made into each open job, by its id: most were published before and need not be made again."""
    if not isinstance(state, Document):
        return {}
    works = state.lifecycle in _WORKING
    return {work[0]: work for work in work_of(state) if works or not work[1].of_section}


def closed_jobs(before: State, after: State) -> frozenset[str]:
    """The jobs about sections that nobody waits for any more; what a paused document has begun is waited for."""
    return _awaited(before) - _awaited(after)


def _awaited(state: State) -> frozenset[str]:
    work = work_of(state) if isinstance(state, Document) else ()
    return frozenset(job_id for job_id, task, _ in work if task.of_section)
