"""How the answers to the rows of the ledger stand: by what people say, and by what code finds in each text."""

from typing import Any

import domain_asking as asking
import pytest
from domain_rows import BLOCK, OLD_ANSWERS, OTHER_ROWS, ROWS, decide, edit, looked, looks, outcome, read
from domain_story import Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.ledger import AnswersFound, RequirementAnswer, RowParts
from stemma_domain.features.ledger.answering import open_mandatory, row_of
from stemma_domain.staleness import staleness
from stemma_domain.view import view_of


@pytest.fixture
def written(begun: Story) -> Story:
    """The first section was written before there was a ledger; then two rows were read."""
    begun.reviewable("research")
    read(begun, "R1", "R2")
    return begun


def answer(story: Story, name: str = "R1") -> tuple[str, int, str]:
    row = row_of(story.document, name)
    return row.status, row.version, row.block_id


@pytest.mark.req("L1")
def test_a_row_that_a_written_section_gets_is_looked_for_in_its_text_at_once(written: Story) -> None:
    assert not looks(written)
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    assert (job.section.section_id, job.ledger, job.requirements) == ("research", ROWS, ("R1",))
    looked(written, "R1")
    assert answer(written) == ("addressed", 1, BLOCK)
    assert not looks(written)


@pytest.mark.req("L1")
def test_a_row_that_is_not_found_stays_open_and_is_not_looked_for_again(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written)
    assert answer(written) == ("open", 0, "")
    assert not looks(written)
    assert set(open_mandatory(written.document)) == {"R1", "R2"}


@pytest.mark.req("B4")
def test_what_code_is_not_sure_of_is_to_check_and_counts_as_unanswered_until_a_person_says_so(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written, "R1", sure=False)
    assert answer(written) == ("check", 1, BLOCK)
    assert set(open_mandatory(written.document)) == {"R1", "R2"}
    written.when(asking.export(written.asked(), ExportFormat.DOCX, matrix=True))
    (job,) = written.jobs(j.ConvertDocument)
    assert (job.open_requirements, job.unsure_requirements) == (("R1", "R2"), ("R1",))
    assert [(one.status, one.unsure) for one in job.matrix] == [("open", True), ("open", False)]
    decide(written, requirement_id="R1", status="verified")
    assert answer(written)[0] == "verified"
    edit(written, "another text")
    looked(written, "R1", sure=False)
    assert answer(written) == ("check", 2, BLOCK)


@pytest.mark.req("L1")
def test_a_row_that_nobody_has_is_looked_for_nowhere(written: Story) -> None:
    decide(written, requirement_id="R1", confirmed=True)
    assert not looks(written)


@pytest.mark.req("L1")
def test_a_row_that_came_while_the_text_was_looked_at_is_looked_for_after(begun: Story) -> None:
    read(begun, "R1")
    begun.drafted("research")
    decide(begun, requirement_id="R1", section_id="research")
    begun.validated("research")
    looked(begun, "R1")
    assert answer(begun)[0] == "addressed"


