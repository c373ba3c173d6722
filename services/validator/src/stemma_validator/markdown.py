"""The text of a draft with what is not prose taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stemma_markdown import Document, Inline, Leaf

OPAQUE = "\ufffc"
_ESCAPED = {"[": "\ue000", "]": "\ue001"}
_LEADING = frozenset({"image", "link", "footnote"})
_WITH_PROSE = frozenset({"heading", "paragraph", "cell"})


@dataclass(frozen=True)
class Prose:
    """The text of one heading, paragraph, cell or HTML block. Code, links' ends and images' ends are `OPAQUE`."""

    line: int
    text: str
    quoted: bool = False

    def line_at(self, position: int) -> int:
        """The line of the draft at a position of ``text``."""
        return self.line + self.text.count("\n", 0, position)


@dataclass(frozen=True)
class Part:
    """An image, a link or the mark of a footnote, and the line that it is on."""

    token: Inline
    line: int
    in_footnote: bool


def prose(document: Document) -> Iterator[Prose]:
    """The text of a draft, block by block, without its code."""
    for leaf in _leaves(document):
        if leaf.kind in _WITH_PROSE:
            yield Prose(document.line(leaf.start), "".join(_written(leaf, document.text)), leaf.quoted)
        elif leaf.kind == "html":
            yield Prose(document.line(leaf.start), "".join(inline.text for inline in leaf.inlines))


def parts(document: Document) -> Iterator[Part]:
    """The images, links and footnote marks of a draft, also those inside links and in the words of images."""
    for leaf in _leaves(document):
        for inline in leaf.inlines:
            if inline.kind in _LEADING:
                yield Part(inline, document.line(inline.start), leaf.in_footnote)


def _leaves(document: Document) -> Iterator[Leaf]:
    return (token for token in document.tokens if isinstance(token, Leaf))


def _written(leaf: Leaf, source: str) -> Iterator[str]:
    """The text of a leaf's tokens. What leads elsewhere is opaque at both ends."""
    ends: list[int] = []
    for inline in leaf.inlines:
        while ends and ends[-1] <= inline.start:
            ends.pop()
            yield OPAQUE
        match inline.kind:
            case "text":
                yield _text(inline, source)
            case "html":
                yield inline.text
            case "softbreak" | "hardbreak":
                yield "\n"
            case "link" | "image":
                ends.append(inline.end)
                yield OPAQUE
            case _:
                yield OPAQUE
    yield OPAQUE * len(ends)


def _text(inline: Inline, source: str) -> str:
    escaped = inline.end - inline.start > len(inline.text) and source[inline.start] == "\\"
    return _ESCAPED.get(inline.text, inline.text) if escaped else inline.text
