"""How the answers to the rows of the ledger stand: by what people say, and by what code finds in each text."""

from typing import Any

import domain_asking as asking
import pytest
from domain_rows import BLOCK, OTHER_ROWS, ROWS, decide, edit, found_in, looked, looks, read, split
from domain_story import Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.ledger import RequirementAnswer, RequirementDecision
from stemma_domain.evolve import evolve
from stemma_domain.features.ledger.answering import open_mandatory, row_of
from stemma_domain.staleness import staleness
from stemma_domain.state import NoDocument, State
from stemma_domain.view import view_of

pytestmark = pytest.mark.req("L1")


@pytest.fixture
def written(begun: Story) -> Story:
    """The first section was written before there was a ledger; then two rows were read."""
    begun.reviewable("research")
    read(begun, "R1", "R2")
    return begun


@pytest.fixture
def assigned(written: Story) -> Story:
    """The first section has to answer the first row."""
    decide(written, "R1", section_id="research")
    return written


def answer(story: Story, name: str = "R1") -> tuple[str, int, str]:
    row = row_of(story.document, name)
    return row.status, row.version, row.block_id


def status(story: Story, name: str = "R1") -> str:
    return answer(story, name)[0]


def test_a_row_that_a_written_section_gets_is_looked_for_in_its_text_at_once_and_readers_see_its_block(
    written: Story,
) -> None:
    assert not looks(written)
    decide(written, "R1", section_id="research")
    (job,) = looks(written)
    assert (job.section.section_id, job.ledger, job.requirements) == ("research", ROWS, ("R1",))
    looked(written, "R1")
    assert (answer(written), looks(written)) == (("addressed", 1, BLOCK), [])
    seen = view_of(written.document).ledger
    assert seen is not None
    assert (seen.standings["R1"], seen.open_mandatory) == (row_of(written.document, "R1"), ("R2",))


def test_a_row_that_is_not_found_stays_open_and_is_not_looked_for_again(assigned: Story) -> None:
    looked(assigned)
    assert (answer(assigned), looks(assigned)) == (("open", 0, ""), [])
    assert set(open_mandatory(assigned.document)) == {"R1", "R2"}


@pytest.mark.req("B4")
def test_what_code_is_not_sure_of_is_to_check_and_counts_as_unanswered_until_a_person_says_so(assigned: Story) -> None:
    looked(assigned, "R1", sure=False)
    assert answer(assigned) == ("check", 1, BLOCK)
    assert set(open_mandatory(assigned.document)) == {"R1", "R2"}
    assigned.ask(asking.export, ExportFormat.DOCX, matrix=True)
    job = assigned.job(j.ConvertDocument)
    assert (job.open_requirements, job.unsure_requirements) == (("R1", "R2"), ("R1",))
    assert [(one.status, one.unsure) for one in job.matrix] == [("open", True), ("open", False)]
    decide(assigned, "R1", status="verified")
    assert status(assigned) == "verified"
    edit(assigned, "another text")
    looked(assigned, "R1", sure=False)
    assert answer(assigned) == ("check", 2, BLOCK)


def test_a_row_that_nobody_has_is_looked_for_nowhere(written: Story) -> None:
    decide(written, "R1", confirmed=True)
    assert not looks(written)


def test_a_row_that_came_while_the_text_was_looked_at_is_looked_for_after(begun: Story) -> None:
    read(begun, "R1")
    begun.drafted("research")
    decide(begun, "R1", section_id="research")
    begun.validated("research")
    looked(begun, "R1")
    assert status(begun) == "addressed"


def test_a_look_that_says_nothing_of_rows_is_not_repeated(assigned: Story) -> None:
    assigned.said(looks(assigned)[0], o.DraftValidated, validation=validation())
    assert (looks(assigned), status(assigned)) == ([], "open")


def test_a_look_that_was_given_up_leaves_what_was_found_before_and_passes_no_more(assigned: Story) -> None:
    assigned.said(looks(assigned)[0], o.JobDead, detail="Stalled")
    given_up = validation().model_copy(update={"passed": False, "not_checked": "Stalled"})
    assert assigned.current().validation == given_up


@pytest.mark.parametrize("said", [None, "verified", "addressed"])
def test_what_a_person_says_or_code_finds_of_a_text_lasts_as_long_as_later_ones_answer(
    assigned: Story, said: str | None
) -> None:
    looked(assigned, *([] if said else ["R1"]))
    if said:
        decide(assigned, "R1", status=said)
    assert status(assigned) == (said or "addressed")
    edit(assigned, "another text")
    assert status(assigned) == "open"
    looked(assigned, "R1")
    assert answer(assigned) == (said or "addressed", 2, BLOCK)
    edit(assigned, "a third one")
    looked(assigned)
    assert answer(assigned) == ("open", 0, "")


