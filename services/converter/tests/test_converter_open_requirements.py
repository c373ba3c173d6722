"""The page of an export that names what the document has to answer and nobody says it does."""

from __future__ import annotations

from typing import Any

import pytest
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows
from stemma_contracts.v1.outcomes import DocumentConverted
from stemma_converter.handlers import on_convert_document

pytestmark = pytest.mark.req("L1")


def row(name: str, quote: str) -> LedgerRow:
    about: dict[str, Any] = {"kind": "work", "obligation": "mandatory"}
    return LedgerRow(requirement_id=name, source="rfp.md", line=7, quote=quote, **about)


ROWS = LedgerRows(given=2, rows=(row("R1", "The contractor shall *train* users."), row("R2", "Keep records.")))


async def exported(exporter: Any, body: str, *names: str) -> tuple[str, tuple[str, ...]]:
    ref = await exporter.store.put("default", "doc-1", body.encode(), media_type="application/json", name="rows.json")
    job = await exporter.job("md", "# One\n\nThe end.\n")
    job = job.model_copy(update={"ledger": ref, "open_requirements": names})
    outcome = await on_convert_document(job, tools=exporter.tools)
    assert isinstance(outcome, DocumentConverted)
    data = await exporter.store.get("default", "doc-1", outcome.artifact)
    return " ".join(data.decode().split("The end.")[1].split()), outcome.open_requirements


async def test_a_last_page_names_what_is_open_in_its_own_words_and_with_its_source(exporter: Any) -> None:
    page, told = await exported(exporter, ROWS.model_dump_json(), "R1")
    assert told == ("R1",)
    in_order = ["Mandatory requirements that are still open", "R1", r"shall \*train\* users.", "rfp.md, 7"]
    assert sorted(in_order, key=page.index) == in_order
    assert "Keep records." not in page


async def test_a_ledger_that_cannot_be_read_has_no_page_and_the_export_still_says_what_is_open(exporter: Any) -> None:
    assert await exported(exporter, "no ledger", "R1") == ("", ("R1",))
