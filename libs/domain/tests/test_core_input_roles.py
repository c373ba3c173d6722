"""What an input is for: proposed by its name and text until a person says it; sections rest on evidence alone."""

from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import PDF, begin, file, outcome, written_from_parts
from domain_story import DOCUMENT, TENANT, Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import BRIEF, InputDifference, Unreadable
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_domain.commands import Record
from stemma_domain.features.inputs.feature import MOST_PASSAGES, input_views
from stemma_domain.features.inputs.material import ATTACHED, evidence_of, internal_of
from stemma_domain.staleness import staleness


@pytest.fixture
def written() -> Story:
    return written_from_parts()


def reads_as(story: Story, proposed_role: str, *children: InputFile) -> None:
    """The last file that is to be read proposes a role by its text."""
    told = outcome(story, story.jobs(j.ReadInput)[-1], children=children)
    story.when(
        Record(told.model_copy(update={"reading": told.reading.model_copy(update={"proposed_role": proposed_role})}))
    )


@pytest.mark.req("B1")
@pytest.mark.parametrize(
    ("given", "read", "role"),
    [
        ({"proposed": True}, "request", "request"),
        ({"proposed": True}, "a role of a later release", "evidence"),
        ({"proposed": True, **InputFile.fields_of("internal")}, "request", "internal"),
        ({}, "request", "evidence"),
        ({"role": "past-text"}, "request", "past-text"),
    ],
)
def test_a_text_proposes_the_role_of_an_input_that_has_none_of_a_person_or_its_name(
    given: dict[str, Any], read: str, role: UploadRole
) -> None:
    story = Story()
    begin(story, file("a.pdf", **given), to_read=("input-1",))
    reads_as(story, read)
    [_, view] = input_views(story.document)
    assert (view.used_as, view.proposed) == (role, "proposed" in given)


@pytest.mark.req("B1")
def test_an_attachment_is_internal_as_its_message_is_unless_its_own_name_says_otherwise() -> None:
    story = Story()
    begin(story, file("mail.eml", proposed=True, **InputFile.fields_of("internal")), to_read=("input-1",))
    plain = file("mail.eml/costs.pdf", proposed=True)
    reads_as(story, "", plain, file("mail.eml/rfp.pdf", role="request", proposed=True))
    assert [view.used_as for view in input_views(story.document)][1:] == ["internal", "internal", "request"]


@pytest.mark.req("B1")
def test_what_is_internal_is_no_evidence_and_reaches_jobs_apart() -> None:
    story = Story()
    roles: tuple[UploadRole, ...] = ("internal", "price", "request")
    begin(story, *(file(f"{role}.md", role, "text/markdown", **InputFile.fields_of(role)) for role in roles))
    [generating] = story.jobs(j.GenerateSection)
    assert [one.used_as for one in generating.inputs] == ["price", "request"]
    assert ([one.name for one in generating.internal], generating.manner) == (["internal.md"], ())
    assert [view.used_as for view in input_views(story.document)] == ["request", *roles]


@pytest.mark.req("B1", "I4")
@pytest.mark.parametrize("role", ["internal", "past-text", "request", "form"])
def test_what_rests_on_an_input_that_is_no_evidence_any_more_is_stale_until_it_is_evidence_again(
    written: Story, role: UploadRole
) -> None:
    [event, *_] = written.when(asking.set_role(written.asked(), "input-1", 1, role))
    assert {mark.section_id for mark in event.makes_stale} == {"research", "solution", "budget", "timeline"}
    [because] = event.makes_stale[0].inputs
    assert (because.role, because.withdrawn) == (role, False)
    assert written.document.status == "running"
    [back, *_] = written.when(asking.set_role(written.asked(), "input-1", 1, "evidence"))
    assert (staleness(written.document), set(back.clears_stale)) == ({}, {"research", "solution", "budget", "timeline"})


@pytest.mark.req("B1")
def test_what_a_role_gives_more_to_take_from_makes_nothing_stale(written: Story) -> None:
    written.when(asking.set_role(written.asked(), "input-1", 1, "internal"))
    written.when(asking.keep(written.asked(), "research", 1))
    assert "research" not in staleness(written.document)
    [event, *_] = written.when(asking.set_role(written.asked(), "input-1", 1, "price"))
    assert event.makes_stale == ()
    assert input_views(written.document)[1].used_as == "price"


