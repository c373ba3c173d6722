"""Edits by instruction that a person has to accept before they count; on the pure core."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, about, evaluation, merged, ref, validation
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


def instruct(story: Story, section_id: str = "research", version: int = 1) -> Then[State, Any]:
    return story.when(asking.edit(story.asked(), section_id, version, ref("shorter")))


def job_of(story: Story, section_id: str = "research") -> j.ReviseDraft:
    jobs = story.jobs(j.ReviseDraft)
    (found,) = (job for job in jobs if job.section.section_id == section_id)
    return found


def revised(story: Story, section_id: str = "research", text: str = "short") -> Then[State, Any]:
    job_id = job_of(story, section_id).job_id
    draft, summary = ref(text), ref("cut")
    return story.outcome(o.DraftRevised, section_id, job_id=job_id, draft=draft, summary=summary, provenance=PROVENANCE)


def proposed(story: Story, section_id: str = "research") -> str:
    (asked,) = instruct(story, section_id)
    revised(story, section_id)
    return str(asked.proposal_id)


def accept(story: Story, proposal_id: str, version: int = 1, section_id: str = "research") -> Then[State, Any]:
    return story.when(asking.accept(story.asked(), section_id, version, proposal_id))


def reject(story: Story, proposal_id: str, version: int = 1, section_id: str = "research") -> Then[State, Any]:
    return story.when(asking.reject(story.asked(), section_id, version, proposal_id))


def write(story: Story, text: str, version: int = 1) -> Then[State, Any]:
    return story.when(asking.write(story.asked(), "research", version, ref(text)))


def words(refusal: Any) -> tuple[str, str]:
    problem = refusal.problem
    return problem.field, problem.message


@pytest.mark.req("P9")
def test_an_instruction_to_a_settled_section_leaves_status_version_and_dependents_as_they_are(done: Story) -> None:
    (asked,) = instruct(done)
    assert (asked.result, asked.makes_stale) == ("proposed", ())
    assert (view_of(done.document).checking, view_of(done.document).waiting) == (True, ())
    (proposal,) = revised(done)
    assert isinstance(proposal, e.SectionEditProposed)
    [waits] = view_of(done.document).waiting
    assert waits.proposal is not None
    assert (waits.proposal.draft, waits.proposal.asked_by, waits.proposal.model) == (ref("short"), "ada", "offline")
    assert (proposal.version, proposal.base_digest) == (1, ref("text of research").digest)
    assert (proposal.draft, proposal.summary, proposal.makes_stale) == (ref("short"), ref("cut"), ())
    assert done.status("research") == SectionStatus.APPROVED
    assert done.document.sections["research"].current_number == 1
    assert staleness(done.document) == {}
    assert done.document_status() == DocumentStatus.COMPLETED


@pytest.mark.req("P9")
def test_dependents_are_written_while_an_edit_of_their_upstream_waits() -> None:
    story = Story()
    story.create(review_edits="human")
    story.reviewable("research")
    story.approve("research")
    proposed(story, "research")
    story.drafted("solution")
    assert staleness(story.document) == {}


@pytest.mark.req("P9")
def test_accepting_makes_the_version_and_marks_dependents_with_the_options(done: Story) -> None:
    proposal = proposed(done)
    (edited,) = accept(done, proposal)
    assert isinstance(edited, e.SectionEdited)
    assert (edited.version, edited.origin, edited.proposal_id) == (2, Origin.EDITED, proposal)
    assert (edited.draft, edited.summary, edited.actor) == (ref("short"), ref("cut"), "ada")
    marks = {mark.section_id: mark.options for mark in edited.makes_stale}
    assert marks == dict.fromkeys(("solution", "budget", "timeline"), ("keep", "regenerate"))
    assert done.status("research") == SectionStatus.EDITED
    assert done.document.sections["research"].proposal is None
    assert {type(job) for job in done.open_jobs().values()} == {j.ValidateDraft, j.EvaluateDraft}


@pytest.mark.req("P9")
def test_rejecting_drops_it_and_changes_nothing_else(done: Story) -> None:
    proposal = proposed(done)
    (rejected,) = reject(done, proposal)
    assert isinstance(rejected, e.SectionEditRejected)
    assert done.status("research") == SectionStatus.APPROVED
    assert done.document.sections["research"].proposal is None
    (refused,) = accept(done, proposal)
    assert words(refused) == ("proposal_id", f"{proposal} was rejected before")


@pytest.mark.req("P9")
def test_rejecting_an_instruction_under_way_ends_its_job(done: Story) -> None:
    (asked,) = instruct(done)
    job_id, before = job_of(done).job_id, done.state
    reject(done, asked.proposal_id)
    assert closed_jobs(before, done.state) == {job_id}
    done.outcome(
        o.DraftRevised, "research", job_id=job_id, draft=ref("x"), summary=ref("y"), provenance=PROVENANCE
    ).then_types(e.OutcomeSuperseded)


@pytest.mark.req("P9")
def test_a_newer_version_voids_it_and_an_event_says_so(done: Story) -> None:
    proposal = proposed(done)
    voided, edited = write(done, "a person's text")
    assert isinstance(voided, e.SectionEditVoided)
    assert (voided.proposal_id, voided.version, voided.current_version) == (proposal, 1, 2)
    assert {mark.section_id for mark in edited.makes_stale} == {"solution", "budget", "timeline"}
    (refused,) = accept(done, proposal)
    assert refused.problem.code == "proposal_void"
    assert words(refused) == (
        "proposal_id",
        f"{proposal} is void: it changes version 1, and version 2 is current; ask again",
    )
    assert done.document.sections["research"].versions[-1].draft == ref("a person's text")


@pytest.mark.req("P9")
def test_a_text_that_is_brought_back_voids_an_instruction_under_way(done: Story) -> None:
    write(done, "a person's text")
    asked, *_ = instruct(done, version=2)
    voided, *_ = done.when(asking.restore(done.asked(), "research", 2, 1))
    assert voided.proposal_id == asked.proposal_id
    assert not done.jobs(j.ReviseDraft)


@pytest.fixture(params=["an edit", "an edit that counts at once", "a revision"])
def overtaken(request: pytest.FixtureRequest) -> Story:
    """A person gave a section another text while the editor agent changed its first one."""
    story = Story()
    story.create(review_edits="none" if request.param == "an edit that counts at once" else "human")
    story.reviewable("research")
    if request.param == "a revision":
        story.when(asking.revise(story.asked(), "research", 1, ref("shorter")))
    else:
        story.approve("research")
        instruct(story)
    write(story, "a person's text").then_types(e.SectionEdited)
    return story


def overtaking(story: Story, both: str, ours: str = "a person's text") -> Record:
    outcome = o.DraftRevised(**about(job_of(story)), draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    return Record(outcome, merged(both, "short", ours=ours))


@pytest.mark.req("L4")
def test_what_the_editor_makes_of_a_text_is_proposed_as_a_change_of_the_one_that_a_person_gave_meanwhile(
    overtaken: Story,
) -> None:
    assert (job_of(overtaken).version, job_of(overtaken).draft) == (1, ref("text of research"))
    (proposed,) = overtaken.when(overtaking(overtaken, "a person's text, short"))
    assert isinstance(proposed, e.SectionEditProposed)
    assert (proposed.version, proposed.base_digest) == (2, ref("a person's text").digest)
    assert proposed.merge == Merge(theirs=ref("short"))
    assert overtaken.document.sections["research"].versions[-1].draft == ref("a person's text")
    (edited,) = accept(overtaken, proposed.proposal_id, version=2)
    assert edited.draft == ref("a person's text, short")


@pytest.mark.req("L4")
def test_a_change_of_an_earlier_text_is_not_proposed_before_it_is_merged_with_the_one_of_now(overtaken: Story) -> None:
    for unmerged in (replace(overtaking(overtaken, ""), merged=None), overtaking(overtaken, "both", ours="an earlier")):
        with pytest.raises(UnmergedDraft):
            overtaken.when(unmerged)


@pytest.mark.req("L4")
def test_a_change_of_which_a_persons_text_leaves_nothing_is_void(overtaken: Story) -> None:
    _, void = overtaken.when(overtaking(overtaken, "a person's text"))
    assert isinstance(void, e.SectionEditVoided)
    assert overtaken.document.sections["research"].proposal is None
    assert not overtaken.jobs(j.ReviseDraft)


@pytest.mark.req("P9")
def test_the_same_text_again_voids_nothing(done: Story) -> None:
    proposal = proposed(done)
    write(done, "text of research")
    (edited,) = accept(done, proposal)
    assert edited.draft == ref("short")


@pytest.mark.req("P9")
def test_refuses_a_proposal_that_is_not_there_or_still_being_made(done: Story) -> None:
    (refused,) = accept(done, "p999")
    assert words(refused) == ("proposal_id", "the section has no proposed edit p999")
    (asked,) = instruct(done)
    (refused,) = accept(done, asked.proposal_id)
    assert refused.problem.code == "proposal_in_work"
    revised(done)
    (refused,) = accept(done, asked.proposal_id, version=7)
    assert refused.problem.code == "version_old"
    accept(done, asked.proposal_id)
    (refused,) = reject(done, asked.proposal_id)
    assert words(refused) == ("proposal_id", f"{asked.proposal_id} was accepted before")


@pytest.mark.req("P9")
def test_refuses_another_instruction_while_one_waits_so_that_none_is_lost(done: Story) -> None:
    proposal = proposed(done)
    (refused,) = instruct(done)
    assert words(refused) == ("section_id", f"the edit {proposal} is proposed: accept or reject it first")


@pytest.mark.req("P9")
@pytest.mark.parametrize(
    ("outcome", "reason", "why"),
    [
        (o.InstructionRefused, {"reason": ref("no")}, "the editor refused the instruction; ask for another change"),
        (o.ModelUnavailable, {}, "the editor could not make it; ask again"),
        (o.JobDead, {}, "the editor could not make it; ask again"),
    ],
)
def test_a_decision_about_an_edit_that_came_to_nothing_is_told_so(
    done: Story, outcome: type[o.Outcome], reason: dict[str, Any], why: str
) -> None:
    (asked,) = instruct(done)
    done.outcome(outcome, "research", job_id=job_of(done).job_id, **reason)
    for decide in (accept, reject):
        (refused,) = decide(done, asked.proposal_id)
        assert isinstance(refused, e.DecisionRefused)
        assert words(refused) == ("proposal_id", f"{asked.proposal_id} was never proposed: {why}")


@pytest.mark.req("P9")
@pytest.mark.parametrize("outcome", [o.ModelUnavailable, o.AnswerMalformed, o.ContextTooLong, o.JobDead])
def test_an_editor_that_fails_leaves_the_section_as_it_was(done: Story, outcome: type[o.Outcome]) -> None:
    instruct(done)
    (failed,) = done.outcome(outcome, "research", job_id=job_of(done).job_id)
    assert (failed.status, failed.activity, failed.makes_stale) == (SectionStatus.APPROVED, Activity.EDIT, ())
    assert done.document.sections["research"].proposal is None
    instruct(done).then_types(e.SectionEditRequested)


@pytest.mark.req("P9")
def test_checks_of_the_current_text_go_on_beside_a_proposal(done: Story) -> None:
    write(done, "mine")
    instruct(done, version=2)
    (check,) = done.jobs(j.EvaluateDraft)
    done.outcome(
        o.DraftEvaluated, "research", job_id=check.job_id, evaluation=evaluation(0.4, False), provenance=PROVENANCE
    )
    current = done.document.sections["research"].current
    assert current is not None
    assert current.evaluation == evaluation(0.4, False)


@pytest.mark.req("P9")
def test_an_instruction_to_a_section_in_review_is_a_revision() -> None:
    story = Story()
    story.create(review_edits="human", max_revisions=1)
    story.reviewable("research")
    (asked,) = instruct(story)
    assert (asked.result, asked.proposal_id) == ("reviewed", None)
    (event,) = revised(story)
    assert isinstance(event, e.SectionRevised)
    story.validated("research")
    assert story.status("research") == SectionStatus.AWAITING_REVIEW
    (refused,) = instruct(story, version=2)
    assert refused.problem.code == "revision_limit"


@pytest.mark.req("P9")
def test_a_cancelled_document_has_no_proposal(done: Story) -> None:
    proposal = proposed(done)
    write(done, "mine", 1)
    accept_again = proposed_after(done)
    done.when(asking.cancel(done.asked()))
    assert done.document.sections["research"].proposal is None
    for name in (proposal, accept_again):
        (refused,) = accept(done, name, 2)
        assert refused.problem.code == "document_cancelled"


def proposed_after(story: Story) -> str:
    (asked,) = instruct(story, version=2)
    revised(story)
    return str(asked.proposal_id)


def check_of(story: Story) -> j.ValidateDraft:
    (job,) = story.jobs(j.ValidateDraft)
    return job


@pytest.mark.req("P9")
@pytest.mark.req("T7")
def test_a_proposed_text_is_checked_while_it_waits_and_nothing_else_changes(done: Story) -> None:
    proposal = proposed(done)
    job = check_of(done)
    assert (job.draft, job.version, job.history) == (ref("short"), 1, None)
    assert job.said == (ref("shorter"),)
    (checked,) = done.outcome(o.DraftValidated, "research", job_id=job.job_id, validation=validation(passed=False))
    assert isinstance(checked, e.SectionEditChecked)
    assert (checked.proposal_id, checked.version, checked.validation) == (proposal, 1, validation(passed=False))
    assert done.open_jobs() == {}
    assert done.status("research") == SectionStatus.APPROVED
    current = done.document.sections["research"].current
    assert current is not None
    assert current.validation == validation()
    assert done.document_status() == DocumentStatus.COMPLETED
    (edited,) = accept(done, proposal)
    assert isinstance(edited, e.SectionEdited)


@pytest.mark.req("P9")
@pytest.mark.req("T7")
def test_a_proposal_waits_on_when_it_could_not_be_checked(done: Story) -> None:
    proposal = proposed(done)
    (checked,) = done.outcome(o.JobDead, "research", job_id=check_of(done).job_id, detail="exhausted")
    assert isinstance(checked, e.SectionEditChecked)
    assert (checked.validation, checked.detail, done.open_jobs()) == (None, "exhausted", {})
    assert done.status("research") == SectionStatus.APPROVED
    (edited,) = accept(done, proposal)
    assert isinstance(edited, e.SectionEdited)


@pytest.mark.req("P9")
@pytest.mark.req("T7")
@pytest.mark.parametrize("decide", [accept, reject])
def test_a_decision_that_comes_before_the_check_calls_it_off(done: Story, decide: Any) -> None:
    proposal = proposed(done)
    job_id, before = check_of(done).job_id, done.state
    decide(done, proposal)
    assert job_id in closed_jobs(before, done.state)
    done.outcome(o.DraftValidated, "research", job_id=job_id, validation=validation()).then_types(e.OutcomeSuperseded)


@pytest.mark.req("P9")
@pytest.mark.req("T7")
def test_a_proposal_of_an_old_log_has_no_check(done: Story) -> None:
    instruct(done)
    before = done.state
    (proposal,) = revised(done)
    old = evolve(before, proposal.model_copy(update={"to_be_checked": False}))
    assert open_jobs(old) == ()
