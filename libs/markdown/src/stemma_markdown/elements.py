"""What stands in a text: links, images, footnote marks, headings with their anchors, and fenced code."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from .lines import Lines
from .prose import Places, Prose, aligned, contents, inline_pieces, plain_places
from .reading import Inline, Leaf, Token, markup

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


def notes_of(prose: Sequence[Prose], marks: Sequence[FootnoteMark]) -> Mapping[int, tuple[tuple[int, ...], ...]]:
    """The pieces of prose of the footnotes that each other piece refers to, in their order, by numbers."""
    definitions = sorted((mark.start, mark.label) for mark in marks if mark.is_definition)
    units, found = defaultdict[str, list[int]](list), defaultdict[int, list[tuple[int, ...]]](list)
    starts = [one.start for one in prose]
    for number, one in enumerate(prose):
        if one.in_footnote and (at := bisect_right(definitions, (one.start, "\U0010ffff"))):
            units[definitions[at - 1][1]].append(number)
    # A footnote may have many pieces, and be referred to often.
    pieces = {label: tuple(numbers) for label, numbers in units.items()}
    for mark in sorted((mark for mark in marks if not mark.is_definition), key=lambda mark: mark.start):
        number = bisect_right(starts, mark.start) - 1
        if number >= 0 and not prose[number].in_footnote:
            found[number].append(pieces.get(mark.label, ()))
    return {number: tuple(notes) for number, notes in found.items()}


def _mark(label: str, bracket: int, *, is_definition: bool) -> FootnoteMark:
    return FootnoteMark(label, bracket + 2, bracket + 2 + len(label), is_definition)


def _inside(inlines: list[Inline], opening: int) -> Iterator[Inline]:
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


_MARKER = re.compile(r"[ \t]*(`+|~+)")


@dataclass(frozen=True)
class Fence:
    """A fenced code block.

    ``line`` and ``last_line`` count from 1 and hold the fence marks, ``start`` and ``end`` are the range of these
    lines without the last line end. ``text`` is the code; a fence that is not closed ends where what it stands in ends.
    """

    marker: str
    info: str
    text: str
    line: int
    last_line: int
    start: int
    end: int
    nested: bool
    is_closed: bool

    @property
    def language(self) -> str:
        """The first word after the opening mark."""
        return next(iter(self.info.split()), "")


def fences_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Fence]:
    """The fenced code among leaves, also in quotes and lists."""
    for leaf in leaves:
        found = _MARKER.match(lines.source, leaf.start) if leaf.info is not None else None
        if found is None:
            continue
        first, last = lines.number(leaf.start), lines.number(max(leaf.start, leaf.end - 1))
        yield Fence(
            found[1],
            (leaf.info or "").strip(),
            contents(leaf).text,
            first,
            last,
            lines.starts[first - 1],
            lines.starts[last - 1] + len(lines.texts[last - 1].rstrip("\r\n")),
            leaf.depth > 0,
            last > first and _closes(lines.texts[last - 1], found[1]),
        )


def _closes(line: str, marker: str) -> bool:
    bare = line.lstrip("> \t").rstrip()
    return len(bare) >= len(marker) and not bare.strip(marker[0])


_PUNCTUATION = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Heading:
    """A heading that stands in no quote and no list.

    ``level`` is 1 to 6, ``text`` its plain words, ``line`` counts from 1, ``start`` and ``end`` are the range of the
    words in the source (of nothing, if it has none).
    """

    level: int
    text: str
    line: int
    start: int
    end: int


def headings_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Heading]:
    """The headings among leaves."""
    for leaf in leaves:
        if leaf.kind == "heading" and leaf.depth == 0:
            places, line = plain_places(leaf, lines.source), lines.number(leaf.start)
            start, end = places.source(0, len(places.text)) if places.text else (lines.starts[line - 1],) * 2
            yield Heading(leaf.level, " ".join(places.text.split()), line, start, end)


def anchor(heading: str) -> str:
    """The name that GitHub and pandoc's gfm give a heading; a second one of the name is numbered."""
    return _PUNCTUATION.sub("", heading.strip().lower()).replace(" ", "-")


def anchors(headings: Iterable[Heading]) -> set[str]:
    """The anchors of headings, each once."""
    seen: dict[str, int] = {}
    result = set()
    for heading in headings:
        name = anchor(heading.text)
        times = seen.get(name, 0)
        seen[name] = times + 1
        result.add(f"{name}-{times}" if times else name)
    return result
