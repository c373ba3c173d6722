"""Have the demands of the sources read, and decide about them: all decisions of a request are made, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.ledger import RequirementDecision, RowParts
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import RequestCommand, refused
from stemma_domain.hooks import Feature
from stemma_domain.job_ids import EXTRACT, PROPOSE
from stemma_domain.state import Document, Lifecycle

from .state import Ledger
from .work import work


@dataclass(frozen=True)
class Read(RequestCommand):
    """Read the demands of the brief and of inputs of these names; an open reading gives way to it."""

    request = requests.ReadRequirements
    sources: tuple[str, ...]
    without_brief: bool = False
    second_opinion: bool = False


@dataclass(frozen=True)
class Decide(RequestCommand):
    """Decide about rows of the ledger."""

    request = requests.DecideRequirements
    decisions: tuple[RequirementDecision, ...]


@dataclass(frozen=True)
class Split(RequestCommand):
    """Cut rows, of which it is known what comes of it: these rows, with these parts; no rows if they are not known."""

    request = requests.SplitRequirements
    rows_digest: str
    rows: ArtifactRef | None = None
    splits: tuple[RowParts, ...] = ()


LedgerCommand = Read | Decide | Split


def decide(command: LedgerCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about the ledger, or its refusals."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return [e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)]
    match command:
        case Read():
            return [
                e.RequirementsRequested(
                    **command.asked,
                    sources=command.sources,
                    without_brief=command.without_brief,
                    second_opinion=command.second_opinion,
                )
            ]
        case Decide():
            refusals = list(_refusals(command, document))
            return refusals or [e.RequirementsDecided(**command.asked, decisions=command.decisions)]
        case Split():
            return [_split(command, document.ledger or Ledger())]
        case _:
            assert_never(command)


def _split(command: Split, ledger: Ledger) -> e.AnyEvent:
    """Cuts are places in words: those that count must be the ones that were cut."""
    if command.rows is None or ledger.rows is None or ledger.rows.digest != command.rows_digest:
        return e.RefusedOldLedger(**refused(command), rows_digest=command.rows_digest)
    return e.RequirementsSplit(**command.asked, splits=command.splits, rows=command.rows)


def _refusals(command: Decide, document: Document) -> Iterator[e.AnyRefusal]:
    """What keeps each decision from being made: rows and sections that are not there."""
    rows = (document.ledger or Ledger()).row_ids
    for position, decision in enumerate(command.decisions):
        named = [name for name in (decision.requirement_id, decision.merged_into) if name]
        unknown = next((name for name in named if name not in rows), None)
        if unknown is not None:
            yield e.RefusedUnknownRequirement(**refused(command), position=position, requirement_id=unknown)
        elif decision.section_id and decision.section_id not in document.sections:
            yield e.RefusedUnknownSection(**refused(command, decision.section_id), position=position)


FEATURE = Feature[LedgerCommand](
    commands=(Read, Decide, Split),
    decide=decide,
    work=work,
    job_owners={EXTRACT: subjects.VALIDATOR, PROPOSE: subjects.GENERATION},
)
