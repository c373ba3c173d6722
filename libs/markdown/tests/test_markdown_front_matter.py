"""The prose in front matter."""

from __future__ import annotations

import pytest
from stemma_markdown import with_prose_of_front_matter

PAGE = """---
title: A page
content: >-
  First.


  ## Second
  - item
    - inner
files:
  - name: a.pdf
intro: "This is a sentence of six words."
---
Below.
"""


@pytest.mark.req("T3")
def test_prose_in_front_matter_stands_as_content_on_its_lines_and_the_rest_is_blank() -> None:
    shown = with_prose_of_front_matter(PAGE)
    expected = ["", "", "", "First.", "", "", "## Second", "- item", "  - inner", "", "", *PAGE.splitlines()[11:]]
    expected[11:13] = ["This is a sentence of six words.", ""]
    assert shown.splitlines() == expected


@pytest.mark.req("T3")
@pytest.mark.parametrize("text", ["", "Text.", "---\ntitle: A page\n---\nText.", "{% a %}\nText.", "---\n---\nText."])
def test_a_text_without_prose_in_front_matter_stays_as_it_is(text: str) -> None:
    assert with_prose_of_front_matter(text) == text
