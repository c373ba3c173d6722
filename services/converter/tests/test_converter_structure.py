"""The structure of a document gives its text back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_converter.markdown import section_tree, source_of
from stemma_testkit.plugin import examples

PIECES = st.sampled_from([
    "# H\n", "## H2\n", "Setext\n===\n", "text\n", "\n", "\n\n", "- item\n", "  - nested\n", "1. one\n", "> quote\n",
    "```py\ncode\n", "```\n", "    indented\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[^1]: note\n", "    more note\n",
    "text[^1]\n", "[ref]: https://x.example\n", "$$\nx\n$$\n", "<div>\n", "</div>\n", "<!-- c\n", "-->\n", "***\n",
    "- [ ] task\n", "![a](b.png)\n", "\t# tab\n", "###### six\n", "- # in list\n", "no end",
])  # fmt: skip


@pytest.mark.req("G12")
@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=80))
@examples(100)
def test_sources_in_order_are_the_exact_text(text: str) -> None:
    assert source_of(*section_tree(text)) == text


@pytest.mark.req("G12")
def test_every_line_number_leads_to_the_source(rich: str) -> None:
    lines = rich.split("\n")

    def check(section: dict[str, Any]) -> None:
        for part in (section, *section["blocks"]):
            assert part["source"].split("\n")[0] == lines[part["line"] - 1]
        for inner in section["sections"]:
            check(inner)

    for section in section_tree(rich)[1]:
        check(section)


@pytest.mark.req("G12")
def test_lists_tables_tasks_code_and_notes_are_described() -> None:
    text = (
        "# A\n\n3. x\n   - y\n\n- [x] z\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```py x\n1\n```\n\n[^n]: note\n\n[r]: u\n"
    )
    _, (section,) = section_tree(text)
    kinds = {block["type"]: block for block in section["blocks"]}
    assert [block["type"] for block in section["blocks"]] == ["list", "list", "table", "code", "footnote"]
    assert section["blocks"][0]["items"] == [
        {"depth": 0, "line": 3, "text": "x"}, {"depth": 1, "line": 4, "text": "y"},
    ]  # fmt: skip
    assert section["blocks"][1]["items"][0] == {"depth": 0, "line": 6, "text": "z", "done": True}
    assert kinds["table"]["rows"] == [["a", "b"], ["1", "2"]]
    assert kinds["table"]["align"] == ["left", "right"]
    assert (kinds["code"]["language"], kinds["code"]["text"]) == ("py", "1\n")
    assert (kinds["footnote"]["label"], kinds["footnote"]["text"]) == ("n", "note")


@pytest.mark.req("G12")
def test_sections_nest_by_level_and_text_before_them_is_kept() -> None:
    preamble, sections = section_tree("before\n\n## B\n\n# A\n\n### C\n\n## D\n")
    assert [block["text"] for block in preamble] == ["before"]
    assert [section["title"] for section in sections] == ["B", "A"]
    assert [section["title"] for section in sections[1]["sections"]] == ["C", "D"]
