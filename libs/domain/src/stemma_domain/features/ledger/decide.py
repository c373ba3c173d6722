"""Have the demands of the sources read, and decide about them: all decisions of a request are made, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.ledger import RowParts
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import Asked, refused
from stemma_domain.hooks import Feature
from stemma_domain.job_ids import EXTRACT, PROPOSE
from stemma_domain.state import Document, Lifecycle

from .state import Ledger
from .work import work


@dataclass(frozen=True, kw_only=True)
class Cut(Asked[r.SplitRequirements]):
    """Rows are to be cut, and what comes of it: these rows, with these parts; no rows where they are not known."""

    rows: ArtifactRef | None = None
    parts: tuple[RowParts, ...] = ()


LedgerCommand = Cut | Asked[r.ReadRequirements | r.DecideRequirements]


def decide(command: LedgerCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about the ledger, or its refusals."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return [e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)]
    if isinstance(command, Cut):
        return [_split(command, document.ledger or Ledger())]
    match command.request:
        case r.ReadRequirements() as request:
            return [_read(command, request)]
        case r.DecideRequirements() as request:
            refusals = list(_refusals(command, request, document))
            return refusals or [e.RequirementsDecided(**command.asked, decisions=request.decisions)]
        case _:
            assert_never(command.request)


def _read(command: LedgerCommand, request: r.ReadRequirements) -> e.RequirementsRequested:
    return e.RequirementsRequested(
        **command.asked,
        sources=tuple(dict.fromkeys(request.sources)),
        without_brief=request.without_brief,
        second_opinion=request.second_opinion,
    )


def _split(command: Cut, ledger: Ledger) -> e.AnyEvent:
    """Cuts are places in words: those that count must be the ones that were cut."""
    digest = command.request.rows_digest
    if command.rows is None or ledger.rows is None or ledger.rows.digest != digest:
        return e.RefusedOldLedger(**refused(command), rows_digest=digest)
    return e.RequirementsSplit(**command.asked, splits=command.parts, rows=command.rows)


def _refusals(command: LedgerCommand, request: r.DecideRequirements, document: Document) -> Iterator[e.AnyRefusal]:
    """What keeps each decision from being made: rows and sections that are not there."""
    rows = (document.ledger or Ledger()).row_ids
    for position, decision in enumerate(request.decisions):
        named = [name for name in (decision.requirement_id, decision.merged_into) if name]
        unknown = next((name for name in named if name not in rows), None)
        if unknown is not None:
            yield e.RefusedUnknownRequirement(**refused(command), position=position, requirement_id=unknown)
        elif decision.section_id and decision.section_id not in document.sections:
            yield e.RefusedUnknownSection(**refused(command, decision.section_id), position=position)


FEATURE = Feature[LedgerCommand](
    requests=(r.ReadRequirements, r.DecideRequirements, r.SplitRequirements),
    decide=decide,
    work=work,
    job_owners={EXTRACT: subjects.VALIDATOR, PROPOSE: subjects.GENERATION},
)
