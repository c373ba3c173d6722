"""Edits in any order, what they make stale, and what is done about it; on the pure core."""

import json
from collections.abc import Callable
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, evaluation, ref, validation
from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import ChangedUpstream, StaleReason, UpstreamVersion
from stemma_domain.evolve import evolve
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


def write(story: Story, section_id: str, text: str) -> Then[State, Any]:
    return story.ask(asking.write, section_id, story.current(section_id).number, ref(text))


def keep(story: Story, section_id: str, version: int = 1) -> Then[State, Any]:
    return story.ask(asking.keep, section_id, version)


def stale(story: Story) -> set[str]:
    return set(staleness(story.document))


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


def test_an_edited_text_is_validated_and_evaluated_and_neither_blocks(done: Story) -> None:
    write(done, "budget", "a person's text")
    judged = {"evaluation": evaluation(0.1, passed=False), "provenance": PROVENANCE}
    done.said(done.job(j.ValidateDraft), o.DraftValidated, validation=validation(False))
    assert view_of(done.document).checking
    done.said(done.job(j.EvaluateDraft), o.DraftEvaluated, **judged)
    current = done.current("budget")
    assert (current.validation, current.evaluation) == (validation(False), judged["evaluation"])
    assert done.status("budget") == SectionStatus.EDITED
    assert not view_of(done.document).checking


@pytest.mark.parametrize(("failure", "words"), [(o.JobDead, "dead letter"), (o.InputsMissing, "inputs missing")])
def test_a_check_that_fails_leaves_the_section_as_it_is(done: Story, failure: type[o.Outcome], words: str) -> None:
    write(done, "budget", "a person's text")
    done.said(done.job(j.EvaluateDraft), failure, detail="oops")
    assert done.status("budget") == SectionStatus.EDITED
    assert view_of(done.document).sections["budget"].failure == f"evaluate: {words}: oops"


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
def test_what_was_kept_against_a_stale_upstream_is_stale_again_when_anything_else_makes_that_stale(
    done: Story,
) -> None:
    write(done, "research", "a person's text")
    keep(done, "budget")
    (again,) = write(done, "research", "another text")
    assert [mark.section_id for mark in again.makes_stale] == ["budget"]
    write(done, "research", "a person's text")
    assert stale(done) == {"solution", "timeline"}, "it was kept against just that"
    (again,) = write(done, "solution", "another text")
    assert [mark.section_id for mark in again.makes_stale] == ["budget"]


@pytest.mark.req("P10")
def test_a_section_kept_against_a_stale_upstream_hears_of_it_when_that_was_kept_and_is_stale_anew(
    done: Story,
) -> None:
    write(done, "research", "a person's text")
    keep(done, "budget")
    keep(done, "solution")
    assert stale(done) == set()
    (again,) = write(done, "research", "another text")
    assert {mark.section_id for mark in again.makes_stale} == {"solution", "budget", "timeline"}


@pytest.mark.req("P10")
def test_a_log_that_does_not_say_why_an_upstream_was_stale_means_whatever_made_it_so(done: Story) -> None:
    write(done, "research", "a person's text")
    accepted = (UpstreamVersion(section_id="solution", version=1, stale=True),)
    done.state = evolve(done.state, e.SectionKept(section_id="budget", version=1, accepted=accepted))
    assert stale(done) == {"solution", "timeline"}


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
    (requested,) = done.ask(asking.regenerate, "solution", 1, ref("more figures"), False)
    job = done.job(j.GenerateSection)
    assert (requested.starts, job.guidance) == (("solution",), ref("more figures"))
    assert [(u.section_id, u.version) for u in job.upstream] == [("research", 2)]


@pytest.mark.req("P9")
def test_a_restored_version_is_as_the_earlier_one_was_and_rests_on_what_that_did(done: Story) -> None:
    write(done, "research", "a person's text")
    keep(done, "solution")
    write(done, "solution", "another")
    done.ask(asking.restore, "solution", 2, 1)
    first, second, third = done.document.sections["solution"].versions
    assert (third.number, third.origin, third.draft, third.evaluation) == (
        3, Origin.RESTORED, first.draft, first.evaluation,
    )  # fmt: skip
    assert [one.rests_on[0].version for one in (first, second, third)] == [2, 2, 2]
    assert [one.kept_against != () for one in (first, second, third)] == [True, False, False]


