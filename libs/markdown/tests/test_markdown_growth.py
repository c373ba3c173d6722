"""Work grows with the length of a text, whatever it holds: counted in calls, not in seconds."""

from __future__ import annotations

import pytest
from stemma_markdown import Document, identify, nothing_identified
from stemma_testkit.counting import calls

HOSTILE = {
    "brackets": "[", "closed brackets": "[[a]", "images": "![", "links": "[a](b) ", "open links": "[a](<b",
    "definitions": "[a]: b\n", "emphasis": "*a _b ", "stars": "*a**b", "strikes": "~~a", "quotes": ">",
    "quoted lines": "> a\nb\n", "backticks": "`a", "spans": "`` ` ", "pipes": "|\n", "tables": "a|b\n-|-\n",
    "lists": "- a\n", "nested lists": "* ", "tags": "<a ", "comments": "<!-- ", "markup": "a<!A", "entities": "&#1",
    "headings": "# a\n", "underlines": "a\n===\n", "fences": "```\n", "footnotes": "[^1]: a[^1]\n", "one line": "word ",
    "breaks": "a  \n", "image links": "[![a](b)](c) ", "escapes": "\\\\[",
    "quotation marks": "\u201c", "sentences": "\u3042\u3002",
}  # fmt: skip


def read(text: str) -> None:
    document = Document(text)
    for name in ("prose", "headings", "images", "links", "footnotes", "fences"):
        assert getattr(document, name) is not None
    assert document.sentences("en") is not None
    identify(nothing_identified(), text)


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_four_times_the_text_is_four_times_the_work(unit: str) -> None:
    few, many = (unit * (size // len(unit)) for size in (1000, 4000))
    read(few)
    assert calls(lambda: read(many)) < 5.5 * calls(lambda: read(few)) + 2000
