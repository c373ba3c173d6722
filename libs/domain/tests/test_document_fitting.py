"""An event that names what its document does not have changes nothing; the document is folded on."""

from datetime import UTC, datetime

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.inputs import Unreadable
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.staleness import StaleMark, UpstreamVersion
from stemma_domain.evolve import evolve
from stemma_domain.state import NoDocument
from stemma_testkit.document_events import (
    REF,
    document_requested,
    form_export_requested,
    form_exported,
    plan,
    review_requested,
    section_drafted,
    state_after,
)

pytestmark = pytest.mark.req("S3", "E3")
AT = datetime(2026, 3, 1, tzinfo=UTC)


def drafted_on(section_id: str, version: int) -> e.SectionDrafted:
    return section_drafted("research", version=2).model_copy(
        update={"upstream": (UpstreamVersion(section_id=section_id, version=version),)}
    )


UNFITTING: dict[str, e.AnyEvent] = {
    "a second beginning": document_requested(),
    "a draft of a section that is not there": section_drafted("nowhere"),
    "an assignment of a section that is not there": e.SectionUnassigned(section_id="nowhere", assignee="ada"),
    "a start of a section that is not there": e.DocumentResumed(starts=("nowhere",)),
    "a stale section that is not there": e.DocumentResumed(makes_stale=(StaleMark(section_id="nowhere", reasons=()),)),
    "a section that is not there and is not stale": e.DocumentResumed(clears_stale=("nowhere",)),
    "a version that was never written": e.SectionRestored(
        section_id="research", version=2, restored_version=7, draft=REF
    ),
    "an edit of what is not written": e.SectionEditRequested(section_id="solution", version=1, instruction=REF),
    "a revision of what is not written": e.SectionRevisionRequested(section_id="solution", version=1, feedback=REF),
    "an input that is not there": e.DocumentInputUnreadable(
        input_id="input-9", version=1, job_id="j", unreadable=Unreadable(reason="damaged")
    ),
    "a draft that rests on a section that is not there": drafted_on("nowhere", 1),
    "a draft that rests on a version that was never written": drafted_on("research", 7),
    "a text that rests on a section that is not there": e.SectionEdited(
        section_id="research",
        version=2,
        draft=REF,
        origin=Origin.WRITTEN,
        upstream=(UpstreamVersion(section_id="nowhere", version=1),),
    ),
    "a text that is kept against a section that is not there": e.SectionKept(
        section_id="research", version=1, accepted=(UpstreamVersion(section_id="nowhere", version=1),)
    ),
    "a form that is not there": form_export_requested("x1"),
    "a version of a form that is not there": form_export_requested("x1").model_copy(
        update={"input_id": "brief", "input_version": 7}
    ),
    "an export of a form that nobody asked for": form_exported("x2", REF),
    "a form section that rests on what is not there": e.FormFieldsConfirmed(
        input_id="brief", version=1, section=plan("answers", "nowhere")
    ),
    "a comparison of a section that is not there": e.ExportRequested(
        export_id="x3",
        format=ExportFormat.DOCX,
        redline=(VersionPair(section_id="nowhere", from_version=0, to_version=1),),
    ),
    "a cycle of a section that is not there": e.RevisionCycleStarted(
        sections=("nowhere",), revision_count=1, feedback=REF, asked_by="person"
    ),
}


@pytest.mark.parametrize("what", UNFITTING)
def test_an_event_that_names_what_is_not_there_changes_nothing(what: str) -> None:
    document = state_after(document_requested(), section_drafted("research"), review_requested("research"))
    assert evolve(document, UNFITTING[what], AT, 9) is document


def test_nothing_but_a_beginning_begins_a_document() -> None:
    nothing = NoDocument()
    assert evolve(nothing, section_drafted("research"), AT, 1) is nothing
    without = document_requested().model_copy(update={"sections": (plan("solution", "nowhere"),), "starts": ()})
    assert evolve(nothing, without, AT, 1) is nothing


def test_a_form_section_may_start_with_the_event_that_plans_it() -> None:
    document = state_after(document_requested())
    planned = e.FormFieldsConfirmed(
        input_id="brief", version=1, section=plan("answers", "research"), starts=("answers",)
    )
    after = evolve(document, planned, AT, 2)
    assert after is not document
