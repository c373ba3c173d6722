from typing import Any

import pytest
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat, ExportWarning
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.provenance import ProcessingMetadata, RetrievedSource
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_testkit.document_events import CREATED_AT, REF

ISSUES = ValidationSummary(passed=False, issue_count=3, engine="rumdl", engine_version="1")
FAILURE: dict[str, Any] = {
    "section_id": "research",
    "job_id": "j",
    "activity": Activity.GENERATE,
    "status": SectionStatus.FAILED,
}


def research(view: DocumentView) -> SectionView:
    return view.sections["research"]


@pytest.mark.req("D7")
def test_a_version_tells_how_it_was_made_by_the_event_that_its_text_came_with(after: Any, drafted: Any) -> None:
    run = ProcessingMetadata(started_at=CREATED_AT, finished_at=CREATED_AT, seconds=0)
    read = (RetrievedSource(kind="input", name="a.md"),)
    made = {"processing_metadata": run, "retrieved_context": read}

    versions = research(after(drafted("research").model_copy(update=made), drafted("research", REF, 2))).versions

    assert [(one.processing_metadata, one.retrieved_context) for one in versions] == [(run, read), (None, None)]


@pytest.mark.req("V2")
def test_a_text_whose_check_was_given_up_can_be_retried(after: Any, drafted: Any) -> None:
    given_up = ValidationSummary.given_up("Stalled")
    found = [
        e.SectionReviewRequested(section_id="research", job_id="j", version=1, validation=validation)
        for validation in (ISSUES, given_up)
    ]

    assert [research(after(drafted("research"), event)).can_be_retried for event in found] == [False, True]


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (e.SectionModelUnavailable(**FAILURE, detail="429"), "job_model_unavailable", "model unavailable: 429"),
        (e.SectionAnswerMalformed(**FAILURE), "job_answer_malformed", "malformed answer: no reason given"),
        (
            e.SectionContextTooLong(**FAILURE, detail="9 tokens"),
            "job_context_too_long",
            "too long for the model: 9 tokens",
        ),
        (e.SectionJobDead(**FAILURE), "job_dead", "dead letter: no reason given"),
    ],
)
def test_a_failure_has_words_and_a_code_until_it_is_tried_again(
    after: Any, failure: Contract, code: str, words: str
) -> None:
    failed, retried = after(failure), after(failure, e.SectionRetried(section_id="research", starts=("research",)))

    assert (research(failed).status, research(failed).failure) == (SectionStatus.FAILED, words)
    assert (research(retried).status, research(retried).failure) == (SectionStatus.GENERATING, None)
    assert (problem_in(failed), problem_in(retried)) == ((code, words), ("", ""))


def problem_in(view: DocumentView) -> tuple[str, str]:
    problem = research(view).failure_problem
    return (problem.code, problem.message) if problem else ("", "")


def test_what_a_failed_section_lacked_is_known_until_it_is_tried_again(after: Any) -> None:
    lacking, again = e.SectionInputsMissing(**FAILURE, missing=("brief",)), e.SectionRetried(section_id="research")
    other = e.SectionModelUnavailable(**FAILURE)

    told = [after(*contracts) for contracts in ((lacking,), (lacking, again), (lacking, again, other))]

    assert [research(view).missing for view in told] == [("brief",), None, None]


def test_a_need_that_a_service_meets_is_no_wait_for_a_person(after: Any) -> None:
    need = Need(need_id="n1", kind="conversion", checkpoint_id="c")
    raised = e.SectionNeedRaised(section_id="research", job_id="j", thread_id="t", need=need)

    assert after(raised).waiting == ()
    assert after(raised).at_work


def test_exports_are_seen_from_the_request_to_the_end(after: Any) -> None:
    common: dict[str, Any] = {"export_id": "x", "format": ExportFormat.DOCX}
    warning = ExportWarning(code="stale", section_id="research")
    done = e.DocumentExported(**common, job_id="j", artifact=REF, warnings=(warning,))
    failed = e.ExportFailed(**common, job_id="j", detail="time out")

    asked = e.ExportRequested(**common, actor="ana", citations=True)

    views = [after(asked, *outcome).exports["x"] for outcome in ((), (done,), (failed,))]
    assert [view.state for view in views] == ["under_way", "done", "failed"]
    assert [(view.asked_by, view.citations) for view in views] == [("ana", True)] * 3
    assert (views[1].warnings, views[1].counts, views[2].failure) == ((warning,), {"stale": 1}, "time out")


@pytest.mark.req("I4")
def test_an_input_that_is_dropped_before_it_counted_is_gone_and_the_next_one_has_another_id(after: Any) -> None:
    staged, beside = (
        e.DocumentInputAdded(
            request_id="r",
            input_id=f"input-{n}",
            file=InputFile(name=f"{n}.md", artifact=REF),
            to_read=True,
            staged=True,
        )
        for n in (1, 2)
    )
    dropped = e.DocumentInputWithdrawn(request_id="r", input_id="input-1")

    assert [(one.input_id, one.state) for one in after(staged, dropped, beside).input_views] == [
        ("brief", "read"),
        ("input-2", "reading"),
    ]


@pytest.mark.req("I4")
def test_an_attachment_that_its_message_lost_before_it_was_read_is_gone(after: Any) -> None:
    letter, plan = (
        InputFile(name="letter.eml", artifact=REF),
        InputFile(name="plan.pdf", artifact=REF, input_id="input-2"),
    )
    added = e.DocumentInputAdded(request_id="r", input_id="input-1", file=letter, to_read=True)
    replaced = e.DocumentInputReplaced(request_id="r", input_id="input-1", version=2, artifact=REF)
    read, again = (
        e.DocumentInputRead(
            input_id="input-1", job_id="j", version=n, reading=InputReading(text=REF, anchors=REF), children=children
        )
        for n, children in ((1, (plan,)), (2, ()))
    )

    assert [one.input_id for one in after(added, read).input_views] == ["brief", "input-1", "input-2"]
    assert [one.input_id for one in after(added, read, replaced, again).input_views] == ["brief", "input-1"]
