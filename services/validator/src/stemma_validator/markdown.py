"""Drafts as markdown-it tokens, and the text of a token with what is not prose taken out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

OPAQUE = "\ufffc"
_ESCAPED = {"[": "\ue000", "]": "\ue001"}
_PUNCTUATION = re.compile(r"[^\w\- ]")
_LEADING = frozenset({"image", "link_open", "footnote_ref"})
_MARKUP = re.compile(r"[\\`*_~\[<&\n]")


def _inline(state: StateCore) -> None:
    """Parse the inline tokens; most paragraphs have no markup, which is as well known without trying every rule."""
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            if _MARKUP.search(token.content):
                state.md.inline.parse(token.content, state.md, state.env, token.children)
            elif token.content:
                token.children.append(Token("text", "", 0, content=token.content))


# Without text_join an escaped bracket stays apart from one that is syntax.
_markdown = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
    .disable(["footnote_inline", "footnote_tail", "text_join"])
)
_markdown.core.ruler.at("inline", _inline)


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


@dataclass(frozen=True)
class Heading:
    """A heading: level, first line and plain text."""

    level: int
    line: int
    text: str


def parse(text: str) -> list[Token]:
    """The tokens of a draft."""
    return _markdown.parse(text)


def headings(tokens: list[Token]) -> Iterator[Heading]:
    """Every heading that is not inside a quote or a list."""
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0:
            yield Heading(int(opening.tag[1]), first_line(opening), _plain(inline.children or []))


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


def anchors(found: list[Heading]) -> set[str]:
    """The anchors of headings as GitHub and pandoc's gfm make them."""
    seen: dict[str, int] = {}
    result = set()
    for heading in found:
        anchor = _PUNCTUATION.sub("", heading.text.lower()).replace(" ", "-")
        times = seen.get(anchor, 0)
        seen[anchor] = times + 1
        result.add(f"{anchor}-{times}" if times else anchor)
    return result


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


def _plain(children: list[Token]) -> str:
    text = "".join(t.content for t in children if t.type in ("text", "text_special", "code_inline"))
    return " ".join(text.split())
