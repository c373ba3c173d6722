"""The library at the command line: texts that people approved are listed, found and taken, and what lapsed is told."""

from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.library import EntryRef
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.summary import DocumentSummary
from stemma_testkit.document_events import CREATED_AT, TENANT, view_after

pytestmark = pytest.mark.req("L8")
TEXT = "# Research\n\nEach lead has a deputy.\n"


@pytest.fixture
async def approved(backstage: Any, document_id: str, requested: Any) -> str:
    """A document with a section that a person wrote, as the read model has it."""
    draft = await backstage.text(document_id, TEXT)
    edited = e.SectionEdited(section_id="research", version=1, draft=draft, origin=Origin.WRITTEN, actor="ana")
    await backstage.append(document_id, requested, edited)
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.section_view_key(TENANT, document_id, 'research')}"
    await backstage.js.publish(key, view_after(requested, edited).sections["research"].stored(document_id))
    about: dict[str, Any] = {"kind": "proposal", "status": DocumentStatus.RUNNING, "created_at": CREATED_AT}
    await backstage.summarise(DocumentSummary(document_id=document_id, last_sequence=2, outcome="won", **about))
    return document_id


async def test_an_approved_text_is_listed_found_described_and_taken(cli: Any, approved: str, backstage: Any) -> None:
    listed = (await cli("library", "list")).stdout
    assert f"{approved[:8]} research" in listed
    found = (await cli("library", "search", "deputies of leads")).stdout
    assert "Each lead has a deputy." in found
    assert "won" in found
    done = await cli("library", "describe", approved, "research", "--owner", "bea", "--expires", "2099-06-30")
    assert done.exit_code == 0, done.output
    done = await cli("reuse", "target", approved, "research", "--for", "R1")
    assert done.stdout == "took research version 1 as evidence\n"
    [described, reused] = [request for _, request in backstage.received]
    assert isinstance(described, r.DescribeEntry)
    assert (described.owner, described.expires) == ("bea", datetime(2099, 6, 30, 23, 59, 59, tzinfo=UTC))
    assert isinstance(reused, r.ReuseEntry)
    entry = EntryRef(document_id=approved, section_id="research", version=1)
    assert (reused.entry, reused.requirement_ids) == (entry, ("R1",))


async def test_what_came_from_the_library_and_lapsed_since_is_told_with_the_inputs(
    cli: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    entry = EntryRef(document_id="d2-of-another", section_id="team", version=3)
    file = InputFile(name="Team.md", artifact=await backstage.text(document_id, TEXT))
    await backstage.append(
        document_id,
        requested,
        e.EntryReused(entry=entry, input_id="input-9", requirement_ids=("R1",), actor="ana"),
        e.DocumentInputAdded(input_id="input-9", file=file),
        e.EntryUseLapsed(input_id="input-9", lapse="expired"),
    )
    told = (await cli("show", document_id, "--inputs")).stderr
    assert "Team.md came from d2-of-an team version 3, taken by ana for R1: expired there" in told
