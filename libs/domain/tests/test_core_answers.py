"""How the answers to the rows of the ledger stand: by what people say, and by what code finds in each text."""

from __future__ import annotations

import domain_asking as asking
import pytest
from domain_rows import BLOCK, OLD_ANSWERS, OTHER_ROWS, ROWS, decide, edit, looked, looks, outcome, read
from domain_story import Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.ledger import AnswersFound, RequirementAnswer
from stemma_domain.features.ledger.answering import open_mandatory, row_of
from stemma_domain.view import view_of

pytestmark = pytest.mark.req("L1")


@pytest.fixture
def written(begun: Story) -> Story:
    """The first section was written before there was a ledger; then two rows were read."""
    begun.reviewable("research")
    read(begun, "R1", "R2")
    return begun


def answer(story: Story, name: str = "R1") -> tuple[str, int, str]:
    row = row_of(story.document, name)
    return row.status, row.version, row.block_id


def test_a_row_that_a_written_section_gets_is_looked_for_in_its_text_at_once(written: Story) -> None:
    assert not looks(written)
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    assert (job.section.section_id, job.ledger, job.requirements) == ("research", ROWS, ("R1",))
    looked(written, "R1")
    assert answer(written) == ("addressed", 1, BLOCK)
    assert not looks(written)


def test_a_row_that_is_not_found_stays_open_and_is_not_looked_for_again(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written)
    assert answer(written) == ("open", 0, "")
    assert not looks(written)
    assert set(open_mandatory(written.document)) == {"R1", "R2"}


def test_a_row_that_nobody_has_is_looked_for_nowhere(written: Story) -> None:
    decide(written, requirement_id="R1", confirmed=True)
    assert not looks(written)


def test_a_row_that_came_while_the_text_was_looked_at_is_looked_for_after(begun: Story) -> None:
    read(begun, "R1")
    begun.drafted("research")
    decide(begun, requirement_id="R1", section_id="research")
    begun.validated("research")
    looked(begun, "R1")
    assert answer(begun)[0] == "addressed"


def test_a_look_that_says_nothing_of_rows_is_not_repeated(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    outcome(written, o.DraftValidated, job.job_id, validation=validation())
    assert not looks(written)
    assert answer(written)[0] == "open"


def test_a_look_that_was_given_up_leaves_what_was_found_before_and_passes_no_more(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (job,) = looks(written)
    outcome(written, o.JobDead, job.job_id, detail="Stalled")
    [version] = written.document.sections["research"].versions
    assert version.validation == validation().model_copy(update={"passed": False, "not_checked": "Stalled"})


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


@pytest.mark.parametrize("said", ["open", "not_applicable"])
def test_no_text_changes_what_a_person_says_of_the_row_itself(written: Story, said: str) -> None:
    decide(written, requirement_id="R1", section_id="research", status=said)
    edit(written, "another text")
    if said == "open":
        looked(written, "R1")
    assert answer(written)[0] == said


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


def test_what_was_found_of_an_older_reading_does_not_count_and_is_looked_for_again(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (late,) = looks(written)
    read(written, "R1", rows=OTHER_ROWS)
    found = validation().model_copy(update={"answers": OLD_ANSWERS})
    outcome(written, o.DraftValidated, late.job_id, validation=found)
    assert answer(written)[0] == "open"
    looked(written, "R1")
    assert answer(written)[0] == "addressed"


def test_what_was_found_in_a_new_text_for_an_older_ledger_does_not_count_and_is_looked_for_again(begun: Story) -> None:
    read(begun, "R1")
    decide(begun, requirement_id="R1", section_id="research")
    begun.drafted("research")
    read(begun, "R1", rows=OTHER_ROWS, changed=("R1",))
    begun.outcome(o.DraftValidated, "research", validation=validation().model_copy(update={"answers": OLD_ANSWERS}))
    assert answer(begun)[0] == "open"
    looked(begun, "R1")
    assert answer(begun) == ("addressed", 1, BLOCK)


def test_an_export_names_what_is_truly_open_and_the_matrix_what_code_found(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written, "R1")
    written.when(asking.export(written.asked(), ExportFormat.DOCX, matrix=True))
    (job,) = (job for job in written.open_jobs().values() if isinstance(job, j.ConvertDocument))
    assert job.open_requirements == ("R2",)
    told = [(one.section_id, one.status, one.requirement_ids) for one in job.matrix]
    assert told == [("research", "addressed", ("R1",)), ("", "open", ("R2",))]


def test_readers_see_how_each_row_stands_and_by_which_block(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    looked(written, "R1")
    seen = view_of(written.document).ledger
    assert seen is not None
    row = seen.standings["R1"]
    assert (row.status, row.version, row.block_id, seen.open_mandatory) == ("addressed", 1, BLOCK, ("R2",))


def test_an_export_with_a_matrix_names_the_blocks_that_answer_and_where_they_lie(written: Story) -> None:
    decide(written, requirement_id="R1", section_id="research")
    (look,) = looks(written)
    found = (RequirementAnswer(requirement_id="R1", block_id=BLOCK),)
    answers = AnswersFound(rows_digest=ROWS.digest, sought=("R1",), found=found)
    checked = validation().model_copy(update={"answers": answers, "blocks": ref("blocks")})
    outcome(written, o.DraftValidated, look.job_id, validation=checked)
    written.when(asking.export(written.asked(), ExportFormat.DOCX, matrix=True))
    written.when(asking.export(written.asked(), ExportFormat.DOCX))
    with_matrix, without = (job for job in written.open_jobs().values() if isinstance(job, j.ConvertDocument))
    assert (with_matrix.answers, with_matrix.sections[0].blocks) == (found, ref("blocks"))
    assert (without.answers, without.sections[0].blocks) == ((), None)
