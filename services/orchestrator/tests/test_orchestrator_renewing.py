"""A draft for a text with people's words is merged with them before it is an event."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT
from domain_story import PROVENANCE, Story, evaluation
from stemma_artifacts.store import MemoryArtifactStore, reference
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.jobs import CompareReturn, ReviseDraft, ValidateDraft
from stemma_contracts.v1.merges import MergeConflicts
from stemma_contracts.v1.outcomes import DraftRevised, JobDead, ReturnCompared, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import FactPlaces
from stemma_domain.commands import Asked, Record
from stemma_domain.features.proposals import Proposed
from stemma_domain.features.returns import TakenSection
from stemma_orchestrator.renewing import MOST_BYTES, Renewing

pytestmark = pytest.mark.req("L4")
MACHINE = "It costs 5 euros. Nobody minds.\n\nRain falls on the roof.\n"
MINE = "It costs 7 euros. A lawyer read this.\n\nRain falls on the roof.\n"
ANEW = "It costs 6 euros. Nobody minds.\n\nRain falls on the roof.\n\nThe end is near.\n"


@pytest.fixture
def artifacts() -> MemoryArtifactStore:
    return MemoryArtifactStore()


async def stored(artifacts: MemoryArtifactStore, text: str) -> ArtifactRef:
    return await artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")


async def read(artifacts: MemoryArtifactStore, ref: ArtifactRef | None) -> str:
    assert ref is not None
    return (await artifacts.get(TENANT, DOCUMENT, ref)).decode()


async def drafted(artifacts: MemoryArtifactStore, story: Story, text: str) -> e.SectionDrafted:
    outcome = SectionGenerated(
        tenant=TENANT,
        document_id=DOCUMENT,
        section_id="research",
        job_id=story.job_of("research"),
        draft=await stored(artifacts, text),
        evaluation=evaluation(),
        provenance=PROVENANCE,
    )
    merged = await Renewing(artifacts, story.document).draft(outcome)
    (event,) = story.when(Record(outcome, merged)).events
    assert isinstance(event, e.SectionDrafted)
    return event


async def test_what_people_wrote_and_deleted_outlives_two_new_texts_and_conflicts_are_stored(
    begun: Story, artifacts: MemoryArtifactStore
) -> None:
    await drafted(artifacts, begun, MACHINE)
    begun.validated("research")
    begun.ask(asking.write, "research", 1, await stored(artifacts, MINE))
    begun.ask(asking.regenerate, "research", 2, None, replace_edited=False)
    event = await drafted(artifacts, begun, ANEW)
    assert await read(artifacts, event.draft) == f"{MINE}\nThe end is near.\n"
    assert event.merge is not None
    assert await read(artifacts, event.merge.theirs) == ANEW
    conflicts = MergeConflicts.model_validate_json(await read(artifacts, event.merge.conflicts)).conflicts
    assert (len(conflicts), event.merge.count) == (1, 1)
    assert (conflicts[0].ours, conflicts[0].theirs) == ("It costs 7 euros.", "It costs 6 euros.")
    begun.validated("research", passed=False)
    event = await drafted(artifacts, begun, MACHINE)
    assert await read(artifacts, event.draft) == MINE
    assert event.merge is not None
    assert event.merge.count == 1


async def test_of_more_texts_than_are_merged_every_word_stays_and_a_person_decides(
    begun: Story, artifacts: MemoryArtifactStore
) -> None:
    await drafted(artifacts, begun, MACHINE)
    begun.validated("research")
    unread = reference(b"long " * (MOST_BYTES // 5), "text/markdown", "draft.md")  # nor is it there
    begun.ask(asking.write, "research", 1, unread)
    begun.ask(asking.write, "research", 2, await stored(artifacts, MINE))
    begun.ask(asking.regenerate, "research", 3, None, replace_edited=False)
    event = await drafted(artifacts, begun, ANEW)
    assert event.merge is not None
    (conflict,) = MergeConflicts.model_validate_json(await read(artifacts, event.merge.conflicts)).conflicts
    assert (await read(artifacts, event.draft), conflict.theirs) == (MINE, ANEW)


async def test_a_text_that_no_person_touched_gives_way_and_so_does_one_by_leave(
    begun: Story, artifacts: MemoryArtifactStore
) -> None:
    await drafted(artifacts, begun, MACHINE)
    begun.validated("research", passed=False)
    assert (await drafted(artifacts, begun, ANEW)).merge is None
    begun.ask(asking.write, "research", 2, await stored(artifacts, MINE))
    begun.ask(asking.regenerate, "research", 3, None, replace_edited=True)
    event = await drafted(artifacts, begun, MACHINE)
    assert (await read(artifacts, event.draft), event.merge) == (MACHINE, None)


async def test_an_outcome_without_a_draft_is_merged_with_nothing(begun: Story, artifacts: MemoryArtifactStore) -> None:
    begun.ask(asking.write, "research", 0, await stored(artifacts, MINE))
    begun.ask(asking.regenerate, "research", 1, None, replace_edited=False)
    dead = JobDead(tenant=TENANT, document_id=DOCUMENT, section_id="research", job_id=begun.job_of("research"))
    assert await Renewing(artifacts, begun.document).draft(dead) is None


PROPOSED = "It costs 5 euros. Nobody cares.\n\nRain falls on the roof and the yard.\n"


@pytest.fixture
async def proposed(artifacts: MemoryArtifactStore) -> Story:
    """An edit waits on a settled section."""
    story = Story()
    story.create(review_edits="human")
    await drafted(artifacts, story, MACHINE)
    story.validated("research")
    story.approve("research")
    story.ask(asking.edit, "research", 1, await stored(artifacts, "Less."))
    (job,) = story.jobs(ReviseDraft)
    made = {
        "draft": await stored(artifacts, PROPOSED),
        "summary": await stored(artifacts, "Done."),
        "provenance": PROVENANCE,
    }
    story.outcome(DraftRevised, "research", job_id=job.job_id, **made)
    return story


async def given(artifacts: MemoryArtifactStore, story: Story, command: Asked[Any]) -> Sequence[e.AnyEvent]:
    waiting = await Renewing(artifacts, story.document).waiting(command)
    return story.when(replace(command, waiting=waiting)).events


async def test_an_edit_that_waits_becomes_one_of_the_newer_text_and_is_accepted_with_every_word_of_that(
    artifacts: MemoryArtifactStore, proposed: Story
) -> None:
    command = asking.write(proposed.asked(), "research", 1, await stored(artifacts, MINE))
    waits, _ = await given(artifacts, proposed, command)
    assert isinstance(waits, e.SectionEditMerged)
    text = MINE.replace("on the roof", "on the roof and the yard")
    assert await read(artifacts, waits.draft) == text
    assert (waits.version, waits.merge.count) == (2, 1)
    proposal = proposed.document.sections["research"].proposal
    assert isinstance(proposal, Proposed)
    assert {job.draft for job in proposed.jobs(ValidateDraft)} == {command.stored["text"], waits.draft}
    (late,) = proposed.ask(asking.accept, "research", 1, proposal.proposal_id).events
    assert isinstance(late, e.DecisionRefused)
    (accepted,) = proposed.ask(asking.accept, "research", 2, proposal.proposal_id).events
    assert isinstance(accepted, e.SectionEdited)
    assert await read(artifacts, accepted.draft) == text


@pytest.mark.req("L5")
async def test_an_edit_that_waits_outlives_a_fact_that_is_changed_under_it(
    artifacts: MemoryArtifactStore, proposed: Story
) -> None:
    places = FactPlaces(section_id="research", version=1, places=(MACHINE.index("5 euros"),))
    command = asking.change_fact(proposed.asked(), sections=(places,), written="5 euros", instead="7 euros")
    changed = await stored(artifacts, MACHINE.replace("5 euros", "7 euros"))
    waits, _ = await given(artifacts, proposed, replace(command, stored={"research": changed}))
    assert isinstance(waits, e.SectionEditMerged)
    assert await read(artifacts, waits.draft) == PROPOSED.replace("5 euros", "7 euros")


async def test_an_edit_that_waits_becomes_one_of_what_a_file_brings(
    artifacts: MemoryArtifactStore, proposed: Story
) -> None:
    found = await stored(artifacts, "found")
    proposed.ask(asking.read_return, found, found)
    (job,) = proposed.jobs(CompareReturn)
    proposed.when(Record(ReturnCompared(**job.echo(), found=found)))
    hers = TakenSection(
        "research",
        1,
        edits=(("Bea", await stored(artifacts, MACHINE + "More.\n")), ("Carl", await stored(artifacts, MINE))),
    )
    command = asking.apply_return(proposed.asked(), next(iter(proposed.document.returns)), found.digest, [hers])
    waits, _, _, _ = await given(artifacts, proposed, command)
    assert isinstance(waits, e.SectionEditMerged)
    assert waits.version == 3
    assert await read(artifacts, waits.draft) == MINE.replace("on the roof", "on the roof and the yard")


async def test_what_the_editor_makes_of_an_earlier_text_is_merged_with_the_one_that_a_person_gave(
    artifacts: MemoryArtifactStore,
) -> None:
    story = Story()
    story.create()
    await drafted(artifacts, story, MACHINE)
    story.validated("research")
    story.ask(asking.revise, "research", 1, await stored(artifacts, "Less."))
    (job,) = story.jobs(ReviseDraft)
    revised = DraftRevised(
        **job.echo(), draft=await stored(artifacts, PROPOSED), summary=job.instruction, provenance=PROVENANCE
    )
    assert await Renewing(artifacts, story.document).draft(revised) is None
    story.ask(asking.write, "research", 1, await stored(artifacts, MINE))
    (waits,) = story.when(Record(revised, await Renewing(artifacts, story.document).draft(revised))).events
    assert isinstance(waits, e.SectionEditProposed)
    assert await read(artifacts, waits.draft) == MINE.replace("on the roof", "on the roof and the yard")
    assert (waits.version, waits.merge and waits.merge.count) == (2, 1)


async def test_an_edit_of_which_the_newer_text_leaves_nothing_is_void(
    artifacts: MemoryArtifactStore, proposed: Story
) -> None:
    command = asking.write(proposed.asked(), "research", 1, await stored(artifacts, PROPOSED))
    void, _ = await given(artifacts, proposed, command)
    assert isinstance(void, e.SectionEditVoided)


async def test_a_request_that_gives_no_text_or_takes_part_of_the_edit_merges_nothing(
    artifacts: MemoryArtifactStore, proposed: Story
) -> None:
    text = await stored(artifacts, MINE)
    for command in (
        asking.approve(proposed.asked(), "research", 1),
        asking.take_back(proposed.asked(), "research", 1, None, text, "p1"),
    ):
        assert await Renewing(artifacts, proposed.document).waiting(command) == ()
