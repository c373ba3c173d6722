"""The design document: its agents in their order, cycles of review, going on in spite of one."""

from pathlib import Path

import domain_asking as asking
import pytest
from domain_design import DRAFTS, EVERY, Design
from domain_story import ref
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.features.cycles import should_revise
from stemma_domain.view import summarise
from stemma_domain.work import open_jobs
from stemma_orchestrator.catalog import ConfigError, load_catalog
from stemma_testkit.house import in_config, own_config


@pytest.fixture
def design() -> Design:
    story = Design()
    story.begin()
    return story


@pytest.mark.req("D1")
def test_the_agents_work_in_their_order_and_each_gets_what_it_rests_on(design: Design) -> None:
    seen = {}
    for name in EVERY:
        job = design.job()
        seen[job.section.section_id] = (job.section.agent, {upstream.section_id for upstream in job.upstream})
        if name == "review_feedback":
            design.review(needs_revision=False)
        else:
            design.write(name)
    assert seen == {
        "hld_draft": ("SystemArchitectAgent", set()),
        "lld_draft": ("APIDataAgent", {"hld_draft"}),
        "database_schema": ("DatabaseDesignerAgent", {"hld_draft", "lld_draft"}),
        "review_feedback": ("ReviewerAgent", set(DRAFTS)),
        "final_document": ("WriterFormatterAgent", {*DRAFTS, "review_feedback"}),
    }
    assert design.status("final_document") == SectionStatus.AWAITING_REVIEW


@pytest.mark.req("D3")
def test_three_reviews_give_two_revisions_at_most_and_then_it_goes_on(design: Design) -> None:
    for revision in (1, 2):
        design.draft_all()
        approved, again = design.review(needs_revision=True)
        assert approved.conclusion == e.ReviewConclusion(needs_revision=True, revision_count=revision)
        assert (again.revision_count, again.asked_by, again.starts) == (revision, "review", ("hld_draft",))
        assert {design.status(name) for name in EVERY[1:]} == {SectionStatus.QUEUED}
    design.draft_all()
    (approved,) = design.review(needs_revision=True, text="still wrong")
    assert approved.starts == ("final_document",)
    assert approved.conclusion == e.ReviewConclusion(
        needs_revision=True, revision_count=3, forced_continuation=True, review_feedback=ref("still wrong")
    )
    assert (design.job().unmet_review, should_revise(design.document)) == (ref("still wrong"), "continue")
    told = summarise(design.document, 1).cycle
    assert told is not None
    assert (told.forced_continuation, told.unmet_review, told.revision_count) == (True, ref("still wrong").digest, 3)


@pytest.mark.req("D3")
def test_a_review_that_is_content_starts_no_cycle(design: Design) -> None:
    design.draft_all()
    (approved,) = design.review(needs_revision=False)
    assert approved.conclusion == e.ReviewConclusion(needs_revision=False, revision_count=0)
    assert approved.starts == ("final_document",)


@pytest.mark.req("D4")
def test_a_revision_runs_every_agent_again_though_nothing_above_it_changed(design: Design) -> None:
    design.write("hld_draft", "the same")
    design.write("lld_draft", "the same, too")
    design.write("database_schema", "and this")
    design.review(needs_revision=True, text="the review")
    for name, text in zip(DRAFTS, ("the same", "the same, too", "and this"), strict=True):
        job = design.job()
        assert (job.section.section_id, job.revision_feedback) == (name, ref("the review"))
        design.write(name, text)
        assert design.version(name) == 1
    assert design.job().section.section_id == "review_feedback"
    assert design.job().revision_feedback == ref("the review")
    design.review(needs_revision=False)
    design.write("final_document")
    assert design.cycle.revision_feedback is None


