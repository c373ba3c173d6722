"""The text of a draft's tokens with what is not prose taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stemma_markdown import Token

OPAQUE = "\ufffc"
_ESCAPED = {"[": "\ue000", "]": "\ue001"}
_LEADING = frozenset({"image", "link_open", "footnote_ref"})


@dataclass(frozen=True)
class Prose:
    """The text of one inline or HTML token. Code, links' ends and images' ends are `OPAQUE`."""

    line: int
    text: str
    quoted: bool = False

    def line_at(self, position: int) -> int:
        """The line of the draft at a position of ``text``."""
        return self.line + self.text.count("\n", 0, position)


@dataclass(frozen=True)
class Part:
    """An inline token that leads elsewhere, and the line that it is on."""

    token: Token
    line: int
    in_footnote: bool


def prose(tokens: list[Token]) -> Iterator[Prose]:
    """The text of a draft, token by token, without its code."""
    quotes = 0
    for token in tokens:
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "inline":
            yield Prose(first_line(token), "".join(map(_written, token.children or [])), quotes > 0)
        elif token.type == "html_block":
            yield Prose(first_line(token), token.content)


def parts(tokens: list[Token]) -> Iterator[Part]:
    """The images, links and footnote marks of a draft, also those inside links and in the words of images."""
    footnotes = 0
    for token in tokens:
        footnotes += (token.type == "footnote_reference_open") - (token.type == "footnote_reference_close")
        if token.type == "inline":
            yield from _parts(token.children or [], first_line(token), footnotes > 0)


def first_line(token: Token) -> int:
    """The line that a block begins on; the first line is 1."""
    return token.map[0] + 1 if token.map else 0


def _parts(children: list[Token], line: int, in_footnote: bool) -> Iterator[Part]:
    for child in children:
        if child.type in _LEADING:
            yield Part(child, line, in_footnote)
        yield from _parts(child.children or [], line, in_footnote)
        line += _written(child).count("\n")


def _written(token: Token) -> str:
    match token.type:
        case "text" | "html_inline":
            return token.content
        case "text_special":
            return _ESCAPED.get(token.content, token.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case "image":
            return f"{OPAQUE}{token.content}{OPAQUE}"
        case "code_inline" | "link_open" | "link_close" | "footnote_ref":
            return OPAQUE
        case _:
            return ""
