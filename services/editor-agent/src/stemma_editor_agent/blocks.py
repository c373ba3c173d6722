"""A draft as top-level Markdown blocks that concatenate back to exactly the same text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")
_BLANK = " \t\r\n"
_END = "end of the replacement"

# Where blocks begin is decided before any inline parsing, which is slow on hostile text.
_markdown = (
    MarkdownIt("commonmark").enable("table").use(footnote_plugin).disable(["inline", "footnote_tail", "text_join"])
)


@dataclass(frozen=True)
class Block:
    """A top-level block: its lines without the last line end, and what lies between it and the next block."""

    position: int
    text: str
    tail: str

    @property
    def block_id(self) -> str:
        """The name that the block goes by while the draft is revised."""
        return f"b{self.position + 1}"


@dataclass(frozen=True)
class Draft:
    """The blocks of a draft; ``head`` is what lies before the first one."""

    head: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The draft itself."""
        return self.replaced({})

    def changes(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The given texts without those that are what the draft has already, or of blocks that it does not have."""
        return {
            block.block_id: _trimmed(texts[block.block_id])
            for block in self.blocks
            if _trimmed(texts.get(block.block_id, block.text)) != _trimmed(block.text)
        }

    def replaced(self, texts: Mapping[str, str]) -> str:
        """The draft with the given `changes`; a block with a blank text is removed.

        Every other block stays as it is, character by character.
        """
        kept = [block for block in self.blocks if texts.get(block.block_id, block.text).strip(_BLANK)]
        pieces = [self.head]
        for block, following in pairwise([*kept, None]):
            assert block is not None
            pieces += [texts.get(block.block_id, block.text), self._gap(block, following, texts)]
        return "".join(pieces)

    def _gap(self, block: Block, following: Block | None, texts: Mapping[str, str]) -> str:
        """What lies after a block: as it was, but a blank line at least around what changed."""
        if following is None:
            return self.blocks[-1].tail
        around = self.blocks[block.position : following.position + 1]
        changed = any(one.block_id in texts for one in around)
        return "\n\n" if changed and len(_LINE.findall(block.tail)) < 2 else block.tail


def split_draft(text: str) -> Draft:
    """Cut a text into its top-level blocks ``b1``, ``b2``, ..."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = _LINE.findall(text[len(mark) :])
    starts = _starts(lines)
    bounds = [*starts, len(lines)]
    blocks = (_block(n, "".join(lines[first:end])) for n, (first, end) in enumerate(pairwise(bounds)))
    return Draft(mark + "".join(lines[: bounds[0]]), tuple(blocks))


def is_self_contained(text: str) -> bool:
    """Whether what follows ``text`` in a draft is not swallowed by it, as by a fence that is not closed."""
    tokens = _markdown.parse(f"{text}\n\n{_END}\n")
    inline = tokens[-2] if len(tokens) > 2 else None
    return inline is not None and inline.level == 1 and inline.content == _END


def _starts(lines: list[str]) -> list[int]:
    """The first lines of blocks; lines in no token, such as link definitions, make blocks of their own."""
    starts: list[int] = []
    covered = 0
    for first, end in [*_ranges(_markdown.parse("".join(lines))), (len(lines), len(lines))]:
        starts.extend(_islands(lines, covered, first))
        if first < len(lines):
            starts.append(first)
        covered = max(covered, end)
    return starts


def _ranges(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    for token in tokens:
        if token.level == 0 and token.nesting >= 0 and token.map:
            yield token.map[0], token.map[1]


def _islands(lines: list[str], first: int, end: int) -> Iterator[int]:
    after_blank = True
    for number in range(first, end):
        blank = not lines[number].strip(_BLANK)
        if after_blank and not blank:
            yield number
        after_blank = blank


def _block(position: int, source: str) -> Block:
    # Spaces at the end of the last line belong to the block, for they can be a line break.
    end = len(source.rstrip(_BLANK))
    end += len(source[end:]) - len(source[end:].lstrip(" \t"))
    return Block(position, source[:end], source[end:])


def _trimmed(text: str) -> str:
    return _LEADING_BLANK_LINES.sub("", text).rstrip(_BLANK)
