"""Which threads of paused graphs a document needs: those that a job may still go on with."""

from __future__ import annotations

from collections.abc import Iterable

from stemma_contracts.v1.jobs import DropThreads
from stemma_document.state import AwaitingAnswer, Document, Failed, Generating, NeedDispatched, Phase, Resuming

from stemma_orchestrator.core.job_parts import head_of

DROP = "drop"


def drop_threads(document: Document, held: Iterable[str]) -> DropThreads | None:
    """The job that deletes those of the ``held`` threads that are not needed, if there are any."""
    needed = {_thread_of(section.phase) for section in document.sections.values()}
    dropped = tuple(sorted(set(held) - needed))
    if not dropped:
        return None
    job_id = f"{document.document_id}.{document.number}.{DROP}.threads"
    return DropThreads(job_id=job_id, document=head_of(document), threads=dropped)


def _thread_of(phase: Phase) -> str | None:
    match phase:
        case Generating():
            return phase.job_id
        case AwaitingAnswer() | NeedDispatched() | Resuming():
            return phase.thread_id
        case Failed(again=Resuming(thread_id=thread_id)):
            return thread_id
        case _:
            return None
