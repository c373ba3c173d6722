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
    """

    target: str
    description: str
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


def images_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Image]:
    """The images of leaves in their order, also those inside links."""
    for leaf in leaves:
        if leaf.token.type == "html_block":
            yield from _html_images(leaf, leaf.content.text, 0, lines)
        for token, base in _inline(leaf.token.children or [], 0):
            start = base + token.meta["span"][0]
            if token.type == "html_inline":
                yield from _html_images(leaf, token.content, start, lines)
            elif token.type == "image":
                begin, end = leaf.content.source(start, base + token.meta["span"][1])
                yield Image(
                    str(token.attrs.get("src", "")),
                    Places(inline_pieces([token], leaf.content, base)).text,
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


def _inline(tokens: list[Token], base: int) -> Iterator[tuple[Token, int]]:
    """Inline tokens, also those in the descriptions of images, with the place that their spans count from."""
    for token in tokens:
        yield token, base
        if token.type == "image":
            yield from _inline(token.children or [], base + token.meta["span"][0] + 2)


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
