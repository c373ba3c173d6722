"""Edits by instruction that a person has to accept before they count; on the pure core."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, merged, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_domain.commands import Record
from stemma_domain.evolve import evolve
from stemma_domain.hands import UnmergedDraft
from stemma_domain.staleness import staleness
from stemma_domain.state import State
from stemma_domain.view import view_of
from stemma_domain.work import closed_jobs, open_jobs
from stemma_testkit.deciding import Then


@pytest.fixture
def done() -> Story:
    """research <- solution <- budget, timeline; all approved, and edits are reviewed."""
    story = Story()
    story.create(review_edits="human")
    story.settle("research", "solution", "budget", "timeline")
    return story


def instruct(story: Story, version: int = 1) -> Then[State, Any]:
    return story.ask(asking.edit, "research", version, ref("shorter"))


def revised(story: Story) -> Then[State, Any]:
    made = {"draft": ref("short"), "summary": ref("cut"), "provenance": PROVENANCE}
    return story.said(story.job(j.ReviseDraft), o.DraftRevised, **made)


def proposed(story: Story) -> str:
    (asked,) = instruct(story)
    revised(story)
    return str(asked.proposal_id)


def accept(story: Story, proposal_id: str, version: int = 1) -> Then[State, Any]:
    return story.ask(asking.accept, "research", version, proposal_id)


def reject(story: Story, proposal_id: str, version: int = 1) -> Then[State, Any]:
    return story.ask(asking.reject, "research", version, proposal_id)


def write(story: Story, text: str, version: int = 1) -> Then[State, Any]:
    return story.ask(asking.write, "research", version, ref(text))


@pytest.mark.req("P9")
def test_an_instruction_to_a_settled_section_leaves_status_version_and_dependents_as_they_are(done: Story) -> None:
    (asked,) = instruct(done)
    assert (asked.result, asked.makes_stale) == ("proposed", ())
    assert (view_of(done.document).checking, view_of(done.document).waiting) == (True, ())
    (proposal,) = revised(done)
    assert isinstance(proposal, e.SectionEditProposed)
    assert (proposal.version, proposal.base_digest) == (1, ref("text of research").digest)
    assert (proposal.draft, proposal.summary, proposal.makes_stale) == (ref("short"), ref("cut"), ())
    [waits] = view_of(done.document).waiting
    assert waits.proposal is not None
    assert (waits.proposal.draft, waits.proposal.asked_by, waits.proposal.model) == (ref("short"), "ada", "offline")
    assert (done.status("research"), done.current().number) == (SectionStatus.APPROVED, 1)
    assert (staleness(done.document), done.document_status()) == ({}, DocumentStatus.COMPLETED)


@pytest.mark.req("P9")
def test_accepting_makes_the_version_and_marks_dependents_with_the_options(done: Story) -> None:
    proposal = proposed(done)
    (edited,) = accept(done, proposal)
    assert isinstance(edited, e.SectionEdited)
    assert (edited.version, edited.origin, edited.proposal_id) == (2, Origin.EDITED, proposal)
    assert (edited.draft, edited.summary, edited.actor) == (ref("short"), ref("cut"), "ada")
    marks = {mark.section_id: mark.options for mark in edited.makes_stale}
    assert marks == dict.fromkeys(("solution", "budget", "timeline"), ("keep", "regenerate"))
    assert (done.status("research"), done.document.sections["research"].proposal) == (SectionStatus.EDITED, None)
    assert {type(job) for job in done.open_jobs().values()} == {j.ValidateDraft, j.EvaluateDraft}


@pytest.mark.req("P9")
def test_a_newer_version_voids_it_the_same_text_does_not_and_an_event_says_so(done: Story) -> None:
    proposal = proposed(done)
    write(done, "text of research").then_types(e.SectionEdited, e.DocumentCompleted)
    voided, edited = write(done, "a person's text")
    assert isinstance(voided, e.SectionEditVoided)
    assert (voided.proposal_id, voided.version, voided.current_version) == (proposal, 1, 2)
    assert {mark.section_id for mark in edited.makes_stale} == {"solution", "budget", "timeline"}
    (refused,) = accept(done, proposal)
    assert refused.problem.message == f"{proposal} is void: it changes version 1, and version 2 is current; ask again"
    (asked,) = instruct(done, version=2)
    voided, *_ = done.ask(asking.restore, "research", 2, 1)
    assert voided.proposal_id == asked.proposal_id
    assert not done.jobs(j.ReviseDraft)


@pytest.mark.req("P9")
def test_a_proposal_is_decided_about_once_by_its_name_and_version_and_once_it_is_made(done: Story) -> None:
    accept(done, "p999").then_refused("proposal_unknown")
    (asked,) = instruct(done)
    accept(done, asked.proposal_id).then_refused("proposal_in_work")
    revised(done)
    instruct(done).then_refused("proposal_open")
    accept(done, asked.proposal_id, version=7).then_refused("version_old")
    reject(done, asked.proposal_id).then_types(e.SectionEditRejected)
    assert (done.status("research"), done.document.sections["research"].proposal) == (SectionStatus.APPROVED, None)
    accept(done, asked.proposal_id).then_refused("proposal_rejected")
    (again,) = instruct(done)
    job, before = done.job(j.ReviseDraft), done.state
    reject(done, again.proposal_id)
    assert closed_jobs(before, done.state) == {job.job_id}
    late = {"draft": ref("x"), "summary": ref("y"), "provenance": PROVENANCE}
    done.said(job, o.DraftRevised, **late).then_types(e.OutcomeSuperseded)


@pytest.fixture(params=["an edit", "an edit that counts at once", "a revision"])
def overtaken(request: pytest.FixtureRequest) -> Story:
    """A person gave a section another text while the editor agent changed its first one."""
    story = Story()
    story.create(review_edits="none" if request.param == "an edit that counts at once" else "human")
    story.reviewable("research")
    if request.param == "a revision":
        story.ask(asking.revise, "research", 1, ref("shorter"))
    else:
        story.approve("research")
        instruct(story)
    write(story, "a person's text").then_types(e.SectionEdited)
    return story


def overtaking(story: Story, both: str, ours: str = "a person's text") -> Record:
    made: dict[str, Any] = {"draft": ref("short"), "summary": ref("cut"), "provenance": PROVENANCE}
    outcome = o.DraftRevised(**story.job(j.ReviseDraft).echo(), **made)
    return Record(outcome, merged(both, "short", ours=ours))


@pytest.mark.req("L4")
def test_what_the_editor_makes_of_a_text_is_proposed_as_a_change_of_the_one_that_a_person_gave_meanwhile(
    overtaken: Story,
) -> None:
    job = overtaken.job(j.ReviseDraft)
    assert (job.version, job.draft) == (1, ref("text of research"))
    for unmerged in (replace(overtaking(overtaken, ""), merged=None), overtaking(overtaken, "both", ours="an earlier")):
        with pytest.raises(UnmergedDraft):
            overtaken.when(unmerged)
    (proposed,) = overtaken.when(overtaking(overtaken, "a person's text, short"))
    assert isinstance(proposed, e.SectionEditProposed)
    assert (proposed.version, proposed.base_digest) == (2, ref("a person's text").digest)
    assert proposed.merge == Merge(theirs=ref("short"))
    assert overtaken.current().draft == ref("a person's text")
    (edited,) = accept(overtaken, proposed.proposal_id, version=2)
    assert edited.draft == ref("a person's text, short")


@pytest.mark.req("L4", "P10")
def test_a_text_is_merged_again_with_an_edit_that_was_not_known_to_wait(done: Story) -> None:
    proposed(done)
    command, both = asking.write(done.asked(), "research", 1, ref("mine")), merged("mine, short", "short", ours="mine")
    with pytest.raises(UnmergedDraft):
        done.when(replace(command, seen=frozenset()))
    known = replace(command, seen=frozenset({ref("short").digest}), waiting=(both,))
    done.when(known).then_types(e.SectionEditMerged, e.SectionEdited)


@pytest.mark.req("L4")
def test_a_change_of_which_a_persons_text_leaves_nothing_is_void(overtaken: Story) -> None:
    _, void = overtaken.when(overtaking(overtaken, "a person's text"))
    assert isinstance(void, e.SectionEditVoided)
    assert overtaken.document.sections["research"].proposal is None
    assert not overtaken.jobs(j.ReviseDraft)


@pytest.mark.req("P9")
@pytest.mark.parametrize(
    ("outcome", "said", "code"),
    [
        (o.InstructionRefused, {"reason": ref("no")}, "proposal_refused"),
        (o.ModelUnavailable, {}, "proposal_failed"),
        (o.JobDead, {}, "proposal_failed"),
    ],
)
def test_an_edit_that_came_to_nothing_leaves_the_section_as_it_was_and_is_not_decided_about(
    done: Story, outcome: type[o.Outcome], said: dict[str, Any], code: str
) -> None:
    (asked,) = instruct(done)
    (told,) = done.said(done.job(j.ReviseDraft), outcome, **said)
    assert told.makes_stale == ()
    if isinstance(told, e.SectionFailure):
        assert (told.status, told.activity) == (SectionStatus.APPROVED, Activity.EDIT)
    for decide in (accept, reject):
        decide(done, asked.proposal_id).then_refused(code)
    instruct(done).then_types(e.SectionEditRequested)


@pytest.mark.req("P9", "T7")
@pytest.mark.parametrize("dead", [False, True])
def test_a_proposed_text_is_checked_while_it_waits_and_nothing_else_changes(done: Story, dead: bool) -> None:
    proposal, found = proposed(done), validation(passed=False)
    job = done.job(j.ValidateDraft)
    assert (job.draft, job.version, job.history, job.said) == (ref("short"), 1, None, (ref("shorter"),))
    said = done.said(job, o.JobDead, detail="gone") if dead else done.said(job, o.DraftValidated, validation=found)
    (checked,) = said
    assert isinstance(checked, e.SectionEditChecked)
    assert (checked.proposal_id, checked.version) == (proposal, 1)
    assert (checked.validation, checked.detail) == ((None, "gone") if dead else (found, ""))
    assert (done.open_jobs(), done.status("research")) == ({}, SectionStatus.APPROVED)
    assert (done.current().validation, done.document_status()) == (validation(), DocumentStatus.COMPLETED)
    accept(done, proposal).then_types(e.SectionEdited)


@pytest.mark.req("P9", "T7")
def test_a_proposal_of_an_old_log_has_no_check(done: Story) -> None:
    instruct(done)
    before = done.state
    (proposal,) = revised(done)
    assert open_jobs(evolve(before, proposal.model_copy(update={"to_be_checked": False}))) == ()
