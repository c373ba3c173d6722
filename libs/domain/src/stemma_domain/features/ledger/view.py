"""From the state of a document to the view of it: the same facts, in the public vocabulary."""

from __future__ import annotations

from stemma_contracts.v1.views import LedgerView, RowView

from stemma_domain.state import Document

from .answering import answer_to, open_mandatory
from .state import Ledger, Standing


def ledger_view(document: Document, ledger: Ledger) -> LedgerView:
    """The view of a requirement ledger."""
    return LedgerView(
        rows=ledger.rows,
        difference=ledger.difference,
        summary=ledger.summary,
        standings={name: _row_view(document, name, standing) for name, standing in ledger.standings.items()},
        open_mandatory=open_mandatory(document),
        sources=ledger.sources,
        brief=ledger.brief,
        reading=ledger.job_id is not None,
        failure=ledger.failure,
        asking=ledger.opinion_job_id is not None,
        opinion=ledger.opinion,
    )


def _row_view(document: Document, name: str, standing: Standing) -> RowView:
    answer = answer_to(document, name)
    return RowView(
        confirmed=standing.confirmed,
        dropped=standing.dropped,
        merged_into=standing.merged_into,
        section_id=standing.section_id,
        owner=standing.owner,
        status=answer.status,
        version=answer.version,
        block_id=answer.block_id,
    )
