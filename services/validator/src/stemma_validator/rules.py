"""The checks beyond lint: what each means, and which rules of a linter say the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stemma_contracts import problems
from stemma_contracts.v1.validation import LONG_ANSWER, NOT_CHECKED, UNACCEPTED_ANSWER, ValidationIssue

_MAX_DETAIL = 200


@dataclass(frozen=True)
class _Row:
    code: str
    description: str
    same_as: str = ""


class Rule(Enum):
    """Rules of ours. ``same_as`` is the linter rule that reports the same fault on the same line."""

    NOT_CHECKED = _Row(NOT_CHECKED, "The draft could not be checked, or not in full")
    EMPTY = _Row("STEMMA001", "The draft is empty")
    TITLE_FIRST = _Row("STEMMA002", "The draft must begin with its level 1 heading", same_as="MD041")
    ONE_TITLE = _Row("STEMMA003", "The draft must have one level 1 heading", same_as="MD025")
    REQUIRED_HEADING = _Row("STEMMA004", "A required heading is missing")
    MISSING_IMAGE = _Row("STEMMA005", "An image is not among the files of the document")
    REMOTE_IMAGE = _Row("STEMMA006", "An image on another host does not become part of the document")
    UNDEFINED_REFERENCE = _Row("STEMMA007", "A link reference has no definition", same_as="MD052")
    UNDEFINED_FOOTNOTE = _Row("STEMMA008", "A footnote has no definition")
    MISSING_ANCHOR = _Row("STEMMA009", "A link leads to a heading that the draft does not have", same_as="MD051")
    MISSING_FILE = _Row("STEMMA010", "A link leads to a file that is not part of the document")
    PLACEHOLDER = _Row("STEMMA011", "A placeholder was left in the text")
    NESTED_FOOTNOTE = _Row("STEMMA012", "A footnote must not refer to a footnote")
    TOO_MANY_WORDS = _Row("limits/words", "The section is longer than its outline allows")
    LONG_ANSWER = _Row(LONG_ANSWER, "An answer is longer than the form allows")
    UNACCEPTED_ANSWER = _Row(UNACCEPTED_ANSWER, "An answer is not one that its field of the form accepts")

    @property
    def code(self) -> str:
        return self.value.code

    @property
    def same_as(self) -> str:
        return self.value.same_as

    def issue(self, line: int, detail: str = "") -> ValidationIssue:
        """The finding as an issue; ``line`` 0 is the whole text."""
        row = self.value
        return ValidationIssue(
            line_number=line,
            rule=row.code,
            rule_description=row.description,
            message=detail[:_MAX_DETAIL] or row.description,
            error_detail=detail[:_MAX_DETAIL] or None,
        )

    def coded(self, line: int, code: str, **params: problems.Param) -> ValidationIssue:
        """The finding with the words of a problem code."""
        params = problems.shortened(params)
        issue = self.issue(line, problems.message(code, params))
        return issue.model_copy(update={"code": code, "params": params})


SAME_FAULT = {rule.code: rule.same_as for rule in Rule}
OF_THE_WHOLE = frozenset(
    [
        "MD053",
        "grounding/citation",
        *(
            name
            for rule in (Rule.UNDEFINED_REFERENCE, Rule.UNDEFINED_FOOTNOTE, Rule.MISSING_ANCHOR)
            for name in (rule.code, rule.same_as)
        ),
    ]
)
"""What an excerpt cannot tell: whether elsewhere stands what it refers to, or what refers to it."""
