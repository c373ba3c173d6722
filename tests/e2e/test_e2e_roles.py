"""A text by several roles on five services, with limits of its own."""

from __future__ import annotations

from uuid import UUID

import pytest
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, sample_folder, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.req("R1", "R2", "R3", "R9")
async def test_a_request_is_answered_by_several_roles_in_one_text(client: Client) -> None:
    folder = sample_folder("roles")
    brief = (folder / "brief.md").read_text()
    accepted = await client.create_document("roles", brief=brief, inputs=[folder / "inputs"])
    execution_id = accepted.graph_execution_ids["document"]
    assert UUID(execution_id).version == 5
    seen = await wait_for(
        client, accepted.document_id, lambda event: isinstance(event, (*ENDS, e.SectionReviewRequested))
    )
    assert isinstance(seen[-1].contract, e.DocumentCompleted), seen[-1].contract
    [drafted] = [event.contract for event in seen if isinstance(event.contract, e.SectionDrafted)]
    told = drafted.processing_metadata
    assert told is not None
    assert (told.graph_execution_id, told.timed_out, drafted.partial) == (execution_id, False, False)
    assert [run.node for run in told.nodes] == [
        "role_analyzer",
        *["dynamic_agent_executor"] * 3,
        "synthesizer",
        "output_formatter",
    ]
    assert {run.role_id for run in told.nodes} == {"", "general_writer", "editor", "content_strategist"}
    exported = await client.export(accepted.document_id, ExportFormat.MD)
    text = (await client.artifact(accepted.document_id, exported.artifact)).decode()
    assert "EUR 38,400" in text
    assert "318 passengers" in text


async def test_the_kinds_that_can_be_asked_for_are_told(client: Client) -> None:
    kinds = {kind.kind: kind for kind in await client.kinds()}
    assert {"proposal", "roles", "design_document"} <= set(kinds)
    assert [section.graph for section in kinds["roles"].sections] == ["roles"]
    by_a_person = [s.section_id for s in kinds["design_document"].sections if s.review is ReviewMode.HUMAN]
    assert by_a_person == ["final_document"]
