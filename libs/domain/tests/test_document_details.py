"""The read model of a document and of its sections: what a page shows, and never more than a message may hold."""

from dataclasses import replace

import pytest
from stemma_contracts import MAX_MESSAGE_BYTES
from stemma_contracts.base import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.evaluation import Evaluation, ProgramCheck
from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.needs import MissingReference, Need
from stemma_contracts.v1.provenance import GenerationWarning, Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import Activity, SectionPlan, SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason, UpstreamVersion
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import SectionView, StaleView
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, Section
from stemma_domain.texts import with_current
from stemma_domain.view import MOST_REFERENCES, MOST_VERSIONS, bounded_view, is_in_motion, summarise
from stemma_testkit.document_events import (
    REF,
    document_requested,
    review_requested,
    section_drafted,
    state_after,
    time_of,
)

COMFORTABLE = MAX_MESSAGE_BYTES / 2
REASON = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
SETTLED = (
    document_requested(),
    section_drafted("research"),
    e.SectionApproved(section_id="research", version=1, starts=("solution",)),
    section_drafted("solution"),
    review_requested("solution"),
)
EDITED = e.SectionEdited(
    section_id="research",
    version=2,
    draft=REF,
    origin=Origin.WRITTEN,
    actor="ana",
    makes_stale=(StaleMark(section_id="solution", reasons=(REASON,)),),
)


def details(document: Document, name: str) -> SectionView:
    """What a reader of the bucket gets."""
    found = bounded_view(document, name, staleness(document), document.sequence)
    return SectionView.model_validate_json(found.stored(document.document_id))


class StaleOf010(Contract):
    reasons: tuple[StaleReason, ...]


class SectionOf010(Contract):
    """What 0.1.0 requires of a section in the read model, and what it says of the current version."""

    document_id: str
    section_id: str
    title: str
    kind: str
    graph: str
    last_sequence: int
    status: SectionStatus
    version: int = 0
    evaluation: Evaluation | None = None
    validation: ValidationSummary | None = None
    warnings: tuple[GenerationWarning, ...] = ()
    stale: StaleOf010 | None = None


@pytest.mark.req("E3", "I4")
def test_readers_of_0_1_0_find_all_that_they_know_of_a_section() -> None:
    document = state_after(*SETTLED, EDITED)
    for name in document.sections:
        stored = bounded_view(document, name, staleness(document), document.sequence).stored(document.document_id)
        old, new = SectionOf010.model_validate_json(stored), details(document, name)
        assert (old.document_id, old.graph, old.status) == (document.document_id, new.graph, new.status)
        assert (old.version, old.evaluation, old.validation) == (new.version, new.evaluation, new.validation)
        assert ((old.stale and old.stale.reasons) or ()) == new.stale_reasons
    begun = state_after(document_requested())
    unwritten = bounded_view(begun, "solution", staleness(begun), 1).stored(begun.document_id)
    assert SectionOf010.model_validate_json(unwritten).status is SectionStatus.QUEUED
    changed = ChangedInput(input_id="input-1", name="a.md", accepted_version=1, current_version=2)
    view = SectionView(section_id="s", title="S", kind="s", last_sequence=1, stale=StaleView(inputs=(changed,)))
    assert SectionOf010.model_validate_json(view.stored("d")).stale == StaleOf010(reasons=())
    assert SectionView.model_validate_json(view.stored("d")).stale_inputs == (changed,)


@pytest.mark.req("E3")
def test_a_section_that_0_1_0_wrote_is_read_with_all_that_it_says() -> None:
    evaluation = Evaluation(scores={"fit": 0.9}, score=0.9, passed=True)
    validation = ValidationSummary(passed=False, issue_count=1, engine="rumdl", engine_version="1")
    version = {"draft": REF.model_dump(), "origin": "generated"}
    told = SectionView.model_validate(
        {
            "document_id": "d1",
            "section_id": "solution",
            "title": "Solution",
            "kind": "solution",
            "graph": "section",
            "last_sequence": 6,
            "status": "awaiting_review",
            "version": 2,
            "versions": [version | {"number": 1}, version | {"number": 2}],
            "evaluation": evaluation.model_dump(),
            "validation": validation.model_dump(),
            "warnings": [{"code": "failure", "detail": "one role failed"}],
            "stale": {"reasons": [REASON.model_dump()], "sequence": 6, "cause": "research"},
        }
    )
    assert (told.evaluation, told.validation, told.versions[0].evaluation) == (evaluation, validation, None)
    assert told.current is not None
    assert ([each.detail for each in told.current.warnings], told.stale_reasons) == (["one role failed"], (REASON,))


def size(model: SectionView | DocumentSummary) -> int:
    return len(model.stored("d1") if isinstance(model, SectionView) else model.model_dump_json().encode())


@pytest.mark.req("P18")
def test_a_section_tells_its_status_its_findings_its_versions_and_why_it_is_stale() -> None:
    document = state_after(*SETTLED, EDITED)
    told = details(document, "solution")
    assert (told.status, told.version, told.waits_since) == (SectionStatus.AWAITING_REVIEW, 1, time_of(5))
    assert told.evaluation is not None
    assert (told.evaluation.score, told.validation is not None) == (0.9, True)
    assert told.stale is not None
    assert (told.stale_reasons, told.stale.sequence, told.stale.cause) == ((REASON,), 6, "research")
    assert [(v.number, v.made_by, v.sequence) for v in told.versions] == [(1, "offline", 4)]
    changed = details(document, "research")
    assert [(v.number, v.made_by, v.sequence) for v in changed.versions] == [(1, "offline", 2), (2, "ana", 6)]
    assert (changed.checks, changed.stale, changed.last_sequence) == ((Activity.EVALUATE, Activity.VALIDATE), None, 6)


