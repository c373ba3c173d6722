"""The tokens of a text that hold text, each with what it stands in and where its content is in the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it.token import Token

from .contents import Contents
from .lines import Lines
from .places import Places

ProseKind = Literal["heading", "paragraph", "cell", "code", "html"]

_WITH_TEXT = frozenset({"inline", "fence", "code_block", "html_block"})


@dataclass(frozen=True)
class Leaf:
    """A token with text; ``nested`` is whether it stands in a quote, a list, a footnote or a table."""

    token: Token
    kind: ProseKind
    level: int
    line: int
    nested: bool
    quoted: bool
    in_footnote: bool
    content: Places


def leaves(tokens: Iterable[Token], lines: Lines) -> Iterator[Leaf]:
    """The leaves of a text in their order."""
    contents = Contents(lines)
    quotes = footnotes = 0
    around: Token | None = None
    for token in tokens:
        match token.type:
            case "blockquote_open" | "blockquote_close":
                quotes += token.nesting
            case "footnote_reference_open" | "footnote_reference_close":
                footnotes += token.nesting
        if token.type in _WITH_TEXT and token.map:
            nested = (token.level if token.type != "inline" else token.level - 1) > 0
            yield Leaf(
                token,
                _kind(token, around),
                int(around.tag[1]) if around and around.type == "heading_open" else 0,
                token.map[0] + 1,
                nested,
                quotes > 0,
                footnotes > 0,
                contents.of(token, around),
            )
        around = token


def _kind(token: Token, around: Token | None) -> ProseKind:
    match token.type, around.type if around else "":
        case "fence" | "code_block", _:
            return "code"
        case "html_block", _:
            return "html"
        case _, "heading_open":
            return "heading"
        case _, "th_open" | "td_open":
            return "cell"
        case _:
            return "paragraph"
