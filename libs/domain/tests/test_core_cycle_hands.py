"""The design document: what a person has in hand while a cycle of review begins or goes on."""

import domain_asking as asking
import pytest
from domain_design import DRAFTS, EVERY, Design
from domain_story import PROVENANCE, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.cycles import CycleStatus, ReviewVerdict
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_domain.work import open_jobs


@pytest.fixture
def design() -> Design:
    """Everything is drafted and reviewed; the final document waits for a person."""
    story = Design()
    story.begin()
    story.draft_all()
    story.review(needs_revision=False)
    story.write("final_document")
    return story


def cycle(design: Design, replace_edited: bool = False) -> e.RevisionCycleStarted:
    version = design.version("final_document")
    revise = asking.revise(
        design.asked(), "final_document", version, ref("more"), cycle=True, replace_edited=replace_edited
    )
    (again,) = design.when(revise)
    assert isinstance(again, e.RevisionCycleStarted)
    return again


def writing(design: Design) -> j.GenerateSection:
    """The one section that is being written, beside the checks of what a person made."""
    (job,) = (job for job in open_jobs(design.state) if isinstance(job, j.GenerateSection))
    return job


def revised(design: Design, section_id: str, text: str) -> None:
    design.outcome(o.DraftRevised, section_id, draft=ref(text), summary=ref("s"), provenance=PROVENANCE)


@pytest.mark.req("D6")
def test_a_cycle_leaves_an_instruction_under_way_to_its_editor(design: Design) -> None:
    design.when(asking.edit(design.asked(), "hld_draft", 1, ref("shorter")))
    assert cycle(design).sections == EVERY[1:]
    (job,) = (job for job in open_jobs(design.state) if isinstance(job, j.ReviseDraft))
    assert writing(design).section.section_id == "lld_draft"
    design.outcome(
        o.DraftRevised, "hld_draft", job_id=job.job_id, draft=ref("short"), summary=ref("s"), provenance=PROVENANCE
    )
    assert design.status("hld_draft") == SectionStatus.APPROVED
    (accepted,) = design.when(asking.accept(design.asked(), "hld_draft", 1, proposal_of(design, "hld_draft")))
    assert accepted.draft == ref("short")
    assert design.status("hld_draft") == SectionStatus.EDITED


@pytest.mark.req("D6")
def test_a_cycle_leaves_a_proposed_edit_for_its_person(design: Design) -> None:
    design.when(asking.edit(design.asked(), "hld_draft", 1, ref("shorter")))
    (job,) = open_jobs(design.state)
    design.outcome(
        o.DraftRevised, "hld_draft", job_id=job.job_id, draft=ref("short"), summary=ref("s"), provenance=PROVENANCE
    )
    assert cycle(design).sections == EVERY[1:]
    assert proposal_of(design, "hld_draft")


def proposal_of(design: Design, section_id: str) -> str:
    proposal = design.document.sections[section_id].proposal
    assert proposal is not None
    return proposal.proposal_id


@pytest.mark.req("D6", "P9")
def test_a_cycle_leaves_what_the_editor_made_of_a_persons_words(design: Design) -> None:
    design.when(asking.write(design.asked(), "hld_draft", 1, ref("mine")))
    design.when(asking.regenerate(design.asked(), "hld_draft", 2, None, replace_edited=True))
    design.when(asking.edit(design.asked(), "hld_draft", 2, ref("shorter")))
    revised(design, "hld_draft", "mine, short")
    design.validated("hld_draft")
    design.approve("hld_draft", 3)
    assert cycle(design).sections == EVERY[1:]


@pytest.mark.req("D3", "P9")
@pytest.mark.parametrize("check_failed", [False, True], ids=["being checked", "with a failed check of an older log"])
def test_a_review_leaves_a_revision_that_its_reviewer_has_not_seen(design: Design, check_failed: bool) -> None:
    cycle(design)
    design.draft_all()
    design.when(asking.regenerate(design.asked(), "hld_draft", 2, None, replace_edited=False))
    design.drafted("hld_draft", "anew")
    design.when(asking.edit(design.asked(), "hld_draft", 3, ref("shorter")))
    revised(design, "hld_draft", "anew, short")
    if check_failed:
        failure = e.SectionJobDead(
            section_id="hld_draft",
            job_id=design.job_of("hld_draft"),
            activity=Activity.VALIDATE,
            status=SectionStatus.FAILED,
            detail="",
        )
        design.happened(failure)
    _, again = design.review(needs_revision=True)
    assert again.sections == EVERY[1:]


@pytest.mark.req("D6")
def test_a_cycle_takes_the_guidance_of_a_regeneration_along(design: Design) -> None:
    design.when(asking.regenerate(design.asked(), "hld_draft", 1, ref("more figures"), replace_edited=False))
    assert cycle(design, replace_edited=True).sections == EVERY
    assert (design.job().guidance, design.job().revision_feedback) == (ref("more figures"), ref("more"))


@pytest.mark.req("D3")
def test_a_revised_review_still_has_its_verdict(design: Design) -> None:
    cycle(design)
    design.draft_all()
    design.drafted("review_feedback", "a review", review=ReviewVerdict(needs_revision=True))
    design.validated("review_feedback", passed=False)
    version = design.version("review_feedback")
    design.when(asking.revise(design.asked(), "review_feedback", version, ref("be kind")))
    revised(design, "review_feedback", "a kind review")
    design.validated("review_feedback")
    approved, again = design.approve("review_feedback", version + 1)
    assert approved.conclusion.needs_revision
    assert (again.feedback, again.sections) == (ref("a kind review"), EVERY)


@pytest.mark.req("D5")
def test_a_cycle_around_a_persons_final_document_leaves_it_final_and_comes_to_an_end(design: Design) -> None:
    design.when(asking.write(design.asked(), "final_document", 1, ref("mine")))
    design.when(asking.regenerate(design.asked(), "review_feedback", 1, None, replace_edited=False))
    _, again = design.review(needs_revision=True)
    assert again.sections == EVERY[:-1]
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.FINAL, True)
    design.draft_all()
    design.review(needs_revision=False)
    design.when(asking.keep(design.asked(), "final_document", 2))
    assert design.document_status() == DocumentStatus.COMPLETED


@pytest.mark.req("D4", "D6")
def test_a_person_who_writes_the_end_in_a_cycle_takes_no_feedback_from_the_others(design: Design) -> None:
    cycle(design)
    design.when(asking.write(design.asked(), "final_document", 1, ref("mine")))
    for name in DRAFTS:
        assert writing(design).revision_feedback == ref("more")
        design.write(name)
    design.review(needs_revision=False)
    assert design.cycle.revision_feedback is None
    design.when(asking.keep(design.asked(), "final_document", 2))
    assert design.document_status() == DocumentStatus.COMPLETED
