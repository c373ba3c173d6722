"""Refusals of earlier releases, with a type for each reason, are read as the one of now."""

import json
from pathlib import Path
from typing import Any

import pytest
from contract_tools.schemas import GOLDEN
from pydantic import ValidationError
from stemma_contracts import Family, registry
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import DecisionRefused
from stemma_contracts.v1.section import SectionStatus

pytestmark = pytest.mark.req("E2")
SAMPLES = sorted(GOLDEN.glob("*/stemma.refused.*.json"))


def read(reason: str, **data: Any) -> DecisionRefused:
    refusal = registry.decode(f"stemma.refused.{reason}.v1", json.dumps(data).encode())
    assert isinstance(refusal, DecisionRefused)
    return refusal


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_each_is_read_with_a_problem_and_whose_request_it_was(path: Path) -> None:
    entry = registry.entry_for(path.stem)
    assert (entry.family, entry.token) == (Family.EVENT, "-".join(path.stem.split(".")[1:-1]))
    body = json.loads(path.read_text(encoding="utf-8"))["full"]["data"]
    told = registry.decode(path.stem, json.dumps(body).encode())
    assert isinstance(told, DecisionRefused)
    kept = json.loads(registry.encode(told))
    assert kept.pop("problem")["message"]
    assert kept == {name: value for name, value in body.items() if name in DecisionRefused.model_fields}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_one_without_any_field_stops_no_document(path: Path) -> None:
    assert registry.decode(path.stem, b"{}")


@pytest.mark.parametrize(
    ("reason", "data", "field", "words"),
    [
        ("old.version", {"version": 1, "current_version": 2}, "version", "version 1 is not current; version 2 is"),
        ("old.version", {"version": 1, "current_version": 0}, "version", "nothing is written in the section yet"),
        ("decided.proposal", {"proposal_id": "p1", "decision": "accepted"}, "proposal_id", "p1 was accepted before"),
        ("answer", {"forms": ["yes", "no"]}, "answer", "this is not understood: answer with one of `yes`, `no`"),
        ("unknown.thread", {"thread_id": "c9", "position": 1}, "sections.1.thread_id", "the section has no thread c9"),
        (
            "unknown.version",
            {"request": "stemma.export.document.v1", "section_id": "plan", "restore_version": 7},
            "redline",
            "the section 'plan' has no version 7",
        ),
    ],
)
def test_one_is_told_in_the_words_of_its_answer(reason: str, data: dict[str, Any], field: str, words: str) -> None:
    problem = read(reason, **data).problem
    assert (problem.field, problem.message) == (field, words)


def test_each_status_is_read() -> None:
    assert [read("status", status=one).problem.code for one in SectionStatus] == [f"section_{o}" for o in SectionStatus]
    assert [read("document.status", document_status=one).problem.code for one in DocumentStatus] == [
        f"document_{one}" for one in DocumentStatus
    ]
    with pytest.raises(ValidationError):
        read("status", status="unheard of")
