"""Prose, headings, images and links, each with the place where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Document, anchors, headings, images, links, plain, prose
from stemma_testkit.plugin import examples

SAMPLE = """\
# Title *em* #

Para **bold** with [link `x`](a.md "T") and
second &amp; line <b>html</b>.[^1]\\
Break here ![alt *t*](<my img.png> 'ti').

> quote
> more ![r][ref]
> > | a | b\\|c | a |
> > |---|---|---|
> > | `x` | **y** | x |

- item one
  continued
  - nested [n](n.md)

```py
code ![no](no.png)
```

<p><!-- <img src="c.png"> --><img src='h.png' alt="A">text</p>

[ref]: r.png "Ref"

[^1]: Note [text][ref].

Setext *h*
---
"""
WORDS = [
    "word", "*em*", "**st**", "~~x~~", "`co`", "&amp;", "\\*", "[l](u)", "![i](s)", "<b>", "<http://x.y>", "***", "_",
    "~~~", "``", "[", "](", "\n", "  \n", " ", "é", "\\\n", "| ", "# ", "> ", "- ", "1. ", "\t",
]  # fmt: skip
inline_text = st.lists(st.sampled_from(WORDS), max_size=25).map("".join)


@examples(400)
@given(inline_text, st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_letter_of_prose_stands_at_its_place(text: str, end: str) -> None:
    source = text.replace("\n", end)
    for piece in prose(source):
        for place, letter in enumerate(piece.text):
            if letter.isalnum():
                begin, after = piece.source(place, place + 1)
                assert source[begin:after] == letter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_reads_what_a_reader_reads(end: str) -> None:
    assert plain(SAMPLE.replace("\n", end)).split("\n") == [
        "Title em", "Para bold with link x and second & line html.", "Break here alt t.", "quote more r", "a", "b|c",
        "a", "x", "y", "x", "item one continued", "nested n", "code ![no](no.png)", "text", "", "Note text.",
        "Setext h",
    ]  # fmt: skip


def test_tells_what_prose_stands_in() -> None:
    found = {piece.text: piece for piece in prose(SAMPLE)}
    assert (found["b|c"].kind, found["b|c"].quoted) == ("cell", True)
    assert (found["Title em"].kind, found["Title em"].level) == ("heading", 1)
    assert found["Note text."].in_footnote
    assert [piece.line for piece in prose(SAMPLE)] == [1, 3, 7, 9, 9, 9, 11, 11, 11, 13, 15, 17, 21, 25, 27]


def test_finds_a_word_of_a_cell_that_stands_in_others_too() -> None:
    text = "> | a | b\\|a | a |\n> |---|---|---|\n"
    assert [text[piece.start : piece.end] for piece in prose(text)] == ["a", "b\\|a", "a"]
    assert [piece.start for piece in prose(text)] == [4, 8, 15]


def test_finds_images_but_not_in_code_or_comments() -> None:
    found = images(SAMPLE)
    assert [(i.target, i.description, i.title, i.line, i.is_html) for i in found] == [
        ("my%20img.png", "alt t", "ti", 5, False),
        ("r.png", "r", "Ref", 8, False),
        ("h.png", "A", "", 21, True),
    ]
    assert [SAMPLE[i.start : i.end] for i in found] == [
        "![alt *t*](<my img.png> 'ti')",
        "![r][ref]",
        "<img src='h.png' alt=\"A\">",
    ]


def test_finds_links_of_every_form() -> None:
    text = SAMPLE + "\n<http://x.y/z> [![pic](p.png)](big.png) [ref] [ref][]\n"
    found = links(text)
    assert [(link.target, link.text, link.line, link.in_footnote) for link in found] == [
        ("a.md", "link x", 3, False),
        ("n.md", "n", 15, False),
        ("r.png", "text", 25, True),
        ("http://x.y/z", "http://x.y/z", 30, False),
        ("big.png", "pic", 30, False),
        ("r.png", "ref", 30, False),
        ("r.png", "ref", 30, False),
    ]
    assert [text[link.start : link.end] for link in found][3:] == [
        "<http://x.y/z>",
        "[![pic](p.png)](big.png)",
        "[ref]",
        "[ref][]",
    ]
    assert [image.target for image in Document(text).images][-1] == "p.png"


def test_headings_are_those_outside_of_quotes_lists_and_code() -> None:
    text = "# A `b` #\n\n> # no\n\n- # no\n\n```\n# no\n```\n\n#\n\nTwo\nlines\n===\n"
    assert [(h.level, h.text, h.line, text[h.start : h.end]) for h in headings(text)] == [
        (1, "A b", 1, "A `b"),
        (1, "", 11, ""),
        (1, "Two lines", 13, "Two\nlines"),
    ]


def test_anchors_are_numbered_as_github_does() -> None:
    assert anchors(headings("# A b!\n# A b\n# Ü")) == {"a-b", "a-b-1", "ü"}


def test_footnotes_are_marked_at_their_definitions_and_references() -> None:
    text = "Seen[^1] and `[^1]` and \\[^1] and [^none].\n\n> [^1]: Where[^1].\n\n```\n[^1]: no\n```\n"
    found = Document(text).footnotes
    assert [(mark.label, mark.is_definition, mark.start) for mark in found] == [
        ("1", True, text.index("[^1]: Where") + 2),
        ("1", False, text.index("Seen[^1]") + 6),
        ("1", False, text.index("Where[^1]") + 7),
    ]


def test_an_image_in_the_description_of_another_is_none() -> None:
    (image,) = images("![a ![b](c.png) *d*](e.png)")
    assert (image.target, image.description, image.markup) == ("e.png", "a b d", "a ![b](c.png) *d*")


def test_an_escaped_sign_stands_where_its_backslash_does() -> None:
    text = "- \\[a\\] b\n\n\\*c*\n"
    assert [(piece.text, text[piece.start : piece.end]) for piece in prose(text)] == [
        ("[a] b", "\\[a\\] b"),
        ("*c*", "\\*c*"),
    ]


def test_one_tilde_strikes_nothing_out() -> None:
    assert plain("From ~5 to ~6, ~so~ and ~~not~~.") == "From ~5 to ~6, ~so~ and not."


def test_halves_of_characters_and_zeros_are_read_like_others() -> None:
    (piece,) = prose("a \ud800 b\x00 c")
    assert piece.source(len(piece.text) - 1, len(piece.text)) == (7, 8)


def test_code_over_several_lines_of_a_quote_has_its_places() -> None:
    text = "> `one\n> two` and\n> three\n"
    (piece,) = prose(text)
    assert piece.text == "one two and three"
    assert [text[slice(*piece.source(at, at + 3))] for at in (0, 4, 8)] == ["one", "two", "and"]
