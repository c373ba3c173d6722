"""What an input is for: proposed by its name and text until a person says it; sections rest on evidence alone."""

from collections.abc import Sequence
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import PDF, begin, changed, file, read, replaced, unread, written_from_parts
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_domain.features.inputs.feature import MOST_PASSAGES, input_views
from stemma_domain.features.inputs.material import ATTACHED, evidence_of, internal_of
from stemma_domain.staleness import staleness

pytestmark = pytest.mark.req("B1")
ALL = {"research", "solution", "budget", "timeline"}
INTERNAL = InputFile.fields_of("internal")


@pytest.fixture
def written() -> Story:
    return written_from_parts()


def with_mail() -> Story:
    """An internal message with two attachments, of which one is a request by its name."""
    story = begin(Story(), file("mail.eml", proposed=True, **INTERNAL), to_read=("input-1",))
    plain = file("mail.eml/costs.pdf", proposed=True)
    read(story, children=(plain, file("mail.eml/rfp.pdf", role="request", proposed=True)))
    return story


def roles(story: Story) -> Sequence[str]:
    """Those of all inputs but the brief."""
    return [view.used_as for view in input_views(story.document)][1:]


def set_role(story: Story, role: UploadRole, version: int = 1, of: str = "input-1") -> Any:
    return story.ask(asking.set_role, of, version, role)


def mark(story: Story, words: str, version: int = 1, **back: bool) -> Any:
    return story.ask(asking.mark_confidential, "input-1", version, ref(words), **back)


@pytest.mark.parametrize(
    ("given", "text", "role"),
    [
        ({"proposed": True}, "request", "request"),
        ({"proposed": True}, "a role of a later release", "evidence"),
        ({"proposed": True, **INTERNAL}, "request", "internal"),
        ({}, "request", "evidence"),
        ({"role": "past-text"}, "request", "past-text"),
    ],
)
def test_a_text_proposes_the_role_of_an_input_that_has_none_of_a_person_or_its_name(
    given: dict[str, Any], text: str, role: UploadRole
) -> None:
    story = begin(Story(), file("a.pdf", **given), to_read=("input-1",))
    read(story, proposed_role=text)
    [_, view] = input_views(story.document)
    assert (view.used_as, view.proposed) == (role, "proposed" in given)


def test_what_is_internal_is_no_evidence_and_reaches_jobs_apart() -> None:
    given: tuple[UploadRole, ...] = ("internal", "price", "request")
    files = (file(f"{role}.md", role, "text/markdown", **InputFile.fields_of(role)) for role in given)
    story = begin(Story(), *files)
    generating = story.job(j.GenerateSection)
    assert [one.used_as for one in generating.inputs] == ["price", "request"]
    assert ([one.name for one in generating.internal], generating.manner) == (["internal.md"], ())
    assert [view.used_as for view in input_views(story.document)] == ["request", *given]


@pytest.mark.req("I4")
@pytest.mark.parametrize("role", ["internal", "past-text", "request", "form"])
def test_what_rests_on_an_input_that_is_no_evidence_any_more_is_stale_until_it_is_evidence_again(
    written: Story, role: UploadRole
) -> None:
    [event, *_] = set_role(written, role)
    assert {mark.section_id for mark in event.makes_stale} == ALL
    [because] = event.makes_stale[0].inputs
    assert (because.role, because.withdrawn, written.document.status) == (role, False, "running")
    [back, *_] = set_role(written, "evidence")
    assert (staleness(written.document), set(back.clears_stale)) == ({}, ALL)


def test_what_a_role_gives_more_to_take_from_makes_nothing_stale(written: Story) -> None:
    set_role(written, "internal")
    written.ask(asking.keep, "research", 1)
    assert "research" not in staleness(written.document)
    [event, *_] = set_role(written, "price")
    assert (event.makes_stale, roles(written)) == ((), ["price"])


def test_an_attachment_follows_its_message_unless_its_own_name_or_a_person_says_otherwise() -> None:
    story = with_mail()
    assert roles(story) == ["internal", "internal", "request"]
    set_role(story, "form", 0, of="input-2").then_types(e.DocumentInputRoleSet)
    assert [(job.name, job.form) for job in story.jobs(j.ReadInput)] == [
        ("mail.eml/costs.pdf", True), ("mail.eml/rfp.pdf", False),
    ]  # fmt: skip
    set_role(story, "evidence")
    views = [(view.used_as, view.proposed) for view in input_views(story.document)[1:]]
    assert views == [("evidence", False), ("form", False), ("request", True)]
    set_role(story, "internal")
    assert roles(story) == ["internal", "form", "request"]
    nested = begin(Story(), file("mail.eml"), to_read=("input-1",))
    read(nested, children=(file("mail.eml/all.zip", proposed=True),))
    read(nested, children=(file("mail.eml/all.zip/costs.pdf", proposed=True),))
    set_role(nested, "internal")
    assert roles(nested) == ["internal"] * 3


