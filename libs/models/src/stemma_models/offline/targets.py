"""Which blocks of a draft the words of an instruction mean."""

from __future__ import annotations

import re
from typing import TypeAlias

from .words import content_stems

Blocks: TypeAlias = dict[str, str]

_LIST = re.compile(r"^(?:[-*+]|\d+[.)])\s")
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1, "final": -1}
_ITEMS = re.compile(r"\n(?=[-*+]\s|\d+[.)]\s)")
_NTH_ITEM = re.compile(rf"^(?:the )?({'|'.join(_ORDINALS)}) (?:item|bullet|point|entry)\b", re.I)
_ALL = re.compile(r"^(?:it|this|everything|all|(?:the |this )?(?:whole )?(?:text|section|draft|chapter))?$", re.I)
_FILLER = frozenset("paragraph section part about list tabl heading imag figur sentenc text item bullet point".split())


def is_list(text: str) -> bool:
    return _LIST.match(text) is not None


def is_prose(text: str) -> bool:
    """Whether a block is a paragraph of sentences."""
    return (
        bool(text.strip())
        and not is_list(text)
        and not text.lstrip().startswith(("#", "|", "```", "~~~", "!", "<", "    "))
    )


def items_of(text: str) -> list[str]:
    """The items of a list, each with what hangs below it."""
    return _ITEMS.split(text)


def name_of(target: str) -> str:
    """The target as it is called in a summary."""
    return "the text" if _ALL.match(target) else target


def words_of_target(words: str) -> set[str]:
    """The stems that a text must have to be meant, without those that only name a kind of block."""
    return set(content_stems(words)) - _FILLER


def find_item(words: str, blocks: Blocks) -> tuple[str, int] | None:
    """The list and the place in it that words like ``the second item`` mean."""
    match = _NTH_ITEM.match(words)
    if not match:
        return None
    place = _ORDINALS[match.group(1).lower()]
    lists = [name for name, text in blocks.items() if is_list(text) and -1 <= place < len(items_of(text))]
    return (lists[0], place) if lists else None


def find_targets(words: str, blocks: Blocks) -> list[str]:
    """The ids of the blocks that are meant, in their order; none if the words fit no block."""
    words = words.strip(" .")
    if _ALL.match(words):
        return list(blocks)
    if "table" in words.lower().split():
        return _nearest(words, {name: text for name, text in blocks.items() if text.lstrip().startswith("|")})
    if {"image", "figure"} & set(words.lower().split()):
        return _nearest(words, {name: text for name, text in blocks.items() if text.lstrip().startswith("!")})
    if "list" in words.lower().split():
        return _nearest(words, {name: text for name, text in blocks.items() if is_list(text)})
    if under := _under_heading(words, blocks):
        return under
    return _paragraph(words, {name: text for name, text in blocks.items() if is_prose(text)})


def _paragraph(words: str, prose: Blocks) -> list[str]:
    place = next((_ORDINALS[word] for word in words.lower().split() if word in _ORDINALS), None)
    names = list(prose)
    if place is not None and -len(names) <= place < len(names):
        return [names[place]]
    return _nearest(words, prose)


def _under_heading(words: str, blocks: Blocks) -> list[str]:
    wanted = words_of_target(words)
    found: list[str] = []
    level = 0
    for name, text in blocks.items():
        depth = len(text) - len(text.lstrip("#")) if text.startswith("#") else 0
        if depth and level and depth <= level:
            break
        if depth > 1 and not level and wanted and wanted == set(content_stems(text)):
            level = depth
        if level:
            found.append(name)
    return found


def _nearest(words: str, blocks: Blocks) -> list[str]:
    wanted = words_of_target(words)
    if not wanted:
        return list(blocks)[:1]
    scores = {name: len(wanted & set(content_stems(text))) for name, text in blocks.items()}
    best = max(scores.values(), default=0)
    return [name for name, score in scores.items() if score == best][:1] if best * 2 >= len(wanted) else []
