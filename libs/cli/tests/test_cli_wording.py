"""What is known of a document, in the words of the command line."""

from typing import Any

import pytest
from stemma_cli.wording import (
    conclusion_words,
    cost_words,
    count_words,
    cycle_words,
    status_words,
    validation_words,
)
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleSummary
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.validation import ValidationSummary
from stemma_testkit.document_events import REF


def test_what_follows_from_a_review_is_told_in_words() -> None:
    words = [
        conclusion_words(e.ReviewConclusion(needs_revision=needs, revision_count=1, forced_continuation=forced))
        for needs, forced in ((False, False), (True, False), (True, True))
    ]
    assert words == ["no revision needed", "a revision is needed", "gone on in spite of the review"]


@pytest.mark.req("D3", "D5")
def test_how_far_a_document_in_cycles_is_is_told_in_words() -> None:
    begun = CycleSummary(revision_count=1, max_revisions=2)
    assert cycle_words(begun) == "DRAFT, 1 of 2 reviews asked for a revision"
    forced = begun.model_copy(update={"forced_continuation": True})
    assert cycle_words(forced).endswith("the last one was not met any more")


@pytest.mark.req("F1")
@pytest.mark.parametrize(
    ("rules", "short", "long"),
    [
        ({"MD022": 2}, "2 lint issues", "2 lint issues (MD022 2)"),
        ({"STEMMA000": 1}, "not checked", "not checked in full: too late; no lint issues"),
        (
            {"STEMMA000": 1, "MD022": 1},
            "not checked in full, 1 lint issue",
            "not checked in full: too late; 1 lint issue (MD022 1)",
        ),
    ],
)
def test_a_check_that_could_not_be_made_is_no_issue(rules: dict[str, int], short: str, long: str) -> None:
    why = "too late" if "STEMMA000" in rules else ""
    validation = ValidationSummary(
        passed=False, issue_count=sum(rules.values()), rules=rules, engine="e", engine_version="1", not_checked=why
    )
    assert (count_words(validation), validation_words(validation)) == (short, long)


def test_a_need_that_a_service_meets_is_under_way(after: Any) -> None:
    need = Need(need_id="n1", kind="conversion", draft=REF, checkpoint_id="c")
    raised = e.SectionNeedRaised(section_id="research", job_id="j", thread_id="t", need=need)
    assert status_words(after(raised).sections["research"]) == "generating (conversion under way)"


def test_a_small_sum_has_the_digits_that_it_needs() -> None:
    sums = (0, 0.00000012, 0.00451234, 0.00996, 0.0999, 0.256, 1234567.891)
    told = "0.00 0.00000012 0.0045 0.01 0.10 0.26 1234567.89".split()
    assert [cost_words(cost) for cost in sums] == [f"{words} dollars" for words in told]
