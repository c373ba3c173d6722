"""Events of a small document, as they lie in its log, and the view of it after them."""

from datetime import UTC, datetime, timedelta

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import DocumentView
from stemma_domain.evolve import evolve
from stemma_domain.state import Document, NoDocument, State
from stemma_domain.view import view_of

TENANT = "default"
DOCUMENT = "d1"
CREATED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DIGEST = "a" * 64
REF = ArtifactRef(digest="b" * 64, size=1, media_type="text/markdown", name="x.md")
SUMMARY = ArtifactRef(digest="c" * 64, size=1, media_type="text/plain", name="summary.txt")
RESTS_ON_1 = (UpstreamVersion(section_id="research", version=1),)


def plan(section_id: str, *depends_on: str) -> SectionPlan:
    return SectionPlan(
        section_id=section_id, title=section_id.title(), kind=section_id, graph="section", depends_on=depends_on
    )


def document_requested() -> e.DocumentRequested:
    return e.DocumentRequested(
        tenant=TENANT,
        document_id=DOCUMENT,
        kind="proposal",
        brief=ArtifactRef(digest=DIGEST, size=1, media_type="text/markdown", name="brief.md"),
        sections=(plan("research"), plan("solution", "research")),
        blueprint_digest=DIGEST,
        created_at=CREATED_AT,
        starts=("research",),
    )


def section_drafted(section_id: str, draft: ArtifactRef | None = None, version: int = 1) -> e.SectionDrafted:
    return e.SectionDrafted(
        section_id=section_id,
        job_id="j1",
        version=version,
        draft=draft or ArtifactRef(digest=DIGEST, size=1, media_type="text/markdown", name="draft.md"),
        upstream=RESTS_ON_1 if section_id == "solution" else (),
        evaluation=Evaluation(scores={"clarity": 0.9}, score=0.9, passed=True),
        provenance=Provenance(model="offline"),
        usage=Usage(calls=2, input_tokens=10, output_tokens=5),
    )


def review_requested(section_id: str, version: int = 1) -> e.SectionReviewRequested:
    clean = ValidationSummary(passed=True, issue_count=0, engine="rumdl", engine_version="1")
    return e.SectionReviewRequested(section_id=section_id, job_id="j2", version=version, validation=clean)


def form_added(file: ArtifactRef) -> e.DocumentInputAdded:
    return e.DocumentInputAdded(input_id="input-1", file=InputFile(name="form.docx", artifact=file))


def form_export_requested(export_id: str) -> e.FormExportRequested:
    return e.FormExportRequested(
        export_id=export_id, input_id="input-1", input_version=1, section_id="research", version=1
    )


def form_exported(export_id: str, file: ArtifactRef) -> e.FormExported:
    return e.FormExported(export_id=export_id, job_id="j9", artifact=file, answered=("f-1",), unanswered=("f-2",))


def job(number: int, name: str, section_id: str) -> str:
    return f"{DOCUMENT}.{number}.{name}.{section_id}"


def time_of(number: int) -> datetime:
    return CREATED_AT + timedelta(minutes=number)


def state_after(*events: e.AnyEvent) -> Document:
    state: State = NoDocument()
    for number, event in enumerate(events, 1):
        state = evolve(state, event, time_of(number), number)
    assert isinstance(state, Document)
    return state


def view_after(*events: e.AnyEvent) -> DocumentView:
    drafts = {number: event for number, event in enumerate(events, 1) if isinstance(event, e.SectionDrafted)}
    return view_of(state_after(*events), drafts)
