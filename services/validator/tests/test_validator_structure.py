from collections.abc import Iterator
from pathlib import Path

import pytest
from stemma_validator.report import Rule
from stemma_validator.structure import check_structure

pytestmark = pytest.mark.req("V4", "B2")
ASSETS = ("media/plan.png", "media/site plan.png", "media/a(1).png")


def found(body: str, *required: str) -> list[str]:
    issues = check_structure(f"# Title\n\n{body}", frozenset(ASSETS), required)
    rules = {rule.code: rule.name for rule in Rule}
    return [f"{one.line_number} {rules[one.rule]} {one.error_detail or ''}".rstrip() for one in issues]


def cases() -> Iterator[tuple[str, list[str]]]:
    """What stands below a title, and what is found in it."""
    for line in Path(__file__).with_name("structure.tsv").read_text().splitlines():
        body, *issues = line.split("\t")
        yield body.replace("\\n", "\n"), issues


@pytest.mark.parametrize(("body", "issues"), list(cases()))
def test_what_leads_nowhere_and_what_was_left_open_is_found_and_code_and_what_is_there_is_not(
    body: str, issues: list[str]
) -> None:
    assert found(body) == issues


def test_finds_required_headings_that_are_missing_or_empty_whatever_their_case() -> None:
    body = "## Risks and *measures*\n\n> ## Costs\n\n```\n## Schedule\n```\n\n## Team\n"
    assert found(body, "risks  and MEASURES", "Costs", "Schedule", "Team") == [
        "0 REQUIRED_HEADING Costs",
        "0 REQUIRED_HEADING Schedule",
        "11 OPEN_HEADING Nothing of ours stands under it yet. What do we say there? Team",
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        *((text, Rule.EMPTY) for text in ("", "\n \n", "\t")),
        *((text, Rule.TITLE_FIRST) for text in ("Text.\n", "## Two\n", "> # Quoted\n", "[a]: b\n")),
        ("---\ntitle: x\n---\n\n# Title\n\nText.\n", Rule.TITLE_FIRST),
    ],
)
def test_a_draft_that_is_empty_or_does_not_begin_with_its_title_is_one_issue(text: str, rule: Rule) -> None:
    headings = ("Costs",) if rule is Rule.EMPTY else ()
    assert [issue.rule for issue in check_structure(text, (), headings)] == [rule.code]