@pytest.mark.parametrize("said", ["open", "not_applicable"])
def test_no_text_changes_what_a_person_says_of_the_row_itself(assigned: Story, said: str) -> None:
    decide(assigned, "R1", status=said)
    edit(assigned, "another text")
    if said == "open":
        looked(assigned, "R1")
    assert status(assigned) == said


@pytest.mark.req("L2")
def test_what_was_said_and_found_of_a_row_is_not_so_of_its_new_words(assigned: Story) -> None:
    decide(assigned, "R2", section_id="research")
    looked(assigned, "R1", "R2")
    decide(assigned, "R1", status="verified")
    read(assigned, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    assert (status(assigned, "R1"), status(assigned, "R2")) == ("open", "addressed")
    looked(assigned, "R1", "R2")
    assert answer(assigned, "R1") == ("addressed", 1, BLOCK)


@pytest.mark.parametrize("is_new", [True, False], ids=["of a new text", "of one that there was"])
def test_what_was_found_for_an_older_ledger_does_not_count_and_is_looked_for_again(begun: Story, is_new: bool) -> None:
    if not is_new:
        begun.reviewable("research")
    read(begun, "R1")
    decide(begun, "R1", section_id="research")
    if is_new:
        begun.drafted("research")
    (late,) = looks(begun)
    read(begun, "R1", rows=OTHER_ROWS, changed=("R1",) if is_new else ())
    begun.said(late, o.DraftValidated, **found_in(ROWS, "R1", found=("R1",)))
    assert status(begun) == "open"
    looked(begun, "R1")
    assert answer(begun) == ("addressed", 1, BLOCK)


def test_an_export_with_a_matrix_or_a_proof_names_the_blocks_that_answer_and_where_they_lie(assigned: Story) -> None:
    found = found_in(ROWS, "R1", found=("R1",), blocks=ref("blocks"))
    assigned.said(looks(assigned)[0], o.DraftValidated, **found)
    assigned.ask(asking.export, ExportFormat.DOCX, matrix=True)
    assigned.ask(asking.export, ExportFormat.DOCX)
    assigned.ask(asking.export, ExportFormat.HTML)
    with_matrix, proven, without = assigned.jobs(j.ConvertDocument)
    for job in (with_matrix, proven):
        answers = (RequirementAnswer(requirement_id="R1", block_id=BLOCK),)
        assert (job.answers, job.sections[0].blocks) == (answers, ref("blocks"))
    assert (without.answers, without.sections[0].blocks) == ((), None)
    told = [(one.section_id, one.status, one.requirement_ids) for one in with_matrix.matrix]
    assert told == [("research", "addressed", ("R1",)), ("", "open", ("R2",))]


def rows(story: Story, section_id: str = "research") -> list[tuple[str, str]]:
    because = staleness(story.document).get(section_id)
    return [(row.requirement_id, row.change) for row in because.requirements] if because else []


def marks(story: Story) -> list[tuple[str, list[str]]]:
    """What the last event made stale, and by which rows."""
    event: Any = story.history[-1]
    return [(mark.section_id, [row.requirement_id for row in mark.requirements]) for mark in event.makes_stale]


@pytest.fixture
def answering(begun: Story) -> Story:
    """The first section was written for R1, the second for R2."""
    read(begun, "R1", "R2", "R3")
    decide(begun, "R1", section_id="research")
    decide(begun, "R2", section_id="solution")
    begun.drafted("research")
    looked(begun, "R1")
    begun.approve("research")
    begun.drafted("solution")
    looked(begun, "R2")
    return begun


@pytest.mark.req("L2")
def test_an_amendment_makes_stale_the_sections_whose_rows_it_changes_or_withdraws_and_no_other(
    answering: Story,
) -> None:
    read(answering, "R1", "R2", "R3", "R4", rows=OTHER_ROWS, new=1)
    assert not staleness(answering.document)
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R2",), withdrawn=("R3",))
    assert isinstance(answering.history[-1], e.RequirementsRead)
    assert marks(answering) == [("solution", ["R2"])]
    assert (rows(answering), rows(answering, "solution")) == ([], [("R2", "changed")])
    read(answering, "R2", "R3", rows=OTHER_ROWS, withdrawn=("R1",))
    assert rows(answering) == [("R1", "withdrawn")]


@pytest.mark.req("L2")
@pytest.mark.parametrize("kept", [True, False])
def test_what_was_changed_stays_stale_though_the_text_seems_to_answer_it_until_it_is_kept_or_written_again(
    answering: Story, kept: bool
) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    looked(answering, "R1")
    assert rows(answering) == [("R1", "changed")]
    if kept:
        answering.ask(asking.keep, "research", 1)
    else:
        answering.ask(asking.regenerate, "research", 1, None, False)
        answering.drafted("research", "again")
    assert not rows(answering)


@pytest.mark.req("L2")
def test_a_row_that_a_written_section_gets_makes_it_stale_once_its_text_was_seen_not_to_answer_it(
    answering: Story,
) -> None:
    decide(answering, "R3", section_id="research")
    assert not rows(answering)
    looked(answering, "R1")
    assert marks(answering)[0] == ("research", ["R3"])
    assert rows(answering) == [("R3", "assigned")]
    edit(answering, "with an answer")
    looked(answering, "R1", "R3")
    assert not rows(answering)


@pytest.mark.req("L2")
@pytest.mark.parametrize(
    "decision", [{"dropped": True}, {"merged_into": "R2"}, {"section_id": ""}, {"status": "not_applicable"}]
)
def test_a_changed_row_that_people_say_is_none_of_the_sections_does_not_make_it_stale(
    answering: Story, decision: dict[str, Any]
) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    assert rows(answering)
    decide(answering, "R1", **decision)
    assert not rows(answering)
    assert not [job for job in looks(answering) if "R1" in job.requirements]


@pytest.mark.req("L2")
def test_a_row_that_is_cut_makes_nothing_stale_and_each_part_is_looked_for_by_itself(answering: Story) -> None:
    split(answering, "R1", "R1-2")
    assert status(answering) == "open"
    (job,) = looks(answering)
    assert (job.section.section_id, job.requirements) == ("research", ("R1", "R1-2"))
    looked(answering, "R1")
    assert not staleness(answering.document)
    assert [status(answering, name) for name in ("R1", "R1-2")] == ["addressed", "open"]
    read(answering, "R1", "R1-2", "R2", "R3", changed=("R1-2",))
    assert rows(answering) == [("R1-2", "changed")]


def suspect(story: Story, name: str = "R1") -> tuple[str, ...]:
    return row_of(story.document, name).suspect


def test_a_row_is_suspect_once_it_or_its_section_changes_until_somebody_looks(assigned: Story) -> None:
    edit(assigned, "another text")
    assert suspect(assigned) == ("section",)
    decide(assigned, "R1", owner="ada")
    read(assigned, "R1", "R2", changed=("R1",))
    decide(assigned, "R2", looked=True)
    assert suspect(assigned) == ("demand", "section")
    decide(assigned, "R1", confirmed=True)
    assert suspect(assigned) == ("section",)
    decide(assigned, "R1", looked=True)
    assert (suspect(assigned), suspect(assigned, "R2")) == ((), ())


def test_what_is_looked_at_and_said_is_about_the_text_that_was_shown(assigned: Story) -> None:
    def numbered() -> int:
        """Where the log ends, whose events have places as they have on a server."""
        state: State = NoDocument()
        for place, event in enumerate(assigned.history, 1):
            state = evolve(state, event, sequence=place)
        assigned.state = assigned.read = state
        return len(assigned.history)

    def seen(shown: int) -> tuple[tuple[str, ...], str]:
        numbered()
        one = RequirementDecision(requirement_id="R1", status="verified")
        assigned.ask(asking.decide_ledger, (one,), shown=shown)
        return suspect(assigned), status(assigned)

    first = numbered()
    edit(assigned, "another text")
    second = numbered()
    assert seen(first) == (("section",), "open"), "the text before was shown"
    assert seen(second) == ((), "verified")
    edit(assigned, "another text")
    assert seen(second) == ((), "verified"), "the same words were given again"
    assigned.ask(asking.restore, "research", 2, 1)
    assert seen(second) == (("section",), "open"), "the text was shown that is replaced"
    assert seen(numbered()) == ((), "verified")


def test_nothing_is_suspect_that_nobody_looked_at_that_gets_its_first_text_or_that_does_not_count(
    begun: Story,
) -> None:
    read(begun, "R1", "R2")
    decide(begun, "R1", section_id="research")
    begun.settle("research")
    read(begun, "R1", "R2", changed=("R2",))
    assert (suspect(begun), suspect(begun, "R2")) == ((), ())
    decide(begun, "R1", looked=True)
    edit(begun, "another text")
    assert suspect(begun) == ("section",)
    decide(begun, "R1", dropped=True)
    assert suspect(begun) == ()
    begun.ask(asking.restore, "research", 2, 1)
    decide(begun, "R1", dropped=False)
    assert suspect(begun) == ()
