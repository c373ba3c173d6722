"""Exports that compare versions of sections."""

from datetime import UTC, datetime
from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, TENANT, Story, evaluation, ref, validation
from stemma_contracts import MAX_MESSAGE_BYTES
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import OPEN, Cover, ExportFormat, ExportRemark, VersionPair
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.validation import OPEN_HEADING, ValidationSummary
from stemma_domain.commands import Record


def compare(story: Story, *pairs: tuple[str, int, int]) -> Any:
    asked = tuple(VersionPair(section_id=name, from_version=old, to_version=new) for name, old, new in pairs)
    (event,) = story.when(asking.export(story.asked(), ExportFormat.DOCX, asked))
    return event


@pytest.fixture
def rewritten(begun: Story) -> Story:
    """Research has two versions; nothing else is written."""
    begun.drafted("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("rewritten")))
    return begun


def test_a_comparison_has_the_sections_asked_for_with_both_drafts(rewritten: Story) -> None:
    first, second = (version.draft for version in rewritten.document.sections["research"].versions)
    requested = compare(rewritten, ("solution", 0, 0), ("research", 1, 2))
    (job,) = rewritten.jobs(j.ConvertDocument)
    assert (job.export_id, job.redline) == (requested.export_id, True)
    assert [(s.section_id, s.previous, s.draft, s.version) for s in job.sections] == [
        ("research", first, second, 2), ("solution", None, None, 0),
    ]  # fmt: skip


def test_a_comparison_leads_from_any_version_to_any(rewritten: Story) -> None:
    compare(rewritten, ("research", 2, 0))
    (job,) = rewritten.jobs(j.ConvertDocument)
    assert [(s.previous is not None, s.draft) for s in job.sections] == [(True, None)]


def authors(story: Story, old: int, new: int) -> list[tuple[int, str, bool]]:
    compare(story, ("research", old, new))
    (job,) = story.jobs(j.ConvertDocument)
    return [(one.version, one.author, one.draft is not None) for one in job.sections[0].history]


@pytest.mark.req("W5")
def test_a_comparison_names_who_made_the_versions_on_the_way(begun: Story) -> None:
    generated = Provenance(model="m", agent_version="generation-graph/1.2")
    draft = {"draft": ref("draft"), "evaluation": evaluation(), "provenance": generated}
    begun.outcome(o.SectionGenerated, "research", **draft)
    begun.validated("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    revised = Provenance(model="m", agent_version="editor-agent/1.2")
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=revised)
    begun.validated("research")
    begun.when(asking.write(begun.asked(), "research", 2, ref("rewritten")))
    begun.when(asking.restore(begun.asked(), "research", 3, 1))
    assert authors(begun, 0, 4) == [
        (1, "generation-graph", True), (2, "editor-agent", True), (3, "ada", True), (4, "ada", True),
    ]  # fmt: skip


@pytest.mark.req("W5")
def test_a_comparison_tells_when_each_version_was_made(begun: Story) -> None:
    monday, tuesday, friday = (datetime(2026, 3, day, 9, tzinfo=UTC) for day in (2, 3, 6))
    begun.now = monday
    begun.drafted("research")
    begun.now = tuesday
    begun.when(asking.write(begun.asked(), "research", 1, ref("rewritten")))
    begun.now = friday
    begun.when(asking.restore(begun.asked(), "research", 2, 1))
    compare(begun, ("research", 0, 3))
    (job,) = begun.jobs(j.ConvertDocument)
    assert [one.made_at for one in job.sections[0].history] == [monday, tuesday, friday]


@pytest.mark.req("W5")
def test_words_that_come_again_keep_who_made_them_and_when(begun: Story) -> None:
    begun.now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    begun.drafted("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("mine")))
    first = begun.document.sections["research"].current
    begun.now = datetime(2026, 3, 9, 9, tzinfo=UTC)
    begun.when(asking.regenerate(begun.asked(), "research", 2, None, True))
    begun.drafted("research", "mine")
    again = begun.document.sections["research"].current
    assert first is not None
    assert again is not None
    assert (again.number, again.author, again.made_at) == (2, "ada", first.made_at)


@pytest.mark.req("W5")
def test_a_comparison_of_many_versions_tells_names_alone_and_stays_a_message(begun: Story) -> None:
    begun.drafted("research")
    for number in range(1, 105):
        begun.when(asking.write(begun.asked(), "research", number, ref(f"text {number}")))
    told = authors(begun, 1, 105)
    assert len(told) == 100
    assert {(author, has_draft) for _, author, has_draft in told} == {("ada", False)}
    (job,) = begun.jobs(j.ConvertDocument)
    assert len(job.model_dump_json()) < MAX_MESSAGE_BYTES


def test_a_comparison_back_in_time_names_nobody(rewritten: Story) -> None:
    assert authors(rewritten, 2, 1) == []


def test_an_export_without_comparison_has_every_section_and_no_previous_draft(rewritten: Story) -> None:
    rewritten.when(asking.export(rewritten.asked(), ExportFormat.DOCX))
    (job,) = rewritten.jobs(j.ConvertDocument)
    assert not job.redline
    assert {section.previous for section in job.sections} == {None}
    assert len(job.sections) == 4


@pytest.mark.req("I3", "B1")
@pytest.mark.parametrize("citations", [True, False])
def test_a_conversion_knows_the_places_that_its_text_rests_on(begun: Story, citations: bool) -> None:
    found = ValidationSummary(passed=True, issue_count=0, engine="e", engine_version="1", grounding=ref("grounding"))
    begun.drafted("research")
    begun.outcome(o.DraftValidated, "research", validation=found)
    cover = Cover(client="Harbour Office", number="17") if citations else None
    begun.when(asking.export(begun.asked(), ExportFormat.PDF, citations=citations, cover=cover))
    (job,) = begun.jobs(j.ConvertDocument)
    assert (job.citations, job.cover) == (citations, cover)
    assert [s.grounding for s in job.sections if s.draft] == [ref("grounding")]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("research", 1, 3), "the section 'research' has no version 3"),
        (("solution", 1, 0), "the section 'solution' has no version 1"),
        (("appendix", 1, 2), "the document has no section 'appendix'"),
    ],
)
def test_a_comparison_of_what_is_not_there_is_refused(rewritten: Story, pair: tuple[str, int, int], words: str) -> None:
    event = compare(rewritten, ("research", 1, 2), pair)
    assert isinstance(event, e.DecisionRefused)
    assert (event.problem.field, event.problem.message) == ("redline", words)
    assert not rewritten.jobs(j.ConvertDocument)


@pytest.mark.req("B2", "T1", "T2")
def test_a_heading_that_is_open_goes_to_a_person_and_not_back_to_the_writer_and_an_export_says_so(begun: Story) -> None:
    still_open = validation(passed=False).model_copy(update={"rules": {OPEN_HEADING: 2}})
    begun.drafted("research")
    begun.outcome(o.DraftValidated, "research", validation=still_open).then_types(e.SectionReviewRequested)
    begun.approve("research")
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    (job,) = begun.jobs(j.ConvertDocument)
    converted = o.DocumentConverted(tenant=TENANT, document_id=DOCUMENT, job_id=job.job_id, artifact=ref("out.docx"))
    (exported,) = begun.when(Record(converted))
    assert exported.remarks == (ExportRemark(code=OPEN, section_id="research", count=2),)
