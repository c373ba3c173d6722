"""What was found in a text, in the language of the desk: our words by their codes, those of others as they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from stemma_client.findings import Finding
from stemma_contracts import problems

WRITTEN_IN = problems.WRITTEN_IN
"""What services write findings in."""
OF_THE_LINTER = "MD"


@dataclass(frozen=True)
class Told:
    """A finding as people read it: what it is called, what it says, and what it says it of.

    ``is_foreign``: the detail is in the words of a tool, which are of `WRITTEN_IN`.
    """

    name: str
    words: str
    detail: str
    is_foreign: bool
    line: int


def told(findings: Iterable[Finding], language: str) -> tuple[Told, ...]:
    return tuple(_of_rule(one, language) if one.kind == "lint" else _of_other(one, language) for one in findings)


def name_of(name: str, language: str) -> str:
    """What a criterion, a check or a warning is called; one that is not ours by its own name."""
    names: Mapping[str, str] = _catalogue(language)["names"]
    return names.get(name.replace(" ", "_"), name.replace("_", " "))


def _of_rule(finding: Finding, language: str) -> Told:
    rule, message = finding.name, finding.message
    is_said = message == _catalogue(WRITTEN_IN)["rules"].get(rule)
    said = translated(finding, language)
    is_foreign = not said and rule.startswith(OF_THE_LINTER)
    detail = "" if is_said else said or message
    return Told(rule, _catalogue(language)["rules"].get(rule, ""), detail, is_foreign, finding.line)


def _of_other(finding: Finding, language: str) -> Told:
    name = _catalogue(language)["rules"].get(finding.name) or name_of(finding.name, language)
    words = translated(finding, language)
    return Told(name, words, "" if words else finding.message, False, finding.line)


def translated(finding: Finding, language: str) -> str:
    if language == WRITTEN_IN:
        return finding.message
    return problems.sentence(finding.code, finding.params, language) or ""


@cache
def _catalogue(language: str) -> Mapping[str, Any]:
    file = files("stemma_gateway") / "desk" / "findings" / f"{language}.json"
    catalogue: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return catalogue
