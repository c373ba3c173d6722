"""Images and links of a text, wherever they stand but in code, and where exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from .lines import Lines
from .places import Places, aligned
from .prose import contents, inline_pieces
from .tokens import Inline, Leaf, Token, markup

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
        if leaf.kind == "html":
            yield from _html_images(leaf, contents(leaf), lines)
            continue
        for index, inline in _outside_descriptions(leaf.inlines):
            if inline.kind == "html":
                html = Places(aligned(inline.text, lines.source, inline.start, inline.end))
                yield from _html_images(leaf, html, lines)
            elif inline.kind == "image":
                yield _image(leaf, index, lines)


def _outside_descriptions(inlines: list[Inline]) -> Iterator[tuple[int, Inline]]:
    """The tokens that stand in the description of no image, with their numbers."""
    described = -1
    for index, inline in enumerate(inlines):
        if inline.start >= described:
            yield index, inline
            if inline.kind == "image":
                described = inline.end


def _image(leaf: Leaf, index: int, lines: Lines) -> Image:
    image, inside = leaf.inlines[index], list(_inside(leaf.inlines, index))
    behind = max((inline.end for inline in inside), default=image.start + 2)
    return Image(
        image.target,
        Places(inline_pieces(inside, lines.source)).text,
        markup(inside, lines.source, image.start + 2, lines.source.find("]", behind)),
        image.title,
        lines.number(image.start),
        image.start,
        image.end,
        leaf.in_footnote,
        is_html=False,
    )


def links_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Link]:
    """The links of leaves in their order; links in the description of an image are none."""
    for leaf in leaves:
        for index, inline in _outside_descriptions(leaf.inlines):
            if inline.kind == "link":
                yield Link(
                    inline.target,
                    Places(inline_pieces(_inside(leaf.inlines, index), lines.source)).text,
                    inline.title,
                    lines.number(inline.start),
                    inline.start,
                    inline.end,
                    leaf.in_footnote,
                )


def footnotes_of(tokens: Iterable[Token]) -> Iterator[FootnoteMark]:
    """The labels of footnotes that are defined: first the definitions, then the references to them."""
    references = []
    for token in tokens:
        if isinstance(token, Leaf):
            references += [inline for inline in token.inlines if inline.kind == "footnote"]
        elif token.kind == "footnote":
            yield _mark(str(token.detail), token.start, is_definition=True)
    yield from (_mark(inline.text, inline.start, is_definition=False) for inline in references)


def _mark(label: str, bracket: int, *, is_definition: bool) -> FootnoteMark:
    return FootnoteMark(label, bracket + 2, bracket + 2 + len(label), is_definition)


def _inside(inlines: list[Inline], opening: int) -> Iterator[Inline]:
    """What stands in a link or in the description of an image."""
    end = inlines[opening].end
    following = map(inlines.__getitem__, range(opening + 1, len(inlines)))
    return takewhile(lambda inline: inline.start < end, following)


def _html_images(leaf: Leaf, html: Places, lines: Lines) -> Iterator[Image]:
    for start, tag in _img_tags(html.text):
        values = {key.lower(): double or single or bare for key, double, single, bare in _ATTRIBUTE.findall(tag)}
        begin, end = html.source(start, start + len(tag))
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