def regenerated(story: Story) -> None:
    story.settle("research")
    story.ask(asking.regenerate, "research", 1)


def stale_and_asking(story: Story) -> None:
    story.settle("research", "solution")
    write(story, "research", "a person's text")
    story.ask(asking.regenerate, "solution", 1)
    need = Need(need_id="n1", kind="question", checkpoint_id="cp1")
    story.outcome(o.GraphPaused, "solution", thread_id="thread-1", need=need)


def edited(story: Story) -> None:
    story.settle("research")
    story.ask(asking.edit, "research", 1, WORDS)


WORDS = ref("words")
MOMENTS: dict[str, Callable[[Story], Any]] = {
    "begun": lambda story: None,
    "in review": lambda story: story.reviewable("research"),
    "approved": lambda story: story.settle("research"),
    "being written anew": regenerated,
    "stale, and a question is open": stale_and_asking,
    "being edited": edited,
    "paused": lambda story: story.ask(asking.pause),
    "cancelled": lambda story: story.ask(asking.cancel),
}


@pytest.mark.parametrize(
    ("moment", "build", "values", "code"),
    [
        ("begun", asking.edit, ("research", 0, WORDS), "nothing_written"),
        ("begun", asking.keep, ("solution", 0), "nothing_written"),
        ("begun", asking.approve, ("research", 0), "section_generating"),
        ("begun", asking.retry, ("solution",), "section_queued"),
        ("begun", asking.write, ("nowhere", 0, WORDS), "section_unknown"),
        ("begun", asking.resume, (), "document_running"),
        ("in review", asking.retry, ("research",), "section_awaiting_review"),
        ("in review", asking.regenerate, ("research", 2), "version_old"),
        ("approved", asking.approve, ("research", 1), "section_approved"),
        ("approved", asking.revise, ("research", 1, WORDS), "section_approved"),
        ("approved", asking.keep, ("research", 1), "section_not_stale"),
        ("approved", asking.restore, ("research", 1, 1), "version_unknown"),
        ("approved", asking.restore, ("research", 1, 7), "version_unknown"),
        ("being written anew", asking.regenerate, ("research", 1), "section_generating"),
        ("being written anew", asking.approve, ("research", 1), "section_generating"),
        ("stale, and a question is open", asking.keep, ("solution", 1), "section_generating"),
        ("stale, and a question is open", asking.regenerate, ("solution", 1), "section_generating"),
        ("stale, and a question is open", asking.answer, ("solution", "n2", WORDS), "question_closed"),
        ("being edited", asking.edit, ("research", 1, WORDS), "section_generating"),
        ("paused", asking.pause, (), "document_paused"),
        ("cancelled", asking.write, ("research", 0, WORDS), "document_cancelled"),
        ("cancelled", asking.resume, (), "document_cancelled"),
    ],
)
def test_what_a_moment_does_not_allow_is_refused_by_its_reason(
    begun: Story, moment: str, build: Callable[..., Any], values: tuple[Any, ...], code: str
) -> None:
    MOMENTS[moment](begun)
    before = begun.document.sections
    begun.ask(build, *values).then_refused(code)
    assert begun.document.sections == before


@pytest.mark.failure("refused-decision")
def test_a_decision_about_an_old_version_is_refused_whatever_it_is(done: Story) -> None:
    write(done, "solution", "two")
    for build, *values in (
        (asking.write, ref("three")), (asking.edit, ref("shorter")), (asking.keep,), (asking.regenerate,),
        (asking.restore, 1),
    ):  # fmt: skip
        done.ask(build, "solution", 1, *values).then_refused("version_old")


def test_an_export_shows_what_is_stale(done: Story) -> None:
    write(done, "solution", "a person's text")
    done.ask(asking.export, ExportFormat.MD)
    job = done.job(j.ConvertDocument)
    assert {section.section_id for section in job.sections if section.stale} == {"budget", "timeline"}


@pytest.mark.req("I5")
def test_images_that_come_with_a_text_stay_with_it_and_those_after_it(done: Story) -> None:
    plan, logo = (InputFile(name=name, artifact=ref(name, name=name)) for name in ("plan.png", "logo.png"))
    done.ask(asking.write, "research", 1, ref("with a plan"), (plan,))
    done.ask(asking.write, "research", 2, ref("with a logo, too"), (logo,))
    write(done, "research", "more words")
    assert done.current().images == (plan, logo)
    assert set(images_of(done.document)) >= {plan, logo}