def raised(*references: MissingReference) -> Document:
    need = Need(need_id="n1", kind="question", question=REF, checkpoint_id="c", references=references)
    event = e.SectionNeedRaised(section_id="research", job_id="j", thread_id="t", need=need)
    return state_after(document_requested(), event)


def test_a_section_tells_what_it_asks_and_an_edit_that_waits() -> None:
    asking = details(raised(), "research")
    assert asking.need is not None
    assert (asking.need.need_id, asking.waits_since, asking.proposal) == ("n1", time_of(2), None)
    asked = e.SectionEditRequested(
        section_id="research", version=1, instruction=REF, actor="ana", result="proposed", proposal_id="p6"
    )
    proposal = details(state_after(*SETTLED, asked), "research").proposal
    assert proposal is not None
    assert (proposal.proposal_id, proposal.asked_by, proposal.draft) == ("p6", "ana", None)


def test_a_section_is_in_motion_until_it_rests_or_asks_a_person() -> None:
    begun, drafted, settled = (state_after(*SETTLED[:number]) for number in (1, 2, 5))
    moving = [is_in_motion(document.sections["research"]) for document in (begun, raised(), drafted, settled)]
    assert moving == [True, False, True, False]
    assert [is_in_motion(document.sections["solution"]) for document in (begun, settled)] == [True, False]


def test_a_document_tells_what_stands_above_its_sections() -> None:
    told = summarise(state_after(*SETTLED), 5)
    assert (told.usage.calls, told.updated_at, told.input_count) == (4, time_of(5), 0)
    assert [section.title for section in told.sections] == ["Research", "Solution"]


def test_of_many_versions_the_latest_stand_there_and_the_others_are_counted() -> None:
    texts = (EDITED.model_copy(update={"version": n, "draft": text(f"{n}")}) for n in range(2, MOST_VERSIONS + 5))
    told = details(state_after(*SETTLED, *texts), "research")
    assert (len(told.versions), told.versions[-1].number, told.earlier_versions) == (MOST_VERSIONS, told.version, 4)


def test_the_current_version_alone_stands_there_in_full_and_no_comments() -> None:
    made = (MadeComment(comment_id="c1", thread_id="c1", remark=REF),)
    commented = e.SectionCommented(section_id="research", version=1, comments=made)
    document = state_after(*SETTLED, commented)
    first, second = details(document, "research"), details(state_after(*SETTLED, commented, EDITED), "research")
    assert first.versions[0].provenance is not None
    assert (second.versions[0].provenance, second.versions[0].draft, second.threads) == (None, first.draft, ())


def test_of_many_references_of_a_need_the_first_stand_there_and_the_others_are_counted() -> None:
    references = tuple(MissingReference(reference=f"{n}.png", file="a.md") for n in range(MOST_REFERENCES + 7))
    told = details(raised(*references), "research")
    assert told.need is not None
    assert (told.need.references, told.more_references) == (references[:MOST_REFERENCES], 7)


@pytest.mark.full
@pytest.mark.req("P14")
def test_two_hundred_sections_that_were_rewritten_a_hundred_times_are_no_large_message() -> None:
    document = large_document()
    summary = summarise(document, document.sequence)
    assert len(summary.sections) == 200
    assert size(summary) < COMFORTABLE
    stale = staleness(document)
    assert all(len(stale[name].reasons) == 8 for name in list(document.sections)[8:])
    sizes = [size(bounded_view(document, name, stale, document.sequence)) for name in document.sections]
    assert max(sizes) < COMFORTABLE


def text(words: str) -> ArtifactRef:
    return REF.model_copy(update={"digest": f"{words:0>64}"})


def large_document() -> Document:
    """Each section rests on the eight before it, which have all changed since, and waits for a person."""
    names = [f"section-with-a-long-name-{number:03}" for number in range(200)]
    plans = tuple(
        SectionPlan(
            section_id=name,
            title=f"{name}: " + "Überschrift " * 12,
            kind="section",
            graph="section",
            purpose="x" * 500,
            depends_on=tuple(names[max(0, place - 8) : place]),
        )
        for place, name in enumerate(names)
    )
    document = state_after(document_requested().model_copy(update={"sections": plans, "starts": ()}))
    return replace(document, sections={name: rewritten(section) for name, section in document.sections.items()})


def rewritten(section: Section) -> Section:
    """A section with a hundred versions and as many findings as one may have."""
    name = section.plan.section_id
    criteria = {f"criterion_{number}": 0.123456789 for number in range(20)}
    checks = tuple(ProgramCheck(check=f"check_{n}", passed=False, detail="d" * 300) for n in range(10))
    evaluation = Evaluation(scores=criteria, score=0.5, passed=False, critical_failures=tuple(criteria), checks=checks)
    warnings = tuple(GenerationWarning(code="failure", detail="w" * 300) for _ in range(10))
    upstream = tuple(UpstreamVersion(section_id=up, version=1) for up in section.plan.depends_on)
    alone = (section.plan.model_copy(update={"depends_on": ()}),)
    begun = document_requested().model_copy(update={"sections": alone, "starts": ()})
    state = state_after(begun, *(edited(name, number) for number in range(1, 101)))
    after = state.sections[name]
    changed = with_current(after, rests_on=upstream, evaluation=evaluation, warnings=warnings)
    return replace(changed, plan=section.plan)


def edited(name: str, number: int) -> e.SectionEdited:
    return e.SectionEdited(
        section_id=name, version=number, draft=text(f"{number}"), origin=Origin.WRITTEN, actor="somebody-with-a-name"
    )
