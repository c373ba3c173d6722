"""A file that comes back is compared by a job, and what was shown of it is taken over, all or nothing."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, TENANT, Story, about, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.returned import ReturnedConflict, ReturnedDocument, ReturnedSection, ReturnFigures
from stemma_domain.commands import Record
from stemma_domain.features.returns import TakenComment, TakenSection, chosen, name_of, written_versions
from stemma_domain.view import summarise, view_of

pytestmark = pytest.mark.req("W2")
FOUND = ref("found", "application/json")
EDIT = TakenSection("research", 1, edits=(("Bea Boss", ref("hers")),))


@pytest.fixture
def read(begun: Story) -> Story:
    """A story whose section `research` is approved, and of which a file came back."""
    begun.settle("research")
    begun.when(asking.read_return(begun.asked(), ref("file"), ref("versions"))).then_types(e.ReturnRequested)
    (job,) = begun.jobs(j.CompareReturn)
    assert (job.file, job.versions) == (ref("file"), ref("versions"))
    found = o.ReturnCompared(**about(job), found=FOUND, figures=ReturnFigures(edits=1))
    begun.when(Record(found)).then_types(e.ReturnRead)
    return begun


def return_id(story: Story) -> str:
    return next(iter(story.document.returns))


def take(story: Story, *taken: TakenSection, digest: str = FOUND.digest) -> Any:
    return story.when(asking.apply_return(story.asked("take"), return_id(story), digest, taken))


def test_a_file_is_compared_with_all_versions_and_changes_nothing(read: Story) -> None:
    view = view_of(read.document).returns[return_id(read)]
    assert (view.state, view.found, view.figures.edits, view.asked_by) == ("done", FOUND, 1, "ada")
    assert read.document.sections["research"].current_number == 1
    assert [(one.section_id, one.version) for one in written_versions(read.document).versions] == [("research", 1)]
    assert not read.jobs(j.CompareReturn)


@pytest.mark.parametrize("is_dead", [False, True])
def test_why_a_file_was_not_compared_is_told(begun: Story, is_dead: bool) -> None:
    begun.when(asking.read_return(begun.asked(), ref("file"), ref("versions")))
    (job,) = begun.jobs(j.CompareReturn)
    said: dict[str, Any] = {"job_id": job.job_id, "tenant": TENANT, "document_id": DOCUMENT}
    why: dict[str, Any] = {"detail": "of another", "code": "return_of_another", "params": {"name": "x"}}
    begun.when(Record(o.JobDead(**said) if is_dead else o.ReturnNotCompared(**said, **why))).then_types(e.ReturnUnread)
    view = view_of(begun.document).returns[return_id(begun)]
    assert view.problem is not None
    assert (view.state, view.problem.code) == ("failed", "job_dead" if is_dead else "return_of_another")


def test_what_is_taken_over_is_an_edit_of_each_author_whom_nobody_vouches_for(read: Story) -> None:
    edits = (("Bea Boss", ref("hers")), ("", ref("both")))
    _, first, second, *_ = take(read, TakenSection("research", 1, edits=edits)).events
    assert [(one.actor, one.actor_verified, one.version) for one in (first, second)] == [
        ("Bea.Boss", False, 2),
        ("ada", False, 3),
    ]
    assert read.document.sections["research"].current_number == 3
    assert view_of(read.document).returns[return_id(read)].applied == ("research",)


def test_comments_become_comments_questions_or_an_instruction(read: Story) -> None:
    comments = (TakenComment("Carl", ref("why"), True), TakenComment("Carl", ref("so"), False))
    guidance = ("Shorter.", ref("shorter"))
    _, said, asked, *_ = take(read, TakenSection("research", 1, (), comments, guidance)).events
    assert (said.actor, [made.asks for made in said.comments]) == ("Carl", [True, False])
    assert (type(asked), asked.instruction, asked.actor) == (e.SectionEditRequested, ref("shorter"), "ada")
    section = view_of(read.document).sections["research"]
    assert (section.open_questions, "question" in section.waits_for) == (1, True)
    [told] = [one for one in summarise(read.document, 1).sections if one.section_id == "research"]
    assert "question" in told.waits_for
    read.when(asking.resolve(read.asked(), "research", said.comments[0].thread_id))
    assert view_of(read.document).sections["research"].open_questions == 0


@pytest.mark.parametrize(
    ("taken", "digest", "code", "field"),
    [
        ([EDIT], "0" * 64, "return_other_shown", "digest"),
        ([], FOUND.digest, "return_nothing", "sections"),
        ([EDIT, TakenSection("solution", 7)], FOUND.digest, "nothing_written", "version"),
        ([EDIT, TakenSection("nowhere", 1)], FOUND.digest, "nothing_written", "version"),
    ],
)
def test_nothing_is_taken_over_but_what_was_shown(
    read: Story, taken: list[TakenSection], digest: str, code: str, field: str
) -> None:
    (refusal,) = take(read, *taken, digest=digest).events
    assert (refusal.problem.code, refusal.problem.field) == (code, field)
    assert read.document.sections["research"].current_number == 1


def test_a_section_that_has_another_version_by_now_keeps_all_of_it_back(read: Story) -> None:
    read.when(asking.write(read.asked(), "research", 1, ref("newer")))
    (refusal,) = take(read, EDIT).events
    assert refusal.problem.code == "version_old"


def test_a_file_that_nobody_read_and_a_document_that_was_cancelled_are_refused(read: Story) -> None:
    (refusal,) = read.when(asking.apply_return(read.asked(), "return-99", FOUND.digest, [EDIT])).events
    assert refusal.problem.code == "return_unknown"
    read.when(asking.cancel(read.asked()))
    (refusal,) = take(read, EDIT).events
    assert refusal.problem.code == "document_cancelled"


def test_what_both_changed_is_taken_over_only_of_a_section_that_is_named() -> None:
    both = ReturnedSection(section_id="both", version=1, now=2, conflicts=(ReturnedConflict(file="a", document="b"),))
    found = ReturnedDocument(sections=(both, ReturnedSection(section_id="one", version=1, now=1)))
    about: dict[str, Any] = {"document_id": "d", "return_id": "r", "digest": "0" * 64}
    assert [one.section_id for one in chosen(found, r.ApplyReturn(**about))] == ["one"]
    assert [one.section_id for one in chosen(found, r.ApplyReturn(**about, sections=("both",)))] == ["both"]


def test_an_author_has_a_name_in_letters_that_names_have_here() -> None:
    assert [name_of(one) for one in ("Bea Boß", "  ", "")] == ["Bea.Bo", "", ""]
    assert name_of("田中").startswith("word-")
