"""The figures of the corpus as a table; ``python libs/evidence/tests/evidence_table.py`` prints those of every set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from evidence_corpus import PAGE, Case, Defect, cases, quoted, translations, unseen
from evidence_planting import planted

SEED = 2027
Planting = Callable[[Case], Iterable[Defect]]


@dataclass
class Figures:
    """How many of the planted defects are found, by what was planted and kind, and by language; how clean text does."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    planted_in: Counter[str] = field(default_factory=Counter)
    found_in: Counter[str] = field(default_factory=Counter)
    accused: Counter[str] = field(default_factory=Counter)
    accused_kinds: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)

    @property
    def pages(self) -> float:
        """The clean text in pages."""
        return self.characters.total() / PAGE

    def share(self, planting: str, *kinds: str) -> float:
        """The share of what was planted that is found; of all kinds if none is named."""
        keys = [key for key in self.planted if key[0] == planting and (not kinds or key[1] in kinds)]
        return sum(self.found[key] for key in keys) / sum(self.planted[key] for key in keys)

    def lines(self) -> Iterator[str]:
        """The table."""
        for key in sorted(self.planted):
            yield f"  {' '.join(key):24} {self.found[key]:4} of {self.planted[key]:4}"
        for language in sorted(self.planted_in):
            yield f"  {language:24} {self.found_in[language]:4} of {self.planted_in[language]:4}"
        for language in sorted(self.characters):
            pages = self.characters[language] / PAGE
            yield f"  clean {language:18} {self.accused[language]:4} false on {pages:5.1f} pages"
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.accused_kinds.most_common())
        yield f"  clean, all               {self.accused.total():4} false on {self.pages:5.1f} pages ({kinds})"


def measured(documents: Iterable[Case], planting: Planting) -> Figures:
    """The figures of documents with the defects that are planted in them."""
    figures = Figures()
    for case in documents:
        accused = case.unsupported(case.draft)
        figures.characters[case.language] += len(case.draft)
        figures.accused[case.language] += len(accused)
        figures.accused_kinds.update(claim.kind for claim in accused)
        for defect in planting(case):
            is_found = defect.is_found(case.unsupported(defect.text))
            key = defect.planted, defect.kind
            figures.planted[key] += 1
            figures.found[key] += is_found
            if defect.planted != "said-rounding":
                figures.planted_in[case.language] += 1
                figures.found_in[case.language] += is_found
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


def main() -> None:
    """Print the figures of every set."""
    for title, figures in (
        ("the corpus", measured(cases(), Case.defects)),
        ("the corpus, planted by the generator", measured(cases(), by_seed)),
        ("documents that quote their sources", measured(quoted(), nothing)),
        ("translations", measured(translations("seen"), nothing)),
        ("unseen documents, planted by the generator", measured(unseen(), by_seed)),
        ("unseen translations", measured(translations("unseen"), nothing)),
    ):
        print(f"\n{title}", *figures.lines(), sep="\n")


if __name__ == "__main__":
    main()
