"""The view of a document: its versions, failures, exports and inputs, and what waits for what."""

from datetime import timedelta
from typing import Any

import pytest
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat, ExportWarning
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.provenance import Origin, ProcessingMetadata, Provenance, RetrievedSource
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import held_up_by, in_order, waiting_for
from stemma_testkit.document_events import CREATED_AT, REF, SUMMARY, plan

ISSUES = ValidationSummary(passed=False, issue_count=3, engine="rumdl", engine_version="1")
FAILURE: dict[str, Any] = {
    "section_id": "research",
    "job_id": "j",
    "activity": Activity.GENERATE,
    "status": SectionStatus.FAILED,
}
REASON = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
MARK = StaleMark(section_id="solution", reasons=(REASON,))
WRITTEN = e.SectionEdited(
    section_id="research", version=2, draft=REF, origin=Origin.WRITTEN, actor="ana", makes_stale=(MARK,)
)
ASKED = e.SectionEditRequested(section_id="research", version=2, instruction=REF, actor="ben")


def research(view: DocumentView) -> SectionView:
    return view.sections["research"]


@pytest.fixture
def settled(drafted: Any) -> list[Any]:
    """Both sections are approved in version 1."""
    return [
        drafted("research"),
        e.SectionApproved(section_id="research", version=1, starts=("solution",)),
        drafted("solution"),
        e.SectionApproved(section_id="solution", version=1),
        e.DocumentCompleted(),
    ]


def test_every_version_is_known_with_its_text_its_origin_who_made_it_and_when(after: Any, settled: Any) -> None:
    made: dict[str, Any] = {
        "section_id": "research",
        "job_id": "j",
        "summary": SUMMARY,
        "provenance": Provenance(model="offline"),
    }
    edited = e.SectionEdited(version=3, draft=SUMMARY, origin=Origin.EDITED, **made)
    wanted = e.SectionRevisionRequested(section_id="research", version=3, feedback=REF, actor="eve")
    revised = e.SectionRevised(version=4, draft=REF, **made)
    told = research(after(*settled, WRITTEN, ASKED, edited, wanted, revised))
    assert [(v.number, v.origin, v.made_by, v.model) for v in told.versions] == [
        (1, Origin.GENERATED, "offline", "offline"),
        (2, Origin.WRITTEN, "ana", ""),
        (3, Origin.EDITED, "ben", "offline"),
        (4, Origin.REVISED, "eve", "offline"),
    ]
    assert [v.summary for v in told.versions] == [None, None, SUMMARY, SUMMARY]
    assert [v.made_at for v in told.versions] == [CREATED_AT + timedelta(minutes=n) for n in (2, 7, 9, 11)]
    assert [v.is_a_persons for v in told.versions] == [False, True, True, True]
    assert told.checks == (Activity.EVALUATE,)


@pytest.mark.req("D7")
def test_a_version_tells_how_it_was_made_by_the_event_that_its_text_came_with(after: Any, drafted: Any) -> None:
    run = ProcessingMetadata(started_at=CREATED_AT, finished_at=CREATED_AT, seconds=0)
    read = (RetrievedSource(kind="input", name="a.md"),)
    made = {"processing_metadata": run, "retrieved_context": read}
    versions = research(after(drafted("research").model_copy(update=made), drafted("research", REF, 2))).versions
    assert [(one.processing_metadata, one.retrieved_context) for one in versions] == [(run, read), (None, None)]


@pytest.fixture
def diamond(requested: Any) -> e.DocumentRequested:
    plans = (plan("a"), plan("b", "a"), plan("c", "a"), plan("d", "c", "b"), plan("e"))
    made: e.DocumentRequested = requested.model_copy(update={"sections": plans, "starts": ("a", "e")})
    return made


