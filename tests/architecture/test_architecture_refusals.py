"""Why something was not done has German on the pages of the gateway, as far as the words are finite."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from source_tree import ROOT
from stemma_contracts import Family, problems, registry
from stemma_contracts.v1 import events as e
from stemma_domain.problems import problem_of
from stemma_gateway.problems import ProblemDetails
from stemma_gateway.refusals import reasons

pytestmark = pytest.mark.req("H4")
GATEWAY = ROOT / "services/gateway/src/stemma_gateway"
FOR_PROGRAMS = {"streams.py", "documents.py", "commands.py", "forms.py"}
"""What no page of a browser leads to."""
ERRORS = {
    "Unauthenticated", "SessionEnded", "SignInFailed", "FromElsewhere", "NotFound", "Conflict", "NotYours", "Expired",
    "Invalid", "UnsupportedMedia", "TooLarge", "TooSlow", "TooMany", "Busy", "InvalidCutError",
}  # fmt: skip


def is_german(said: str) -> bool:
    problem = ProblemDetails(type="urn:stemma:problem:invalid", title="Bad", status=422, detail=said)
    return not any(reason.is_foreign for reason in reasons(problem, "de"))


def sentence(node: ast.expr) -> str:
    """A sentence in a program with something in each of its places; empty if it is no sentence."""
    match node:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=values):
            return "".join(
                sentence(each) if isinstance(each, ast.Constant) else "'x'" if quoted(each) else "x" for each in values
            )
        case _:
            return ""


def quoted(place: ast.expr) -> bool:
    return isinstance(place, ast.FormattedValue) and place.conversion == ord("r")


def said_in(file: Path) -> Iterator[str]:
    """What a program says where it raises an error that a page tells."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
            yield sentence(node.args[0])


def test_every_reason_that_the_gateway_gives_to_people_is_in_german() -> None:
    files = [file for file in GATEWAY.rglob("*.py") if file.name not in FOR_PROGRAMS]
    found = {said for file in files for said in said_in(file) if " " in said.replace("x: x", "")}
    assert len(found) > 40
    assert [said for said in sorted(found) if not is_german(said)] == []


def test_every_refusal_of_the_orchestrator_has_a_code() -> None:
    refusals = [
        registry.decode(entry.ce_type, json.dumps(sample["data"]).encode())
        for entry in registry.entries(Family.EVENT)
        if issubclass(entry.cls, e.DecisionRefused)
        for file in ROOT.glob(f"contracts/golden/*/{entry.ce_type}.json")
        for name, sample in json.loads(file.read_text(encoding="utf-8")).items()
        if name != "subject"
    ]
    assert len({type(refusal) for refusal in refusals}) > 25
    codes = {problem_of(refusal).code for refusal in refusals if isinstance(refusal, get_args(e.AnyRefusal))}
    assert codes <= set(problems.codes())
