"""Images and links of a text, wherever they stand but in code, and where exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from .leaves import Leaf
from .lines import Lines
from .places import Places
from .prose import inline_pieces

_IMG = re.compile(r"<!--|<img\b[^<>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(src|alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))""", re.IGNORECASE)


@dataclass(frozen=True)
class Image:
    """An image: where it leads, its description, its title, its line (from 1) and the range of its markup.

    ``target`` is an address as it must be written in a URL (percent-encoded); of an HTML ``img`` it is as it stands.
    ``markup`` is the description as it is written.
    """

    target: str
    description: str
    markup: str
    title: str
    line: int
    start: int
    end: int
    in_footnote: bool
    is_html: bool


@dataclass(frozen=True)
class Link:
    """A link: where it leads (percent-encoded), its words, its title, its line (from 1) and the range of its markup."""

    target: str
    text: str
    title: str
    line: int
    start: int
    end: int
    in_footnote: bool


@dataclass(frozen=True)
class FootnoteMark:
    """A label of a footnote, at its definition or where it is referred to; the range is that of the label alone."""

    label: str
    start: int
    end: int
    is_definition: bool


def images_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Image]:
    """The images of leaves in their order, also those inside links; in the description of another one there is none."""
    for leaf in leaves:
        if leaf.token.type == "html_block":
            yield from _html_images(leaf, leaf.content.text, 0, lines)
        for token in leaf.token.children or []:
            if token.type == "html_inline":
                yield from _html_images(leaf, token.content, token.meta["span"][0], lines)
            elif token.type == "image":
                yield _image(token, leaf, lines)


def _image(token: Token, leaf: Leaf, lines: Lines) -> Image:
    begin, end = leaf.content.source(*token.meta["span"])
    return Image(
        str(token.attrs.get("src", "")),
        Places(inline_pieces([token], leaf.content, 0)).text,
        token.content,
        str(token.attrs.get("title", "")),
        lines.number(begin),
        begin,
        end,
        leaf.in_footnote,
        is_html=False,
    )


def links_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Link]:
    """The links of leaves in their order; links in the description of an image are none."""
    for leaf in leaves:
        children = leaf.token.children or []
        for index, token in enumerate(children):
            if token.type == "link_open":
                words = Places(inline_pieces(_inside(children, index), leaf.content, 0))
                begin, end = leaf.content.source(*token.meta["span"])
                yield Link(
                    str(token.attrs.get("href", "")),
                    words.text,
                    str(token.attrs.get("title", "")),
                    lines.number(begin),
                    begin,
                    end,
                    leaf.in_footnote,
                )


def footnotes_of(leaves: Iterable[Leaf], tokens: Iterable[Token], lines: Lines) -> Iterator[FootnoteMark]:
    """The labels of footnotes that are defined: first the definitions, then the references to them."""
    for token in tokens:
        if token.type == "footnote_reference_open" and token.map:
            label, line = str(token.meta["label"]), token.map[0]
            start = lines.starts[line] + lines.texts[line].index("[^") + 2
            yield FootnoteMark(label, start, start + len(label), is_definition=True)
    for leaf in leaves:
        for token in leaf.token.children or []:
            if token.type == "footnote_ref":
                begin, end = leaf.content.source(*token.meta["span"])
                yield FootnoteMark(str(token.meta["label"]), begin + 2, end - 1, is_definition=False)


def _inside(tokens: list[Token], opening: int) -> list[Token]:
    level = tokens[opening].level
    closing = (
        n for n in range(opening + 1, len(tokens)) if tokens[n].type == "link_close" and tokens[n].level == level
    )
    return tokens[opening + 1 : next(closing)]


def _html_images(leaf: Leaf, html: str, base: int, lines: Lines) -> Iterator[Image]:
    for start, tag in _img_tags(html):
        values = {key.lower(): double or single or bare for key, double, single, bare in _ATTRIBUTE.findall(tag)}
        begin, end = leaf.content.source(base + start, base + start + len(tag))
        yield Image(
            values.get("src", ""),
            values.get("alt", ""),
            values.get("alt", ""),
            values.get("title", ""),
            lines.number(begin),
            begin,
            end,
            leaf.in_footnote,
            is_html=True,
        )


def _img_tags(html: str) -> Iterator[tuple[int, str]]:
    at = 0
    while found := _IMG.search(html, at):
        at = found.end()
        if found[0] != "<!--":
            yield found.start(), found[0]
        elif (at := html.find("-->", at)) < 0:
            return