def test_what_waits_for_a_section_is_counted_once_and_a_map_has_each_below_one_that_it_rests_on(
    after: Any, diamond: Any, settled: Any
) -> None:
    view = after(diamond)
    assert [waiting_for(view, name) for name in "abe"] == [{"b", "c", "d"}, {"d"}, frozenset()]
    told = [(s.section_id, depth) for s, depth in in_order(view)]
    assert told == [("a", 0), ("b", 1), ("d", 2), ("c", 1), ("e", 0)]
    assert waiting_for(after(*settled), "research") == frozenset()
    assert waiting_for(after(*settled, WRITTEN), "research") == {"solution"}


def test_a_map_of_many_full_levels_is_told_at_once(after: Any, requested: Any) -> None:
    below = {level: (f"s{level - 1}-0", f"s{level - 1}-1") if level else () for level in range(50)}
    plans = tuple(plan(f"s{level}-{n}", *below[level]) for level in range(50) for n in range(2))
    assert len(list(in_order(after(requested.model_copy(update={"sections": plans, "starts": ()}))))) == 100


@pytest.mark.req("P10")
def test_a_queued_section_is_held_up_by_what_is_stale_or_not_settled_and_no_other_section_is(
    after: Any, settled: Any
) -> None:
    anew = e.SectionRegenerationRequested(section_id="solution", version=1, actor="ana")
    asked = e.SectionRegenerationRequested(section_id="research", version=1, actor="ana")
    held = {}
    for name, events in {"settled": [anew], "not": [anew, asked], "other": []}.items():
        view = after(*settled, *events)
        held[name] = [upstream.section_id for upstream in held_up_by(view, "solution")]
    assert held == {"settled": [], "not": ["research"], "other": []}


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
        (e.SectionContextTooLong(**FAILURE, detail="9"), "job_context_too_long", "too long for the model: 9"),
        (e.SectionJobDead(**FAILURE), "job_dead", "dead letter: no reason given"),
        (
            e.SectionInputsMissing(**FAILURE, missing=("brief",)),
            "job_inputs_missing",
            "inputs missing: no reason given",
        ),
    ],
)
def test_a_failure_has_words_and_a_code_until_it_is_tried_again(
    after: Any, failure: Contract, code: str, words: str
) -> None:
    failed = research(after(failure))
    retried = research(after(failure, e.SectionRetried(section_id="research", starts=("research",))))
    assert (failed.status, failed.failure, failed.missing) == (
        SectionStatus.FAILED, words, getattr(failure, "missing", None),
    )  # fmt: skip
    assert failed.failure_problem is not None
    assert (failed.failure_problem.code, failed.failure_problem.message) == (code, words)
    assert (retried.status, retried.failure, retried.failure_problem, retried.missing) == (
        SectionStatus.GENERATING, None, None, None,
    )  # fmt: skip


def test_a_need_that_a_service_meets_is_no_wait_for_a_person(after: Any) -> None:
    need = Need(need_id="n1", kind="conversion", checkpoint_id="c")
    view = after(e.SectionNeedRaised(section_id="research", job_id="j", thread_id="t", need=need))
    assert (view.waiting, view.at_work) == ((), True)


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
    told = [(one.input_id, one.state) for one in after(staged, dropped, beside).input_views]
    assert told == [("brief", "read"), ("input-2", "reading")]


@pytest.mark.req("I4")
def test_an_attachment_that_its_message_lost_before_it_was_read_is_gone(after: Any) -> None:
    letter = InputFile(name="letter.eml", artifact=REF)
    attached = InputFile(name="plan.pdf", artifact=REF, input_id="input-2")
    added = e.DocumentInputAdded(request_id="r", input_id="input-1", file=letter, to_read=True)
    replaced = e.DocumentInputReplaced(request_id="r", input_id="input-1", version=2, artifact=REF)
    reading = InputReading(text=REF, anchors=REF)
    read, again = (
        e.DocumentInputRead(input_id="input-1", job_id="j", version=n, reading=reading, children=children)
        for n, children in ((1, (attached,)), (2, ()))
    )
    assert [one.input_id for one in after(added, read).input_views] == ["brief", "input-1", "input-2"]
    assert [one.input_id for one in after(added, read, replaced, again).input_views] == ["brief", "input-1"]
