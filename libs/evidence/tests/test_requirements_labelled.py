"""Precision and recall on two real requests that were labelled by hand (`labelled/README.md`)."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from stemma_evidence.requirements import Requirement, requirements

pytestmark = pytest.mark.req("L1")

LABELLED = Path(__file__).parent / "labelled"


@dataclass(frozen=True)
class Score:
    """How what is found fits to what was labelled, as shares."""

    precision: float
    recall: float
    kind: float
    obligation: float


def score(name: str) -> Score:
    text = (LABELLED / f"{name}.md").read_bytes().decode()
    found = {(one.unit.line, one.unit.text): one for one in requirements(text, "en")}
    labels = [json.loads(line) for line in (LABELLED / f"{name}.jsonl").read_text().splitlines()]
    assert len(labels) == 200
    pairs = [(label, found.get((label["line"], label["text"]))) for label in labels]
    right = [(label, one) for label, one in pairs if one is not None and label["requirement"]]
    return Score(
        len(right) / len([one for _, one in pairs if one is not None]),
        len(right) / len([label for label in labels if label["requirement"]]),
        _share(right, "kind"),
        _share(right, "obligation"),
    )


def _share(right: list[tuple[dict[str, object], Requirement]], name: str) -> float:
    return len([one for label, one in right if getattr(one, name) == label[name]]) / len(right)


def test_finds_the_requirements_of_the_request_that_its_cues_were_tuned_on() -> None:
    told = score("fedramp-dashboard-rfq")
    print(told)
    assert told.precision >= 0.97
    assert told.recall >= 0.98
    assert told.kind >= 0.94
    assert told.obligation == 1.0


def test_finds_the_requirements_of_a_request_whose_errors_were_looked_at_once() -> None:
    told = score("alaska-search-rfp")
    print(told)
    assert told.precision >= 0.95
    assert told.recall >= 0.88
    assert told.kind >= 0.90
    assert told.obligation == 1.0