@pytest.mark.req("B1")
def test_a_file_that_becomes_a_form_is_read_again_for_its_fields_and_an_attachment_follows_its_message() -> None:
    story = Story()
    begin(story, file("mail.eml", proposed=True, **InputFile.fields_of("internal")), to_read=("input-1",))
    reads_as(
        story, "", file("mail.eml/costs.pdf", proposed=True), file("mail.eml/rfp.pdf", role="request", proposed=True)
    )
    story.when(asking.set_role(story.asked(), "input-2", 0, "form")).then_types(e.DocumentInputRoleSet)
    assert [(job.name, job.form) for job in story.jobs(j.ReadInput)] == [
        ("mail.eml/costs.pdf", True), ("mail.eml/rfp.pdf", False),
    ]  # fmt: skip
    story.when(asking.set_role(story.asked(), "input-1", 1, "evidence"))
    views = [(view.used_as, view.proposed) for view in input_views(story.document)[1:]]
    assert views == [("evidence", False), ("form", False), ("request", True)]
    story.when(asking.set_role(story.asked(), "input-1", 1, "internal"))
    assert [view.used_as for view in input_views(story.document)[1:]] == ["internal", "form", "request"]


@pytest.mark.req("B1")
def test_a_passage_that_is_confidential_is_left_out_when_the_file_is_read_again_and_is_never_quoted(
    written: Story,
) -> None:
    passage = ref("We paid 9,100.")
    written.when(asking.mark_confidential(written.asked(), "input-1", 1, passage)).then_types(e.DocumentPassageMarked)
    [job] = written.jobs(j.ReadInput)
    assert (job.confidential, job.is_text, job.version) == ((passage,), True, 2)
    difference = InputDifference(changes=ref("changes", "application/json"), blocks=1, parts=("bbb",))
    [read] = written.when(Record(outcome(written, job, "without it", difference=difference)))
    assert {mark.section_id for mark in read.makes_stale} == {"solution", "budget", "timeline"}
    [held] = internal_of(written.document)
    assert (held.artifact, held.used_as) == (passage, "internal")
    assert [one.artifact for one in evidence_of(written.document)] == [ref("without it")]
    written.when(asking.mark_confidential(written.asked(), BRIEF, 1, passage)).then_refused("brief_role")
    written.when(asking.mark_confidential(written.asked(), "input-1", 1, passage)).then_refused("version_old")


@pytest.mark.req("B1")
def test_a_mark_is_taken_back_by_its_words_and_the_file_read_again_with_them(written: Story) -> None:
    kept, passage = ref("9,000"), ref("We paid 9,100.")
    for number, words in enumerate((kept, passage), 1):
        written.when(asking.mark_confidential(written.asked(), "input-1", number, words))
        written.when(Record(outcome(written, written.jobs(j.ReadInput)[0], f"without {number}")))
    written.when(asking.mark_confidential(written.asked(), "input-1", 3, ref("other"), True)).then_refused(
        "passage_not_marked"
    )
    written.when(asking.mark_confidential(written.asked(), "input-1", 3, passage, True))
    [job] = written.jobs(j.ReadInput)
    assert (job.confidential, job.version) == ((kept,), 4)
    assert [one.artifact for one in internal_of(written.document)] == [kept]
    assert input_views(written.document)[1].confidential == (kept,)


