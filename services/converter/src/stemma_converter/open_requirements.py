"""The appended page that names what the document has to answer and nobody says it does."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows
from stemma_languages import Words

from .not_covered import MAX_ROWS, pandoc_table
from .tree import Node, attributes, node, text


def ledger_rows(data: bytes) -> tuple[LedgerRow, ...]:
    """The rows of a ledger; none of what is no ledger."""
    try:
        return LedgerRows.model_validate_json(data).rows
    except ValidationError:
        return ()


def open_rows(rows: Sequence[LedgerRow], job: ConvertDocument) -> list[LedgerRow]:
    """The rows that a job calls open."""
    wanted = frozenset(job.open_requirements)
    return [row for row in rows if row.requirement_id in wanted]


def page_of_open(rows: list[LedgerRow], words: Words) -> list[Node]:
    """The chapter with a table of what is open, with its words and its source."""
    if not rows:
        return []
    shown = [(row.requirement_id, row.quote, f"{row.source}, {row.place or row.line}") for row in rows[:MAX_ROWS]]
    heading = node("Header", 1, attributes("open-requirements"), text(words.open_requirements))
    return [heading, pandoc_table(("", words.statement, words.file), shown)]
