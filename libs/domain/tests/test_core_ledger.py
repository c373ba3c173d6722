"""The requirement ledger: read from the sources, and decided about row by row."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, TENANT, Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.ledger import (
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    LedgerSummary,
    LedgerWarning,
    RequirementDecision,
    RowCuts,
    RowParts,
    SecondOpinion,
)
from stemma_contracts.v1.usage import Usage
from stemma_domain.commands import Record
from stemma_domain.features.ledger.answering import open_mandatory
from stemma_domain.features.ledger.feature import WrongCutError, split_rows
from stemma_domain.features.ledger.state import Standing
from stemma_domain.view import view_of


def job_of(story: Story) -> j.ExtractRequirements:
    (job,) = story.jobs(j.ExtractRequirements)
    return job


def record(story: Story, cls: Any, job_id: str, **fields: Any) -> Any:
    return story.when(Record(cls(job_id=job_id, tenant=TENANT, document_id=DOCUMENT, **fields)))


def read(story: Story, *mandatory: str, others: tuple[str, ...] = (), **changes: Any) -> Any:
    story.when(asking.read_ledger(story.asked(), ()))
    found = LedgerSummary(mandatory=mandatory, others=others, **changes)
    about = {"rows": ref("rows"), "difference": ref("difference"), "summary": found}
    return record(story, o.RequirementsExtracted, job_of(story).job_id, **about)


def decide(story: Story, **fields: Any) -> Any:
    return story.when(asking.decide_ledger(story.asked(), (RequirementDecision.model_validate(fields),)))


def standing(story: Story, name: str) -> Standing:
    assert story.document.ledger is not None
    return story.document.ledger.standing(name)


@pytest.mark.req("L1")
def test_a_request_opens_a_reading_of_the_brief_and_its_outcome_closes_it(begun: Story) -> None:
    begun.when(asking.read_ledger(begun.asked(), ())).then_types(e.RequirementsRequested)
    job = job_of(begun)
    assert [source.name for source in job.sources] == ["brief"]
    assert job.previous is None
    about = {"rows": ref("rows"), "difference": ref("difference"), "summary": LedgerSummary(mandatory=("R1",))}
    record(begun, o.RequirementsExtracted, job.job_id, **about).then_types(e.RequirementsRead)
    assert not begun.jobs(j.ExtractRequirements)
    assert begun.document.ledger is not None
    assert begun.document.ledger.rows == ref("rows")


@pytest.mark.req("L1")
def test_an_input_that_is_named_twice_is_one_source(begun: Story) -> None:
    (requested,) = begun.when(asking.read_ledger(begun.asked(), ("a.pdf", "b.pdf", "a.pdf")))
    assert requested.sources == ("a.pdf", "b.pdf")


@pytest.mark.req("L1")
@pytest.mark.req("L2")
def test_a_second_reading_is_compared_with_the_first(begun: Story) -> None:
    read(begun, "R1", "R2")
    begun.when(asking.read_ledger(begun.asked(), ()))
    assert job_of(begun).previous == ref("rows")


@pytest.mark.req("L1")
def test_a_reading_gives_way_to_the_next_and_its_late_outcome_counts_for_nothing(begun: Story) -> None:
    begun.when(asking.read_ledger(begun.asked(), ()))
    late = job_of(begun).job_id
    begun.when(asking.read_ledger(begun.asked(), ()))
    assert job_of(begun).job_id != late
    about = {"rows": ref("rows"), "difference": ref("difference"), "summary": LedgerSummary()}
    record(begun, o.RequirementsExtracted, late, **about).then_types(e.OutcomeSuperseded)


@pytest.mark.req("L1")
@pytest.mark.parametrize("cls", [o.ExtractionFailed, o.JobDead])
def test_a_reading_that_fails_leaves_the_ledger_as_it_was(begun: Story, cls: Any) -> None:
    read(begun, "R1")
    begun.when(asking.read_ledger(begun.asked(), ()))
    record(begun, cls, job_of(begun).job_id, detail="too large").then_types(e.RequirementsUnread)
    assert begun.document.ledger is not None
    assert (begun.document.ledger.failure, begun.document.ledger.rows) == ("too large", ref("rows"))


@pytest.mark.req("L1")
def test_people_confirm_assign_and_mark_rows_each_decision_beside_the_others(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, requirement_id="R1", confirmed=True, section_id="research").then_types(e.RequirementsDecided)
    decide(begun, requirement_id="R1", owner="ada", status="verified")
    decided = Standing(confirmed=True, section_id="research", owner="ada", said="verified", looked=0)
    assert standing(begun, "R1") == decided
    assert standing(begun, "R2") == Standing()


@pytest.mark.req("L1")
def test_what_is_dropped_merged_or_answered_is_not_open_and_what_is_taken_back_is(begun: Story) -> None:
    read(begun, "R1", "R2", "R3", "R4", others=("R5",))
    decide(begun, requirement_id="R1", dropped=True)
    decide(begun, requirement_id="R2", merged_into="R3")
    decide(begun, requirement_id="R4", status="not_applicable")
    assert set(open_mandatory(begun.document)) == {"R3"}
    decide(begun, requirement_id="R1", dropped=False)
    decide(begun, requirement_id="R2", confirmed=True)
    assert set(open_mandatory(begun.document)) == {"R1", "R2", "R3"}
    decide(begun, requirement_id="R2", merged_into="R3")
    decide(begun, requirement_id="R2", dropped=False)
    assert standing(begun, "R2").merged_into == ""


@pytest.mark.req("L1")
@pytest.mark.req("L2")
def test_decisions_stay_with_rows_that_are_still_there_after_an_amendment(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, requirement_id="R1", confirmed=True, section_id="budget")
    read(begun, "R1", "R3", changed=("R1",), withdrawn=("R2",), new=1)
    assert standing(begun, "R1").section_id == "budget"
    assert begun.document.ledger is not None
    assert begun.document.ledger.row_ids == {"R1", "R3"}


@pytest.mark.req("L1")
def test_a_section_is_written_with_the_rows_that_people_gave_to_it(begun: Story) -> None:
    read(begun, "R1", "R2", "R3", others=("R4",))
    for name in ("R4", "R1", "R2", "R3"):
        decide(begun, requirement_id=name, section_id="research")
    decide(begun, requirement_id="R2", dropped=True)
    decide(begun, requirement_id="R3", status="not_applicable")
    (job,) = begun.jobs(j.GenerateSection)
    assert (job.section.section_id, job.ledger, job.requirements) == ("research", ref("rows"), ("R1", "R4"))


@pytest.mark.req("L1")
def test_a_section_without_rows_of_its_own_is_not_told_of_the_ledger(begun: Story) -> None:
    read(begun, "R1")
    decide(begun, requirement_id="R1", section_id="budget")
    (job,) = begun.jobs(j.GenerateSection)
    assert (job.ledger, job.requirements) == (None, ())


@pytest.mark.req("L1")
def test_an_export_names_what_is_mandatory_and_open_and_a_comparison_does_not(begun: Story) -> None:
    read(begun, "R1", "R2", others=("R3",))
    decide(begun, requirement_id="R1", status="verified")
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    begun.when(
        asking.export(
            begun.asked(), ExportFormat.DOCX, (VersionPair(section_id="research", from_version=0, to_version=0),)
        )
    )
    whole, compared = begun.jobs(j.ConvertDocument)
    assert (whole.open_requirements, whole.ledger) == (("R2",), ref("rows"))
    assert (compared.open_requirements, compared.ledger) == ((), None)


@pytest.mark.req("B6")
def test_an_export_has_the_rules_for_the_bid_and_tells_how_its_file_holds_to_them(begun: Story) -> None:
    read(begun, "R1")
    decide(begun, requirement_id="R1", status="verified")
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    (job,) = begun.jobs(j.ConvertDocument)
    assert (job.open_requirements, job.ledger) == ((), ref("rows"))
    checks = (
        RuleCheck(rule_id="B1", kind="page_limit", state="broken", wanted="5", measured="7"),
        RuleCheck(rule_id="B2", kind="copies", state="to_see"),
    )
    (exported,) = record(begun, o.DocumentConverted, job.job_id, artifact=ref("a.docx"), rules=checks)
    (export,) = begun.document.exports.values()
    assert (exported.rules, export.view.counts) == (checks, {"broken_rules": 1})


@pytest.mark.req("L1")
def test_refuses_rows_and_sections_that_are_not_there_and_decides_nothing(begun: Story) -> None:
    read(begun, "R1")
    decisions = (
        RequirementDecision(requirement_id="R1", confirmed=True),
        RequirementDecision(requirement_id="R9", confirmed=True),
        RequirementDecision(requirement_id="R1", section_id="nowhere"),
        RequirementDecision(requirement_id="R1", merged_into="R8"),
    )
    refused = tuple(begun.when(asking.decide_ledger(begun.asked(), decisions)))
    assert [refusal.problem.field for refusal in refused] == [
        "decisions.1.requirement_id",
        "decisions.2.section_id",
        "decisions.3.requirement_id",
    ]
    assert standing(begun, "R1") == Standing()


@pytest.mark.req("L1")
def test_refuses_decisions_before_anything_was_read_and_about_a_cancelled_document(begun: Story) -> None:
    decide(begun, requirement_id="R1", confirmed=True).then_refused("row_unknown")
    begun.when(asking.cancel(begun.asked()))
    begun.when(asking.read_ledger(begun.asked(), ())).then_refused("document_cancelled")


@pytest.mark.req("L1")
def test_an_export_with_a_matrix_says_which_section_answers_what_and_leaves_out_what_is_no_demand(begun: Story) -> None:
    read(begun, "R1", "R2", others=("R3", "R4"))
    decide(begun, requirement_id="R1", section_id="research", status="verified")
    decide(begun, requirement_id="R3", section_id="research", status="verified")
    decide(begun, requirement_id="R4", dropped=True)
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX, matrix=True))
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    with_matrix, without = begun.jobs(j.ConvertDocument)
    told = [(one.section_id, one.status, one.requirement_ids) for one in with_matrix.matrix]
    assert told == [("research", "verified", ("R1", "R3")), ("", "open", ("R2",))]
    assert (with_matrix.ledger, without.matrix) == (ref("rows"), ())


def split(story: Story, name: str, *parts: str, digest: str = "") -> Any:
    cut = (RowParts(requirement_id=name, parts=parts),)
    return story.when(asking.cut_ledger(story.asked(), digest or ref("rows").digest, ref("cut rows"), cut))


@pytest.mark.req("L1")
def test_the_parts_of_a_row_stand_as_it_did_but_whether_they_are_answered_is_open(begun: Story) -> None:
    read(begun, "R1", "R2")
    decide(begun, requirement_id="R1", confirmed=True, section_id="research", owner="ada", status="verified")
    split(begun, "R1", "R1-2", "R1-3").then_types(e.RequirementsSplit)
    assert {standing(begun, name) for name in ("R1", "R1-2", "R1-3")} == {
        Standing(confirmed=True, section_id="research", owner="ada")
    }
    assert open_mandatory(begun.document) == ("R1", "R1-2", "R1-3", "R2")
    (job,) = begun.jobs(j.GenerateSection)
    assert (job.ledger, job.requirements) == (ref("cut rows"), ("R1", "R1-2", "R1-3"))


@pytest.mark.req("L1")
def test_a_reading_that_is_under_way_begins_again_from_the_rows_that_were_cut(begun: Story) -> None:
    read(begun, "R1")
    begun.when(asking.read_ledger(begun.asked(), ()))
    late = job_of(begun)
    split(begun, "R1", "R1-2")
    assert job_of(begun).job_id != late.job_id
    assert (late.previous, job_of(begun).previous) == (ref("rows"), ref("cut rows"))
    about = {"rows": ref("late"), "difference": ref("difference"), "summary": LedgerSummary(mandatory=("R1",))}
    record(begun, o.RequirementsExtracted, late.job_id, **about).then_types(e.OutcomeSuperseded)


@pytest.mark.req("L1")
def test_refuses_to_cut_words_that_do_not_count_any_more(begun: Story) -> None:
    split(begun, "R1", "R1-2").then_refused("rows_changed")
    read(begun, "R1")
    split(begun, "R1", "R1-2")
    (refusal,) = split(begun, "R1", "R1-2")
    assert refusal.problem.field == "rows_digest"
    (unknown,) = begun.when(asking.cut_ledger(begun.asked(), ref("cut rows").digest))
    assert unknown.problem.code == "rows_changed"


@pytest.mark.req("L1")
def test_the_same_cut_again_is_made_once(begun: Story) -> None:
    read(begun, "R1")
    cut = (RowParts(requirement_id="R1", parts=("R1-2",)),)
    command = asking.cut_ledger(begun.asked(), ref("rows").digest, ref("cut rows"), cut)
    begun.when(command)
    begun.when(command).then_nothing_happened()


def read_with_opinion(story: Story) -> j.ProposeRequirements:
    story.when(asking.read_ledger(story.asked(), (), second_opinion=True))
    assert not story.jobs(j.ProposeRequirements)
    about = {"rows": ref("rows"), "difference": ref("difference"), "summary": LedgerSummary(mandatory=("R1",), new=1)}
    record(story, o.RequirementsExtracted, job_of(story).job_id, **about)
    (job,) = story.jobs(j.ProposeRequirements)
    return job


@pytest.mark.req("L1")
def test_a_model_is_asked_after_the_rules_if_somebody_wants_that_and_only_adds(begun: Story) -> None:
    read(begun, "R1")
    assert not begun.jobs(j.ProposeRequirements)
    job = read_with_opinion(begun)
    assert ([source.name for source in job.sources], job.rows, job.recorded_before) == (["brief"], ref("rows"), ())
    opinion = SecondOpinion(model="m", mandatory=("R2",), others=("R3",), unfounded=1)
    about = {"opinion": opinion, "rows": ref("more rows"), "usage": Usage(input_tokens=7, calls=1)}
    record(begun, o.RequirementsProposed, job.job_id, **about).then_types(e.RequirementsAdded)
    found = begun.document.ledger
    assert found is not None
    assert (found.rows, found.summary.mandatory, found.summary.others) == (ref("more rows"), ("R1", "R2"), ("R3",))
    assert (found.opinion, found.summary.new, standing(begun, "R2")) == (opinion, 1, Standing())
    assert begun.document.usage == Usage(input_tokens=7, calls=1)
    assert not begun.jobs(j.ProposeRequirements)
    record(begun, o.RequirementsProposed, job.job_id, **about).then_nothing_happened()


@pytest.mark.req("L1")
def test_a_model_that_fails_leaves_the_ledger_as_it_is_and_that_is_told(begun: Story) -> None:
    job = read_with_opinion(begun)
    record(begun, o.JobDead, job.job_id, detail="crashed").then_types(e.RequirementsAdded)
    found = begun.document.ledger
    assert found is not None
    assert (found.rows, found.summary.mandatory, found.failure) == (ref("rows"), ("R1",), "")
    assert found.opinion == SecondOpinion(failure="crashed")


@pytest.mark.req("L1")
def test_a_model_that_is_asked_gives_way_to_the_next_reading_and_is_asked_again_for_rows_that_were_cut(
    begun: Story,
) -> None:
    first = read_with_opinion(begun)
    split(begun, "R1", "R1-2")
    (second,) = begun.jobs(j.ProposeRequirements)
    assert (second.rows, second.recorded_before) == (ref("cut rows"), (first.job_id,))
    begun.when(asking.read_ledger(begun.asked(), ()))
    assert not begun.jobs(j.ProposeRequirements)
    late = {"opinion": SecondOpinion(mandatory=("R2",)), "rows": ref("late")}
    record(begun, o.RequirementsProposed, second.job_id, **late).then_types(e.OutcomeSuperseded)


QUOTE = "The contractor shall train users, write a manual and keep records."


def row(name: str, quote: str = QUOTE) -> LedgerRow:
    return LedgerRow(
        requirement_id=name, source="rfp.md", line=7, quote=quote, kind="work", obligation="should", place="p. 3"
    )


def cuts(name: str, *beginnings: str, of: str = QUOTE) -> RowCuts:
    return RowCuts(requirement_id=name, cuts=tuple(map(of.index, beginnings)))


LEDGER = LedgerRows(given=2, rows=(row("R1"), row("R2", "Answer calls within one hour.")))


@pytest.mark.req("L1")
def test_each_part_has_a_piece_of_the_words_and_all_else_of_the_row() -> None:
    cut, parts = split_rows(LEDGER, [cuts("R1", "write", "and keep")])
    assert [(one.requirement_id, one.quote) for one in cut.rows] == [
        ("R1", "The contractor shall train users,"),
        ("R1-2", "write a manual"),
        ("R1-3", "and keep records."),
        ("R2", "Answer calls within one hour."),
    ]
    assert [(one.requirement_id, one.parts) for one in parts] == [("R1", ("R1-2", "R1-3"))]
    assert {(one.place, one.obligation, one.part_of, one.parts_given) for one in cut.rows[:3]} == {
        ("p. 3", "should", "R1", 3)
    }
    assert cut.rows[3] == LEDGER.rows[1]


@pytest.mark.req("L1")
def test_parts_of_parts_are_parts_of_the_row_with_numbers_of_their_own() -> None:
    once, _ = split_rows(LEDGER, [cuts("R1", "write")])
    twice, _ = split_rows(once, [cuts("R1-2", "and keep", of=once.rows[1].quote), cuts("R1", "train")])
    assert [one.requirement_id for one in twice.rows] == ["R1", "R1-4", "R1-2", "R1-3", "R2"]
    assert " ".join(one.quote for one in twice.rows[:4]) == QUOTE
    assert {one.parts_given for one in twice.rows[:4]} == {4}


@pytest.mark.req("L1")
@pytest.mark.parametrize(
    ("split", "field"),
    [
        (RowCuts(requirement_id="R9", cuts=(4,)), "splits.0.requirement_id"),
        (RowCuts(requirement_id="R1", cuts=(4, 6)), "splits.0.cuts.1"),
        (RowCuts(requirement_id="R1", cuts=(len(QUOTE),)), "splits.0.cuts.0"),
    ],
)
def test_refuses_a_row_that_is_not_there_and_a_cut_within_a_word_or_behind_the_last(split: RowCuts, field: str) -> None:
    with pytest.raises(WrongCutError) as refused:
        split_rows(LEDGER, [split])
    assert refused.value.problem.field == field


@pytest.mark.req("L1")
def test_refuses_more_rows_than_a_ledger_can_have() -> None:
    full = LedgerRows(given=MOST_ROWS, rows=tuple(row(f"R{number}") for number in range(MOST_ROWS)))
    with pytest.raises(WrongCutError, match=f"at most {MOST_ROWS} rows"):
        split_rows(full, [cuts("R1", "write")])


@pytest.mark.req("L1")
def test_a_warning_of_a_reading_stands_until_a_person_closes_it_and_stays_closed(begun: Story) -> None:
    warnings = tuple(LedgerWarning(code=code, source="rfp.md") for code in ("no_demands", "no_deadlines"))
    read(begun, "R1", warnings=warnings)
    begun.when(asking.decide_ledger(begun.asked(), (), (warnings[0],))).then_types(e.RequirementsDecided)
    read(begun, "R1", warnings=warnings)
    ledger = view_of(begun.document).ledger
    assert ledger is not None
    assert ledger.warnings == (warnings[1],)


@pytest.mark.req("L1")
def test_only_a_warning_that_there_is_can_be_closed(begun: Story) -> None:
    read(begun, "R1", warnings=(LedgerWarning(code="no_demands", source="rfp.md"),))
    other = LedgerWarning(code="no_demands", source="terms.md")
    begun.when(asking.decide_ledger(begun.asked(), (), (other,))).then_refused("warning_unknown")
