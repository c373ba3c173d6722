"""What stands against handing a document in, and how its last file holds to the rules for the bid."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows, LedgerSummary, LedgerWarning
from stemma_gateway.desk.document import open_points
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import REF, document_requested, review_requested, section_drafted, view_after

from .conftest import PAGES
from .desk_pages import plain

pytestmark = pytest.mark.req("H2", "H8")
BROKEN = RuleCheck(rule_id="B1", kind="page_limit", part="<i>plan", wanted="3", measured="4", state="broken")
APPROVED = tuple(e.SectionApproved(section_id=name, version=1, actor="ada") for name in ("research", "solution"))
WRITTEN = tuple(event for name in ("research", "solution") for event in (section_drafted(name), review_requested(name)))


def exported(*rules: RuleCheck) -> tuple[Any, ...]:
    done = e.DocumentExported(export_id="x1", format=ExportFormat.PDF, job_id="j9", artifact=REF, rules=rules)
    return e.ExportRequested(export_id="x1", format=ExportFormat.PDF, actor="ada"), done


async def test_nothing_stands_against_a_document_that_is_approved_and_exported_and_all_else_is_counted() -> None:
    written = (document_requested(), *WRITTEN)
    ready = open_points(view_after(*written, *APPROVED, *exported()), ())
    assert (ready.count, ready.outdated) == (0, False)
    drafts = open_points(view_after(*written), ())
    assert ([each.section_id for each in drafts.unsettled], drafts.count) == (["research", "solution"], 3)
    assert open_points(view_after(*written, *APPROVED), ()).count == 1
    assert open_points(view_after(*written, *APPROVED, *exported(BROKEN)), ()).count == 1


async def test_a_file_that_is_older_than_a_text_is_told_to_be_exported_again() -> None:
    document = view_after(document_requested(), *WRITTEN, *APPROVED, *exported())
    section = document.sections["research"]
    later = document.exports["x1"].asked_at + timedelta(seconds=1)  # type: ignore[operator]
    version = section.versions[0].model_copy(update={"made_at": later})
    changed = {**document.sections, "research": section.model_copy(update={"versions": (version,)})}
    found = open_points(document.model_copy(update={"sections": changed}), ())
    assert (found.outdated, found.count) == (True, 1)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document that was exported too early."""
    about: dict[str, Any] = {"kind": "work", "obligation": "mandatory", "source": "rfp.pdf"}
    row = LedgerRow(requirement_id="R1", line=1, quote="Shall <b>sign</b>.", **about)
    rows = await bus.text(document_id, LedgerRows(given=2, rows=(row,)).model_dump_json())
    told = await bus.text(document_id, LedgerDifference().model_dump_json())
    warned = LedgerSummary(mandatory=("R1",), warnings=(LedgerWarning(code="no_deadlines", source="rfp.pdf"),))
    await bus.append(
        document_id,
        document_requested(),
        *WRITTEN,
        APPROVED[0],
        e.RequirementsRequested(),
        e.RequirementsRead(job_id="j8", rows=rows, difference=told, summary=warned),
        *exported(BROKEN),
    )
    await bus.list_research(document_id)


async def test_each_thing_that_is_open_is_named_with_its_page_and_a_broken_rule_with_what_was_measured(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(f"/desk/documents/{document_id}/submission", headers=PAGES)).text
    said = plain(page)
    assert "5 things are open before it can be handed in." in said
    assert "sections not approved 1 Solution" in said
    assert "mandatory requirements open 1 R1 Shall <b>sign</b>." in said
    assert "Not confirmed 1" in said
    assert "broken page limit <i>plan 3 · here 4" in said
    assert "<b>sign</b>" not in page
    assert "<i>plan" not in page
