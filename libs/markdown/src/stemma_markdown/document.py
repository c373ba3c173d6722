"""A Markdown text, read once for whatever is asked of it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from .blocks import Block, split
from .elements import (
    Fence,
    FootnoteMark,
    Heading,
    Image,
    Link,
    fences_of,
    footnotes_of,
    headings_of,
    images_of,
    links_of,
    notes_of,
)
from .lines import Lines, title_in_front_matter, with_title_of_front_matter
from .prose import Prose, prose_of
from .reading import Leaf, Token, read
from .sentences import Sentence, sentences_of

KEPT_CHARACTERS, KEPT_DOCUMENTS = 16 * 1024, 32
"""A document that was parsed takes some thirty bytes for each character."""


class Document:
    """What stands in a text; the text is parsed when it is first asked for."""

    def __init__(self, text: str, *, math: bool = False) -> None:
        """With ``math`` what stands between dollar signs is a formula."""
        self.text = text
        self._lines = Lines(text)
        self._math = math

    def line(self, place: int) -> int:
        """The line, counted from 1, that a place in the text is on."""
        return self._lines.number(place)

    def line_start(self, place: int) -> int:
        """Where the line begins that a place in the text is on."""
        return self._lines.starts[self.line(place) - 1]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks; their texts, joined, are the text."""
        return split(self.text)

    @cached_property
    def tokens(self) -> list[Token]:
        """The syntax tree as a flat row, without front matter."""
        return read(self._lines, math=self._math)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The headings that stand in no quote and no list."""
        return tuple(headings_of(self._leaves, self._lines))

    @cached_property
    def title(self) -> str:
        """What the text calls itself: the first-level heading that it begins with, else the title in front matter."""
        first = next((block for block in self.blocks if block.kind not in ("front_matter", "blank")), None)
        return self.headings[0].text if first and first.level == 1 else title_in_front_matter(self._lines)

    @cached_property
    def prose(self) -> tuple[Prose, ...]:
        """The pieces of prose and code; empty ones are left out."""
        return tuple(prose_of(self._leaves, self._lines))

    @cached_property
    def plain(self) -> str:
        """The text without its markup: a line for each paragraph, heading and cell, code as it is."""
        return "\n".join(piece.text for piece in self.prose)

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """The images, also HTML ones and those inside links; not what looks like one in code."""
        return tuple(images_of(self._leaves, self._lines))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links."""
        return tuple(links_of(self._leaves, self._lines))

    @cached_property
    def footnotes(self) -> tuple[FootnoteMark, ...]:
        """The labels of the footnotes that are defined, at their definitions and where they are referred to."""
        return tuple(footnotes_of(self.tokens))

    @cached_property
    def notes(self) -> Mapping[int, tuple[tuple[int, ...], ...]]:
        """Of each piece of prose that refers to footnotes the pieces that these are, by numbers of ``prose``."""
        return notes_of(self.prose, self.footnotes)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """The fenced code blocks, also those in quotes and lists; a text without their marks is not parsed for it."""
        if "```" not in self.text and "~~~" not in self.text:
            return ()
        return tuple(fences_of(self._leaves, self._lines))

    @cached_property
    def code(self) -> tuple[tuple[int, int], ...]:
        """The ranges of code in their order, as blocks and within lines."""
        return tuple(sorted(code_of(self._leaves)))

    @cached_property
    def without_templates(self) -> str:
        """The text without tags of template languages, such as ``{% include x %}``; lines keep their numbers.

        What stands in code stays, and so does ``{{ x }}``: it stands for words that only the template knows, but for
        the title of the front matter in the first heading.
        """
        titled = with_title_of_front_matter(self.text)
        if titled != self.text:
            return Document(titled).without_templates
        tags = list(tags_of(self.text))
        return cleared(self.text, tags, self.code) if tags else self.text

    def lacking(self, headings: Iterable[str]) -> dict[str, int]:
        """Which of these headings are missing, with 0, or have nothing under them, with their line.

        A heading counts as it is written, or by its plain words; case and spaces do not count.
        """
        plain, found = {heading.line: heading.text for heading in self.headings}, dict[str, int]()
        for block, filled in _with_filled(self.blocks):
            for name in {folded(block.content.strip("# ")), folded(plain.get(block.line, ""))}:
                found[name] = 0 if filled else found.get(name, block.line)
        lines = {heading: found.get(folded(heading)) for heading in headings}
        return {heading: line or 0 for heading, line in lines.items() if line != 0}

    def sentences(self, language: str) -> tuple[Sentence, ...]:
        """The sentences of paragraphs, list items and quotes; ``language`` is a BCP 47 tag such as ``de``."""
        return tuple(sentences_of(self.prose, language))

    @cached_property
    def _leaves(self) -> list[Leaf]:
        return [token for token in self.tokens if isinstance(token, Leaf)]


_NOTHING_SAID = frozenset(("heading", "rule", "blank", "definition", "footnote", "front_matter"))
_HTML = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_SAYS = re.compile(r"[^\W_]")


def _with_filled(blocks: Iterable[Block]) -> list[tuple[Block, bool]]:
    """The headings, each with whether something stands under it or under a heading of it."""
    found, over = list[tuple[Block, bool]](), list[int]()
    for block in blocks:
        if block.kind == "heading":
            over = [place for place in over if found[place][0].level < block.level] + [len(found)]
            found.append((block, False))
        elif over and block.kind not in _NOTHING_SAID and _SAYS.search(_shown(block)):
            for place in over:
                found[place] = found[place][0], True
            over.clear()
    return found


