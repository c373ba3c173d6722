"""Where in a text the place is that an instruction names by its number, and whether anything beside it changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from stemma_languages import Numbered
from stemma_markdown import headings, sentences, split

Place = tuple[int, int]


def place_of(asked: Numbered, text: str, language: str) -> Place | None:
    """Where the block, section or sentence begins and ends; nothing if there are fewer of them."""
    found = list(_places(asked.kind, text, language))
    return found[asked.place] if -len(found) <= asked.place < len(found) else None


def changed_beside(place: Place, old: str, new: str) -> bool:
    """Whether the text in front of a place or behind it is another now."""
    before, after = old[: place[0]].rstrip(), old[place[1] :].strip()
    kept = new.startswith(before) and new.rstrip().endswith(after)
    return not kept or len(new.rstrip()) < len(before) + len(after)


def _places(kind: str, text: str, language: str) -> Iterator[Place]:
    match kind:
        case "sentence":
            yield from ((one.start, one.end) for one in sentences(text, language))
        case "section":
            yield from _sections(text)
        case _:
            blocks = (block for block in split(text) if block.kind == kind and not block.text.startswith("!"))
            yield from ((block.start, block.end) for block in blocks)


def _sections(text: str) -> Iterator[Place]:
    """The sections below the title, each with all that stands below it."""
    found = headings(text)
    if [one.level for one in found].count(min((one.level for one in found), default=0)) == 1:
        found = found[1:]
    top = min((one.level for one in found), default=0)
    starts = [one.start for one in found if one.level == top]
    yield from pairwise([*starts, len(text)])
