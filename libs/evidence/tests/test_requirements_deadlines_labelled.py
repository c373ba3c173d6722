"""Precision and recall of deadlines on five real requests that were labelled by hand (`deadlines/README.md`)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from stemma_evidence.requirements import FoundDeadline, deadlines, requirements

pytestmark = pytest.mark.req("L1")

HERE = Path(__file__).parent
TEXTS = {
    "fedramp-dashboard-rfq": HERE / "labelled" / "fedramp-dashboard-rfq.md",
    "alaska-search-rfp": HERE / "labelled" / "alaska-search-rfp.md",
    "opm-eqip-rfq": HERE / "revisions" / "rfq-5.md",
    "dol-14c-rfq": HERE / "deadlines" / "dol-14c-rfq.md",
    "talentmap-rfq": HERE / "deadlines" / "talentmap-rfq.md",
}
LABELS = [json.loads(line) for line in (HERE / "deadlines" / "labels.jsonl").read_text().splitlines()]
LINES = 12
"""A deadline is told with the line where its sentence begins; a label has that of the time itself."""


@dataclass
class Score:
    """How what is found fits to what was labelled."""

    found: int = 0
    labelled: int = 0
    right: int = 0
    kind: int = 0
    time: int = 0

    def add(self, name: str) -> None:
        found, labels = list(_found(name)), [one for one in LABELS if one["text"] == name]
        self.found += len(found)
        self.labelled += len(labels)
        for label in labels:
            one = next((one for one in found if _fits(label, one)), None)
            if one is not None:
                found.remove(one)
                self.right += 1
                self.kind += one.kind == label["kind"]
                self.time += one.due.time == label["time"]


def _found(name: str) -> Iterator[FoundDeadline]:
    text = TEXTS[name].read_bytes().decode()
    demanded = {(one.unit.line, one.unit.text) for one in requirements(text, "en")}
    return deadlines(text, "en", demanded)


def _fits(label: dict[str, Any], one: FoundDeadline) -> bool:
    if not one.unit.line <= label["line"] <= one.unit.line + LINES or list(one.due.days) != label["days"]:
        return False
    return label["words"] in one.due.written or one.due.written in label["words"]


def score(*names: str) -> Score:
    told = Score()
    for name in names:
        told.add(name)
    print(names, told)
    return told


def test_finds_the_deadlines_of_the_request_that_its_cues_were_tuned_on() -> None:
    told = score("fedramp-dashboard-rfq")
    assert (told.right, told.kind, told.time) == (told.labelled, told.labelled, told.labelled)
    assert told.found == told.labelled


def test_finds_the_deadlines_of_requests_whose_errors_were_not_looked_at() -> None:
    told = score("alaska-search-rfp", "opm-eqip-rfq", "dol-14c-rfq", "talentmap-rfq")
    assert told.right / told.found >= 0.85
    assert told.right / told.labelled >= 0.87
    assert told.kind / told.right >= 0.89
    assert told.time == told.right