def _shown(block: Block) -> str:
    return _HTML.sub("", block.text) if block.kind == "html" else block.text


def folded(words: str) -> str:
    return " ".join(words.split()).casefold()


def document_of(text: str) -> Document:
    """The text as a document; a short one that was asked for just before is the same object, and parsed once."""
    return _kept(text) if len(text) <= KEPT_CHARACTERS else Document(text)


_kept = lru_cache(maxsize=KEPT_DOCUMENTS)(Document)


def headings(text: str) -> tuple[Heading, ...]:
    """The headings of a text that stand in no quote and no list."""
    return Document(text).headings


def prose(text: str) -> tuple[Prose, ...]:
    """The pieces of prose and code of a text, with the places of their words; empty ones are left out."""
    return Document(text).prose


def plain(text: str) -> str:
    """A text without its markup: a line for each paragraph, heading and cell, code as it is."""
    return Document(text).plain


def images(text: str) -> tuple[Image, ...]:
    """The images of a text, also HTML ones and those inside links; not what looks like one in code."""
    return Document(text).images


def links(text: str) -> tuple[Link, ...]:
    """The links of a text."""
    return Document(text).links


def fences(text: str) -> tuple[Fence, ...]:
    """The fenced code blocks of a text, also those in quotes and lists."""
    return Document(text).fences


def sentences(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences of a text's paragraphs, list items and quotes; ``language`` is a BCP 47 tag such as ``de``."""
    return Document(text).sentences(language)


def without_templates(text: str) -> str:
    """A text without tags of template languages, such as ``{% include x %}``; lines keep their numbers."""
    return Document(text).without_templates


_CLOSERS = {"{{%": "%}}", "{{<": ">}}", "{%": "%}", "{#": "#}", "<%": "%>"}
_OPENER = re.compile(r"\{\{[%<]|\{[%#]|<%(?![=%])")
_COMMENT = re.compile(r"\{%-?\s{0,9}comment\s{0,9}-?%\}")
_END_OF_COMMENT = re.compile(r"\{%-?\s{0,9}endcomment\s{0,9}-?%\}")
_MOST_CHARACTERS = 2_000
"""What is longer is no tag."""

_Range = tuple[int, int]


def cleared(text: str, tags: Iterable[_Range], code: Sequence[_Range]) -> str:
    """The text without the tags that stand outside of code, and without comments; its lines keep their numbers."""
    starts = [start for start, _ in code]
    kept, at = list[str](), 0
    for start, end in tags:
        place = bisect_right(starts, start) - 1
        if start < at or (place >= 0 and code[place][1] > start):
            continue
        kept.append(text[at:start])
        at = _leave(kept, text, start, end)
    return "".join([*kept, text[at:]])


def _leave(kept: list[str], text: str, start: int, end: int) -> int:
    """Close the gap of a tag as if it had not been written; where the text goes on."""
    kept.append("\n" * text.count("\n", start, end))
    if end == len(text) or text[end] in "\r\n":
        kept[-2] = _without_empty_heading(kept[-2].rstrip(" \t"))
    elif start == 0 or text[start - 1] in " \t\r\n":
        behind = text[end : end + _MOST_CHARACTERS]
        end += len(behind) - len(behind.lstrip(" \t"))
    return end


def _without_empty_heading(text: str) -> str:
    """The text without the marks of a heading at its end of which the words were a tag."""
    before, line_end, line = text.rpartition("\n")
    return text if line.strip("# ") else before + line_end


def tags_of(text: str) -> Iterator[_Range]:
    """The tags in their order; a comment goes from its tag to the one that ends it."""
    after, last_end = 0, max((found.end() for found in _END_OF_COMMENT.finditer(text)), default=0)
    closing: dict[str, int] = {}
    for opener in _OPENER.finditer(text):
        start = opener.start()
        if start < after:
            continue
        end = _closed(text, opener[0], start, closing)
        if end < 0:
            continue
        if end < last_end and _COMMENT.fullmatch(text, start, end):
            found = _END_OF_COMMENT.search(text, end)
            end = found.end() if found else end
        yield start, end
        after = end


def _closed(text: str, opener: str, start: int, closing: dict[str, int]) -> int:
    """Where the tag that begins here ends, -1 if it is none; ``closing`` has the next closer of each kind."""
    closer, inside = _CLOSERS[opener], start + len(opener)
    if closing.get(opener, 0) < inside:
        found = text.find(closer, inside)
        closing[opener] = found if found >= 0 else len(text) + 2 * _MOST_CHARACTERS
    end = closing[opener]
    if end - inside > _MOST_CHARACTERS or opener in text[inside:end] or "\n\n" in text[inside:end]:
        return -1
    return end + len(closer)


def code_of(leaves: Iterable[Leaf]) -> Iterator[_Range]:
    """The ranges of the code of leaves, as blocks and within lines."""
    for leaf in leaves:
        if leaf.kind == "code" and leaf.inlines:
            yield leaf.inlines[0].start, leaf.inlines[-1].end
        else:
            yield from ((inline.start, inline.end) for inline in leaf.inlines if inline.kind == "code")
