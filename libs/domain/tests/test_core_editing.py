"""Edits in any order, what they make stale, and what is done about it; on the pure core."""

import json
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, evaluation, ref, validation
from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import ChangedUpstream, StaleReason, UpstreamVersion
from stemma_domain.evolve import evolve
from stemma_domain.hands import hand_of
from stemma_domain.jobs import images_of
from stemma_domain.staleness import staleness
from stemma_domain.state import State
from stemma_domain.view import view_of
from stemma_testkit.deciding import Then


@pytest.fixture
def done(begun: Story) -> Story:
    """research <- solution <- budget, timeline; all approved."""
    begun.settle("research", "solution", "budget", "timeline")
    return begun


def write(story: Story, section_id: str, text: str, version: int | None = None) -> Then[State, Any]:
    seen = story.document.sections[section_id].current_number if version is None else version
    return story.when(asking.write(story.asked(), section_id, seen, ref(text)))


def edit(story: Story, section_id: str, version: int = 1) -> Then[State, Any]:
    return story.when(asking.edit(story.asked(), section_id, version, ref("shorter")))


def regenerate(story: Story, section_id: str, version: int = 1, replace_edited: bool = False) -> Then[State, Any]:
    return story.when(asking.regenerate(story.asked(), section_id, version, ref("more figures"), replace_edited))


def keep(story: Story, section_id: str, version: int = 1) -> Then[State, Any]:
    return story.when(asking.keep(story.asked(), section_id, version))


def stale(story: Story) -> set[str]:
    return set(staleness(story.document))


@pytest.mark.req("P9")
def test_a_regenerated_section_waits_for_its_stale_upstream(done: Story) -> None:
    write(done, "research", "a person's text")
    (requested,) = regenerate(done, "budget")
    (kept,) = keep(done, "solution")
    assert (requested.starts, kept.starts) == ((), ("budget",))


@pytest.mark.req("P9")
def test_an_edit_marks_direct_and_transitive_dependents_with_the_reason(done: Story) -> None:
    (edited, *_) = write(done, "research", "a person's text")
    assert isinstance(edited, e.SectionEdited)
    marks = {mark.section_id: mark for mark in edited.makes_stale}
    assert set(marks) == {"solution", "budget", "timeline"}
    assert marks["solution"].reasons == (
        StaleReason(upstream_section_id="research", accepted_version=1, current_version=2),
    )
    assert marks["budget"].reasons == (
        StaleReason(upstream_section_id="solution", accepted_version=1, current_version=1, upstream_stale=True),
    )
    assert marks["budget"].options == ("keep", "regenerate")


@pytest.mark.req("P9")
def test_an_edited_section_is_settled_and_reopens_a_completed_document(done: Story) -> None:
    assert done.document_status() == DocumentStatus.COMPLETED
    write(done, "research", "a person's text")
    assert done.status("research") == SectionStatus.EDITED
    assert done.document_status() == DocumentStatus.RUNNING


def test_an_edit_of_a_section_that_nothing_rests_on_completes_the_document_again(done: Story) -> None:
    assert [type(event) for event in write(done, "budget", "new")] == [e.SectionEdited, e.DocumentCompleted]


def test_an_edited_text_is_validated_and_evaluated_and_neither_blocks(done: Story) -> None:
    write(done, "budget", "a person's text")
    jobs = {type(job): job for job in done.open_jobs().values()}
    assert set(jobs) == {j.ValidateDraft, j.EvaluateDraft}
    assert view_of(done.document).checking
    done.outcome(o.DraftValidated, "budget", job_id=jobs[j.ValidateDraft].job_id, validation=validation(False))
    done.outcome(
        o.DraftEvaluated,
        "budget",
        job_id=jobs[j.EvaluateDraft].job_id,
        evaluation=evaluation(0.1, passed=False),
        provenance=PROVENANCE,
    )
    current = done.document.sections["budget"].current
    assert current is not None
    assert current.validation == validation(False)
    assert current.evaluation == evaluation(0.1, passed=False)
    assert done.status("budget") == SectionStatus.EDITED
    assert not view_of(done.document).checking


@pytest.mark.parametrize(("failure", "words"), [(o.JobDead, "dead letter"), (o.InputsMissing, "inputs missing")])
def test_a_check_that_fails_leaves_the_section_as_it_is(done: Story, failure: type[o.Outcome], words: str) -> None:
    write(done, "budget", "a person's text")
    told = set()
    for job_id in list(done.open_jobs()):
        done.outcome(failure, "budget", job_id=job_id, detail="oops")
        assert done.status("budget") == SectionStatus.EDITED
        told.add(view_of(done.document).sections["budget"].failure)
    assert f"evaluate: {words}: oops" in told
    assert done.open_jobs() == {}


