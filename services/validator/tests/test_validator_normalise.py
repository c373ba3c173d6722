import json

import pytest
from pydantic import ValidationError
from stemma_contracts.v1.validation import ValidationIssue
from stemma_validator.engines.base import normalise, read_issues

MARKDOWNLINT = {
    "fileName": "draft.md",
    "lineNumber": 2,
    "ruleNames": ["MD022", "blanks-around-headings"],
    "ruleDescription": "Headings should be surrounded by blank lines",
    "ruleInformation": "https://github.com/DavidAnson/markdownlint/blob/v0.40.0/doc/md022.md",
    "errorDetail": "Expected: 1; Actual: 0; Above",
    "errorContext": "# A",
    "errorRange": None,
    "fixInfo": {"insertText": "\n"},
    "severity": "error",
}
RUMDL = {
    "file": "draft.md",
    "line": 2,
    "column": 1,
    "rule": "MD022",
    "message": "Expected 1 blank line above heading",
    "severity": "warning",
    "fixable": True,
}


def read(*raw: dict[str, object]) -> list[ValidationIssue]:
    return [normalise(issue) for issue in read_issues(json.dumps(raw).encode())]


@pytest.mark.req("V1")
def test_reads_an_issue_of_markdownlint() -> None:
    assert read(MARKDOWNLINT) == [
        ValidationIssue(
            line_number=2,
            rule="MD022",
            rule_description="Headings should be surrounded by blank lines",
            message="Expected: 1; Actual: 0; Above",
            error_detail="Expected: 1; Actual: 0; Above",
        )
    ]


@pytest.mark.req("V1", "V3")
def test_reads_an_issue_of_rumdl_into_the_same_shape() -> None:
    issue = read(RUMDL)[0]
    assert (issue.line_number, issue.rule) == (2, "MD022")
    assert issue.message == issue.error_detail == "Expected 1 blank line above heading"


@pytest.mark.req("V1")
@pytest.mark.parametrize("names", [[], None])
def test_an_issue_without_rule_names_is_named_by_its_description(names: object) -> None:
    assert read(MARKDOWNLINT | {"ruleNames": names})[0].rule == MARKDOWNLINT["ruleDescription"]


@pytest.mark.req("V1")
@pytest.mark.parametrize("detail", ["", None])
def test_an_issue_without_detail_says_its_description(detail: object) -> None:
    issue = read(MARKDOWNLINT | {"errorDetail": detail})[0]
    assert issue.message == MARKDOWNLINT["ruleDescription"]
    assert issue.error_detail is None


@pytest.mark.req("V1")
def test_one_object_is_read_like_a_list_of_one() -> None:
    assert read_issues(json.dumps(RUMDL).encode()) == read_issues(json.dumps([RUMDL]).encode())


def test_an_empty_list_is_no_issue() -> None:
    assert read() == []


@pytest.mark.req("V2")
@pytest.mark.parametrize("output", [b"", b"null", b"[1]", b'"text"', b"config error\n[]", b"\xff"])
def test_refuses_what_is_not_a_list_of_issues(output: bytes) -> None:
    with pytest.raises(ValidationError):
        read_issues(output)


def test_cuts_a_detail_that_quotes_the_draft_at_length() -> None:
    assert len(read(RUMDL | {"message": "x" * 10_000})[0].message) == 300
