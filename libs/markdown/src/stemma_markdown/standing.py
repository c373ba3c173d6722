"""Where words stand in a text, whatever lies between them: a blank, a no-break space, a line break."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Standing(NamedTuple):
    """Words at ``text[start:end]``; ``line`` counts from 1, ``before`` and ``behind`` are the rest of it."""

    start: int
    end: int
    line: int
    before: str
    behind: str


def standing(text: str, words: str) -> list[Standing]:
    """Each place of words that are no part of others or of a number: ``24 months`` is not in ``124 months``."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    if not pattern:
        return []
    whole = rf"(?<![^\W_])(?<![0-9][.,]){pattern}(?![^\W_]|[.,][0-9])"
    return [_standing(text, *found.span()) for found in re.finditer(whole, text)]


def _standing(text: str, start: int, end: int) -> Standing:
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line, behind = text.count("\n", 0, first) + 1, text[end : last if last >= 0 else len(text)]
    return Standing(start, end, line, text[first:start], behind)


def put_instead(text: str, places: Iterable[Standing], words: str) -> str:
    """The text with other words in these places, given in their order."""
    pieces, position = list[str](), 0
    for place in places:
        pieces += [text[position : place.start], words]
        position = place.end
    return "".join([*pieces, text[position:]])


def stand_at(text: str, words: str, starts: Sequence[int]) -> list[Standing] | None:
    """The places of words that begin at these characters; None if they do not stand at each of them."""
    found = [place for place in standing(text, words) if place.start in starts]
    return found if len(found) == len(set(starts)) else None