def test_a_passage_that_is_confidential_is_left_out_when_the_file_is_read_again_and_is_never_quoted(
    written: Story,
) -> None:
    passage = ref("We paid 9,100.")
    mark(written, "We paid 9,100.").then_types(e.DocumentPassageMarked)
    job = written.job(j.ReadInput)
    assert (job.confidential, job.is_text, job.version) == ((passage,), True, 2)
    [done] = read(written, "without it", difference=changed("bbb"))
    assert {mark.section_id for mark in done.makes_stale} == {"solution", "budget", "timeline"}
    [held] = internal_of(written.document)
    assert (held.artifact, held.used_as) == (passage, "internal")
    assert [one.artifact for one in evidence_of(written.document)] == [ref("without it")]
    written.ask(asking.mark_confidential, BRIEF, 1, passage).then_refused("brief_role")
    mark(written, "We paid 9,100.").then_refused("version_old")


def test_a_mark_is_taken_back_by_its_words_and_the_file_read_again_with_them(written: Story) -> None:
    for number, words in enumerate(("9,000", "We paid 9,100."), 1):
        mark(written, words, number)
        read(written, f"without {number}")
    mark(written, "other", 3, taken_back=True).then_refused("passage_not_marked")
    mark(written, "We paid 9,100.", 3, taken_back=True)
    job, kept = written.job(j.ReadInput), ref("9,000")
    assert (job.confidential, job.version) == ((kept,), 4)
    assert [one.artifact for one in internal_of(written.document)] == [kept]
    assert input_views(written.document)[1].confidential == (kept,)


def test_a_text_with_a_passage_that_was_marked_is_no_evidence_if_it_cannot_be_read_again(written: Story) -> None:
    def evidence() -> list[Any]:
        return [one.artifact for one in evidence_of(written.document)]

    mark(written, "9,100")
    unread(written)
    assert [one.media_type for one in evidence()] == [ATTACHED]
    replaced(written, version=2)
    read(written, "two without it")
    replaced(written, "three", version=3)
    unread(written)
    assert evidence() == [ref("two without it")]
    mark(written, "9,100", 4, taken_back=True)
    unread(written)
    assert evidence() == [ref("two without it")]
    mark(written, "another passage", 5)
    unread(written)
    assert evidence() == [ref("three", PDF)]


@pytest.mark.parametrize("while_it_is_read", [True, False])
def test_a_mail_that_was_saved_as_text_is_read_as_a_mail_again(while_it_is_read: bool) -> None:
    story = begin(Story(), file("mail.txt", "m", "text/plain", **INTERNAL), to_read=("input-1",))
    if not while_it_is_read:
        read(story, anchors=ref("anchors", "application/json"))
    mark(story, "9,100", int(not while_it_is_read))
    assert [(job.is_text, len(job.confidential)) for job in story.jobs(j.ReadInput)] == [(False, 1)]


def test_the_role_that_a_staged_text_proposes_counts_when_the_text_does() -> None:
    story = begin(Story(), file("notes.md", "one", "text/markdown", proposed=True))
    replaced(story, staged=True)
    read(story, proposed_role="internal")
    assert [one.name for one in evidence_of(story.document)] == ["notes.md"]
    story.ask(asking.apply_input, "input-1", 2)
    assert ([*evidence_of(story.document)], [one.name for one in internal_of(story.document)]) == ([], ["notes.md"])


def test_a_document_has_no_more_confidential_passages_than_a_job_can_carry(written: Story) -> None:
    for number in range(MOST_PASSAGES):
        mark(written, f"{number}")
    mark(written, "x").then_refused("passages_too_many")


def test_a_role_that_makes_no_sense_is_refused(written: Story) -> None:
    set_role(written, "evidence", of=BRIEF).then_refused("brief_role")
    set_role(written, "internal", 2).then_refused("version_old")
    set_role(written, "evidence").then_refused("input_role_same")
    replaced(written, staged=True)
    set_role(written, "form").then_refused("input_staged")
    for version in (2, 1):
        written.ask(asking.withdraw_input, "input-1", version)
    set_role(written, "internal").then_refused("input_unknown")
