"""Which blocks of a draft the words of an instruction mean."""

from __future__ import annotations

import re
from typing import TypeAlias

from stemma_languages import Grammar
from stemma_markdown import plain, split

from .terms import terms

Blocks: TypeAlias = dict[str, str]

_ITEMS = re.compile(r"\n(?=[-*+]\s|\d{1,9}[.)]\s)")
_KINDS = {"table": "table", "list": "list", "paragraph": "paragraph", "heading": "heading"}


def kind_of(text: str) -> str:
    """What kind of block a text is."""
    blocks = split(text)
    return blocks[0].kind if blocks else ""


def is_list(text: str) -> bool:
    """Whether a block is a list."""
    return kind_of(text) == "list"


def is_prose(text: str) -> bool:
    """Whether a block is a paragraph of sentences."""
    return kind_of(text) == "paragraph" and not text.lstrip().startswith("!")


def items_of(text: str) -> list[str]:
    """The items of a list, each with what hangs below it."""
    return _ITEMS.split(text)


def words_of(target: str, known: Grammar, language: str) -> set[str]:
    """The terms that a text must have to be meant, without the words that only name a kind of block."""
    filler = {term for word in known.filler for term in terms(word, language)}
    return set(terms(target, language)) - filler


def meant(target: str, blocks: Blocks, known: Grammar, language: str) -> list[str]:
    """The ids of the blocks that are meant, in their order; none if the words fit no block."""
    if known.is_whole(target):
        return list(blocks)
    kind, wanted = known.block_kind(target), words_of(target, known, language)
    if kind in ("section", "") and (under := _under_heading(wanted, blocks, language)):
        return under
    of_kind = {n: text for n, text in blocks.items() if kind_of(text) == _KINDS.get(kind, "paragraph")}
    place, names = known.place(target), list(of_kind)
    if place is not None and -len(names) <= place < len(names):
        return [names[place]]
    if kind == "heading":
        return [n for n, text in of_kind.items() if wanted and wanted == set(terms(plain(text), language))][:1]
    return _nearest(wanted, of_kind, language)


def _under_heading(wanted: set[str], blocks: Blocks, language: str) -> list[str]:
    """A heading below the title with all that stands under it."""
    found: list[str] = []
    level = 0
    for name, text in blocks.items():
        first = next(iter(split(text)), None)
        depth = first.level if first else 0
        if depth and level and depth <= level:
            break
        if depth > 1 and not level and wanted and wanted == set(terms(plain(text), language)):
            level = depth
        if level:
            found.append(name)
    return found


def _nearest(wanted: set[str], blocks: Blocks, language: str) -> list[str]:
    if not wanted:
        return list(blocks) if len(blocks) == 1 else []
    scores = {name: len(wanted & set(terms(plain(text), language))) for name, text in blocks.items()}
    best = max(scores.values(), default=0)
    return [name for name, score in scores.items() if score == best][:1] if best and best * 2 >= len(wanted) else []