@pytest.mark.req("P9")
def test_an_instruction_goes_to_the_editor_and_its_result_is_settled(done: Story) -> None:
    edit(done, "research")
    (job,) = done.open_jobs().values()
    assert isinstance(job, j.ReviseDraft)
    (edited, *_) = done.outcome(
        o.DraftRevised, "research", draft=ref("shorter"), summary=ref("cut"), provenance=PROVENANCE
    )
    assert (edited.origin, edited.version) == (Origin.EDITED, 2)
    assert done.status("research") == SectionStatus.EDITED
    assert stale(done) == {"solution", "budget", "timeline"}


def test_an_instruction_that_is_refused_leaves_the_section_approved(done: Story) -> None:
    edit(done, "research")
    done.outcome(o.InstructionRefused, "research", reason=ref("no"))
    assert done.status("research") == SectionStatus.APPROVED
    assert done.document_status() == DocumentStatus.COMPLETED


@pytest.mark.req("P10")
def test_keep_accepts_the_current_upstream_versions_and_leaves_the_status(done: Story) -> None:
    write(done, "research", "a person's text")
    (kept, *_) = keep(done, "solution")
    assert [(u.section_id, u.version) for u in kept.accepted] == [("research", 2)]
    assert set(kept.clears_stale) == {"solution", "budget", "timeline"}
    assert done.status("solution") == SectionStatus.APPROVED
    assert stale(done) == set()


@pytest.mark.req("P10")
def test_keeping_the_last_stale_section_completes_the_document(done: Story) -> None:
    write(done, "solution", "a person's text")
    keep(done, "budget")
    assert [type(event) for event in keep(done, "timeline")] == [e.SectionKept, e.DocumentCompleted]


def test_keep_is_refused_where_nothing_is_stale(done: Story) -> None:
    keep(done, "solution").then_refused("section_not_stale")


def test_keep_is_refused_while_a_stale_section_is_written_anew(done: Story) -> None:
    write(done, "research", "a person's text")
    regenerate(done, "solution")
    assert "solution" in stale(done)
    keep(done, "solution").then_refused("section_generating")


@pytest.mark.req("P10")
def test_a_section_that_is_stale_only_because_its_upstream_is_can_be_kept(done: Story) -> None:
    write(done, "research", "a person's text")
    (kept,) = keep(done, "budget")
    because = (ChangedUpstream(section_id="research", version=2),)
    assert kept.accepted == (UpstreamVersion(section_id="solution", version=1, stale=True, stale_because=because),)
    assert kept.clears_stale == ("budget",)
    assert done.status("budget") == SectionStatus.APPROVED
    assert stale(done) == {"solution", "timeline"}
    keep(done, "solution")
    assert stale(done) == set()


@pytest.mark.req("P10")
def test_what_was_kept_against_a_stale_upstream_is_stale_again_when_something_else_makes_that_stale(
    done: Story,
) -> None:
    write(done, "research", "a person's text")
    keep(done, "budget")
    (again,) = write(done, "research", "another text", 2)
    assert [mark.section_id for mark in again.makes_stale] == ["budget"]
    write(done, "research", "a person's text", 3)
    assert stale(done) == {"solution", "timeline"}, "it was kept against just that"


@pytest.mark.req("P10")
def test_a_section_kept_against_a_stale_upstream_hears_of_it_when_that_was_kept_and_is_stale_anew(
    done: Story,
) -> None:
    write(done, "research", "a person's text")
    keep(done, "budget")
    keep(done, "solution")
    assert stale(done) == set()
    (again,) = write(done, "research", "another text", 2)
    assert {mark.section_id for mark in again.makes_stale} == {"solution", "budget", "timeline"}


@pytest.mark.req("P10")
def test_a_log_that_does_not_say_why_an_upstream_was_stale_means_whatever_made_it_so(done: Story) -> None:
    write(done, "research", "a person's text")
    accepted = (UpstreamVersion(section_id="solution", version=1, stale=True),)
    done.state = evolve(done.state, e.SectionKept(section_id="budget", version=1, accepted=accepted))
    assert stale(done) == {"solution", "timeline"}


@pytest.mark.req("P10")
def test_what_was_kept_against_a_stale_upstream_is_stale_again_when_that_gets_another_text(done: Story) -> None:
    write(done, "research", "a person's text")
    keep(done, "budget")
    (written,) = write(done, "solution", "another text")
    assert [mark.section_id for mark in written.makes_stale] == ["budget"]