@pytest.mark.req("R9", "D4")
def test_a_text_that_lacks_a_role_waits_for_a_person_in_the_next_cycle_too(design: Design) -> None:
    lacking = (GenerationWarning(code="role_failed", detail="cook"),)
    design.drafted("hld_draft", partial=True, warnings=lacking)
    (waits,) = design.validated("hld_draft")
    assert isinstance(waits, e.SectionReviewRequested)
    design.approve("hld_draft")
    design.write("lld_draft")
    design.write("database_schema")
    design.review(needs_revision=True)
    (again,) = design.drafted("hld_draft", "another draft")
    assert (again.partial, again.warnings) == (True, lacking)
    (waits,) = design.validated("hld_draft")
    assert isinstance(waits, e.SectionReviewRequested)


def test_a_review_that_a_person_approves_starts_its_cycle(design: Design) -> None:
    design.draft_all()
    design.drafted("review_feedback", review=ReviewVerdict(needs_revision=True))
    design.validated("review_feedback", passed=False)
    approved, again = design.approve("review_feedback")
    assert (approved.conclusion.revision_count, again.sections) == (1, EVERY)


def test_a_review_does_not_have_a_persons_text_written_again(design: Design) -> None:
    design.write("hld_draft")
    design.when(asking.write(design.asked(), "hld_draft", 1, ref("mine")))
    design.write("lld_draft")
    design.when(asking.keep(design.asked(), "lld_draft", 1))
    design.write("database_schema")
    _, again = design.review(needs_revision=True)
    assert again.sections == EVERY[1:]
    assert design.document.sections["hld_draft"].versions[-1].draft == ref("mine")


def test_a_cycle_that_begins_while_the_document_is_paused_starts_when_it_goes_on(design: Design) -> None:
    design.draft_all()
    design.when(asking.pause(design.asked()))
    _, again = design.review(needs_revision=True)
    assert again.starts == ()
    (resumed,) = design.when(asking.resume(design.asked()))
    assert resumed.starts == ("hld_draft",)


@pytest.mark.req("D2")
@pytest.mark.failure("inputs-missing")
def test_missing_inputs_fail_the_section_with_the_words_of_the_agent(design: Design) -> None:
    words = "project_brief is required and must not be blank"
    failed, ended = design.outcome(o.InputsMissing, "hld_draft", detail=words, missing=("project_brief",))
    assert isinstance(failed, e.SectionInputsMissing)
    assert (failed.detail, failed.missing, failed.usage.calls) == (words, ("project_brief",), 0)
    assert isinstance(ended, e.DocumentFailed)


@pytest.mark.req("D7")
def test_what_fed_a_section_and_how_it_was_made_is_in_its_event(design: Design) -> None:
    (drafted,) = design.drafted("hld_draft", retrieved_context=())
    assert drafted.retrieved_context == ()


def test_what_leaves_is_the_final_document_once_it_is_there(design: Design) -> None:
    def exported() -> list[str]:
        design.when(asking.export(design.asked(), ExportFormat.DOCX))
        job = [job for job in open_jobs(design.state) if isinstance(job, j.ConvertDocument)][-1]
        return [section.section_id for section in job.sections]

    assert exported() == list(EVERY)
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    assert exported() == ["final_document"]


@pytest.mark.req("R1")
def test_the_answer_to_a_request_can_name_the_execution_that_it_started(design: Design) -> None:
    started = design.document.requests["create"].started
    assert started == {"hld_draft": design.job().job_id}
    assert len(graph_execution_id(started["hld_draft"])) == 36


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('"review_section": "nowhere"', "cycle names the section 'nowhere'"),
        ('"review_section": "final_document"', "'final_document' must depend on 'final_document'"),
    ],
)
def test_refuses_a_blueprint_whose_cycles_cannot_be(tmp_path: Path, change: str, words: str) -> None:
    config = in_config(own_config(tmp_path))
    file = config / "blueprints/design_document.json"
    file.write_text(file.read_text().replace('"review_section": "review_feedback"', change))
    with pytest.raises(ConfigError, match=f"design_document.json: .*{words}"):
        load_catalog(config)
