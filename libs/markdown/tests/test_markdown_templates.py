"""Tags of template languages are no content; code that speaks of them is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import without_templates


@pytest.mark.req("T1")
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


@pytest.mark.req("T1")
@pytest.mark.parametrize("tag", ["<%= current_page.data.title %>", "{{ page.title }}", "{{title}}", "{{- .title -}}"])
def test_a_first_heading_that_stands_for_the_title_has_the_title_of_the_front_matter(tag: str) -> None:
    front = '---\nlayout: page\ntitle: "Run a workshop"\n---\n\n'
    assert without_templates(f"{front}# {tag}\n\nb\n\n# {tag}\n") == f"{front}# Run a workshop\n\nb\n\n# {tag}\n"


@pytest.mark.req("T1")
@pytest.mark.parametrize(
    "text", ["# {{ page.title }}\n", "---\na: b\n---\n# {{ title }}\n", "---\ntitle: A\n---\n# {{ title }} b\n"]
)
def test_a_tag_without_a_title_or_beside_other_words_stays(text: str) -> None:
    assert without_templates(text) == text


@given(st.text(alphabet="a{}%#<>= `\n", max_size=60))
def test_lines_keep_their_numbers_whatever_the_tags_are(text: str) -> None:
    assert without_templates(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("piece", ["{%", "{% a %}", "{#", "{{<", "<%", "<% a %>", "{% comment %}", "{%\n"])
def test_hostile_tags_are_read(piece: str) -> None:
    assert without_templates(piece * 20_000) is not None
