"""Exports: all sections, or a comparison of versions with who made them and when."""

from datetime import UTC, datetime
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, evaluation, ref, validation
from stemma_contracts import MAX_MESSAGE_BYTES
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import OPEN, Cover, ExportFormat, ExportRemark, VersionPair
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.validation import OPEN_HEADING
from stemma_domain.state import State
from stemma_testkit.deciding import Then

MONDAY, TUESDAY, FRIDAY = (datetime(2026, 3, day, 9, tzinfo=UTC) for day in (2, 3, 6))


def compare(story: Story, *pairs: tuple[str, int, int]) -> Then[State, Any]:
    asked = tuple(VersionPair(section_id=name, from_version=old, to_version=new) for name, old, new in pairs)
    return story.ask(asking.export, ExportFormat.DOCX, asked)


@pytest.fixture
def rewritten(begun: Story) -> Story:
    """Research has two versions, of Monday and of Tuesday; nothing else is written."""
    begun.now = MONDAY
    begun.drafted("research")
    begun.now = TUESDAY
    begun.ask(asking.write, "research", 1, ref("rewritten"))
    return begun


def test_an_export_has_every_section_and_a_comparison_those_asked_for_with_both_drafts(rewritten: Story) -> None:
    first, second = (version.draft for version in rewritten.document.sections["research"].versions)
    (requested,) = compare(rewritten, ("solution", 0, 0), ("research", 1, 2))
    compare(rewritten, ("research", 2, 0))
    rewritten.ask(asking.export, ExportFormat.DOCX)
    job, back, whole = rewritten.jobs(j.ConvertDocument)
    assert (job.export_id, job.redline, whole.redline) == (requested.export_id, True, False)
    assert [(s.section_id, s.previous, s.draft, s.version) for s in job.sections] == [
        ("research", first, second, 2), ("solution", None, None, 0),
    ]  # fmt: skip
    assert [(s.previous, s.draft) for s in back.sections] == [(second, None)]
    assert [(s.previous, s.draft) for s in whole.sections] == [(None, second), *[(None, None)] * 3]


@pytest.mark.req("W5")
def test_a_comparison_names_who_made_the_versions_on_the_way_and_when(begun: Story) -> None:
    begun.now = MONDAY
    writer = Provenance(model="m", agent_version="generation-graph/1.2")
    begun.outcome(o.SectionGenerated, "research", draft=ref("draft"), evaluation=evaluation(), provenance=writer)
    begun.validated("research")
    begun.ask(asking.revise, "research", 1, ref("shorter"))
    begun.now = TUESDAY
    editor = Provenance(model="m", agent_version="editor-agent/1.2")
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=editor)
    begun.validated("research")
    begun.ask(asking.write, "research", 2, ref("rewritten"))
    begun.now = FRIDAY
    begun.ask(asking.restore, "research", 3, 1)
    compare(begun, ("research", 0, 4))
    compare(begun, ("research", 2, 1))
    job, back = begun.jobs(j.ConvertDocument)
    assert [(one.version, one.author, one.made_at, one.draft is not None) for one in job.sections[0].history] == [
        (1, "generation-graph", MONDAY, True),
        (2, "editor-agent", TUESDAY, True),
        (3, "ada", TUESDAY, True),
        (4, "ada", FRIDAY, True),
    ]
    assert back.sections[0].history == (), "nobody made the way back"


@pytest.mark.req("W5")
def test_words_that_come_again_keep_who_made_them_and_when(rewritten: Story) -> None:
    rewritten.now = FRIDAY
    rewritten.ask(asking.regenerate, "research", 2, None, True)
    rewritten.drafted("research", "rewritten")
    again = rewritten.current()
    assert (again.number, again.author, again.made_at) == (2, "ada", TUESDAY)


@pytest.mark.req("W5")
def test_a_comparison_of_many_versions_tells_names_alone_and_stays_a_message(begun: Story) -> None:
    begun.drafted("research")
    for number in range(1, 105):
        begun.ask(asking.write, "research", number, ref(f"text {number}"))
    compare(begun, ("research", 1, 105))
    job = begun.job(j.ConvertDocument)
    told = [(one.author, one.draft is not None) for one in job.sections[0].history]
    assert (len(told), {*told}) == (100, {("ada", False)})
    assert len(job.model_dump_json()) < MAX_MESSAGE_BYTES


@pytest.mark.req("I3", "B1")
@pytest.mark.parametrize("citations", [True, False])
def test_a_conversion_knows_the_places_that_its_text_rests_on(begun: Story, citations: bool) -> None:
    begun.drafted("research")
    found = validation().model_copy(update={"grounding": ref("grounding")})
    begun.outcome(o.DraftValidated, "research", validation=found)
    cover = Cover(client="Harbour Office", number="17") if citations else None
    begun.ask(asking.export, ExportFormat.PDF, citations=citations, cover=cover)
    job = begun.job(j.ConvertDocument)
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
    (event,) = compare(rewritten, ("research", 1, 2), pair)
    assert isinstance(event, e.DecisionRefused)
    assert (event.problem.field, event.problem.message) == ("redline", words)
    assert not rewritten.jobs(j.ConvertDocument)


@pytest.mark.req("B2", "T1", "T2")
def test_a_heading_that_is_open_goes_to_a_person_and_not_back_to_the_writer_and_an_export_says_so(begun: Story) -> None:
    still_open = validation(passed=False).model_copy(update={"rules": {OPEN_HEADING: 2}})
    begun.drafted("research")
    begun.outcome(o.DraftValidated, "research", validation=still_open).then_types(e.SectionReviewRequested)
    begun.approve("research")
    begun.ask(asking.export, ExportFormat.DOCX)
    (exported,) = begun.said(begun.job(j.ConvertDocument), o.DocumentConverted, artifact=ref("out.docx"))
    assert exported.remarks == (ExportRemark(code=OPEN, section_id="research", count=2),)
