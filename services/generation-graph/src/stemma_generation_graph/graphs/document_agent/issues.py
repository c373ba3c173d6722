"""Issues of a check: those that a chapter keeps are not held against the next one."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from stemma_contracts.v1.validation import ValidationIssue, ValidationReport

MAX_ISSUES = 200
MAX_TOLD = 50


def keyed(report: ValidationReport, text: str) -> list[dict[str, Any]]:
    """The issues of a text, each with a key that stays when lines are added before it."""
    lines = text.split("\n")
    return [{**issue.model_dump(mode="json"), "key": _key(issue, lines)} for issue in report.issues]


def _key(issue: ValidationIssue, lines: Sequence[str]) -> str:
    place = lines[issue.line_number - 1] if 0 < issue.line_number <= len(lines) else issue.message
    return hashlib.sha256(f"{issue.rule}\n{place.strip()}".encode(errors="replace")).hexdigest()[:16]


def still_open(issues: Iterable[dict[str, Any]], accepted: Collection[str]) -> list[dict[str, Any]]:
    """The issues that no earlier chapter was allowed to keep."""
    return [issue for issue in issues if issue.get("key") not in accepted]


def told(issues: Sequence[Mapping[str, Any]]) -> str:
    """The issues in words, for the agent."""
    lines = [f"line {i['line_number']}: {i['message']} ({i['rule']})" for i in issues[:MAX_TOLD]]
    return "\n".join(lines) or "No issues were found."


def rules_of(issues: Iterable[Mapping[str, Any]]) -> str:
    """The rules that are broken, each once, for a warning."""
    return ", ".join(sorted({str(issue["rule"]) for issue in issues}))
