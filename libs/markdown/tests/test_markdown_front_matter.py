"""The prose in front matter."""

import pytest
from stemma_markdown import Document, with_prose_of_front_matter

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


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n# A *page*\n\nText.", "A page"),
        ("A page\n======\n", "A page"),
        ("---\nid: 1\n---\n\n# A page\n", "A page"),
        ("---\ntitle: 'Another'\n---\n# A page\n", "A page"),
        ("---\ntitle: 'A page'\n---\n## A part\n", "A page"),
        ("Text.\n\n# A page\n", ""),
        ("## A part\n", ""),
        ("# \n", ""),
        ("", ""),
    ],
)
def test_a_text_is_called_by_the_heading_that_it_begins_with_or_by_its_front_matter(text: str, title: str) -> None:
    assert Document(text).title == title
