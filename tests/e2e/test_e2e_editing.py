"""People edit in any order: revise, edit, keep, regenerate and restore on five processes and a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import nats
import pytest
import pytest_asyncio
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, RecordedEvent, RequestRejectedError
from stemma_client.reading import read_document
from stemma_client.recipes import outdated_recipe
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import AcceptEdit, CancelDocument, KeepSection, RegenerateSection, RestoreSection
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_orchestrator.app import repair
from stemma_orchestrator.app import service as orchestrator
from stemma_provisioning import PROVISIONER, inbox_prefix
from stemma_testkit.driving import ENDS, approve_all, listed, request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
DOWNSTREAM_OF_CONNECTIONS = ["problem_statement", "approach", "timeline", "budget", "conclusion"]


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


async def lose_what_is_derived(stemma: LocalStemma, document_id: str) -> None:
    """All queued jobs, and the summary of a document."""
    password, prefix = stemma.password(PROVISIONER), inbox_prefix(PROVISIONER)
    connection = await nats.connect(stemma.url, user=PROVISIONER, password=password, inbox_prefix=prefix)
    await connection.jetstream().purge_stream(subjects.JOBS)
    views = await connection.jetstream().key_value(subjects.VIEWS_BUCKET)
    await views.delete(subjects.view_key("default", document_id))
    await connection.close()


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


def statuses(view: DocumentView) -> dict[str, str]:
    return {name: f"{s.status}{' stale' if s.stale else ''}" for name, s in view.sections.items()}


def handled(stemma: LocalStemma, service: str, document_id: str) -> Iterable[dict[str, Any]]:
    lines = stemma.folder.log(service).read_text().splitlines()
    found = (json.loads(line) for line in lines if line.startswith("{"))
    return [line for line in found if line.get("document_id") == document_id]


@pytest.mark.req("E1")
async def test_a_document_whose_jobs_and_summary_were_lost_is_repaired_and_completes(
    client: Client, stemma: LocalStemma
) -> None:
    await stemma.services[subjects.VALIDATOR].stop()
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, about(e.SectionDrafted, "research"))
    await lose_what_is_derived(stemma, document_id)

    user = subjects.ORCHESTRATOR
    await repair(orchestrator.load_settings(nats_url=stemma.url, nats_user=user, nats_password=stemma.password(user)))
    assert (await listed(client, document_id)).document_id == document_id
    await stemma.start_service(subjects.VALIDATOR)
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentCompleted))


@pytest.mark.req("P11")
async def test_what_generator_and_editor_made_is_by_the_recipes_of_now(client: Client, settled: str) -> None:
    await client.edit(settled, "research", 1, instruction="Say that the survey is repeated in spring.")
    await accept_edit(client, settled, "research")
    edited = await until_settled(client, settled, "research")
    view, recipes = await client.document(settled), await client.recipes()
    assert edited.current is not None
    assert edited.current.provenance is not None
    assert edited.current.provenance.agent_version.startswith("editor-agent/")
    assert {name: outdated_recipe(section, recipes) for name, section in view.sections.items()} == dict.fromkeys(
        view.sections, ()
    )


@pytest.mark.req("T3", "T7")
async def test_a_proposed_text_is_looked_up_before_anybody_accepts_it(client: Client, settled: str) -> None:
    instruction = "Mention that the rent is 98,765 dollars a month."
    await client.edit(settled, "budget", 1, instruction=instruction)
    await wait_for(client, settled, about(e.SectionEditChecked, "budget"))
    proposal = (await section_of(client, settled, "budget")).proposal
    assert proposal is not None
    assert proposal.validation is not None
    assert proposal.validation.grounding is not None
    assert (await section_of(client, settled, "budget")).version == 1


@pytest.mark.req("P8", "P18")
async def test_feedback_in_review_replaces_the_text_and_the_review_is_presented_anew(client: Client) -> None:
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
    await client.approve(document_id, "research", 2)
    assert (await section_of(client, document_id, "research")).status is SectionStatus.APPROVED
    await client.request(CancelDocument(document_id=document_id))


@pytest.mark.req("P9", "P18")
async def test_an_instruction_changes_only_what_it_is_about_byte_for_byte(client: Client, settled: str) -> None:
    before = await text_of(client, settled, (await section_of(client, settled, "budget")).draft)
    paragraph = next(line for line in before.splitlines() if line.startswith("The pilot may cost no more than"))
    await client.edit(settled, "budget", 1, instruction='Replace "have promised" with "have pledged"')
    await wait_for(client, settled, about(e.SectionEditProposed, "budget"))
    waiting = await client.document(settled)
    assert (waiting.status, waiting.stale, waiting.sections["budget"].version) == (DocumentStatus.COMPLETED, (), 1)
    await accept_edit(client, settled, "budget")
    budget = await until_settled(client, settled, "budget")

    after = await text_of(client, settled, budget.draft)
    assert after != before
    assert after == before.replace(paragraph, paragraph.replace("have promised", "have pledged"))
    assert (budget.status, budget.version) == (SectionStatus.EDITED, 2)
    assert budget.validation is not None
    assert budget.evaluation is not None


@pytest.mark.req("P9", "P18")
async def test_an_edit_marks_direct_and_transitive_dependents_with_reasons_and_offers(
    client: Client, settled: str
) -> None:
    await client.edit(settled, "connections", 1, text="## From need to solution\n\nOne sentence of a person.\n")
    events = await wait_for(client, settled, about(e.SectionEdited, "connections"))

    edited = events[-1].contract
    assert isinstance(edited, e.SectionEdited)
    assert [mark.section_id for mark in edited.makes_stale] == DOWNSTREAM_OF_CONNECTIONS
    assert {mark.options for mark in edited.makes_stale} == {("keep", "regenerate")}
    direct, transitive = edited.makes_stale[0].reasons, edited.makes_stale[-1].reasons
    assert [(x.upstream_section_id, x.accepted_version, x.current_version) for x in direct] == [("connections", 1, 2)]
    assert [x.upstream_section_id for x in transitive if x.upstream_stale] == DOWNSTREAM_OF_CONNECTIONS[:4]
    view = read_document(settled, events)
    assert {m.section_id: m.reasons for m in edited.makes_stale} == {s.section_id: s.stale_reasons for s in view.stale}
    assert view.status is DocumentStatus.RUNNING
    shown = (await listed(client, settled)).sections
    assert [section.stale for section in shown] == [s.stale is not None for s in view.sections.values()]


@pytest.mark.req("P9", "P10", "P18")
async def test_keep_regenerate_and_restore_bring_a_document_to_its_end_again(client: Client, settled: str) -> None:
    await client.edit(settled, "approach", 1, instruction="Say that the parks department lends its workshop.")
    await accept_edit(client, settled, "approach")
    await client.edit(settled, "timeline", 1, text="## Milestones\n\nEverything takes ten weeks.\n")
    await until_settled(client, settled, "approach")
    view = await client.document(settled)
    assert {k: v for k, v in statuses(view).items() if v != "approved"} == {
        "approach": "edited",
        "timeline": "edited",
        "conclusion": "approved stale",
    }
    reasons = view.sections["conclusion"].stale_reasons
    assert [(x.upstream_section_id, x.current_version) for x in reasons] == [("approach", 2), ("timeline", 2)]

    await client.request(KeepSection(document_id=settled, section_id="conclusion", version=1))
    kept = await client.document(settled)
    conclusion = kept.sections["conclusion"]
    assert (kept.status, statuses(kept)["conclusion"], conclusion.version) == (
        DocumentStatus.COMPLETED,
        "approved",
        1,
    )
    assert conclusion.current is not None
    assert UpstreamVersion(section_id="approach", version=2) in conclusion.current.kept_against

    with pytest.raises(RequestRejectedError, match="a person's"):
        await client.request(RegenerateSection(document_id=settled, section_id="timeline", version=2))
    await client.request(RestoreSection(document_id=settled, section_id="timeline", version=2, restore_version=1))
    timeline = await section_of(client, settled, "timeline")
    assert (timeline.version, timeline.draft) == (3, timeline.versions[0].draft)
    await client.request(RegenerateSection(document_id=settled, section_id="timeline", version=3, replace_edited=True))
    await wait_for(client, settled, about(e.SectionDrafted, "timeline", after=1))


@pytest.mark.req("P10")
async def test_guidance_is_in_the_prompt_and_in_the_text(client: Client, settled: str) -> None:
    guidance = "Say that the council pays in two instalments."
    await client.request(RegenerateSection(document_id=settled, section_id="budget", version=1, guidance=guidance))
    await wait_for(client, settled, about(e.SectionApproved, "budget", after=1))

    history = [event.contract for event in await client.history(settled)]
    [asked] = [event for event in history if isinstance(event, e.SectionRegenerationRequested)]
    assert await text_of(client, settled, asked.guidance) == guidance
    budget = await section_of(client, settled, "budget")
    assert budget.version == 2
    assert "The council pays in two instalments." in await text_of(client, settled, budget.draft)


@pytest.mark.req("P11")
async def test_the_editor_is_chosen_by_the_kind_of_the_section(
    client: Client, stemma: LocalStemma, settled: str
) -> None:
    digests = {}
    for name in ("research", "budget"):
        await client.edit(settled, name, 1, instruction="Say that the figures were read twice.")
        await accept_edit(client, settled, name)
        edited = [x.contract for x in await client.history(settled) if isinstance(x.contract, e.SectionEdited)][-1]
        assert edited.provenance is not None
        digests[name] = edited.provenance.prompt_digest
    revised = [line for line in handled(stemma, "editor-agent", settled) if line["event"] == "draft_revised"]
    assert [line["kind"] for line in revised] == ["research", "budget"]
    assert None not in digests.values()
    assert digests["research"] != digests["budget"]


@pytest.mark.req("P9", "P18")
async def test_an_instruction_that_cannot_be_followed_leaves_the_version_and_tells_the_reason(
    client: Client, settled: str
) -> None:
    await client.edit(settled, "solution", 1, instruction="Paint the second paragraph in blue.")
    await wait_for(client, settled, about(e.SectionRevisionRefused, "solution"))

    view = await client.document(settled)
    solution = view.sections["solution"]
    assert (view.status, solution.status, solution.version) == (DocumentStatus.COMPLETED, SectionStatus.APPROVED, 1)
    assert view.stale == ()
    assert "Paint the second paragraph in blue" in await text_of(client, settled, solution.refusal)


async def outcomes_of(client: Client, document_id: str, request_id: str) -> list[RecordedEvent]:
    history = await client.history(document_id)
    return [x for x in history if isinstance(x.contract, e.Event) and x.contract.request_id == request_id]


@pytest.mark.req("E3", "P9")
async def test_a_decision_sent_twice_is_one_decision_and_two_decisions_are_told_apart(
    client: Client, settled: str
) -> None:
    text = "## Costs\n\nNothing is free.\n"
    first = r.EditSection(request_id="twice", document_id=settled, section_id="budget", version=1, text=text)
    answers = [await client.request(first) for _ in range(2)]

    assert answers[0].request_digest == answers[1].request_digest
    assert len(await outcomes_of(client, settled, "twice")) == 1
    with pytest.raises(RequestRejectedError, match="version 1 is not current; version 2 is"):
        await client.request(first.model_copy(update={"request_id": "second"}))
    [refused] = await outcomes_of(client, settled, "second")
    assert isinstance(refused.contract, e.DecisionRefused)
    assert refused.contract.problem.code == "version_old"
    with pytest.raises(RequestRejectedError, match="it was used for another request"):
        await client.request(first.model_copy(update={"text": "Other.\n"}))
    assert (await section_of(client, settled, "budget")).version == 2


@pytest.mark.req("P8")
async def test_of_two_answers_to_one_review_the_second_is_refused(client: Client) -> None:
    document_id = await request_sample(client)
    await wait_for(client, document_id, about(e.SectionReviewRequested, "research"))
    await client.approve(document_id, "research", 1)

    with pytest.raises(RequestRejectedError, match="the section is approved"):
        await client.revise(document_id, "research", 1, "Shorten it.")
    await approve_all(client, document_id)
    assert (await client.document(document_id)).status is DocumentStatus.COMPLETED
