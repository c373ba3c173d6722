"""The requirement ledger: read from the sources, and decided about row by row."""

from typing import Any

import domain_asking as asking
import pytest
from domain_rows import OTHER_ROWS, ROWS, decide, ledger, read, split
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.ledger import (
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    LedgerWarning,
    RequirementDecision,
    RowCuts,
    RowParts,
    SecondOpinion,
)
from stemma_contracts.v1.usage import Usage
from stemma_domain.features.ledger.answering import open_mandatory
from stemma_domain.features.ledger.feature import WrongCutError, split_rows
from stemma_domain.features.ledger.state import Standing
from stemma_domain.view import view_of

pytestmark = pytest.mark.req("L1")


def ask(story: Story, *sources: str, **more: Any) -> j.ExtractRequirements:
    """The reading that is open once somebody asked for one."""
    story.ask(asking.read_ledger, sources, **more).then_types(e.RequirementsRequested)
    return story.job(j.ExtractRequirements)


def standing(story: Story, name: str) -> Standing:
    return ledger(story).standing(name)


def exported(story: Story, *redline: VersionPair, **more: Any) -> j.ConvertDocument:
    story.ask(asking.export, ExportFormat.DOCX, redline, **more)
    return story.jobs(j.ConvertDocument)[-1]


@pytest.mark.req("L2")
def test_a_request_opens_a_reading_of_the_brief_and_the_next_is_compared_with_it(begun: Story) -> None:
    job = ask(begun, "a.pdf", "b.pdf", "a.pdf")
    assert begun.history[-1].sources == ("a.pdf", "b.pdf"), "each is one source"
    assert ([source.name for source in job.sources], job.previous) == (["brief"], None)
    read(begun, "R1", job=job).then_types(e.RequirementsRead)
    assert (begun.jobs(j.ExtractRequirements), ledger(begun).rows) == ([], ROWS)
    late = ask(begun)
    assert late.previous == ROWS
    assert ask(begun).job_id != late.job_id
    read(begun, rows=OTHER_ROWS, job=late).then_types(e.OutcomeSuperseded)


@pytest.mark.parametrize("cls", [o.ExtractionFailed, o.JobDead])
def test_a_reading_that_fails_leaves_the_ledger_as_it_was(begun: Story, cls: Any) -> None:
    read(begun, "R1")
    begun.said(ask(begun), cls, detail="too large").then_types(e.RequirementsUnread)
    assert (ledger(begun).failure, ledger(begun).rows) == ("too large", ROWS)


def test_people_confirm_assign_and_mark_rows_each_decision_beside_the_others(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, "R1", confirmed=True, section_id="research").then_types(e.RequirementsDecided)
    decide(begun, "R1", owner="ada", status="verified")
    decided = Standing(confirmed=True, section_id="research", owner="ada", said="verified", looked=0)
    assert (standing(begun, "R1"), standing(begun, "R2")) == (decided, Standing())


def test_what_is_dropped_merged_or_answered_is_not_open_and_what_is_taken_back_is(begun: Story) -> None:
    read(begun, "R1", "R2", "R3", "R4", others=("R5",))
    decide(begun, "R1", dropped=True)
    decide(begun, "R2", merged_into="R3")
    decide(begun, "R4", status="not_applicable")
    assert set(open_mandatory(begun.document)) == {"R3"}
    decide(begun, "R1", dropped=False)
    decide(begun, "R2", confirmed=True)
    assert set(open_mandatory(begun.document)) == {"R1", "R2", "R3"}
    decide(begun, "R2", merged_into="R3")
    decide(begun, "R2", dropped=False)
    assert standing(begun, "R2").merged_into == ""


@pytest.mark.req("L2")
def test_decisions_stay_with_rows_that_are_still_there_after_an_amendment(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, "R1", confirmed=True, section_id="budget")
    read(begun, "R1", "R3", changed=("R1",), withdrawn=("R2",), new=1)
    assert (standing(begun, "R1").section_id, ledger(begun).row_ids) == ("budget", frozenset({"R1", "R3"}))


