"""Ids of jobs: derived, so that the same job is opened once however often an event is handled."""

from __future__ import annotations

from .state import Document

GENERATE = "generate"
REVISE = "revise"
RESUME = "resume"
VALIDATE = "validate"
EVALUATE = "evaluate"
CONVERT = "convert"
READ_INPUT = "read"
EXTRACT = "extract"
PROPOSE = "propose"
FILL = "fill"


def job_id(document: Document, job: str, target: str) -> str:
    """The id of a job: document, number of the event that opened it, job name, section or export."""
    return f"{document.document_id}.{document.number}.{job}.{target}"
