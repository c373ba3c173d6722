"""A draft for a text with people's words is merged with them before it is an event."""

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT
from domain_story import PROVENANCE, Story, evaluation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.merges import MergeConflicts
from stemma_contracts.v1.outcomes import JobDead, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Record
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.renewing import Renewing

pytestmark = pytest.mark.req("L4")
MACHINE = "It costs 5 euros. Nobody minds.\n\nRain falls on the roof.\n"
MINE = "It costs 7 euros. A lawyer read this.\n\nRain falls on the roof.\n"
ANEW = "It costs 6 euros. Nobody minds.\n\nRain falls on the roof.\n\nThe end is near.\n"


async def stored(intake: Intake, text: str) -> ArtifactRef:
    return await intake.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")


async def read(intake: Intake, ref: ArtifactRef | None) -> str:
    assert ref is not None
    return (await intake.artifacts.get(TENANT, DOCUMENT, ref)).decode()


async def drafted(intake: Intake, story: Story, text: str) -> e.SectionDrafted:
    outcome = SectionGenerated(
        tenant=TENANT,
        document_id=DOCUMENT,
        section_id="research",
        job_id=story.job_of("research"),
        draft=await stored(intake, text),
        evaluation=evaluation(),
        provenance=PROVENANCE,
    )
    merged = await Renewing(intake.artifacts).merged(outcome, story.document)
    (event,) = story.when(Record(outcome, merged)).events
    assert isinstance(event, e.SectionDrafted)
    return event


async def test_what_people_wrote_and_deleted_outlives_two_new_texts_and_conflicts_are_stored(
    begun: Story, intake: Intake
) -> None:
    await drafted(intake, begun, MACHINE)
    begun.validated("research")
    begun.when(asking.write(begun.asked(), "research", 1, await stored(intake, MINE)))
    begun.when(asking.regenerate(begun.asked(), "research", 2, None, replace_edited=False))
    event = await drafted(intake, begun, ANEW)
    assert await read(intake, event.draft) == f"{MINE}\nThe end is near.\n"
    assert event.merge is not None
    assert await read(intake, event.merge.theirs) == ANEW
    conflicts = MergeConflicts.model_validate_json(await read(intake, event.merge.conflicts)).conflicts
    assert (len(conflicts), event.merge.count) == (1, 1)
    assert (conflicts[0].ours, conflicts[0].theirs) == ("It costs 7 euros.", "It costs 6 euros.")
    begun.validated("research", passed=False)
    event = await drafted(intake, begun, MACHINE)
    assert await read(intake, event.draft) == MINE
    assert event.merge is not None
    assert event.merge.count == 1


async def test_a_text_that_no_person_touched_gives_way_and_so_does_one_by_leave(begun: Story, intake: Intake) -> None:
    await drafted(intake, begun, MACHINE)
    begun.validated("research", passed=False)
    assert (await drafted(intake, begun, ANEW)).merge is None
    begun.when(asking.write(begun.asked(), "research", 2, await stored(intake, MINE)))
    begun.when(asking.regenerate(begun.asked(), "research", 3, None, replace_edited=True))
    event = await drafted(intake, begun, MACHINE)
    assert (await read(intake, event.draft), event.merge) == (MACHINE, None)


async def test_an_outcome_without_a_draft_is_merged_with_nothing(begun: Story, intake: Intake) -> None:
    begun.when(asking.write(begun.asked(), "research", 0, await stored(intake, MINE)))
    begun.when(asking.regenerate(begun.asked(), "research", 1, None, replace_edited=False))
    dead = JobDead(tenant=TENANT, document_id=DOCUMENT, section_id="research", job_id=begun.job_of("research"))
    assert await Renewing(intake.artifacts).merged(dead, begun.document) is None
