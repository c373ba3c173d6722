"""Keeping and regenerating several sections by one request; on the pure core."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, merged, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.requests import FactPlaces, SeenVersion
from stemma_domain.staleness import staleness
from stemma_domain.state import State
from stemma_testkit.deciding import Then

pytestmark = pytest.mark.req("P10")


@pytest.fixture
def stale(begun: Story) -> Story:
    """research <- solution <- budget, timeline; all approved, then research was written by a person."""
    begun.settle("research", "solution", "budget", "timeline")
    begun.ask(asking.write, "research", 1, ref("a person's text"))
    return begun


def seen(**versions: int) -> tuple[SeenVersion, ...]:
    return tuple(SeenVersion(section_id=name, version=version) for name, version in versions.items())


def keep(story: Story, **versions: int) -> Then[State, Any]:
    return story.ask(asking.keep_several, seen(**versions))


def problems(events: Iterable[Any]) -> dict[str, str]:
    return {event.problem.field: event.problem.message for event in events}


def test_a_chain_that_is_stale_through_each_other_is_kept_in_dependency_order(stale: Story) -> None:
    command = asking.keep_several(stale.asked("mine"), seen(timeline=1, budget=1, solution=1))
    *kept, completed = stale.when(command)
    assert isinstance(completed, e.DocumentCompleted)
    assert [event.section_id for event in kept] == ["solution", "budget", "timeline"]
    assert [event.accepted[0].stale for event in kept[1:]] == [False, False], "their upstream was kept just before"
    assert {event.request_id for event in kept} == {"mine"}
    assert stale.document.requests["mine"].section_ids == ("solution", "budget", "timeline")
    assert staleness(stale.document) == {}
    stale.when(command).then_nothing_happened()


def test_several_are_written_after_those_that_they_rest_on_and_the_answer_names_what_begins(stale: Story) -> None:
    command = asking.regenerate_several(stale.asked("a"), seen(budget=1, solution=1), ref("more"), replace_edited=False)
    events = stale.when(command).events
    assert [(event.section_id, event.merges) for event in events] == [("solution", True), ("budget", True)]
    assert [*stale.document.requests["a"].started] == ["solution"]
    assert stale.job(j.GenerateSection).guidance == ref("more")
    leave = asking.regenerate_several(stale.asked(), seen(research=2), None, replace_edited=True)
    assert [event.merges for event in stale.when(leave)] == [False]


def test_one_that_does_not_fit_refuses_all_and_every_one_is_named(stale: Story) -> None:
    events = keep(stale, solution=1, budget=2, research=2, nowhere=1).events
    assert [event.problem.code for event in events] == ["version_old", "section_not_stale", "section_unknown"]
    assert problems(events) == {
        "sections.1.version": "version 2 is not current; version 1 is",
        "sections.2.section_id": "the section is not stale",
        "sections.3.section_id": "the document has no section 'nowhere'",
    }
    assert {event.request for event in events} == {"stemma.keep.sections.v1"}
    assert set(staleness(stale.document)) == {"solution", "budget", "timeline"}
    assert len(stale.document.requests[events[0].request_id].problems) == 3


@pytest.mark.req("L5")
def test_a_fact_is_changed_in_all_sections_as_edits_of_the_person_or_in_none(stale: Story) -> None:
    places = tuple(
        FactPlaces(section_id=name, version=version, places=(1,)) for name, version in (("budget", 1), ("research", 2))
    )
    words = {"sections": places, "written": "24 months", "instead": "36 months"}
    command = asking.change_fact(stale.asked(), **words)
    gone = stale.when(replace(command, stored={"budget": ref("36")})).events
    assert [(event.problem.code, event.problem.field) for event in gone] == [("fact_not_there", "sections.1.places")]
    command = asking.change_fact(stale.asked(), **words)
    events = stale.when(replace(command, stored={"budget": ref("b"), "research": ref("r")})).events
    edited = [event for event in events if isinstance(event, e.SectionEdited)]
    assert [(one.section_id, one.version, one.draft) for one in edited] == [
        ("research", 3, ref("r")),
        ("budget", 2, ref("b")),
    ]
    assert {one.actor for one in edited} == {command.asked["actor"]}
    again = stale.when(replace(asking.change_fact(stale.asked(), **words), stored={"budget": ref("c")})).events
    assert {event.problem.code for event in again} == {"version_old"}


@pytest.mark.req("L5", "L4")
def test_edits_that_go_on_beside_a_changed_fact_have_names_of_their_own(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    names = ("budget", "timeline")
    for name in names:
        begun.ask(asking.edit, name, 1, ref("shorter"))
    places = tuple(FactPlaces(section_id=name, version=1, places=(1,)) for name in names)
    command = asking.change_fact(begun.asked(), sections=places, written="24 months", instead="36 months")
    events = begun.when(replace(command, stored={name: ref(name) for name in names})).events
    kept = [event.keeps_edit for event in events if isinstance(event, e.SectionEdited)]
    assert (len(kept), len({*kept} - {None})) == (2, 2)


@pytest.mark.req("L5", "L4")
def test_edits_that_wait_with_the_same_words_each_become_one_of_the_text_of_their_section() -> None:
    story, names = Story(), ("budget", "timeline")
    story.create(review_edits="human")
    story.settle("research", "solution", *names)
    for name in names:
        story.ask(asking.edit, name, 1, ref("shorter"))
        (job,) = story.jobs(j.ReviseDraft)
        made = {"draft": ref("short"), "summary": ref("cut"), "provenance": PROVENANCE}
        story.outcome(o.DraftRevised, name, job_id=job.job_id, **made)
    places = tuple(FactPlaces(section_id=name, version=1, places=(1,)) for name in names)
    command = asking.change_fact(story.asked(), sections=places, written="24 months", instead="36 months")
    waiting = tuple(merged(f"short {name}", "short", ours=name) for name in names)
    stored = {name: ref(name) for name in names}
    events = story.when(replace(command, stored=stored, waiting=waiting)).events
    drafts = {event.section_id: event.draft for event in events if isinstance(event, e.SectionEditMerged)}
    assert drafts == {name: ref(f"short {name}") for name in names}
