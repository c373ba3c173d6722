"""Which jobs a document waits for, for those who may not make them."""

from __future__ import annotations

from collections.abc import Iterator

from .proposal_state import Proposed, Proposing
from .state import Document, Lifecycle, Section, open_job_id


def open_job_ids(document: Document) -> frozenset[str]:
    """The ids of all jobs whose outcome would still count; those of a paused document too."""
    of_sections = (job_id for section in document.sections.values() for job_id in _of_section(section))
    of_exports = (export.job_id for export in document.exports.values())
    of_forms = (export.job_id for export in document.form_exports.values())
    reads = document.lifecycle is not Lifecycle.CANCELLED
    of_inputs = (one.pending.job_id for one in document.inputs.values() if reads and one.pending)
    of_ledger = (document.ledger.job_id, document.ledger.opinion_job_id) if document.ledger else ()
    return frozenset(job_id for job_id in (*of_sections, *of_exports, *of_forms, *of_inputs, *of_ledger) if job_id)


def _of_section(section: Section) -> Iterator[str | None]:
    yield open_job_id(section.phase)
    yield from section.checks
    match section.proposal:
        case Proposing(job_id=job_id) | Proposed(check=job_id):
            yield job_id
        case None:
            pass