@pytest.mark.req("P9")
@pytest.mark.parametrize("way", ["restore", "write"])
def test_the_very_text_that_dependents_rest_on_leaves_them_fresh_however_it_came_back(done: Story, way: str) -> None:
    write(done, "research", "a person's text")
    first = done.document.sections["research"].versions[0].draft
    back = (
        asking.restore(done.asked(), "research", 2, 1)
        if way == "restore"
        else asking.write(done.asked(), "research", 2, first)
    )
    (again, *_) = done.when(back)
    assert (again.version, again.makes_stale) == (3, ())
    assert set(again.clears_stale) == {"solution", "budget", "timeline"}
    assert done.document_status() == DocumentStatus.COMPLETED


@pytest.mark.req("P9", "P10")
def test_a_stale_upstream_whose_text_came_back_is_named_by_its_version_of_now(done: Story) -> None:
    write(done, "solution", "another text")
    write(done, "research", "a person's text")
    done.when(asking.restore(done.asked(), "solution", 2, 1))
    (reason,) = staleness(done.document)["budget"].reasons
    assert (reason.accepted_version, reason.current_version, reason.upstream_stale) == (3, 3, True)


@pytest.mark.req("P9")
def test_the_offer_and_the_marks_stand_in_the_message_also_where_they_equal_a_default(done: Story) -> None:
    (edited, *_) = write(done, "research", "a person's text")
    marks = json.loads(registry.encode(edited))["makes_stale"]
    assert [mark["options"] for mark in marks] == [["keep", "regenerate"]] * 3
    assert [reason["upstream_stale"] for mark in marks for reason in mark["reasons"]] == [False, True, True]
    (last, *_) = write(done, "budget", "a person's text")
    assert json.loads(registry.encode(last))["makes_stale"] == []


@pytest.mark.req("P10", "P18")
def test_a_regenerated_section_is_queued_and_its_guidance_reaches_the_generator(done: Story) -> None:
    write(done, "research", "a person's text")
    (requested,) = regenerate(done, "solution")
    assert requested.starts == ("solution",)
    job = done.jobs(j.GenerateSection)[0]
    assert job.guidance == ref("more figures")
    assert [(u.section_id, u.version) for u in job.upstream] == [("research", 2)]


def test_the_guidance_goes_with_every_lint_round(done: Story) -> None:
    regenerate(done, "solution")
    done.drafted("solution", "anew")
    done.validated("solution", passed=False)
    (job,) = done.jobs(j.GenerateSection)
    assert (job.round, job.guidance) == (1, ref("more figures"))


def test_a_regeneration_with_the_same_text_makes_no_version_and_nothing_stale(done: Story) -> None:
    regenerate(done, "solution")
    done.drafted("solution")
    done.validated("solution")
    done.approve("solution")
    assert done.document.sections["solution"].current_number == 1
    assert done.document_status() == DocumentStatus.COMPLETED


def test_a_regeneration_supersedes_a_waiting_review(begun: Story) -> None:
    begun.reviewable("research")
    regenerate(begun, "research")
    begun.approve("research").then_refused("section_generating")


@pytest.mark.parametrize("way", ["write", "restore"])
def test_a_regeneration_of_what_a_person_made_merges_it_or_is_told_that_it_may_go(done: Story, way: str) -> None:
    write(done, "solution", "a person's text")
    if way == "restore":
        done.when(asking.restore(done.asked(), "solution", 2, 1))
    version = done.document.sections["solution"].current_number
    leave = way == "restore"
    (requested,) = regenerate(done, "solution", version, replace_edited=leave)
    assert isinstance(requested, e.SectionRegenerationRequested)
    assert (requested.merges, hand_of(done.document.sections["solution"]) is None) == (not leave, leave)
    assert ref("a person's text") in [v.draft for v in done.document.sections["solution"].versions]


def test_restore_brings_an_earlier_text_back_as_a_new_version_that_rests_on_what_it_did(done: Story) -> None:
    write(done, "research", "a person's text")
    keep(done, "solution")
    write(done, "solution", "another")
    (restored, *_) = done.when(asking.restore(done.asked(), "solution", 2, 1))
    section = done.document.sections["solution"]
    assert (section.current_number, section.versions[-1].draft) == (3, section.versions[0].draft)
    assert section.versions[-1].origin is Origin.RESTORED
    assert section.versions[-1].evaluation == section.versions[0].evaluation
    assert done.status("solution") == SectionStatus.EDITED
    assert restored.draft == section.versions[0].draft


