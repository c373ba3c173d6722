"""What of a text is no content: tags of template languages, options that are not ticked, fields of front matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Document, plain, with_prose_of_front_matter, without_templates, without_unticked

pytestmark = pytest.mark.req("T1", "T3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A {%include a/b.html %}\n", "## A\n"),
        ("a\n\n#### {%include a/b.html %}\n* b\n", "a\n\n\n* b\n"),
        ("{% include a.html %} Any new API\n", "Any new API\n"),
        ("- [a](b) {%include c %}\n- {%- d -%} e\n", "- [a](b)\n- e\n"),
        ("a {% if x %} b {% endif %} c\n", "a b c\n"),
        ("a {# said to writers #}b\n{#id}\n", "a b\n{#id}\n"),
        ('{{< figure src="a.png" >}}\n{{% note %}}a{{% /note %}}\n', "\na\n"),
        ("{% highlight js\n  x %}\na\n", "\n\na\n"),
        ("a{% comment %}\nb\n\nc\n{% endcomment %}d\n", "a\n\n\n\nd\n"),
        (
            "`{% raw %}` {% raw %}\n\n```\n{% x %}\n```\n\n    {% y %}\n",
            "`{% raw %}`\n\n```\n{% x %}\n```\n\n    {% y %}\n",
        ),
        ("`{{ site.time }}` and {{ site.name }}\n", "`{{ site.time }}` and {{ site.name }}\n"),
        ("{% a {% b %}\n", "{% a\n"),
        ("50 {% of it\n\nand %} more\n", "50 {% of it\n\nand %} more\n"),
        ("<% if x %>\na <%# said to writers %>b <%= c %> <%% d %>\n", "\na b <%= c %> <%% d %>\n"),
        ("# A\r\n\r\nb {% c %}\r\n", "# A\r\n\r\nb\r\n"),
    ],
)
def test_a_tag_goes_with_the_space_beside_it_and_code_stays(text: str, expected: str) -> None:
    assert without_templates(text) == expected


@pytest.mark.parametrize("tag", ["<%= current_page.data.title %>", "{{ page.title }}", "{{title}}", "{{- .title -}}"])
def test_a_first_heading_that_stands_for_the_title_has_the_title_of_the_front_matter(tag: str) -> None:
    front = '---\nlayout: page\ntitle: "Run a workshop"\n---\n\n'
    assert without_templates(f"{front}# {tag}\n\nb\n\n# {tag}\n") == f"{front}# Run a workshop\n\nb\n\n# {tag}\n"


@pytest.mark.parametrize(
    "text", ["# {{ page.title }}\n", "---\na: b\n---\n# {{ title }}\n", "---\ntitle: A\n---\n# {{ title }} b\n"]
)
def test_a_tag_without_a_title_or_beside_other_words_stays(text: str) -> None:
    assert without_templates(text) == text


@given(st.text(alphabet="a{}%#<>= `\n", max_size=60))
def test_lines_keep_their_numbers_whatever_the_tags_are(text: str) -> None:
    assert without_templates(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("Choose:\n\n- [ ] Pay 500\n- [x] Pay 700\n- [X] Pay 800\n", "Choose:\nPay 700\nPay 800"),
        ("1. [ ] Pay 500\n   more of it\n\n   - in May\n\n2. Pay 700\n", "Pay 700"),
        ("- Kind\n    - [ ] Pay 500\n    - [x] Pay 700\n", "Kind\nPay 700"),
        ("> - [ ] Pay 500\n>   more\n> - [x] Pay 700\n\nEnd.\n", "Pay 700\nEnd."),
        ("☐ Pay 500 ☒ Pay 700\n", "☒ Pay 700"),
        ("□ Pay 500\n■ Pay 700\n", "■ Pay 700"),
        ("[ ] Pay 500\n[x] Pay 700\n", "Pay 700"),
    ],
)
def test_of_options_those_that_are_ticked_are_said(form: str, said: str) -> None:
    assert plain(without_unticked(form)) == said
    assert without_unticked(form).count("\n") == form.count("\n")


@pytest.mark.parametrize("text", ["| a | ☐ |\n|---|---|\n| ☐ yes | [ ] |\n", "```\n- [ ] a\n```\n", "See [ ] there.\n"])
def test_tables_code_and_empty_brackets_in_a_sentence_stay(text: str) -> None:
    assert without_unticked(text) == text


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


def test_prose_in_front_matter_stands_as_content_on_its_lines_and_the_rest_is_blank() -> None:
    shown = with_prose_of_front_matter(PAGE)
    expected = ["", "", "", "First.", "", "", "## Second", "- item", "  - inner", "", "", *PAGE.splitlines()[11:]]
    expected[11:13] = ["This is a sentence of six words.", ""]
    assert shown.splitlines() == expected


@pytest.mark.parametrize("text", ["", "Text.", "---\ntitle: A page\n---\nText.", "{% a %}\nText.", "---\n---\nText."])
def test_a_text_without_prose_in_front_matter_stays_as_it_is(text: str) -> None:
    assert with_prose_of_front_matter(text) == text


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


@pytest.mark.parametrize("piece", ["{%", "{% a %}", "{#", "{{<", "<%", "<% a %>", "{% comment %}", "{%\n"])
def test_hostile_tags_are_read(piece: str) -> None:
    assert without_templates(piece * 20_000) is not None


@pytest.mark.parametrize("option", ["- [ ] a\n", "☐ a\n"])
def test_very_many_options_are_read_in_time(option: str) -> None:
    assert without_unticked(option * 20_000).strip() == ""