def test_a_section_is_written_with_the_rows_that_people_gave_to_it_and_without_any_not_told_of_the_ledger(
    begun: Story,
) -> None:
    read(begun, "R1", "R2", "R3", others=("R4",))
    decide(begun, "R1", section_id="budget")
    job = begun.job(j.GenerateSection)
    assert (job.section.section_id, job.ledger, job.requirements) == ("research", None, ())
    decide(begun, "R4", "R1", "R2", "R3", section_id="research")
    decide(begun, "R2", dropped=True)
    decide(begun, "R3", status="not_applicable")
    job = begun.job(j.GenerateSection)
    assert (job.ledger, job.requirements) == (ROWS, ("R1", "R4"))


def test_an_export_names_what_is_mandatory_and_open_and_a_comparison_does_not(begun: Story) -> None:
    read(begun, "R1", "R2", others=("R3",))
    decide(begun, "R1", status="verified")
    whole = exported(begun)
    assert (whole.open_requirements, whole.ledger) == (("R2",), ROWS)
    compared = exported(begun, VersionPair(section_id="research", from_version=0, to_version=0))
    assert (compared.open_requirements, compared.ledger) == ((), None)


@pytest.mark.req("B6")
def test_an_export_has_the_rules_for_the_bid_and_tells_how_its_file_holds_to_them(begun: Story) -> None:
    read(begun, "R1")
    decide(begun, "R1", status="verified")
    job = exported(begun)
    assert (job.open_requirements, job.ledger) == ((), ROWS)
    checks = (
        RuleCheck(rule_id="B1", kind="page_limit", state="broken", wanted="5", measured="7"),
        RuleCheck(rule_id="B2", kind="copies", state="to_see"),
    )
    (told,) = begun.said(job, o.DocumentConverted, artifact=ref("a.docx"), rules=checks)
    (export,) = begun.document.exports.values()
    assert (told.rules, export.view.counts) == (checks, {"broken_rules": 1})


def test_refuses_rows_and_sections_that_are_not_there_and_decides_nothing(begun: Story) -> None:
    decide(begun, "R1", confirmed=True).then_refused("row_unknown")
    read(begun, "R1")
    decisions = (
        RequirementDecision(requirement_id="R1", confirmed=True),
        RequirementDecision(requirement_id="R9", confirmed=True),
        RequirementDecision(requirement_id="R1", section_id="nowhere"),
        RequirementDecision(requirement_id="R1", merged_into="R8"),
    )
    refused = begun.ask(asking.decide_ledger, decisions)
    assert [refusal.problem.field for refusal in refused] == [
        "decisions.1.requirement_id",
        "decisions.2.section_id",
        "decisions.3.requirement_id",
    ]
    assert standing(begun, "R1") == Standing()
    begun.ask(asking.cancel)
    begun.ask(asking.read_ledger, ()).then_refused("document_cancelled")


def test_an_export_with_a_matrix_says_which_section_answers_what_and_leaves_out_what_is_no_demand(begun: Story) -> None:
    read(begun, "R1", "R2", others=("R3", "R4"))
    decide(begun, "R1", "R3", section_id="research", status="verified")
    decide(begun, "R4", dropped=True)
    with_matrix = exported(begun, matrix=True)
    told = [(one.section_id, one.status, one.requirement_ids) for one in with_matrix.matrix]
    assert told == [("research", "verified", ("R1", "R3")), ("", "open", ("R2",))]
    assert (with_matrix.ledger, exported(begun).matrix) == (ROWS, ())


