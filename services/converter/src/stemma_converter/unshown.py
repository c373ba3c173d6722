"""Places in our files, such as "(company.md, Staff)", which no export shows: they go on where their sentences are."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from stemma_markdown import differing
from stemma_ooxml.word import fingerprint, same

_PLACE = re.compile(r"[ \t]*\([^()\n,;:]{1,200}\.\w{1,5}(?:[,;:](?:[^()\n]|\([^()\n]{0,100}\)){1,300})?\)")
_TOKENS = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 6
"""Of so many brackets every choice is tried: some may name files of others, which the export showed."""
_ENDS = frozenset(".!?…。")
Run = tuple[tuple[int, int], tuple[int, int]]


class Shown(NamedTuple):
    """What a paragraph showed of a piece of prose; ``places`` are those that it left out, by their offsets in it."""

    text: str
    places: tuple[tuple[int, str], ...]


def shown_of(prose: str, marks: Collection[str], words: str = "") -> Shown:
    """What a paragraph with one of these marks showed: all of it, if that is not known.

    One without marks did not show the places that are not among its words.
    """
    found = list(_PLACE.finditer(prose))
    if not marks:
        return _without(prose, [match for match in found if match[0].strip() not in words])
    shown = (_without(prose, chosen) for chosen in _choices(found))
    return next((one for one in shown if fingerprint(one.text) in marks), Shown(prose, ()))


def _without(prose: str, places: Sequence[re.Match[str]]) -> Shown:
    pieces, left_out, at, length = list[str](), list[tuple[int, str]](), 0, 0
    for match in places:
        pieces.append(prose[at : match.start()])
        length += len(pieces[-1])
        left_out.append((length, match[0]))
        at = match.end()
    return Shown("".join([*pieces, prose[at:]]), tuple(left_out))


def joined(shown: Sequence[Shown]) -> Shown:
    """What several pieces showed that are one paragraph now."""
    texts, places, length = [one.text for one in shown], list[tuple[int, str]](), 0
    for one in shown:
        places += ((length + offset, place) for offset, place in one.places)
        length += len(one.text) + 1
    return Shown(" ".join(texts), tuple(places))


def _choices(found: Sequence[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    if found:
        sizes = range(len(found), 0, -1) if len(found) <= _MOST else [len(found)]
        yield from chain.from_iterable(combinations(found, size) for size in sizes)


def with_places(shown: Shown, words: str) -> str:
    """What was made of a paragraph, with the places behind the sentences that they were behind, but for those gone."""
    old, new = _TOKENS.findall(shown.text), _TOKENS.findall(words)
    runs = list(differing(old, new))
    for offset, place in reversed(shown.places):
        at = len(_TOKENS.findall(shown.text[:offset]))
        if (number := _moved(at, old, runs)) is not None:
            new.insert(number, place)
    return "".join(new)


def _moved(at: int, old: Sequence[str], runs: Sequence[Run]) -> int | None:
    """The number of a token after the changes; None if the sentence before it is gone."""
    start = max((number for number in range(at - 1) if old[number] in _ENDS), default=-1) + 1
    changed = {number for (first, last), _ in runs for number in range(first, last)}
    said = [number for number in range(start, at) if old[number].isalnum()]
    if 2 * len(changed.intersection(said)) > len(said):
        return None
    shift = 0
    for (first, last), (begin, end) in runs:
        if first >= at:
            break
        if last > at:
            return end
        shift += (end - begin) - (last - first)
    return at + shift


def in_parts(shown: Shown, parts: Sequence[str]) -> tuple[str, ...] | None:
    """The parts that a paragraph was cut into, with its places; None if together they do not say what it said."""
    if same(" ".join(parts)) != same(shown.text):
        return None
    ends, length = list[int](), 0
    for part in parts:
        length += len("".join(part.split()))
        ends.append(length)
    made = [list(part) for part in parts]
    for offset, place in reversed(shown.places):
        at = len("".join(shown.text[:offset].split()))
        number = next(n for n, end in enumerate(ends) if at <= end)
        letters = at - (ends[number - 1] if number else 0)
        made[number].insert(_behind(made[number], letters), place)
    return tuple("".join(one) for one in made)


def _behind(characters: Sequence[str], letters: int) -> int:
    seen = 0
    for number, character in enumerate(characters):
        if seen == letters:
            return number
        seen += not character.isspace()
    return len(characters)
