"""markdown-it as all of Stemma uses it: block and inline tokens, the latter with their places.

``token.meta["span"]`` of an inline token is where its markup begins and ends in the content of its block.
"""

from __future__ import annotations

import re
from functools import cache, partial

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.fragments_join import fragments_join
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

_MARKUP = re.compile(r"[\\`*_~\[<&\n$]")


class _State(StateInline):
    """Knows where the text began that is not yet a token."""

    text_start = 0

    def pushPending(self) -> Token:  # noqa: N802 - the name is markdown-it's
        token = super().pushPending()
        token.meta["span"] = (self.text_start, self.text_start + len(token.content))
        return token


class _Inline(ParserInline):
    """The inline parser of markdown-it, which tells of each token where it stands."""

    def tokenize(self, state: StateInline) -> None:
        """Make the tokens of the range that the state is at."""
        assert isinstance(state, _State)
        while state.pos < state.posMax:
            if not state.pending:
                state.text_start = state.pos
            if not self._apply(state):
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Add the inline tokens of a text to ``tokens``."""
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def _apply(self, state: _State) -> bool:
        """Whether a rule took what stands here."""
        if state.level >= state.md.options["maxNesting"]:
            return False
        start, known = state.pos, len(state.tokens)
        for rule in self.ruler.getRules(""):
            if rule(state, False):
                _place(state.tokens[known:], start, state.pos)
                return True
        return False


def _place(tokens: list[Token], start: int, end: int) -> None:
    """Give each token that has none the span of its markup; runs of delimiters stand one after the other."""
    new = [token for token in tokens if "span" not in token.meta]
    if all(token.type == "text" for token in new):
        for token in new:
            token.meta["span"] = (start, start + len(token.content))
            start += len(token.content)
    for token in new:
        token.meta.setdefault("span", (start + 1, end - 1) if token.type == "text" else (start, end))


def _joined(state: StateInline) -> None:
    """Join neighbouring texts as markdown-it does, each with the place where its first part begins."""
    begin: int | None = None
    for token in state.tokens:
        if token.type != "text":
            begin = None
        elif token.content:
            begin = token.meta["span"][0] if begin is None else begin
        if begin is not None:
            token.meta["span"] = (begin, token.meta["span"][1])
    fragments_join(state)
    for token in state.tokens:
        if token.type == "text":
            begin = token.meta["span"][0]
            token.meta["span"] = (begin, begin + len(token.content))


def _parse_inline(state: StateCore) -> None:
    """Parse the inline tokens; most paragraphs have no markup, which is as well known without trying every rule."""
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            if _MARKUP.search(token.content):
                state.md.inline.parse(token.content, state.md, state.env, token.children)
            elif token.content:
                text = Token("text", "", 0, content=token.content, meta={"span": (0, len(token.content))})
                token.children.append(text)


def _parser(*rules: str, math: bool = False) -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"store_labels": True})
    markdown.inline = _Inline()
    markdown.configure("commonmark", {"store_labels": True}).enable(["table", "strikethrough"]).use(footnote_plugin)
    if math:
        markdown.use(dollarmath_plugin)
    markdown.core.ruler.at("inline", _parse_inline)
    markdown.inline.ruler2.at("fragments_join", _joined)
    # Without text_join an escaped bracket stays apart from one that is syntax;
    # the tail rule would move footnotes away from the lines that they stand on.
    return markdown.disable(["footnote_inline", "footnote_tail", "text_join", *rules])


_whole = cache(partial(_parser))
_blocks_only = cache(partial(_parser, "inline"))


def parse(text: str, *, math: bool = False) -> list[Token]:
    """The tokens of a text as markdown-it makes them; with ``math`` what stands between dollar signs is a formula.

    Front matter is read like any other text. ``meta["span"]`` of an inline token is its range in the content of its
    block.
    """
    return _whole(math=math).parse(text)


def parse_blocks(text: str, *, math: bool = False) -> list[Token]:
    """The tokens of a text without the inline ones, which is quick on hostile text too."""
    return _blocks_only(math=math).parse(text)