@pytest.mark.req("B1")
def test_a_text_with_a_passage_that_was_marked_is_no_evidence_if_it_cannot_be_read_again(written: Story) -> None:
    def refused() -> None:
        [job] = written.jobs(j.ReadInput)
        why = Unreadable(reason="given_up", detail="three tries")
        about: dict[str, Any] = {"job_id": job.job_id, "tenant": TENANT, "document_id": DOCUMENT}
        written.when(Record(o.InputUnreadable(**about, unreadable=why)))

    written.when(asking.mark_confidential(written.asked(), "input-1", 1, ref("9,100")))
    refused()
    assert [one.artifact.media_type for one in evidence_of(written.document)] == [ATTACHED]
    written.when(asking.replace_input(written.asked(), "input-1", 2, ref("two", PDF), is_text=False, staged=False))
    written.when(Record(outcome(written, written.jobs(j.ReadInput)[0], "two without it")))
    written.when(asking.replace_input(written.asked(), "input-1", 3, ref("three", PDF), is_text=False, staged=False))
    refused()
    assert [one.artifact for one in evidence_of(written.document)] == [ref("two without it")]
    written.when(asking.mark_confidential(written.asked(), "input-1", 4, ref("9,100"), True))
    refused()
    assert [one.artifact for one in evidence_of(written.document)] == [ref("two without it")]
    written.when(asking.mark_confidential(written.asked(), "input-1", 5, ref("another passage")))
    refused()
    assert [one.artifact for one in evidence_of(written.document)] == [ref("three", PDF)]


@pytest.mark.req("B1")
@pytest.mark.parametrize("while_it_is_read", [True, False])
def test_a_mail_that_was_saved_as_text_is_read_as_a_mail_again(while_it_is_read: bool) -> None:
    story = Story()
    begin(story, file("mail.txt", "m", "text/plain", **InputFile.fields_of("internal")), to_read=("input-1",))
    if not while_it_is_read:
        told = outcome(story, story.jobs(j.ReadInput)[0])
        anchored = told.reading.model_copy(update={"anchors": ref("anchors", "application/json")})
        story.when(Record(told.model_copy(update={"reading": anchored})))
    version = int(not while_it_is_read)
    story.when(asking.mark_confidential(story.asked(), "input-1", version, ref("9,100")))
    assert [(job.is_text, len(job.confidential)) for job in story.jobs(j.ReadInput)] == [(False, 1)]


@pytest.mark.req("B1")
def test_what_is_attached_to_an_attachment_follows_the_message_too() -> None:
    story = Story()
    begin(story, file("mail.eml"), to_read=("input-1",))
    reads_as(story, "", file("mail.eml/all.zip", proposed=True))
    reads_as(story, "", file("mail.eml/all.zip/costs.pdf", proposed=True))
    story.when(asking.set_role(story.asked(), "input-1", 1, "internal"))
    assert [view.used_as for view in input_views(story.document)][1:] == ["internal"] * 3


@pytest.mark.req("B1")
def test_the_role_that_a_staged_text_proposes_counts_when_the_text_does() -> None:
    story = Story()
    begin(story, file("notes.md", "one", "text/markdown", proposed=True))
    story.when(asking.replace_input(story.asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    reads_as(story, "internal")
    assert [one.name for one in evidence_of(story.document)] == ["notes.md"]
    story.when(asking.apply_input(story.asked(), "input-1", 2))
    assert ([*evidence_of(story.document)], [one.name for one in internal_of(story.document)]) == ([], ["notes.md"])


@pytest.mark.req("B1")
def test_a_document_has_no_more_confidential_passages_than_a_job_can_carry(written: Story) -> None:
    for number in range(MOST_PASSAGES):
        written.when(asking.mark_confidential(written.asked(), "input-1", 1, ref(f"{number}")))
    written.when(asking.mark_confidential(written.asked(), "input-1", 1, ref("x"))).then_refused("passages_too_many")


@pytest.mark.req("B1")
def test_a_role_that_makes_no_sense_is_refused(written: Story) -> None:
    asked = written.asked
    written.when(asking.set_role(asked(), BRIEF, 1, "evidence")).then_refused("brief_role")
    written.when(asking.set_role(asked(), "input-1", 2, "internal")).then_refused("version_old")
    written.when(asking.set_role(asked(), "input-1", 1, "evidence")).then_refused("input_role_same")
    written.when(asking.replace_input(asked(), "input-1", 1, ref("two", PDF), is_text=False, staged=True))
    written.when(asking.set_role(asked(), "input-1", 1, "form")).then_refused("input_staged")
    written.when(asking.withdraw_input(asked(), "input-1", 2))
    written.when(asking.withdraw_input(asked(), "input-1", 1))
    written.when(asking.set_role(asked(), "input-1", 1, "internal")).then_refused("input_unknown")
