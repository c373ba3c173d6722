"""Inputs are read before anything is written; a change makes stale what rests on it, and writes nothing anew."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import PDF, begin, file, outcome, written_from_parts
from domain_story import CHAIN, DOCUMENT, TENANT, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.inputs import (
    BRIEF,
    MOST_WARNINGS,
    InputDifference,
    InputReading,
    ReadingWarning,
    Unreadable,
    UsedInput,
)
from stemma_contracts.v1.ledger import LedgerSummary, LedgerWarning
from stemma_contracts.v1.outline import PlanWording, SectionTitles
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.commands import Record
from stemma_domain.evolve import evolve
from stemma_domain.features.inputs.feature import MOST_LIST_BYTES, Replaced, input_views, listed
from stemma_domain.features.inputs.material import evidence_of, lacks_brief, manner_of, together
from stemma_domain.staleness import staleness
from stemma_domain.state import Document
from stemma_domain.texts import with_current
from stemma_domain.view import view_of


def unreadable(story: Story, job: j.ReadInput) -> o.InputUnreadable:
    about: dict[str, Any] = {"job_id": job.job_id, "tenant": TENANT, "document_id": DOCUMENT}
    return o.InputUnreadable(**about, unreadable=Unreadable(reason="password", detail="It is locked."))


def changed(*parts: str, blocks: int = 1) -> InputDifference:
    return InputDifference(changes=ref("changes", "application/json"), blocks=blocks, parts=parts)


def status_of(story: Story, name: str) -> SectionStatus:
    return view_of(story.document).sections[name].status


@pytest.mark.req("I1")
def test_sections_start_when_the_last_input_is_read_or_given_up() -> None:
    story = Story()
    begin(story, file("rfp.pdf"), file("prices.xlsx"), to_read=("input-1", "input-2"))
    first, second = story.jobs(j.ReadInput)
    assert (first.name, second.input_id, status_of(story, "research")) == ("rfp.pdf", "input-2", SectionStatus.QUEUED)
    story.when(Record(outcome(story, first, "the text"))).then_types(e.DocumentInputRead)
    assert status_of(story, "research") is SectionStatus.QUEUED
    [given_up] = story.when(Record(unreadable(story, second)))
    assert (type(given_up), given_up.starts) == (e.DocumentInputUnreadable, ("research",))
    [generating] = story.jobs(j.GenerateSection)
    texts = {item.name: item.artifact for item in generating.inputs}
    assert texts == {"rfp.pdf": ref("the text"), "prices.xlsx": ref("x", PDF)}


@pytest.mark.req("H2")
def test_pages_are_drawn_of_all_that_is_read_whatever_it_is_for() -> None:
    story = Story()
    files = (file("rfp.pdf", role="request"), file("old.pdf", "old", role="past-text"))
    begin(story, *files, to_read=(BRIEF, "input-1", "input-2"))
    assert {job.name: job.draw for job in story.jobs(j.ReadInput)} == {
        "draft.md": True,
        "rfp.pdf": True,
        "old.pdf": True,
    }


@pytest.mark.req("I1")
def test_what_is_text_already_is_read_by_nobody_and_starts_at_once() -> None:
    story = Story()
    begin(story, file("notes.md", media_type="text/markdown"), file("plan.png", media_type="image/png"))
    assert (story.jobs(j.ReadInput), status_of(story, "research")) == ([], SectionStatus.GENERATING)


@pytest.mark.req("I1")
def test_a_brief_that_cannot_be_read_is_a_question_and_no_failed_document() -> None:
    story = Story()
    begin(story, to_read=(BRIEF,))
    [job] = story.jobs(j.ReadInput)
    story.when(Record(unreadable(story, job))).then_types(e.DocumentInputUnreadable)
    assert lacks_brief(story.document)
    assert (status_of(story, "research"), story.document.status) == (SectionStatus.QUEUED, "running")
    another = asking.replace_input(story.asked(), BRIEF, 1, ref("another", PDF), is_text=False, staged=False)
    story.when(another).then_types(e.DocumentInputReplaced)
    [again] = story.jobs(j.ReadInput)
    [read] = story.when(Record(outcome(story, again, "the brief")))
    assert (read.starts, story.document.brief, lacks_brief(story.document)) == (("research",), ref("the brief"), False)


@pytest.mark.req("I1")
def test_a_document_is_called_as_its_brief_calls_itself_once_that_is_read_and_not_as_a_later_one() -> None:
    story = Story()
    begin(story, to_read=(BRIEF,), titled_by_file=True)
    for number, called in enumerate(("first", "later"), 1):
        if number > 1:
            story.when(asking.replace_input(story.asked(), BRIEF, 1, ref("other", PDF), is_text=False, staged=False))
        [job] = story.jobs(j.ReadInput)
        read = outcome(story, job, called)
        reading = read.reading.model_copy(update={"title": ref(called)})
        story.when(Record(read.model_copy(update={"reading": reading})))
        assert view_of(story.document).title == ref("first")


@pytest.mark.req("I1")
def test_a_title_that_somebody_gave_stays() -> None:
    story = Story()
    begin(story, to_read=(BRIEF,))
    [job] = story.jobs(j.ReadInput)
    read = outcome(story, job)
    reading = read.reading.model_copy(update={"title": ref("of the brief")})
    story.when(Record(read.model_copy(update={"reading": reading})))
    assert story.document.title is None


GERMAN = PlanWording(
    language="de",
    sections=(SectionTitles(section_id="research", title="Recherche", required_headings=("Ergebnisse",)),),
)


@pytest.mark.req("I1", "T5")
@pytest.mark.parametrize(("heard", "tag", "title"), [("de", "de", "Recherche"), ("sv", "en", "research")])
def test_a_document_is_in_the_language_of_the_brief_that_is_read_first(heard: str, tag: str, title: str) -> None:
    story = Story()
    begin(story, to_read=(BRIEF,), language="en", wordings=(GERMAN,))
    [job] = story.jobs(j.ReadInput)
    read = outcome(story, job)
    story.when(Record(read.model_copy(update={"reading": InputReading(text=ref("read"), language=heard)})))
    [generating] = story.jobs(j.GenerateSection)
    assert (generating.document.language, generating.section.title) == (tag, title)
    assert {plan.title for plan in generating.outline} == {title, *CHAIN} - {"research" if title != "research" else ""}


@pytest.mark.req("T5")
def test_another_brief_changes_the_language_of_a_document_no_more() -> None:
    story = Story()
    begin(story, to_read=(BRIEF,), language="en", wordings=(GERMAN,))
    story.when(Record(outcome(story, story.jobs(j.ReadInput)[0])))
    story.when(asking.replace_input(story.asked(), BRIEF, 1, ref("another", PDF), is_text=False, staged=False))
    german = InputReading(text=ref("deutsch"), language="de")
    story.when(Record(outcome(story, story.jobs(j.ReadInput)[0]).model_copy(update={"reading": german})))
    assert story.document.language == "en"


@pytest.mark.req("I1")
def test_attachments_of_a_message_are_inputs_of_their_own_that_are_read_as_well() -> None:
    story = Story()
    begin(story, file("mail.eml"), to_read=("input-1",))
    [job] = story.jobs(j.ReadInput)
    [read] = story.when(Record(outcome(story, job, children=(file("mail.eml/form.docx"),))))
    assert read.starts == ()
    [child] = story.jobs(j.ReadInput)
    assert (child.input_id, child.name) == ("input-2", "mail.eml/form.docx")
    assert story.document.inputs["input-2"].parent == "input-1"
    [done] = story.when(Record(outcome(story, child)))
    assert done.starts == ("research",)


@pytest.mark.req("I1")
@pytest.mark.req("L1")
def test_demands_are_read_from_what_was_read_of_a_request_with_its_places() -> None:
    story = Story()
    begin(story, file("rfp.pdf", role="request"), to_read=("input-1",))
    (job,) = story.jobs(j.ReadInput)
    reading = InputReading(text=ref("the text"), anchors=ref("places"))
    story.when(Record(outcome(story, job).model_copy(update={"reading": reading})))
    story.when(asking.read_ledger(story.asked(), ()))
    (asked,) = story.jobs(j.ExtractRequirements)
    assert [(source.name, source.artifact, source.anchors) for source in asked.sources] == [
        ("brief", ref("brief"), None),
        ("rfp.pdf", ref("the text"), ref("places")),
    ]


@pytest.mark.req("I1")
def test_a_file_with_all_the_warnings_that_there_is_room_for_still_tells_what_was_left_off() -> None:
    story = Story()
    begin(story, file("mail.eml"), file("mail.eml/form.docx"), to_read=("input-1",))
    [job] = story.jobs(j.ReadInput)
    told = outcome(story, job, children=(file("mail.eml/form.docx"),))
    full = told.reading.model_copy(update={"warnings": (ReadingWarning(code="cut"),) * MOST_WARNINGS})
    [read] = story.when(Record(told.model_copy(update={"reading": full})))
    assert (read.children, read.left_off) == ((), 1)
    assert (len(read.reading.warnings), read.reading.more_warnings) == (MOST_WARNINGS, 1)
    assert read.reading.warnings[0].code == "left_off"


@pytest.mark.req("I1")
def test_images_beyond_what_a_job_can_carry_are_counted_and_left_off() -> None:
    story = Story()
    begin(story, file("album.pdf"), to_read=("input-1",))
    [job] = story.jobs(j.ReadInput)
    images = tuple(file(f"album-image-{n}.png", str(n), "image/png") for n in range(400))
    told = outcome(story, job)
    [read] = story.when(Record(told.model_copy(update={"reading": told.reading.model_copy(update={"images": images})})))
    assert read.left_off == 400 - len(read.reading.images) > 0
    [warning] = input_views(story.document)[-1].warnings
    assert warning.detail.startswith(f"{read.left_off} of its images and attachments are no inputs")
    assert listed(evidence_of(story.document)) <= MOST_LIST_BYTES


@pytest.mark.req("I1")
def test_an_earlier_text_is_no_evidence() -> None:
    story = Story()
    begin(story, file("old.md", media_type="text/markdown", role="past-text"), file("a.md", media_type="text/markdown"))
    assert [one.name for one in evidence_of(story.document)] == ["a.md"]
    assert [one.name for one in manner_of(story.document)] == ["old.md"]
    [generating] = story.jobs(j.GenerateSection)
    assert ([one.name for one in generating.inputs], [one.name for one in generating.manner]) == (["a.md"], ["old.md"])


@pytest.fixture
def written() -> Story:
    return written_from_parts()


def amended(story: Story, *parts: str, text: str = "two", blocks: int = 1) -> tuple[e.AnyEvent, ...]:
    """The events of an input that is replaced and read."""
    version = story.document.inputs["input-1"].version
    story.when(asking.replace_input(story.asked(), "input-1", version, ref(text, PDF), is_text=False, staged=False))
    [job] = story.jobs(j.ReadInput)
    return story.when(Record(outcome(story, job, text, difference=changed(*parts, blocks=blocks)))).events


@pytest.mark.req("I4")
def test_what_rests_on_what_changed_is_stale_with_the_file_and_nothing_is_written_anew(written: Story) -> None:
    read = amended(written, "bbb")[0]
    assert isinstance(read, e.DocumentInputRead)
    marks = {mark.section_id: mark for mark in read.makes_stale}
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
    sections = {**written.document.sections, "research": research}
    old = replace(written.document, sections=sections)
    one = old.inputs["input-1"]
    content = replace(one.contents[0], number=2, text=ref("two"), difference=changed("zzz"))
    after = replace(old, inputs={**old.inputs, "input-1": replace(one, contents=(*one.contents, content))})
    assert "research" in staleness(after)


@pytest.mark.req("I4")
def test_a_kept_section_is_fresh_until_the_input_changes_again(written: Story) -> None:
    amended(written, "aaa")
    kept = asking.keep(written.asked(), "research", 1)
    [event, *_] = written.when(kept)
    assert isinstance(event, e.SectionKept)
    assert staleness(written.document) == {}
    amended(written, "ddd", text="three")
    assert staleness(written.document) == {}
    amended(written, "aaa", text="four")
    assert "research" in staleness(written.document)


@pytest.mark.req("I4")
def test_a_persons_change_of_a_text_rests_on_what_the_text_before_did_until_it_is_checked(written: Story) -> None:
    amended(written, "ddd", text="three")
    edited, _ = (
        written.when(asking.write(written.asked(), "budget", 1, ref("by hand")))
        .then_types(e.SectionEdited, e.DocumentCompleted)
        .events
    )
    assert (edited.makes_stale, staleness(written.document)) == ((), {})
    [check] = written.jobs(j.ValidateDraft)
    used = (UsedInput(input_id="input-1", parts=("ddd",)),)
    [checked] = written.outcome(
        o.DraftValidated, "budget", job_id=check.job_id, validation=validation().model_copy(update={"used": used})
    )
    assert ([mark.section_id for mark in checked.makes_stale], written.document.status) == (["budget"], "running")


@pytest.mark.req("I4")
def test_a_stale_text_that_a_person_changes_stays_stale_until_it_is_checked(written: Story) -> None:
    amended(written, "aaa")
    written.when(asking.write(written.asked(), "research", 1, ref("by hand")))
    assert "research" in staleness(written.document)


@pytest.mark.req("I4")
def test_another_look_at_a_text_does_not_forget_that_it_rests_on_a_part_that_changed_since(written: Story) -> None:
    amended(written, "aaa")
    now = (UsedInput(input_id="input-1", parts=("new",)), UsedInput(input_id=BRIEF, whole=True))
    looked = e.SectionChecked(
        section_id="research", job_id="j", version=1, validation=validation().model_copy(update={"used": now})
    )
    after = evolve(written.document, looked)
    assert isinstance(after, Document)
    assert "research" in staleness(after)
    [version] = after.sections["research"].versions
    assert version.validation is not None
    assert version.validation.used == (
        UsedInput(input_id="input-1", parts=("aaa", "new")), UsedInput(input_id=BRIEF, whole=True),
    )  # fmt: skip


@pytest.mark.req("I4")
def test_another_look_at_a_text_does_not_forget_that_it_rests_on_a_whole_input() -> None:
    whole, part = UsedInput(input_id="input-1", whole=True), UsedInput(input_id="input-1", parts=("aaa",))
    both = (UsedInput(input_id="input-1", parts=("aaa",), whole=True),)
    assert (together((whole,), (part,)), together((part,), (whole,))) == (both, both)


@pytest.mark.req("I4")
def test_a_section_that_is_kept_against_an_input_is_looked_at_for_what_it_rests_on_there(written: Story) -> None:
    amended(written, "aaa")
    written.when(asking.keep(written.asked(), "research", 1))
    [check] = written.jobs(j.ValidateDraft)
    used = (UsedInput(input_id="input-1", parts=("new",)),)
    found = validation().model_copy(update={"used": used})
    written.outcome(o.DraftValidated, "research", job_id=check.job_id, validation=found)
    assert "research" not in staleness(written.document)
    amended(written, "new", text="three")
    assert "research" in staleness(written.document)


@pytest.mark.req("I4")
def test_the_old_file_again_makes_fresh_what_rests_on_it(written: Story) -> None:
    amended(written, "aaa")
    assert "research" in staleness(written.document)
    back = amended(written, "aaa", text="one")[0]
    assert (staleness(written.document), set(back.clears_stale)) == ({}, {"research", "solution", "budget", "timeline"})


@pytest.mark.req("I4")
def test_a_withdrawn_input_makes_stale_what_uses_it_and_reopens_the_document(written: Story) -> None:
    assert written.document.status == "completed"
    [event] = written.when(asking.withdraw_input(written.asked(), "input-1", 1))
    assert {mark.section_id for mark in event.makes_stale} == {"research", "solution", "budget", "timeline"}
    assert event.makes_stale[0].inputs[0].withdrawn
    assert (written.document.status, evidence_of(written.document)) == ("running", ())


@pytest.mark.req("I4")
def test_what_is_staged_changes_nothing_until_it_is_applied(written: Story) -> None:
    written.when(asking.replace_input(written.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    [job] = written.jobs(j.ReadInput)
    [read] = written.when(Record(outcome(written, job, "two", difference=changed("bbb"))))
    assert (read.makes_stale, staleness(written.document), written.document.inputs["input-1"].version) == ((), {}, 1)
    [_, one] = view_of(written.document).input_views
    assert (one.state, one.staged_version, one.concerns) == ("staged", 2, ("solution", "budget", "timeline"))
    [applied] = written.when(asking.apply_input(written.asked(), "input-1", 2))
    assert {mark.section_id for mark in applied.makes_stale} == {"solution", "budget", "timeline"}
    assert written.document.inputs["input-1"].version == 2


@pytest.mark.req("I4")
def test_what_is_applied_before_it_was_read_counts_once_it_is(written: Story) -> None:
    written.when(asking.replace_input(written.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    written.when(asking.apply_input(written.asked(), "input-1", 2))
    assert written.document.inputs["input-1"].version == 1
    [job] = written.jobs(j.ReadInput)
    written.when(Record(outcome(written, job)))
    one = written.document.inputs["input-1"]
    assert (one.version, one.pending) == (2, None)


def test_a_replacement_names_the_version_that_counts_and_not_the_staged_one(written: Story) -> None:
    written.when(asking.replace_input(written.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    [job] = written.jobs(j.ReadInput)
    written.when(Record(outcome(written, job)))
    third = ref("three", PDF)
    for version, told in ((2, e.DecisionRefused), (1, e.DocumentInputReplaced)):
        written.when(
            asking.replace_input(written.asked(), "input-1", version, third, is_text=False, staged=False)
        ).then_types(told)


def test_what_is_staged_can_be_dropped(written: Story) -> None:
    written.when(asking.replace_input(written.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    [job] = written.jobs(j.ReadInput)
    written.when(asking.withdraw_input(written.asked(), "input-1", 2)).then_types(e.DocumentInputWithdrawn)
    assert (written.jobs(j.ReadInput), written.document.inputs["input-1"].version) == ([], 1)
    written.when(Record(outcome(written, job))).then_types(e.OutcomeSuperseded)


@pytest.mark.req("I4")
def test_a_new_version_that_cannot_be_read_leaves_the_text_before_it(written: Story) -> None:
    written.when(asking.replace_input(written.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=False))
    [job] = written.jobs(j.ReadInput)
    written.when(Record(unreadable(written, job)))
    assert (staleness(written.document), evidence_of(written.document)[0].artifact.digest) == ({}, ref("one").digest)
    assert view_of(written.document).input_views[1].state == "unreadable"


@pytest.mark.req("I4")
def test_an_added_input_is_read_and_makes_nothing_stale(written: Story) -> None:
    written.when(asking.add_input(written.asked(), file("answers.pdf"), to_read=True, staged=False))
    [job] = written.jobs(j.ReadInput)
    assert (job.input_id, job.previous) == ("input-2", None)
    written.when(Record(outcome(written, job)))
    assert (staleness(written.document), len(evidence_of(written.document))) == ({}, 2)


@pytest.mark.req("I4")
def test_refuses_what_does_not_fit_and_says_why(written: Story) -> None:
    asked = written.asked

    def replaced(input_id: str, version: int) -> Replaced:
        return asking.replace_input(asked(), input_id, version, ref("two", PDF), is_text=False, staged=False)

    written.when(replaced("input-9", 1)).then_refused("input_unknown")
    written.when(replaced("input-1", 7)).then_refused("version_old")
    written.when(asking.apply_input(asked(), "input-1", 1)).then_refused("input_version_unknown")
    written.when(asking.apply_input(asked(), "input-1", 0)).then_refused("input_version_unknown")
    written.when(asking.withdraw_input(asked(), BRIEF, 1)).then_refused("brief_needed")
    written.when(asking.add_input(asked(), file("rfp.md"), to_read=True, staged=False)).then_refused("input_name_taken")


@pytest.mark.req("I4")
def test_a_picture_in_place_of_a_text_is_read_by_nobody_and_is_no_text(written: Story) -> None:
    picture = asking.upload(ref("two", "image/png"))
    request = asking.request(r.ReplaceInput, input_id="input-1", version=1, upload=picture, staged=False)
    (replaced,) = written.when(Replaced(request, written.asked(), asking.NOW, to_read=False))
    assert (replaced.is_text, replaced.artifact.media_type) == (False, "image/png")


ROLES: tuple[UploadRole, ...] = ("evidence", "internal", "price", "form", "past-text", "style")


@pytest.mark.req("L1")
def test_a_request_is_read_into_the_ledger_by_itself_once_everything_is_read() -> None:
    story = Story()
    others = (file(role, role, "text/markdown", **InputFile.fields_of(role)) for role in ROLES)
    begin(story, file("rfp.pdf", role="request"), *others, to_read=("input-1",))
    assert story.jobs(j.ExtractRequirements) == []
    (job,) = story.jobs(j.ReadInput)
    story.when(Record(outcome(story, job))).then_types(e.DocumentInputRead, e.RequirementsRequested)
    (asked,) = story.jobs(j.ExtractRequirements)
    assert [source.name for source in asked.sources] == ["rfp.pdf"]


@pytest.mark.req("L1")
def test_requests_are_read_again_by_themselves_when_one_is_withdrawn_and_for_no_other_input() -> None:
    story = Story()
    begin(story, file("rfp.md", "a", "text/markdown", role="request"), file("us.md", "b", "text/markdown"))
    (first,) = story.jobs(j.ExtractRequirements)
    story.when(asking.withdraw_input(story.asked(), "input-2", 1)).then_types(e.DocumentInputWithdrawn)
    withdrawn = story.when(asking.withdraw_input(story.asked(), "input-1", 1))
    withdrawn.then_types(e.DocumentInputWithdrawn, e.RequirementsRequested)
    (again,) = story.jobs(j.ExtractRequirements)
    assert (again.job_id != first.job_id, again.sources) == (True, ())


@pytest.mark.req("L1")
@pytest.mark.parametrize("role", ROLES)
def test_no_input_of_another_role_is_read_into_the_ledger_not_even_if_it_is_named(role: UploadRole) -> None:
    story = Story()
    begin(story, file("ours.md", "a", "text/markdown", **InputFile.fields_of(role)))
    assert story.jobs(j.ExtractRequirements) == []
    story.when(asking.read_ledger(story.asked(), ("ours.md",)))
    (job,) = story.jobs(j.ExtractRequirements)
    assert [source.name for source in job.sources] == ["brief"]


@pytest.mark.req("L1")
def test_a_warning_that_was_closed_is_told_again_of_another_file_and_a_model_that_was_asked_is_asked_again() -> None:
    story, warning = Story(), LedgerWarning(code="no_deadlines", source="rfp.md")

    def read() -> None:
        about: dict[str, Any] = {"tenant": TENANT, "document_id": DOCUMENT, "rows": ref("rows"), "difference": ref("-")}
        (job,) = story.jobs(j.ExtractRequirements)
        summary = LedgerSummary(warnings=(warning,))
        story.when(Record(o.RequirementsExtracted(**about, job_id=job.job_id, summary=summary)))

    def amend(version: int) -> None:
        text = ref(f"{version}", "text/markdown")
        story.when(asking.replace_input(story.asked(), "input-1", version, text, is_text=True, staged=False))
        story.when(Record(outcome(story, story.jobs(j.ReadInput)[0], f"{version}")))

    begin(story, file("rfp.md", "a", "text/markdown", role="request"))
    read()
    story.when(asking.decide_ledger(story.asked(), (), (warning,)))
    story.when(asking.read_ledger(story.asked(), (), second_opinion=True))
    amend(1)
    read()
    ledger = view_of(story.document).ledger
    assert ledger is not None
    assert [ledger.warnings, len(story.jobs(j.ProposeRequirements))] == [(warning,), 1]
    amend(2)
    read()
    assert len(story.jobs(j.ProposeRequirements)) == 1
