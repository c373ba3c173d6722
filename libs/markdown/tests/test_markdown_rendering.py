"""HTML of texts that others wrote."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import html

OURS = {
    *("p", "blockquote", "li", "ul", "ol", "aside", "em", "strong", "del", "span", "sup", "a", "img", "br", "hr"),
    *("pre", "code", "div", "table", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"),
}
ATTRIBUTES = {"id", "data-line", "tabindex", "start", "class", "src", "alt", "loading", "href", "rel"}
HOSTILE = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>)",
    "![x](http://evil.example/a.png)",
    "![x](//evil.example/a.png)",
    '[x](http://a/"onclick="b)',
    "<img src=x onerror=alert(1)>",
    "p <b onclick=x>q</b>",
    "\u202eabc\u202c",
    "x" * 100_000,
)


class Seen(HTMLParser):
    """Fails at what is not ours."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in OURS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        for name, value in attrs:
            if name == "href":
                assert str(value).lower().startswith(("http://", "https://", "mailto:"))
            assert name != "src" or value == "/here"


@pytest.mark.req("H2", "H4")
def test_a_text_is_shown_as_it_is_meant_and_tells_the_lines_of_its_blocks() -> None:
    shown = html("# A *b*\n\np **c** [d](https://e.org)\n\n- f\n\n|g|\n|-|\n|h|\n", level=1)
    assert shown == (
        '<h2 id="line-1" data-line="1">A <em>b</em></h2>\n'
        '<p id="line-3" data-line="3">p <strong>c</strong> '
        '<a href="https://e.org" rel="noopener noreferrer nofollow">d</a></p>\n'
        '<ul id="line-5" data-line="5"><li>f</li>\n</ul>\n'
        '<div class="table" tabindex="0" id="line-7" data-line="7">'
        "<table><tr><th>g</th></tr>\n<tr><td>h</td></tr>\n</table></div>\n"
    )


@pytest.mark.req("H2")
def test_a_part_of_a_text_tells_the_lines_that_it_has_in_the_whole() -> None:
    assert (
        html("a\n\nb\n", first_line=40)
        == '<p id="line-40" data-line="40">a</p>\n<p id="line-42" data-line="42">b</p>\n'
    )


@pytest.mark.req("H4", "H5")
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_hostile_text_becomes_a_tag_or_an_address_of_its_own(text: str) -> None:
    Seen().feed(html(text, lambda name: "/here"))


@pytest.mark.req("H4", "H5")
@given(st.text(alphabet="<>[]()!*`|-#\n \"'&:/ajvscript=on", max_size=200))
def test_whatever_the_text_only_tags_of_ours_come_out(text: str) -> None:
    Seen().feed(html(text, lambda name: "/here"))