@pytest.mark.req("P9")
def test_a_restored_version_rests_on_what_it_did_and_not_on_what_the_replaced_one_does(done: Story) -> None:
    write(done, "research", "a person's text")
    regenerate(done, "solution")
    done.drafted("solution", "from the new research")
    (restored, *_) = done.when(asking.restore(done.asked(), "solution", 2, 1))
    assert [v.rests_on[0].version for v in done.document.sections["solution"].versions] == [1, 2, 1]
    keep(done, "solution", 3)
    write(done, "solution", "another")
    done.when(asking.restore(done.asked(), "solution", 4, 3))
    assert [v.kept_against != () for v in done.document.sections["solution"].versions[2:]] == [True, False, False]
    assert "solution" in {mark.section_id for mark in restored.makes_stale}


def test_restore_refuses_a_version_that_is_not_there(done: Story) -> None:
    for number in (1, 7):
        done.when(asking.restore(done.asked(), "solution", 1, number)).then_refused("version_unknown")


@pytest.mark.failure("refused-decision")
def test_a_decision_about_an_old_version_is_refused_whatever_it_is(done: Story) -> None:
    write(done, "solution", "two")
    for events in (
        write(done, "solution", "three", version=1),
        edit(done, "solution", 1),
        keep(done, "solution", 1),
        regenerate(done, "solution", 1),
        done.when(asking.restore(done.asked(), "solution", 1, 1)),
    ):
        assert [event.problem.code for event in events] == ["version_old"]


def test_a_persons_text_wins_over_a_generation_under_way(begun: Story) -> None:
    late = begun.job_of("research")
    write(begun, "research", "a person's text")
    assert begun.status("research") == SectionStatus.EDITED
    begun.drafted("research", "the machine's text", job_id=late).then_types(e.OutcomeSuperseded)
    assert begun.document.sections["research"].versions[-1].draft == ref("a person's text")
    assert begun.status("solution") == SectionStatus.GENERATING


def test_an_instruction_while_generating_applies_to_the_last_version(done: Story) -> None:
    regenerate(done, "solution")
    late = done.job_of("solution")
    edit(done, "solution")
    job = done.jobs(j.ReviseDraft)[0]
    assert job.draft == done.document.sections["solution"].versions[-1].draft
    assert [type(event) for event in done.drafted("solution", "late", job_id=late)] == [e.OutcomeSuperseded]


def test_an_instruction_is_refused_where_nothing_is_written(begun: Story) -> None:
    edit(begun, "budget", 0).then_refused("nothing_written")


def test_one_instruction_at_a_time(done: Story) -> None:
    edit(done, "solution")
    edit(done, "solution").then_refused("section_generating")


def test_a_queued_section_takes_a_persons_text_and_turns_stale_when_its_upstream_is_written(begun: Story) -> None:
    write(begun, "solution", "written ahead", 0)
    assert begun.status("solution") == SectionStatus.EDITED
    (drafted,) = begun.drafted("research")
    assert [mark.section_id for mark in drafted.makes_stale] == ["solution"]


def test_an_outcome_whose_upstream_changed_meanwhile_is_accepted_and_stale_at_once(done: Story) -> None:
    regenerate(done, "solution")
    write(done, "research", "a person's text")
    (drafted,) = done.drafted("solution", "made from the old research")
    assert [(u.section_id, u.version) for u in drafted.upstream] == [("research", 1)]
    assert "solution" in stale(done)


def test_an_export_shows_what_is_stale(done: Story) -> None:
    write(done, "solution", "a person's text")
    done.when(asking.export(done.asked(), ExportFormat.MD))
    job = done.jobs(j.ConvertDocument)[0]
    assert {section.section_id for section in job.sections if section.stale} == {"budget", "timeline"}


def test_a_failed_section_can_be_written_by_a_person(begun: Story) -> None:
    begun.outcome(o.ModelUnavailable, "research")
    assert begun.document_status() == DocumentStatus.FAILED
    (edited, *_) = write(begun, "research", "a person's text", 0)
    assert edited.starts == ("solution",)


def test_a_revised_draft_is_evaluated_beside_its_review(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    jobs = {type(job) for job in begun.open_jobs().values()}
    assert jobs == {j.ValidateDraft, j.EvaluateDraft}
    assert Activity.EVALUATE in begun.document.sections["research"].checks.values()


@pytest.mark.req("I5")
def test_images_that_come_with_a_text_stay_with_it_and_those_after_it(done: Story) -> None:
    plan, logo = (InputFile(name=name, artifact=ref(name, name=name)) for name in ("plan.png", "logo.png"))
    done.when(asking.write(done.asked(), "research", 1, ref("with a plan"), (plan,)))
    done.when(asking.write(done.asked(), "research", 2, ref("with a logo, too"), (logo,)))
    write(done, "research", "more words")
    current = done.document.sections["research"].current
    assert current is not None
    assert current.images == (plan, logo)
    assert set(images_of(done.document)) >= {plan, logo}
