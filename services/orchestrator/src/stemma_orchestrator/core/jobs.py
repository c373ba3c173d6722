"""The table of work of a document: every open job, and what it is for.

It is derived from the state at every handling, so that no job can be lost: what is open is published from it, and what
an outcome means is looked up in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stemma_contracts.v1.jobs import Job
from stemma_document.state import Document, Lifecycle, State

from .features import FEATURES
from .hooks import Work

_PHASES = {phase: work for feature in FEATURES for phase, work in feature.phases.items()}
_BESIDE = [feature.work for feature in FEATURES if feature.work]
_WORKING = frozenset({Lifecycle.RUNNING, Lifecycle.COMPLETED, Lifecycle.FAILED})


def work_of(document: Document) -> Iterator[Work]:
    """Every open job, and what it is for."""
    for section in document.sections.values():
        if (of_phase := _PHASES.get(type(section.phase))) is not None:
            yield of_phase(document, section, section.phase)
    for beside in _BESIDE:
        yield from beside(document)


def open_jobs(state: State) -> tuple[Job, ...]:
    """Every job that is open: none for sections of a paused or cancelled document, exports always."""
    return tuple(make() for make in openings(state).values())


def openings(state: State) -> dict[str, Callable[[], Job]]:
    """How to make each open job, by its id: most of them were published before and need not be made again."""
    if not isinstance(state, Document):
        return {}
    works = state.lifecycle in _WORKING
    return {work.job_id: work.make for work in work_of(state) if works or not work.of_section}


def closed_jobs(before: State, after: State) -> frozenset[str]:
    """The jobs about sections that nobody waits for any more; what a paused document has begun is waited for."""
    return _awaited(before) - _awaited(after)


def _awaited(state: State) -> frozenset[str]:
    work = work_of(state) if isinstance(state, Document) else ()
    return frozenset(each.job_id for each in work if each.of_section)
