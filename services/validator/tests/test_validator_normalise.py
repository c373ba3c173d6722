import json
from typing import Any

import pytest
from pydantic import ValidationError
from stemma_contracts.v1.validation import ValidationIssue
from stemma_validator.engines.base import normalise, read_issues

pytestmark = pytest.mark.req("V1", "V2", "V3")
WORDS, DETAIL = "Headings should be surrounded by blank lines", "Expected: 1; Actual: 0; Above"
MARKDOWNLINT = {
    "fileName": "draft.md", "lineNumber": 2, "ruleNames": ["MD022", "blanks-around-headings"],
    "ruleDescription": WORDS, "errorDetail": DETAIL, "errorContext": "# A", "errorRange": None, "severity": "error",
}  # fmt: skip
RUMDL = {
    "file": "draft.md", "line": 2, "column": 1, "rule": "MD022", "message": DETAIL, "severity": "warning",
    "fixable": True,
}  # fmt: skip


def read(*raw: dict[str, Any]) -> list[ValidationIssue]:
    return [normalise(issue) for issue in read_issues(json.dumps(raw).encode())]


@pytest.mark.parametrize(
    ("raw", "rule", "message", "detail"),
    [
        (MARKDOWNLINT, "MD022", DETAIL, DETAIL),
        (MARKDOWNLINT | {"ruleNames": []}, WORDS, DETAIL, DETAIL),
        (MARKDOWNLINT | {"ruleNames": None}, WORDS, DETAIL, DETAIL),
        (MARKDOWNLINT | {"errorDetail": ""}, "MD022", WORDS, None),
        (MARKDOWNLINT | {"errorDetail": None}, "MD022", WORDS, None),
        (RUMDL, "MD022", DETAIL, DETAIL),
        (RUMDL | {"message": "x" * 10_000}, "MD022", "x" * 300, "x" * 300),
    ],
)
def test_an_issue_of_either_engine_has_one_shape(
    raw: dict[str, Any], rule: str, message: str, detail: str | None
) -> None:
    (issue,) = read(raw)
    assert (issue.line_number, issue.rule, issue.message, issue.error_detail) == (2, rule, message, detail)


def test_one_object_is_read_like_a_list_of_one_and_an_empty_list_is_no_issue() -> None:
    assert read_issues(json.dumps(RUMDL).encode()) == read_issues(json.dumps([RUMDL]).encode())
    assert read() == []


@pytest.mark.parametrize("output", [b"", b"null", b"[1]", b'"text"', b"config error\n[]", b"\xff"])
def test_refuses_what_is_not_a_list_of_issues(output: bytes) -> None:
    with pytest.raises(ValidationError):
        read_issues(output)
