"""The buyer's forms: a person confirms the fields that were found in one, a section of its own answers them, and its
approved answers are written into the form."""

from stemma_contracts import subjects
from stemma_document.inputs import lacks_form
from stemma_document.job_ids import FILL
from stemma_document.staleness import Staleness
from stemma_document.state import Document, Section

from stemma_orchestrator.core.hooks import Feature

from .decide import Confirm, Export, FormCommand, command_of, decide
from .work import work


def may_start(document: Document, section: Section, _stale: Staleness) -> bool:
    """Whether a section answers a form that counts, or none."""
    return not lacks_form(document, section)


FEATURE = Feature[FormCommand](
    commands=(Confirm, Export),
    decide=decide,
    work=work,
    job_owners={FILL: subjects.CONVERTER},
    may_start=may_start,
)

__all__ = ["FEATURE", "Confirm", "Export", "command_of"]
