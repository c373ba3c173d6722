"""People edit in any order: revise, edit, keep, regenerate and restore, with all services and a real server."""

from collections.abc import Callable

import pytest
import pytest_asyncio
from stemma_client import Client, RequestRejectedError
from stemma_client.recipes import outdated_recipe
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import (
    AcceptEdit,
    ApproveSection,
    CancelDocument,
)
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import SectionView
from stemma_testkit.driving import ENDS, request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def settled(client: Client) -> str:
    """A proposal that is complete, with nobody asked."""
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    return document_id


async def text_of(client: Client, document_id: str, ref: ArtifactRef | None) -> str:
    assert ref is not None
    return (await client.artifact(document_id, ref)).decode()


async def section_of(client: Client, document_id: str, name: str) -> SectionView:
    return (await client.document(document_id)).sections[name]


def about(kind: type[e.SectionEvent], name: str, after: int = 0) -> Callable[[Contract], bool]:
    return lambda event: isinstance(event, kind) and event.section_id == name and getattr(event, "version", 1) > after


async def until_settled(client: Client, document_id: str, name: str) -> SectionView:
    """Wait until a section is edited and looked at."""
    await wait_for(client, document_id, about(e.SectionEdited, name))
    checked: list[Contract] = []

    def both(event: Contract) -> bool:
        checked.extend([event] if about(e.SectionChecked, name)(event) else [])
        return len(checked) == 2

    await wait_for(client, document_id, both)
    return await section_of(client, document_id, name)


async def accept_edit(client: Client, document_id: str, name: str) -> None:
    """Wait until an edit is proposed, and accept it."""
    events = await wait_for(client, document_id, about(e.SectionEditProposed, name))
    proposed = events[-1].contract
    assert isinstance(proposed, e.SectionEditProposed)
    await client.request(
        AcceptEdit(document_id=document_id, section_id=name, version=proposed.version, proposal_id=proposed.proposal_id)
    )


@pytest.mark.req("E3", "P8", "P18")
async def test_feedback_replaces_the_text_and_the_review_is_presented_again_and_answered_once(client: Client) -> None:
    document_id = await request_sample(client)
    await wait_for(client, document_id, about(e.SectionReviewRequested, "research"))
    await client.revise(document_id, "research", 1, "Say that the survey is repeated in spring.")
    await wait_for(client, document_id, about(e.SectionReviewRequested, "research", after=1))

    research = await section_of(client, document_id, "research")
    assert (research.status, research.version) == (SectionStatus.AWAITING_REVIEW, 2)
    assert research.current is not None
    assert research.current.origin is Origin.REVISED
    assert "The survey is repeated in spring." in await text_of(client, document_id, research.draft)
    assert "survey" in await text_of(client, document_id, research.current.summary)
    approval = ApproveSection(request_id="twice", document_id=document_id, section_id="research", version=2)
    answers = [await client.request(approval) for _ in range(2)]
    assert answers[0].request_digest == answers[1].request_digest
    with pytest.raises(RequestRejectedError, match="it was used for another request"):
        await client.request(approval.model_copy(update={"version": 1}))
    with pytest.raises(RequestRejectedError, match="the section is approved"):
        await client.revise(document_id, "research", 2, "Shorten it.")
    history = [event.contract for event in await client.history(document_id)]
    assert len([one for one in history if isinstance(one, e.Event) and one.request_id == "twice"]) == 1
    assert (await section_of(client, document_id, "research")).status is SectionStatus.APPROVED
    await client.request(CancelDocument(document_id=document_id))


@pytest.mark.req("P9", "P11", "P18", "T3", "T7")
async def test_an_instruction_is_looked_up_and_changes_only_what_it_is_about_once_it_is_accepted(
    client: Client, settled: str
) -> None:
    before = await text_of(client, settled, (await section_of(client, settled, "budget")).draft)
    paragraph = next(line for line in before.splitlines() if line.startswith("The sponsors pay"))
    await client.edit(settled, "budget", 1, instruction='Replace "is asked of" with "is sought from"')
    await wait_for(client, settled, about(e.SectionEditChecked, "budget"))
    waiting = await client.document(settled)
    proposal = waiting.sections["budget"].proposal
    assert proposal is not None
    assert proposal.validation is not None
    assert proposal.validation.grounding is not None
    assert (waiting.status, waiting.stale, waiting.sections["budget"].version) == (DocumentStatus.COMPLETED, (), 1)
    await accept_edit(client, settled, "budget")
    budget = await until_settled(client, settled, "budget")

    after = await text_of(client, settled, budget.draft)
    assert after != before
    assert after == before.replace(paragraph, paragraph.replace("is asked of", "is sought from"))
    assert (budget.status, budget.version) == (SectionStatus.EDITED, 2)
    assert budget.evaluation is not None
    assert budget.current is not None
    assert budget.current.provenance is not None
    assert budget.current.provenance.agent_version.startswith("editor-agent/")
    view, recipes = await client.document(settled), await client.recipes()
    assert {name: outdated_recipe(section, recipes) for name, section in view.sections.items()} == dict.fromkeys(
        view.sections, ()
    )
