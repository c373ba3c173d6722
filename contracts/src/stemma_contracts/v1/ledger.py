"""The requirement ledger of a document: the demands of what it answers, and what people and programs say of each.

Words stand in artifacts (`LedgerRows`, `LedgerDifference`); events hold ids and decisions.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

RequirementKind = Literal["instruction", "evaluation", "work", "form"]
"""What is handed in, when and how; how offers are judged, and why they are rejected; what is done under the contract;
a paper to fill in, sign or certify."""

Obligation = Literal["mandatory", "should", "option"]

MOST_ROWS = 5000
"""Rows of a ledger: what demands more is no request, and no message could tell of it."""
MOST_QUOTED = 2000
"""Characters of a row: a longer sentence is quoted to there."""


class LedgerRow(Contract):
    """A demand as its source has it. The id stays while the demand does, also through amendments of the source."""

    requirement_id: Token = Field(description="R1, R2 and so on; none is given twice")
    source: FileName = Field(description="the input that it stands in")
    line: int = Field(ge=1, description="where it begins in the text of the source")
    headings: tuple[str, ...] = Field(default=(), description="those above it, the nearest last")
    quote: str = Field(min_length=1, max_length=MOST_QUOTED, description="verbatim, its words one space apart")
    kind: RequirementKind
    obligation: Obligation
    found_by: Literal["rules", "model", "person"] = "rules"


class LedgerRows(Contract):
    """The body of the artifact ``rows``. ``given`` counts the ids that were ever given."""

    given: int = Field(default=0, ge=0)
    rows: tuple[LedgerRow, ...] = ()
    more: int = Field(default=0, ge=0, description="demands beyond those that a ledger can have")


class ChangedRow(Contract):
    """A demand that reads otherwise than before, or that another obligation or kind was found for."""

    requirement_id: Token
    before: LedgerRow
    after: LedgerRow


class LedgerDifference(Contract):
    """What one reading of the sources has that the one before had not, and the other way round."""

    new: tuple[LedgerRow, ...] = ()
    changed: tuple[ChangedRow, ...] = ()
    withdrawn: tuple[LedgerRow, ...] = ()
