"""A draft in blocks, of which some are replaced."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from stemma_markdown import split

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")
_BLANK = " \t\r\n"


@dataclass(frozen=True)
class Block:
    """A top-level block: its lines without the last line end, and what lies between it and the next block."""

    position: int
    text: str
    tail: str

    @property
    def block_id(self) -> str:
        return f"b{self.position + 1}"


@dataclass(frozen=True)
class Draft:
    """The blocks of a draft; ``head`` is what lies before the first one."""

    head: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
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
        for one, following in pairwise([*kept, None]):
            assert one is not None
            pieces += [texts.get(one.block_id, one.text), self._gap(one, following, texts)]
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
    found = split(text)
    head = "".join(block.text for block in found if block.kind == "blank")
    blocks = (block for block in found if block.kind != "blank")
    return Draft(head, tuple(Block(position, block.content, block.gap) for position, block in enumerate(blocks)))


def _trimmed(text: str) -> str:
    return _LEADING_BLANK_LINES.sub("", text).rstrip(_BLANK)
