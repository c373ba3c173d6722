"""Have the demands of the sources read, and decide about them: all decisions of a request are made, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import RowParts
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import Asked, of_document, refused
from stemma_domain.hooks import Feature
from stemma_domain.job_ids import EXTRACT, PROPOSE
from stemma_domain.state import Document, Lifecycle

from .answering import sought_again
from .evolve import evolve
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
        return [refused(command, of_document(document))]
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
        return refused(command, Problem.of("rows_changed", "rows_digest"))
    return e.RequirementsSplit(**command.asked, splits=command.parts, rows=command.rows)


def _refusals(command: LedgerCommand, request: r.DecideRequirements, document: Document) -> Iterator[e.DecisionRefused]:
    """What keeps each decision from being made: rows and sections that are not there."""
    rows = (document.ledger or Ledger()).row_ids
    for position, decision in enumerate(request.decisions):
        named = [name for name in (decision.requirement_id, decision.merged_into) if name]
        unknown = next((name for name in named if name not in rows), None)
        if unknown is not None:
            field = f"decisions.{position}.requirement_id"
            yield refused(command, Problem.of("row_unknown", field, requirement_id=unknown))
        elif (name := decision.section_id) and name not in document.sections:
            field = f"decisions.{position}.section_id"
            yield refused(command, Problem.of("section_unknown", field, section_id=name), name)


FEATURE = Feature[LedgerCommand](
    requests=(r.ReadRequirements, r.DecideRequirements, r.SplitRequirements),
    decide=decide,
    events=get_args(e.AnyLedgerEvent),
    evolve=evolve,
    after=sought_again,
    work=work,
    job_owners={EXTRACT: subjects.VALIDATOR, PROPOSE: subjects.GENERATION},
)
