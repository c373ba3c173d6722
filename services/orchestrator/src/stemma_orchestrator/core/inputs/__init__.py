"""Inputs: each file is read before anything is written, and can be added, replaced and withdrawn at any time."""

from stemma_contracts import subjects
from stemma_document.inputs import is_read
from stemma_document.job_ids import READ_INPUT
from stemma_document.staleness import Staleness
from stemma_document.state import Document, Section

from stemma_orchestrator.core.hooks import Feature

from .decide import Add, Apply, InputCommand, Replace, Withdraw, decide
from .work import work


def may_start(document: Document, _section: Section, _stale: Staleness) -> bool:
    """Whether all is read that a section may be written from."""
    return is_read(document)


FEATURE = Feature[InputCommand](
    commands=(Add, Replace, Apply, Withdraw),
    decide=decide,
    work=work,
    job_owners={READ_INPUT: subjects.CONVERTER},
    may_start=may_start,
    may_end=is_read,
)

__all__ = ["FEATURE", "Add", "Apply", "InputCommand", "Replace", "Withdraw"]
