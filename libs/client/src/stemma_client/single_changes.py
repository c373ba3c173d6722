"""Single changes between two texts, each of which a person may take back: what stands there then has every other word
of the newer text."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from .differences import Change, Kind, Piece, replaced

if TYPE_CHECKING:
    from stemma_markdown import Block, SentenceDifference


@dataclass(frozen=True)
class SingleChange:
    """``added`` stands from ``start`` to ``end`` in the newer text, where the older one has ``removed``."""

    start: int
    end: int
    line: int
    removed: str
    added: str

    @property
    def is_blank(self) -> bool:
        """Whether it changes nothing but blanks, which nobody sees."""
        return not (self.removed + self.added).strip()


def single_changes(old: str, new: str, language: str = "en") -> tuple[SingleChange, ...]:
    """The changes that turn the older text into the newer one, in their order; a block that only moved is none."""
    return tuple(_changes(old, new, language))


def without(new: str, changes: Collection[SingleChange]) -> str:
    """The newer text without some of its changes."""
    for change in sorted(changes, key=lambda each: (each.start, each.end))[::-1]:
        new = f"{new[: change.start]}{change.removed}{new[change.end :]}"
    return new


def _changes(old: str, new: str, language: str) -> Iterator[SingleChange]:
    # What reads Markdown takes long to load, and most verbs compare nothing.
    import stemma_markdown

    places = _places(old, new)
    for block in stemma_markdown.differences(old, new, language):
        if block.old is None:
            assert block.new is not None
            yield SingleChange(block.new.start, block.new.end, block.new.line, "", block.new.text)
        elif block.new is None:
            yield _gone(block.old, places[block.old.start], new)
        else:
            yield from _words(block.old, block.new, block.sentences, new)


def _places(old: str, new: str) -> dict[int, int]:
    """Where each block of the older text would stand in the newer one: after the nearest before it that is there."""
    from stemma_markdown import match_parts, split

    before, after = split(old), split(new)
    partners = match_parts([block.content for block in before], [block.content for block in after])
    stands = {number: after[place].end for place, number in partners.items()}
    places, at = {}, 0
    for number, block in enumerate(before):
        places[block.start] = at
        at = stands.get(number, at)
    return places


def _gone(block: Block, at: int, new: str) -> SingleChange:
    """A block that was removed; if it comes back, blank lines keep it apart."""
    head = new[:at]
    apart = "" if not head or head.endswith("\n\n") else "\n" if head.endswith("\n") else "\n\n"
    return SingleChange(at, at, _line(new, at), f"{apart}{block.content.rstrip()}\n\n", "")


def _words(old: Block, new: Block, sentences: Sequence[SentenceDifference], text: str) -> Iterator[SingleChange]:
    in_old, in_new = old.start, new.start
    for gone, come in replaced(sentences):
        start = come.start if come else in_new + (gone.start - in_old if gone else 0)
        end = come.end if come else start
        yield SingleChange(start, end, _line(text, start), gone.text if gone else "", come.text if come else "")
        in_old, in_new = gone.end if gone else in_old + start - in_new, end


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def placed(
    changes: Sequence[Change], singles: Sequence[SingleChange]
) -> tuple[tuple[Change, tuple[Piece | int, ...]], ...]:
    """The changes of two texts, in each its words in order, and where a single change stands its number.

    Words that are in no single change, such as those of a block that moved, stand there as they are.
    """
    rest = deque(enumerate(singles))
    return tuple((change, tuple(_numbered(change, rest))) for change in changes)


def _numbered(change: Change, rest: deque[tuple[int, SingleChange]]) -> Iterator[Piece | int]:
    for is_same, pieces in groupby(change.pieces, key=lambda piece: piece.kind is Kind.SAME):
        run = list(pieces)
        numbers = None if is_same else _taken(run, rest)
        yield from run if numbers is None else numbers


def _taken(run: Sequence[Piece], rest: deque[tuple[int, SingleChange]]) -> list[int] | None:
    """The single changes that are these words, taken off the rest; None if they are none."""
    wanted = tuple(_letters(piece.text for piece in run if piece.kind is kind) for kind in (Kind.REMOVED, Kind.ADDED))
    numbers, found = [], ("", "")
    for number, single in rest:
        numbers.append(number)
        found = (found[0] + _letters([single.removed]), found[1] + _letters([single.added]))
        if found == wanted:
            for _ in numbers:
                rest.popleft()
            return numbers
        if not all(all_of_it.startswith(begin) for all_of_it, begin in zip(wanted, found, strict=True)):
            return None
    return None


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(text.split()) for text in texts)
