"""The jobs of a document as its log opened them, each with what came of it: a run that can be run once more."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.jobs import Job
from stemma_domain.work import openings

from .reading import Reading
from .recorded import RecordedEvent


def jobs_of(history: Sequence[RecordedEvent]) -> Iterator[tuple[Job, RecordedEvent | None]]:
    """Every job that the log of a document opened, in that order, and the event that its outcome became, if any did."""
    became = {
        job_id: event
        for event in reversed(history)
        if (job_id := getattr(event.contract, "job_id", None)) and not isinstance(event.contract, e.OutcomeSuperseded)
    }
    reading, known = Reading(history[0].document_id if history else ""), set[str]()
    for _, decided in groupby(history, key=lambda event: event.envelope.causation_id or event.envelope.id):
        for event in decided:
            reading = reading.after(event)
        for job_id, task, about in openings(reading.state).values():
            if job_id not in known:
                known.add(job_id)
                yield task.make(*about), became.get(job_id)