@pytest.mark.req("L1")
def test_a_look_that_says_nothing_of_rows_is_not_repeated(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    outcome(written, o.DraftValidated, job.job_id, validation=validation())
    assert not looks(written)
    assert answer(written)[0] == "open"


@pytest.mark.req("L1")
def test_a_look_that_was_given_up_leaves_what_was_found_before_and_passes_no_more(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    outcome(written, o.JobDead, job.job_id, detail="Stalled")
    [version] = written.document.sections["research"].versions
    assert version.validation == validation().model_copy(update={"passed": False, "not_checked": "Stalled"})


@pytest.mark.req("L1")
def test_a_new_text_that_answers_no_more_opens_the_row_again(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written, "R1")
    edit(written, "another text")
    assert answer(written)[0] == "open"
    looked(written)
    assert answer(written) == ("open", 0, "")
    edit(written, "a third one")
    looked(written, "R1")
    assert answer(written) == ("addressed", 3, BLOCK)


@pytest.mark.req("L1")
@pytest.mark.parametrize("said", ["verified", "addressed"])
def test_what_a_person_says_of_a_text_goes_first_and_lasts_as_long_as_later_ones_answer(
    written: Story, said: str
) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written)
    decide(written, requirement_id="R1", status=said)
    assert answer(written)[0] == said
    edit(written, "another text")
    assert answer(written)[0] == "open"
    looked(written, "R1")
    assert answer(written)[0] == said
    edit(written, "a third one")
    looked(written)
    assert answer(written)[0] == "open"


@pytest.mark.req("L1")
@pytest.mark.parametrize("said", ["open", "not_applicable"])
def test_no_text_changes_what_a_person_says_of_the_row_itself(written: Story, said: str) -> None:
    decide(written, requirement_id="R1", section_id="research", status=said)
    edit(written, "another text")
    if said == "open":
        looked(written, "R1")
    assert answer(written)[0] == said


@pytest.mark.req("L1")
@pytest.mark.req("L2")
def test_what_was_said_and_found_of_a_row_is_not_so_of_its_new_words(written: Story) -> None:
    for name in ("R1", "R2"):
        decide(written, requirement_id=name, section_id="research")
        if name == "R2":
            looked(written, "R1", "R2")
    decide(written, requirement_id="R1", status="verified")
    read(written, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    assert (answer(written, "R1")[0], answer(written, "R2")[0]) == ("open", "addressed")
    looked(written, "R1", "R2")
    assert answer(written, "R1") == ("addressed", 1, BLOCK)


@pytest.mark.req("L1")
def test_what_was_found_of_an_older_reading_does_not_count_and_is_looked_for_again(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (late,) = looks(written)
    read(written, "R1", rows=OTHER_ROWS)
    found = validation().model_copy(update={"answers": OLD_ANSWERS})
    outcome(written, o.DraftValidated, late.job_id, validation=found)
    assert answer(written)[0] == "open"
    looked(written, "R1")
    assert answer(written)[0] == "addressed"


@pytest.mark.req("L1")
def test_what_was_found_in_a_new_text_for_an_older_ledger_does_not_count_and_is_looked_for_again(begun: Story) -> None:
    read(begun, "R1")
    decide(begun, requirement_id="R1", section_id="research")
    begun.drafted("research")
    read(begun, "R1", rows=OTHER_ROWS, changed=("R1",))
    begun.outcome(o.DraftValidated, "research", validation=validation().model_copy(update={"answers": OLD_ANSWERS}))
    assert answer(begun)[0] == "open"
    looked(begun, "R1")
    assert answer(begun) == ("addressed", 1, BLOCK)


@pytest.mark.req("L1")
def test_readers_see_how_each_row_stands_and_by_which_block(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written, "R1")
    seen = view_of(written.document).ledger
    assert seen is not None
    row = seen.standings["R1"]
    assert (row.status, row.version, row.block_id, seen.open_mandatory) == ("addressed", 1, BLOCK, ("R2",))


@pytest.mark.req("L1")
def test_an_export_with_a_matrix_or_a_proof_names_the_blocks_that_answer_and_where_they_lie(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (look,) = looks(written)
    found = (RequirementAnswer(requirement_id="R1", block_id=BLOCK),)
    answers = AnswersFound(rows_digest=ROWS.digest, sought=("R1",), found=found)
    checked = validation().model_copy(update={"answers": answers, "blocks": ref("blocks")})
    outcome(written, o.DraftValidated, look.job_id, validation=checked)
    written.when(asking.export(written.asked(), ExportFormat.DOCX, matrix=True))
    written.when(asking.export(written.asked(), ExportFormat.DOCX))
    written.when(asking.export(written.asked(), ExportFormat.HTML))
    with_matrix, proven, without = written.jobs(j.ConvertDocument)
    for job in (with_matrix, proven):
        assert (job.answers, job.sections[0].blocks) == (found, ref("blocks"))
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
    decide(begun, requirement_id="R1", section_id="research")
    decide(begun, requirement_id="R2", section_id="solution")
    begun.drafted("research")
    looked(begun, "R1")
    begun.approve("research")
    begun.drafted("solution")
    looked(begun, "R2")
    return begun


@pytest.mark.req("L2")
def test_a_row_that_was_given_before_the_text_was_written_makes_nothing_stale(begun: Story) -> None:
    begun.drafted("research")
    read(begun, "R1")
    assert not rows(begun)


@pytest.mark.req("L2")
def test_an_amendment_makes_stale_the_section_whose_row_it_changes_and_no_other(answering: Story) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R2",), withdrawn=("R3",))
    assert isinstance(answering.history[-1], e.RequirementsRead)
    assert marks(answering) == [("solution", ["R2"])]
    assert (rows(answering), rows(answering, "solution")) == ([], [("R2", "changed")])


@pytest.mark.req("L2")
def test_an_amendment_makes_stale_the_section_whose_row_it_withdraws(answering: Story) -> None:
    read(answering, "R2", "R3", rows=OTHER_ROWS, withdrawn=("R1",))
    assert rows(answering) == [("R1", "withdrawn")]


@pytest.mark.req("L2")
def test_what_was_changed_stays_stale_though_the_text_still_seems_to_answer_it_until_a_person_keeps_it(
    answering: Story,
) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    looked(answering, "R1")
    assert rows(answering) == [("R1", "changed")]
    answering.when(asking.keep(answering.asked(), "research", 1))
    assert not rows(answering)


@pytest.mark.req("L2")
def test_a_section_that_is_written_again_is_written_for_the_row_as_it_reads_now(answering: Story) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    looked(answering, "R1")
    answering.when(asking.regenerate(answering.asked(), "research", 1, None, False))
    answering.drafted("research", "again")
    assert not rows(answering)


@pytest.mark.req("L2")
def test_a_row_that_a_written_section_gets_makes_it_stale_once_its_text_was_seen_not_to_answer_it(
    answering: Story,
) -> None:
    decide(answering, requirement_id="R3", section_id="research")
    assert not rows(answering)
    looked(answering, "R1")
    assert marks(answering)[0] == ("research", ["R3"])
    assert rows(answering) == [("R3", "assigned")]
    edit(answering, "with an answer")
    looked(answering, "R1", "R3")
    assert not rows(answering)


@pytest.mark.req("L2")
def test_a_row_that_the_text_answers_already_makes_nothing_stale(answering: Story) -> None:
    decide(answering, requirement_id="R3", section_id="research")
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
    decide(answering, requirement_id="R1", **decision)
    assert not rows(answering)
    assert not [job for job in looks(answering) if "R1" in job.requirements]


@pytest.mark.req("L2")
def test_an_amendment_that_changes_no_row_makes_nothing_stale(answering: Story) -> None:
    read(answering, "R1", "R2", "R3", "R4", rows=OTHER_ROWS, new=1)
    assert not staleness(answering.document)


@pytest.mark.req("L2")
def test_a_row_that_is_cut_makes_nothing_stale_and_each_part_is_looked_for_by_itself(answering: Story) -> None:
    cut = (RowParts(requirement_id="R1", parts=("R1-2",)),)
    answering.when(asking.cut_ledger(answering.asked(), ROWS.digest, OTHER_ROWS, cut))
    assert row_of(answering.document, "R1").status == "open"
    (job,) = looks(answering)
    assert (job.section.section_id, job.requirements) == ("research", ("R1", "R1-2"))
    looked(answering, "R1")
    assert not staleness(answering.document)
    assert [row_of(answering.document, name).status for name in ("R1", "R1-2")] == ["addressed", "open"]
    read(answering, "R1", "R1-2", "R2", "R3", changed=("R1-2",))
    assert rows(answering) == [("R1-2", "changed")]


def suspect(story: Story, name: str = "R1") -> tuple[str, ...]:
    return row_of(story.document, name).suspect


@pytest.mark.req("L1")
def test_a_row_is_suspect_once_it_or_its_section_changes_until_somebody_looks(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    edit(written, "another text")
    assert suspect(written) == ("section",)
    decide(written, requirement_id="R1", owner="ada")
    read(written, "R1", "R2", changed=("R1",))
    decide(written, requirement_id="R2", looked=True)
    assert suspect(written) == ("demand", "section")
    decide(written, requirement_id="R1", confirmed=True)
    assert suspect(written) == ("section",)
    decide(written, requirement_id="R1", looked=True)
    assert (suspect(written), suspect(written, "R2")) == ((), ())


@pytest.mark.req("L1")
def test_nothing_is_suspect_that_nobody_looked_at_that_gets_its_first_text_or_that_does_not_count(
    begun: Story,
) -> None:
    read(begun, "R1", "R2")
    decide(begun, requirement_id="R1", section_id="research")
    begun.settle("research")
    read(begun, "R1", "R2", changed=("R2",))
    assert (suspect(begun), suspect(begun, "R2")) == ((), ())
    decide(begun, requirement_id="R1", looked=True)
    edit(begun, "another text")
    assert suspect(begun) == ("section",)
    decide(begun, requirement_id="R1", dropped=True)
    assert suspect(begun) == ()
    begun.when(asking.restore(begun.asked(), "research", 2, 1))
    decide(begun, requirement_id="R1", dropped=False)
    assert suspect(begun) == ()
