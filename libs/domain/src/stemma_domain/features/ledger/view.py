"""From the state of a document to the view of it: the same facts, in the public vocabulary."""

from __future__ import annotations

from stemma_contracts.v1.views import LedgerView

from stemma_domain.state import Document

from .answering import open_mandatory, row_of
from .state import Ledger


def ledger_view(document: Document, ledger: Ledger) -> LedgerView:
    """The view of a requirement ledger."""
    return LedgerView(
        rows=ledger.rows,
        difference=ledger.difference,
        summary=ledger.summary,
        standings={name: row_of(document, name) for name in ledger.standings},
        open_mandatory=open_mandatory(document),
        sources=ledger.sources,
        brief=ledger.brief,
        reading=ledger.job_id is not None,
        failure=ledger.failure,
        asking=ledger.opinion_job_id is not None,
        opinion=ledger.opinion,
    )