def test_the_parts_of_a_row_stand_as_it_did_but_whether_they_are_answered_is_open(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, "R1", confirmed=True, section_id="research", owner="ada", status="verified")
    split(begun, "R1", "R1-2", "R1-3").then_types(e.RequirementsSplit)
    stands = Standing(confirmed=True, section_id="research", owner="ada")
    assert [standing(begun, name) for name in ("R1", "R1-2", "R1-3")] == [stands] * 3
    assert open_mandatory(begun.document) == ("R1", "R1-2", "R1-3", "R2")
    job = begun.job(j.GenerateSection)
    assert (job.ledger, job.requirements) == (OTHER_ROWS, ("R1", "R1-2", "R1-3"))


def test_a_reading_that_is_under_way_begins_again_from_the_rows_that_were_cut(begun: Story) -> None:
    read(begun, "R1")
    late = ask(begun)
    split(begun, "R1", "R1-2")
    again = begun.job(j.ExtractRequirements)
    assert (again.job_id != late.job_id, late.previous, again.previous) == (True, ROWS, OTHER_ROWS)
    read(begun, "R1", job=late).then_types(e.OutcomeSuperseded)


def test_refuses_to_cut_words_that_do_not_count_any_more_and_makes_the_same_cut_once(begun: Story) -> None:
    split(begun, "R1", "R1-2").then_refused("rows_changed")
    read(begun, "R1")
    cut = asking.cut_ledger(begun.asked(), ROWS.digest, OTHER_ROWS, (RowParts(requirement_id="R1", parts=("R1-2",)),))
    begun.when(cut)
    begun.when(cut).then_nothing_happened()
    (refusal,) = split(begun, "R1", "R1-2")
    assert refusal.problem.field == "rows_digest"
    begun.ask(asking.cut_ledger, OTHER_ROWS.digest).then_refused("rows_changed")


def read_with_opinion(story: Story) -> j.ProposeRequirements:
    reading = ask(story, second_opinion=True)
    assert not story.jobs(j.ProposeRequirements)
    read(story, "R1", job=reading, new=1)
    return story.job(j.ProposeRequirements)


def test_a_model_is_asked_after_the_rules_if_somebody_wants_that_and_only_adds(begun: Story) -> None:
    read(begun, "R1")
    job = read_with_opinion(begun)
    assert ([source.name for source in job.sources], job.rows, job.recorded_before) == (["brief"], ROWS, ())
    opinion = SecondOpinion(model="m", mandatory=("R2",), others=("R3",), unfounded=1)
    about = {"opinion": opinion, "rows": ref("more rows"), "usage": Usage(input_tokens=7, calls=1)}
    begun.said(job, o.RequirementsProposed, **about).then_types(e.RequirementsAdded)
    found = ledger(begun)
    assert (found.rows, found.summary.mandatory, found.summary.others) == (ref("more rows"), ("R1", "R2"), ("R3",))
    assert (found.opinion, found.summary.new, standing(begun, "R2")) == (opinion, 1, Standing())
    assert begun.document.usage == Usage(input_tokens=7, calls=1)
    assert not begun.jobs(j.ProposeRequirements)
    begun.said(job, o.RequirementsProposed, **about).then_nothing_happened()


def test_a_model_that_fails_leaves_the_ledger_as_it_is_and_that_is_told(begun: Story) -> None:
    begun.said(read_with_opinion(begun), o.JobDead, detail="crashed").then_types(e.RequirementsAdded)
    found = ledger(begun)
    assert (found.rows, found.summary.mandatory, found.failure) == (ROWS, ("R1",), "")
    assert found.opinion == SecondOpinion(failure="crashed")


def test_a_model_that_is_asked_gives_way_to_the_next_reading_and_is_asked_again_for_rows_that_were_cut(
    begun: Story,
) -> None:
    first = read_with_opinion(begun)
    split(begun, "R1", "R1-2")
    second = begun.job(j.ProposeRequirements)
    assert (second.rows, second.recorded_before) == (OTHER_ROWS, (first.job_id,))
    ask(begun)
    assert not begun.jobs(j.ProposeRequirements)
    late = {"opinion": SecondOpinion(mandatory=("R2",)), "rows": ref("late")}
    begun.said(second, o.RequirementsProposed, **late).then_types(e.OutcomeSuperseded)


