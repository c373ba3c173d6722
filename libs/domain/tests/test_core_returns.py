"""A file that comes back is compared by a job, and what was shown of it is taken over, all or nothing."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.returned import ReturnedConflict, ReturnedDocument, ReturnedSection, ReturnFigures
from stemma_domain.features.returns import TakenComment, TakenSection, chosen, name_of, written_versions
from stemma_domain.view import summarise, view_of

pytestmark = pytest.mark.req("W2")
FOUND = ref("found", "application/json")
EDIT = TakenSection("research", 1, edits=(("Bea Boss", ref("hers")),))


@pytest.fixture
def returned(begun: Story) -> Story:
    """The section `research` is approved, and a file came back."""
    begun.settle("research")
    begun.ask(asking.read_return, ref("file"), ref("versions")).then_types(e.ReturnRequested)
    job = begun.job(j.CompareReturn)
    assert (job.file, job.versions) == (ref("file"), ref("versions"))
    return begun


@pytest.fixture
def read(returned: Story) -> Story:
    figures = ReturnFigures(edits=1)
    returned.said(returned.job(j.CompareReturn), o.ReturnCompared, found=FOUND, figures=figures).then_types(
        e.ReturnRead
    )
    return returned


def view(story: Story) -> Any:
    (found,) = view_of(story.document).returns.values()
    return found


def take(story: Story, *taken: TakenSection, digest: str = FOUND.digest) -> Any:
    return story.ask(asking.apply_return, next(iter(story.document.returns)), digest, taken)


def test_a_file_is_compared_with_all_versions_and_changes_nothing(read: Story) -> None:
    told = view(read)
    assert (told.state, told.found, told.figures.edits, told.asked_by) == ("done", FOUND, 1, "ada")
    assert [(one.section_id, one.version) for one in written_versions(read.document).versions] == [("research", 1)]
    assert (read.current().number, read.jobs(j.CompareReturn)) == (1, [])


@pytest.mark.parametrize(
    ("outcome", "said", "code"),
    [
        (o.JobDead, {}, "job_dead"),
        (o.ReturnNotCompared, {"code": "return_of_another", "params": {"name": "x"}}, "return_of_another"),
    ],
)
def test_why_a_file_was_not_compared_is_told(
    returned: Story, outcome: type[o.Outcome], said: dict[str, Any], code: str
) -> None:
    returned.said(returned.job(j.CompareReturn), outcome, detail="no", **said).then_types(e.ReturnUnread)
    assert (view(returned).state, view(returned).problem.code) == ("failed", code)


def test_what_is_taken_over_is_an_edit_of_each_author_whom_nobody_vouches_for(read: Story) -> None:
    edits = (("Bea Boss", ref("hers")), ("", ref("both")))
    _, first, second, *_ = take(read, TakenSection("research", 1, edits=edits))
    assert [(one.actor, one.actor_verified, one.version) for one in (first, second)] == [
        ("Bea.Boss", False, 2), ("ada", False, 3),
    ]  # fmt: skip
    assert (read.current().number, view(read).applied) == (3, ("research",))


def test_comments_become_comments_questions_or_an_instruction(read: Story) -> None:
    comments = (TakenComment("Carl", ref("why"), True), TakenComment("Carl", ref("so"), False))
    guidance = ("Shorter.", ref("shorter"))
    _, said, asked, *_ = take(read, TakenSection("research", 1, (), comments, guidance))
    assert (said.actor, [made.asks for made in said.comments]) == ("Carl", [True, False])
    assert (type(asked), asked.instruction, asked.actor) == (e.SectionEditRequested, ref("shorter"), "ada")
    section = view_of(read.document).sections["research"]
    assert (section.open_questions, "question" in section.waits_for) == (1, True)
    assert "question" in summarise(read.document, 1).sections[0].waits_for
    read.ask(asking.resolve, "research", said.comments[0].thread_id)
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
    (refusal,) = take(read, *taken, digest=digest)
    assert (refusal.problem.code, refusal.problem.field, read.current().number) == (code, field, 1)


def test_a_file_nobody_read_a_section_with_another_version_and_a_cancelled_document_are_refused(read: Story) -> None:
    read.ask(asking.apply_return, "return-99", FOUND.digest, [EDIT]).then_refused("return_unknown")
    read.ask(asking.write, "research", 1, ref("newer"))
    take(read, EDIT).then_refused("version_old")
    read.ask(asking.cancel)
    take(read, EDIT).then_refused("document_cancelled")


def test_what_both_changed_is_taken_over_only_of_a_section_that_is_named() -> None:
    both = ReturnedSection(section_id="both", version=1, now=2, conflicts=(ReturnedConflict(file="a", document="b"),))
    found = ReturnedDocument(sections=(both, ReturnedSection(section_id="one", version=1, now=1)))
    about: dict[str, Any] = {"document_id": "d", "return_id": "r", "digest": "0" * 64}
    assert [one.section_id for one in chosen(found, r.ApplyReturn(**about))] == ["one"]
    assert [one.section_id for one in chosen(found, r.ApplyReturn(**about, sections=("both",)))] == ["both"]


def test_an_author_has_a_name_in_letters_that_names_have_here() -> None:
    assert [name_of(one) for one in ("Bea Boß", "  ", "")] == ["Bea.Bo", "", ""]
    assert name_of("田中").startswith("word-")
