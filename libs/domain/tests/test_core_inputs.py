"""Inputs are read before anything is written; a change makes stale what rests on it, and writes nothing anew."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import PDF, begin, changed, file, read, replaced, unread, written_from_parts
from domain_story import CHAIN, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.inputs import BRIEF, MOST_WARNINGS, ReadingWarning, UsedInput
from stemma_contracts.v1.ledger import LedgerSummary, LedgerWarning
from stemma_contracts.v1.outline import PlanWording, SectionTitles
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.evolve import evolve
from stemma_domain.features.inputs.feature import MOST_LIST_BYTES, Replaced, input_views, listed
from stemma_domain.features.inputs.material import evidence_of, lacks_brief, manner_of, together
from stemma_domain.staleness import staleness
from stemma_domain.state import Document
from stemma_domain.texts import with_current
from stemma_domain.view import view_of

TEXT = {"media_type": "text/markdown"}


def status_of(story: Story, name: str = "research") -> SectionStatus:
    return view_of(story.document).sections[name].status


@pytest.mark.req("I1", "H2")
def test_sections_start_when_the_last_input_is_read_or_given_up() -> None:
    story = begin(Story(), file("rfp.pdf"), file("prices.xlsx"), to_read=("input-1", "input-2"))
    first, second = story.jobs(j.ReadInput)
    assert (first.name, second.input_id, first.draw, second.draw) == ("rfp.pdf", "input-2", True, True)
    assert status_of(story) is SectionStatus.QUEUED
    read(story, "the text", first).then_types(e.DocumentInputRead)
    assert status_of(story) is SectionStatus.QUEUED
    [given_up] = unread(story, second)
    assert (type(given_up), given_up.starts) == (e.DocumentInputUnreadable, ("research",))
    texts = {item.name: item.artifact for item in story.job(j.GenerateSection).inputs}
    assert texts == {"rfp.pdf": ref("the text"), "prices.xlsx": ref("x", PDF)}


@pytest.mark.req("I1")
def test_what_is_text_already_is_read_by_nobody_and_starts_at_once() -> None:
    story = begin(Story(), file("notes.md", **TEXT), file("plan.png", media_type="image/png"))
    assert (story.jobs(j.ReadInput), status_of(story)) == ([], SectionStatus.GENERATING)


@pytest.mark.req("I1")
def test_a_brief_that_cannot_be_read_is_a_question_and_no_failed_document() -> None:
    story = begin(Story(), to_read=(BRIEF,))
    unread(story).then_types(e.DocumentInputUnreadable)
    assert lacks_brief(story.document)
    assert (status_of(story), story.document.status) == (SectionStatus.QUEUED, "running")
    replaced(story, "another", of=BRIEF).then_types(e.DocumentInputReplaced)
    [done] = read(story, "the brief")
    assert (done.starts, story.document.brief, lacks_brief(story.document)) == (("research",), ref("the brief"), False)


@pytest.mark.req("I1")
def test_a_document_is_called_as_its_first_brief_calls_itself_unless_somebody_gave_a_title() -> None:
    named = begin(Story(), to_read=(BRIEF,), titled_by_file=True)
    read(named, title=ref("first"))
    replaced(named, "other", of=BRIEF)
    read(named, title=ref("later"))
    assert view_of(named.document).title == ref("first")
    given = begin(Story(), to_read=(BRIEF,))
    read(given, title=ref("of the brief"))
    assert given.document.title is None


GERMAN = PlanWording(
    language="de",
    sections=(SectionTitles(section_id="research", title="Recherche", required_headings=("Ergebnisse",)),),
)


@pytest.mark.req("I1", "T5")
@pytest.mark.parametrize(("heard", "tag", "title"), [("de", "de", "Recherche"), ("sv", "en", "research")])
def test_a_document_is_in_the_language_of_the_brief_that_is_read_first_and_of_no_other(
    heard: str, tag: str, title: str
) -> None:
    story = begin(Story(), to_read=(BRIEF,), language="en", wordings=(GERMAN,))
    read(story, language=heard)
    generating = story.job(j.GenerateSection)
    assert (generating.document.language, generating.section.title) == (tag, title)
    assert [plan.title for plan in generating.outline] == [title, *list(CHAIN)[1:]]
    replaced(story, "another", of=BRIEF)
    read(story, "deutsch", language="de")
    assert story.document.language == tag


@pytest.mark.req("I1")
def test_attachments_of_a_message_are_inputs_of_their_own_that_are_read_as_well() -> None:
    story = begin(Story(), file("mail.eml"), to_read=("input-1",))
    [done] = read(story, children=(file("mail.eml/form.docx"),))
    child = story.job(j.ReadInput)
    assert (done.starts, child.input_id, child.name) == ((), "input-2", "mail.eml/form.docx")
    assert story.document.inputs["input-2"].parent == "input-1"
    [done] = read(story)
    assert done.starts == ("research",)


@pytest.mark.req("I1", "L1")
def test_demands_are_read_from_what_was_read_of_a_request_with_its_places() -> None:
    story = begin(Story(), file("rfp.pdf", role="request"), to_read=("input-1",))
    read(story, "the text", anchors=ref("places"))
    story.ask(asking.read_ledger, ())
    assert [(one.name, one.artifact, one.anchors) for one in story.job(j.ExtractRequirements).sources] == [
        ("brief", ref("brief"), None),
        ("rfp.pdf", ref("the text"), ref("places")),
    ]


@pytest.mark.req("I1")
def test_a_file_with_all_the_warnings_that_there_is_room_for_still_tells_what_was_left_off() -> None:
    story = begin(Story(), file("mail.eml"), file("mail.eml/form.docx"), to_read=("input-1",))
    warnings = (ReadingWarning(code="cut"),) * MOST_WARNINGS
    [done] = read(story, children=(file("mail.eml/form.docx"),), warnings=warnings)
    assert (done.children, done.left_off) == ((), 1)
    assert (len(done.reading.warnings), done.reading.more_warnings) == (MOST_WARNINGS, 1)
    assert done.reading.warnings[0].code == "left_off"


@pytest.mark.req("I1")
def test_images_beyond_what_a_job_can_carry_are_counted_and_left_off() -> None:
    story = begin(Story(), file("album.pdf"), to_read=("input-1",))
    [done] = read(story, images=tuple(file(f"album-image-{n}.png", str(n), "image/png") for n in range(400)))
    assert done.left_off == 400 - len(done.reading.images) > 0
    [warning] = input_views(story.document)[-1].warnings
    assert warning.detail.startswith(f"{done.left_off} of its images and attachments are no inputs")
    assert listed(evidence_of(story.document)) <= MOST_LIST_BYTES


@pytest.mark.req("I1")
def test_an_earlier_text_is_no_evidence() -> None:
    story = begin(Story(), file("old.md", role="past-text", **TEXT), file("a.md", **TEXT))
    job = story.job(j.GenerateSection)
    for evidence, manner in (evidence_of(story.document), manner_of(story.document)), (job.inputs, job.manner):
        assert ([one.name for one in evidence], [one.name for one in manner]) == (["a.md"], ["old.md"])


@pytest.fixture
def written() -> Story:
    return written_from_parts()


ALL = {"research", "solution", "budget", "timeline"}


def amended(story: Story, *parts: str, text: str = "two", blocks: int = 1) -> tuple[e.AnyEvent, ...]:
    """The events of an input that is replaced and read."""
    replaced(story, text, version=story.document.inputs["input-1"].version)
    return read(story, text, difference=changed(*parts, blocks=blocks)).events


def looked(story: Story, name: str, *parts: str) -> Any:
    """The open check of a text finds what parts of the input it rests on."""
    [check] = [one for one in story.jobs(j.ValidateDraft) if one.section.section_id == name]
    used = (UsedInput(input_id="input-1", parts=parts),)
    [found] = story.said(check, o.DraftValidated, validation=validation().model_copy(update={"used": used}))
    return found


@pytest.mark.req("I4")
def test_what_rests_on_what_changed_is_stale_with_the_file_and_nothing_is_written_anew(written: Story) -> None:
    done = amended(written, "bbb")[0]
    assert isinstance(done, e.DocumentInputRead)
    marks = {mark.section_id: mark for mark in done.makes_stale}
    assert set(marks) == {"solution", "budget", "timeline"}
    [because] = marks["solution"].inputs
    assert (because.name, because.accepted_version, because.current_version) == ("rfp.md", 1, 2)
    assert because.changes == ref("changes", "application/json")
    assert (marks["budget"].inputs, marks["budget"].reasons[0].upstream_stale) == ((), True)
    assert written.jobs(j.GenerateSection) == []


@pytest.mark.req("I4")
@pytest.mark.parametrize(("parts", "blocks"), [(("ccc",), 1), ((), 0)])
def test_what_nobody_uses_and_what_only_looks_otherwise_makes_nothing_stale(
    written: Story, parts: tuple[str, ...], blocks: int
) -> None:
    amended(written, *parts, blocks=blocks)
    assert staleness(written.document) == {}


@pytest.mark.req("I4")
def test_a_section_whose_log_records_no_inputs_counts_as_using_all(written: Story) -> None:
    research = with_current(written.document.sections["research"], inputs=None, validation=validation())
    one = written.document.inputs["input-1"]
    content = replace(one.contents[0], number=2, text=ref("two"), difference=changed("zzz"))
    inputs = {**written.document.inputs, "input-1": replace(one, contents=(*one.contents, content))}
    old = replace(written.document, inputs=inputs, sections={**written.document.sections, "research": research})
    assert "research" in staleness(old)


@pytest.mark.req("I4")
def test_a_kept_section_is_fresh_until_the_input_changes_again_and_is_looked_at_for_what_it_uses_there(
    written: Story,
) -> None:
    amended(written, "aaa")
    [event, *_] = written.ask(asking.keep, "research", 1)
    assert (type(event), staleness(written.document)) == (e.SectionKept, {})
    amended(written, "ddd", text="three")
    assert staleness(written.document) == {}
    looked(written, "research", "new")
    amended(written, "new", text="four")
    assert "research" in staleness(written.document)


@pytest.mark.req("I4")
def test_a_persons_change_of_a_text_rests_on_what_the_text_before_did_until_it_is_checked(written: Story) -> None:
    amended(written, "ddd", text="three")
    changing = written.ask(asking.write, "budget", 1, ref("by hand"))
    edited, _ = changing.then_types(e.SectionEdited, e.DocumentCompleted)
    assert (edited.makes_stale, staleness(written.document)) == ((), {})
    checked = looked(written, "budget", "ddd")
    assert ([mark.section_id for mark in checked.makes_stale], written.document.status) == (["budget"], "running")


@pytest.mark.req("I4")
def test_a_stale_text_that_a_person_changes_stays_stale_until_it_is_checked(written: Story) -> None:
    amended(written, "aaa")
    written.ask(asking.write, "research", 1, ref("by hand"))
    assert "research" in staleness(written.document)


@pytest.mark.req("I4")
def test_another_look_at_a_text_does_not_forget_that_it_rests_on_what_changed_since(written: Story) -> None:
    amended(written, "aaa")
    now = (UsedInput(input_id="input-1", parts=("new",)), UsedInput(input_id=BRIEF, whole=True))
    found = validation().model_copy(update={"used": now})
    after = evolve(written.document, e.SectionChecked(section_id="research", job_id="j", version=1, validation=found))
    assert isinstance(after, Document)
    assert "research" in staleness(after)
    [version] = after.sections["research"].versions
    assert version.validation is not None
    both = UsedInput(input_id="input-1", parts=("aaa", "new"))
    assert version.validation.used == (both, UsedInput(input_id=BRIEF, whole=True))
    whole, part = UsedInput(input_id="input-1", whole=True), UsedInput(input_id="input-1", parts=("aaa",))
    all_of_it = (UsedInput(input_id="input-1", parts=("aaa",), whole=True),)
    assert together((whole,), (part,)) == together((part,), (whole,)) == all_of_it


@pytest.mark.req("I4")
def test_the_old_file_again_makes_fresh_what_rests_on_it(written: Story) -> None:
    amended(written, "aaa")
    assert "research" in staleness(written.document)
    back = amended(written, "aaa", text="one")[0]
    assert (staleness(written.document), set(back.clears_stale)) == ({}, ALL)


@pytest.mark.req("I4")
def test_a_withdrawn_input_makes_stale_what_uses_it_and_reopens_the_document(written: Story) -> None:
    assert written.document.status == "completed"
    [event] = written.ask(asking.withdraw_input, "input-1", 1)
    assert {mark.section_id for mark in event.makes_stale} == ALL
    assert event.makes_stale[0].inputs[0].withdrawn
    assert (written.document.status, evidence_of(written.document)) == ("running", ())


@pytest.mark.req("I4")
def test_what_is_staged_changes_nothing_until_it_is_applied(written: Story) -> None:
    replaced(written, staged=True)
    [done] = read(written, "two", difference=changed("bbb"))
    assert (done.makes_stale, staleness(written.document), written.document.inputs["input-1"].version) == ((), {}, 1)
    [_, one] = view_of(written.document).input_views
    assert (one.state, one.staged_version, one.concerns) == ("staged", 2, ("solution", "budget", "timeline"))
    [applied] = written.ask(asking.apply_input, "input-1", 2)
    assert {mark.section_id for mark in applied.makes_stale} == {"solution", "budget", "timeline"}
    assert written.document.inputs["input-1"].version == 2


@pytest.mark.req("I4")
def test_what_is_applied_before_it_was_read_counts_once_it_is(written: Story) -> None:
    replaced(written, staged=True)
    written.ask(asking.apply_input, "input-1", 2)
    assert written.document.inputs["input-1"].version == 1
    read(written)
    one = written.document.inputs["input-1"]
    assert (one.version, one.pending) == (2, None)


def test_a_replacement_names_the_version_that_counts_and_what_is_staged_can_be_dropped(written: Story) -> None:
    replaced(written, staged=True)
    read(written)
    replaced(written, "three", version=2).then_refused("version_old")
    replaced(written, "three", staged=True).then_types(e.DocumentInputReplaced)
    job = written.job(j.ReadInput)
    written.ask(asking.withdraw_input, "input-1", job.version).then_types(e.DocumentInputWithdrawn)
    assert (written.jobs(j.ReadInput), written.document.inputs["input-1"].version) == ([], 1)
    read(written, job=job).then_types(e.OutcomeSuperseded)


@pytest.mark.req("I4")
def test_a_new_version_that_cannot_be_read_leaves_the_text_before_it(written: Story) -> None:
    replaced(written)
    unread(written)
    assert (staleness(written.document), evidence_of(written.document)[0].artifact.digest) == ({}, ref("one").digest)
    assert view_of(written.document).input_views[1].state == "unreadable"


@pytest.mark.req("I4")
def test_an_added_input_is_read_and_makes_nothing_stale(written: Story) -> None:
    written.ask(asking.add_input, file("answers.pdf"), to_read=True, staged=False)
    job = written.job(j.ReadInput)
    assert (job.input_id, job.previous) == ("input-2", None)
    read(written)
    assert (staleness(written.document), len(evidence_of(written.document))) == ({}, 2)


@pytest.mark.req("I4")
def test_refuses_what_does_not_fit_and_says_why(written: Story) -> None:
    replaced(written, of="input-9").then_refused("input_unknown")
    replaced(written, version=7).then_refused("version_old")
    for version in (0, 1):
        written.ask(asking.apply_input, "input-1", version).then_refused("input_version_unknown")
    written.ask(asking.withdraw_input, BRIEF, 1).then_refused("brief_needed")
    written.ask(asking.add_input, file("rfp.md"), to_read=True, staged=False).then_refused("input_name_taken")


@pytest.mark.req("I4")
def test_a_picture_in_place_of_a_text_is_read_by_nobody_and_is_no_text(written: Story) -> None:
    picture = asking.upload(ref("two", "image/png"))
    request = asking.request(r.ReplaceInput, input_id="input-1", version=1, upload=picture, staged=False)
    (event,) = written.when(Replaced(request, written.asked(), asking.NOW, to_read=False))
    assert (event.is_text, event.artifact.media_type) == (False, "image/png")


ROLES: tuple[UploadRole, ...] = ("evidence", "internal", "price", "form", "past-text", "style")


@pytest.mark.req("L1")
def test_requests_alone_are_read_into_the_ledger_by_themselves_once_all_is_read_and_when_one_is_withdrawn() -> None:
    others = (file(role, role, "text/markdown", **InputFile.fields_of(role)) for role in ROLES)
    story = begin(Story(), file("rfp.pdf", role="request"), *others, to_read=("input-1",))
    assert story.jobs(j.ExtractRequirements) == []
    read(story).then_types(e.DocumentInputRead, e.RequirementsRequested)
    first = story.job(j.ExtractRequirements)
    assert [source.name for source in first.sources] == ["rfp.pdf"]
    story.ask(asking.withdraw_input, "input-2", 1).then_types(e.DocumentInputWithdrawn)
    withdrawn = story.ask(asking.withdraw_input, "input-1", 1)
    withdrawn.then_types(e.DocumentInputWithdrawn, e.RequirementsRequested)
    again = story.job(j.ExtractRequirements)
    assert (again.job_id != first.job_id, again.sources) == (True, ())


@pytest.mark.req("L1")
@pytest.mark.parametrize("role", ROLES)
def test_no_input_of_another_role_is_read_into_the_ledger_not_even_if_it_is_named(role: UploadRole) -> None:
    story = begin(Story(), file("ours.md", "a", "text/markdown", **InputFile.fields_of(role)))
    assert story.jobs(j.ExtractRequirements) == []
    story.ask(asking.read_ledger, ("ours.md",))
    assert [source.name for source in story.job(j.ExtractRequirements).sources] == ["brief"]


@pytest.mark.req("L1")
def test_a_warning_that_was_closed_is_told_again_of_another_file_and_a_model_that_was_asked_is_asked_again() -> None:
    warning = LedgerWarning(code="no_deadlines", source="rfp.md")
    story = begin(Story(), file("rfp.md", "a", "text/markdown", role="request"))

    def extracted() -> None:
        about = {"rows": ref("rows"), "difference": ref("-"), "summary": LedgerSummary(warnings=(warning,))}
        story.said(story.job(j.ExtractRequirements), o.RequirementsExtracted, **about)

    def amend(version: int) -> None:
        text = ref(f"{version}", "text/markdown")
        story.ask(asking.replace_input, "input-1", version, text, is_text=True, staged=False)
        read(story, f"{version}")

    extracted()
    story.ask(asking.decide_ledger, (), (warning,))
    story.ask(asking.read_ledger, (), second_opinion=True)
    amend(1)
    extracted()
    ledger = view_of(story.document).ledger
    assert ledger is not None
    assert [ledger.warnings, len(story.jobs(j.ProposeRequirements))] == [(warning,), 1]
    amend(2)
    extracted()
    assert len(story.jobs(j.ProposeRequirements)) == 1