QUOTE = "The contractor shall train users, write a manual and keep records."


def row(name: str, quote: str = QUOTE) -> LedgerRow:
    return LedgerRow(
        requirement_id=name, source="rfp.md", line=7, quote=quote, kind="work", obligation="should", place="p. 3"
    )


def cuts(name: str, *beginnings: str, of: str = QUOTE) -> RowCuts:
    return RowCuts(requirement_id=name, cuts=tuple(map(of.index, beginnings)))


LEDGER = LedgerRows(given=2, rows=(row("R1"), row("R2", "Answer calls within one hour.")))


def test_each_part_has_a_piece_of_the_words_and_all_else_of_the_row() -> None:
    cut, parts = split_rows(LEDGER, [cuts("R1", "write", "and keep")])
    assert [(one.requirement_id, one.quote) for one in cut.rows] == [
        ("R1", "The contractor shall train users,"),
        ("R1-2", "write a manual"),
        ("R1-3", "and keep records."),
        ("R2", "Answer calls within one hour."),
    ]
    assert [(one.requirement_id, one.parts) for one in parts] == [("R1", ("R1-2", "R1-3"))]
    kept = {(one.place, one.obligation, one.part_of, one.parts_given) for one in cut.rows[:3]}
    assert (kept, cut.rows[3]) == ({("p. 3", "should", "R1", 3)}, LEDGER.rows[1])


def test_parts_of_parts_are_parts_of_the_row_with_numbers_of_their_own() -> None:
    once, _ = split_rows(LEDGER, [cuts("R1", "write")])
    twice, _ = split_rows(once, [cuts("R1-2", "and keep", of=once.rows[1].quote), cuts("R1", "train")])
    assert [one.requirement_id for one in twice.rows] == ["R1", "R1-4", "R1-2", "R1-3", "R2"]
    assert " ".join(one.quote for one in twice.rows[:4]) == QUOTE
    assert {one.parts_given for one in twice.rows[:4]} == {4}


FULL = LedgerRows(given=MOST_ROWS, rows=tuple(row(f"R{number}") for number in range(MOST_ROWS)))


@pytest.mark.parametrize(
    ("rows", "split", "code", "field"),
    [
        (LEDGER, RowCuts(requirement_id="R9", cuts=(4,)), "row_unknown", "splits.0.requirement_id"),
        (LEDGER, RowCuts(requirement_id="R1", cuts=(4, 6)), "cut_within_word", "splits.0.cuts.1"),
        (LEDGER, RowCuts(requirement_id="R1", cuts=(len(QUOTE),)), "cut_within_word", "splits.0.cuts.0"),
        (FULL, cuts("R1", "write"), "rows_too_many", "splits"),
    ],
)
def test_refuses_a_row_that_is_not_there_a_cut_within_a_word_or_behind_the_last_and_too_many_rows(
    rows: LedgerRows, split: RowCuts, code: str, field: str
) -> None:
    with pytest.raises(WrongCutError) as refused:
        split_rows(rows, [split])
    assert (refused.value.problem.code, refused.value.problem.field) == (code, field)


def test_a_warning_of_a_reading_stands_until_a_person_closes_it_and_stays_closed(begun: Story) -> None:
    warnings = tuple(LedgerWarning(code=code, source="rfp.md") for code in ("no_demands", "no_deadlines"))
    read(begun, "R1", warnings=warnings)
    other = LedgerWarning(code="no_demands", source="terms.md")
    begun.ask(asking.decide_ledger, (), (other,)).then_refused("warning_unknown")
    begun.ask(asking.decide_ledger, (), (warnings[0],)).then_types(e.RequirementsDecided)
    read(begun, "R1", warnings=warnings)
    found = view_of(begun.document).ledger
    assert found is not None
    assert found.warnings == (warnings[1],)
