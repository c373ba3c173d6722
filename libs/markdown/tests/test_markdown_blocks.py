"""Blocks concatenate back to the source, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Document, fences, split, unwrapped
from stemma_testkit.plugin import examples

PIECES = [
    "# Title", "## Two ##", "Setext\n===", "Setext\n---", "words and more", "two\nlines  ", "- item",
    "- a\n  - b\n\n    c", "1. one\n2. two", "> quote\nlazy", "> > deep", "```py\ncode\n```", "~~~\nopen",
    "    indented", "| a | b |\n|---|---|\n| 1 | 2 |", "<div>\nhtml\n</div>", "<!-- comment", '[ref]: target.md "T"',
    "[^1]: note\n\n    more", "***", "---", "\ttab", "\\", "`", "[", "![a](b.png)", "{% if x %}", "a: b", "\x00",
    "\u2028", "\x0b", "\x85", "\xe9\u0301", "\u3002", "\ufeff",
]  # fmt: skip
ENDS = ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", " \n\t\n", "", " "]

markdown = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(ENDS)), max_size=14).map(
    lambda parts: "".join(piece + end for piece, end in parts)
)


@examples(300)
@given(st.one_of(markdown, st.text(max_size=200)))
def test_blocks_are_the_source_and_lead_to_their_places(text: str) -> None:
    blocks = split(text)
    assert "".join(block.text for block in blocks) == text
    assert all(text[block.start : block.end] == block.text and block.text for block in blocks)
    assert all(block.content + block.gap == block.text for block in blocks)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_each_kind_of_block_with_any_line_end(mark: str, end: str) -> None:
    lines = "---|title: x|---|# T||Words||- a|  - b|> q||```|# no|```|& a &|&---&||<p>x</p>"
    lines += "||[r]: x||[^1]: n||***|Two|---|    code"
    text = mark + lines.replace("|", end).replace("&", "|")
    blocks = [block for block in split(text) if block.kind != "blank"]
    kinds = "front_matter heading paragraph list quote code table html definition footnote rule heading code"
    assert [block.kind for block in blocks] == kinds.split()
    assert [block.level for block in blocks if block.kind == "heading"] == [1, 2]
    assert [block.line for block in blocks] == [1, 4, 6, 8, 10, 12, 15, 18, 20, 22, 24, 25, 27]


@pytest.mark.parametrize(
    "text", ["---\n\nwords\n\n---\n", "---\nwords\n---\n", "---\ntitle: x\n", "---\n---\n", "words\n---\na: b\n---\n"]
)
def test_takes_no_rule_for_front_matter(text: str) -> None:
    assert "front_matter" not in {block.kind for block in split(text)}


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("- a\n\n[b]: c\n[d]: e\n\nwords\n", [("list", 1), ("definition", 3), ("paragraph", 6)]),
        ("[^1]: [^2]: words\n\nmore\n", [("footnote", 1), ("paragraph", 3)]),
        ("{% extends 'base' %}\n{# note #}\n\n# Title\n", [("front_matter", 1), ("heading", 4)]),
    ],
)
def test_definitions_end_a_list_footnotes_share_a_block_and_jinja_is_front_matter(
    text: str, blocks: list[tuple[str, int]]
) -> None:
    assert [(block.kind, block.line) for block in split(text)] == blocks


def test_keeps_spaces_at_a_line_end_with_the_block_and_blank_lines_in_its_gap() -> None:
    (first, _) = split("words  \n\n \nmore")
    assert (first.content, first.gap) == ("words  ", "\n\n \n")


def test_finds_fences_with_their_lines_also_nested_and_open() -> None:
    found = fences("```py x\na\n```\n> ~~~\n> b\n> ~~~\n\n- ````\n  ```\n\n````\nend")
    assert [(f.marker, f.language, f.line, f.last_line, f.nested, f.is_closed) for f in found] == [
        ("```", "py", 1, 3, False, True),
        ("~~~", "", 4, 6, True, True),
        ("````", "", 8, 10, True, False),
        ("````", "", 11, 12, False, False),
    ]


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("```markdown\n# A\n\n```py\nx\n```\nend\n```\n", "# A\n\n```py\nx\n```\nend"),
        ("\n~~~~\n# A\n~~~~", "# A"),
        ("```\nall\n```", "all"),
        *(
            (one, one)
            for one in (
                "```\na\n```\nwords\n```\nb\n```",
                "```py\nx\n```",
                "so:\n```\na\n```",
                "```",
                "",
                "``` ```\n```",
            )
        ),
    ],
)
def test_takes_off_the_fence_around_a_whole_answer_and_leaves_a_text_that_only_holds_fences(
    answer: str, inside: str
) -> None:
    assert unwrapped(answer, "markdown") == inside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  # A #\n\n", "### A #\n\n"),
        ("Two\n lines\n---\n", "### Two lines\n"),
        ("#1 is done\n===\n", "### #1 is done\n"),
        ("##", "###"),
    ],
)
def test_a_heading_at_another_level_has_marks_before_its_words(text: str, expected: str) -> None:
    [block] = split(text)
    assert block.as_heading(3) == expected


FILLED = """# Plan

## Costs

## Risks

<!-- to come -->

## Schedule

### Months

In May.

Team
---

![all](team.png)

## *Tests* `pip`

---

## Costs (net)

> ## Quality
"""


def test_names_the_headings_that_are_missing_or_have_nothing_under_them() -> None:
    wanted = ["Plan", "costs", "RISKS", "Schedule", "Months", "Team", "Tests pip", "*Tests* `pip`", "Quality"]
    lines = {"costs": 3, "RISKS": 5, "Tests pip": 20, "*Tests* `pip`": 20, "Quality": 0}
    assert Document(FILLED).lacking([*wanted, "Costs (net)"]) == lines
    assert not Document(f"{FILLED}\n## Costs\n\nNone.\n\n# Risks\n\n- Tide\n").lacking(["Costs", "Risks"])
