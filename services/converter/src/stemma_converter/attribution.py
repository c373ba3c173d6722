"""Who changed what in a comparison: the versions in between are replayed, and each mark gets the numbers of its makers.

Only words count: how a word is marked up, and where a footnote stands, is not followed. A change that no version is
known for is one of all versions in between.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .alignment import Budget
from .tracking import Change, Mark, made_by, mark_of
from .tree import Node, rewrite, walk

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Replay:
    """A section from the old version over those in between to the new one, as Markdown.

    ``makers`` are the numbers of those who made ``texts``, one each; a text is none if it is not to be had.
    """

    old: str
    texts: Sequence[str | None]
    makers: Sequence[int]


@dataclass
class _Word:
    """A word, who brought it and who took it away; none for what was there before, or still is."""

    text: str
    brought: int | None = None
    taken: int | None = None


def attributed(blocks: list[Node], replay: Replay) -> list[Node]:
    budget = Budget()
    before, after = _replayed(replay, budget)
    pieces = list(_pieces(blocks))
    taken = (word.taken if word else None for word in _found(pieces, Change.INSERTED, before, budget))
    brought = (word.brought if word else None for word in _found(pieces, Change.DELETED, after, budget))
    makers = _makers(pieces, taken, brought)

    def edit(item: Node) -> list[Node]:
        mark = mark_of(item)
        return [made_by(item, sorted(next(makers)) or replay.makers)] if mark and mark.change else [item]

    return rewrite(blocks, edit)


def _replayed(replay: Replay, budget: Budget) -> tuple[list[_Word], list[_Word]]:
    """The words of the old version and those of the new one; none if a version in between is missing."""
    before = [_Word(text) for text in _WORD.findall(replay.old)]
    now = list(before)
    for text, maker in zip(replay.texts, replay.makers, strict=True):
        if text is None:
            return [], []
        now = _step(now, _WORD.findall(text), maker, budget)
    return before, now


def _step(now: Sequence[_Word], texts: Sequence[str], maker: int, budget: Budget) -> list[_Word]:
    after: list[_Word] = []
    for name, a, b, c, d in budget.opcodes([word.text for word in now], texts):
        if name == "equal":
            after += now[a:b]
            continue
        for word in now[a:b]:
            word.taken = maker
        after += (_Word(text, brought=maker) for text in texts[c:d])
    return after


def _pieces(blocks: list[Node]) -> Iterator[Mark | str]:
    for item in walk(blocks):
        match item:
            case {"t": "Str", "c": str(text)} | {"t": "Code" | "CodeBlock" | "Math", "c": [_, str(text)]}:
                yield from _WORD.findall(text)
            case _ if mark := mark_of(item):
                yield mark
            case _:
                pass


def _found(
    pieces: Sequence[Mark | str], without: Change, words: Sequence[_Word], budget: Budget
) -> Iterator[_Word | None]:
    """For each word on the page the word of the draft that it is; none for what stands in no draft."""
    shown = list(_without(pieces, without))
    for name, a, b, c, d in budget.opcodes(shown, [word.text for word in words]):
        yield from words[c:d] if name == "equal" else [None] * (b - a)


def _without(pieces: Sequence[Mark | str], without: Change) -> Iterator[str]:
    change = None
    for piece in pieces:
        if isinstance(piece, Mark):
            change = piece.change
        elif change is not without:
            yield piece


def _makers(
    pieces: Sequence[Mark | str], taken: Iterator[int | None], brought: Iterator[int | None]
) -> Iterator[set[int]]:
    change: Change | None = None
    found: set[int | None] = set()
    for piece in pieces:
        if isinstance(piece, Mark):
            if change:
                yield {maker for maker in found if maker is not None}
            change, found = piece.change, set()
        else:
            took = next(taken) if change is not Change.INSERTED else None
            brings = next(brought) if change is not Change.DELETED else None
            found.add(took if change is Change.DELETED else brings)
