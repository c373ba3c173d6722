"""What is found in documents that nobody looked into, and how often text that others wrote is accused."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

import pytest
from evidence_corpus import PAGE, Case, Defect, cases, translations, unseen
from evidence_planting import planted

pytestmark = pytest.mark.req("T3", "T9")
SEED = 2027
Planting = Callable[[Case], Iterable[Defect]]


@dataclass
class Figures:
    """How many of the planted defects are found, by what was planted and kind, and by language; how clean text does."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    planted_in: Counter[str] = field(default_factory=Counter)
    accused: int = 0
    accused_kinds: Counter[str] = field(default_factory=Counter)
    characters: int = 0

    @property
    def pages(self) -> float:
        """The clean text in pages."""
        return self.characters / PAGE

    def share(self, planting: str, *kinds: str) -> float:
        """The share of what was planted that is found; of all kinds if none is named."""
        keys = [key for key in self.planted if key[0] == planting and (not kinds or key[1] in kinds)]
        return sum(self.found[key] for key in keys) / sum(self.planted[key] for key in keys)


def measured(documents: Iterable[Case], planting: Planting) -> Figures:
    """The figures of documents with the defects that are planted in them."""
    figures = Figures()
    for case in documents:
        accused = case.unsupported(case.draft)
        figures.characters += len(case.draft)
        figures.accused += len(accused)
        figures.accused_kinds.update(claim.kind for claim in accused)
        for defect in planting(case):
            key = defect.planted, defect.kind
            figures.planted[key] += 1
            figures.found[key] += defect.is_found(case.unsupported(defect.text))
            figures.planted_in[case.language] += 1
    return figures


def by_seed(case: Case) -> Iterator[Defect]:
    """What the generator plants."""
    return planted(case, SEED)


def inventions(case: Case) -> Iterator[Defect]:
    """What it invents, which comes first."""
    return takewhile(lambda defect: defect.planted == "invention", planted(case, SEED))


def nothing(case: Case) -> tuple[Defect, ...]:
    """No defects: clean text only."""
    return ()


@pytest.fixture(scope="module")
def documents() -> Figures:
    return measured(unseen(), by_seed)


def test_every_amount_and_date_that_is_invented_in_an_unseen_document_is_found() -> None:
    figures = measured(unseen(), inventions)
    assert sum(figures.planted_in.values()) >= 130
    assert len(figures.planted_in) == 9
    assert figures.share("invention", "amount", "date", "quantity", "quotation", "citation") == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("planting", "least"),
    [("changed", 0.97), ("magnitude", 0.97), ("rounding", 0.9), ("swap", 0.85), ("instead", 0.6)],
)
def test_what_else_is_wrong_with_an_unseen_document_is_mostly_found(
    documents: Figures, planting: str, least: float
) -> None:
    assert sum(documents.planted_in.values()) >= 600
    assert documents.share(planting) >= least


@pytest.mark.full
def test_clean_text_of_the_corpus_is_accused_at_most_once_a_page() -> None:
    figures = measured([*cases(), *translations("seen")], nothing)
    assert figures.pages > 40
    assert figures.accused <= figures.pages


def test_clean_text_that_nobody_looked_into_is_accused_at_most_once_a_page() -> None:
    figures = measured([*unseen(), *translations("unseen")], nothing)
    assert figures.pages > 35
    assert figures.accused <= figures.pages
    assert figures.accused_kinds["amount"] + figures.accused_kinds["date"] == 0
