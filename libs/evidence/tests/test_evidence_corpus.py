"""What of the planted defects is found, and how often a clean draft is accused."""

from collections import Counter

import pytest
from evidence_corpus import PAGE, Case, Defect, cases

pytestmark = pytest.mark.req("T3", "T9")

CASES = cases()
EXCHANGED_FOUND = 16
"""Of the exchanged pairs; what is said of both in words that no source has, or in another language, cannot be told."""


@pytest.fixture(scope="module")
def found() -> list[tuple[Case, Defect, bool]]:
    return [
        (case, defect, defect.is_found(case.unsupported(defect.text))) for case in CASES for defect in case.defects()
    ]


@pytest.mark.parametrize("planted", ["invention", "magnitude", "unit"])
def test_every_invented_amount_and_date_is_found(found: list[tuple[Case, Defect, bool]], planted: str) -> None:
    missed = [
        (case.name, defect.text[slice(*defect.places[0])])
        for case, defect, is_found in found
        if defect.planted == planted and defect.kind in ("amount", "date") and not is_found
    ]
    assert missed == []


def test_nearly_every_other_invention_change_and_silent_rounding_is_found(
    found: list[tuple[Case, Defect, bool]],
) -> None:
    planted = [is_found for _, defect, is_found in found if defect.planted not in ("swap", "said-rounding")]
    assert sum(planted) >= 0.98 * len(planted)


def test_most_exchanged_values_are_found(found: list[tuple[Case, Defect, bool]]) -> None:
    assert sum(is_found for _, defect, is_found in found if defect.planted == "swap") >= EXCHANGED_FOUND


def test_rounding_that_is_said_as_such_is_no_finding(found: list[tuple[Case, Defect, bool]]) -> None:
    accused = [case.name for case, defect, is_found in found if defect.planted == "said-rounding" and is_found]
    assert len(accused) <= 1


def test_accuses_a_clean_draft_at_most_once_a_page() -> None:
    accused = Counter({case.name: len(case.unsupported(case.draft)) for case in CASES})
    pages = sum(len(case.draft) for case in CASES) / PAGE
    assert accused.total() <= pages, accused
