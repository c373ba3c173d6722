"""The requirement ledger: demands are read from the sources, by rules and by a model, and people decide about them."""

from stemma_contracts import subjects
from stemma_document.job_ids import EXTRACT, PROPOSE

from stemma_orchestrator.core.hooks import Feature

from .decide import Decide, LedgerCommand, Read, Split, decide
from .work import work

FEATURE = Feature[LedgerCommand](
    commands=(Read, Decide, Split),
    decide=decide,
    work=work,
    job_owners={EXTRACT: subjects.VALIDATOR, PROPOSE: subjects.GENERATION},
)

__all__ = ["FEATURE", "Decide", "Read", "Split"]
