"""Where a text says words, whatever lies between them: a blank, a no-break space, a line break."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import takewhile
from typing import NamedTuple

from .document import Document, document_of
from .prose import Prose

AROUND = 120
"""What is shown of a line before and behind words, in characters: a line may be the whole text."""
_SAID = ("heading", "paragraph", "cell")
_WORD = re.compile(r"\w+")
_BLANK = r"[ \u00a0\u2009\u202f'’]"
_GROUP_BEFORE = "".join(rf"(?<!(?<![0-9])[0-9]{{{n}}}{_BLANK})" for n in (1, 2, 3))
"""What stands before three digits that are the end of a number: ``1 500``."""


class Standing(NamedTuple):
    """Words at ``text[start:end]``; ``line`` counts from 1, ``before`` and ``behind`` are of the same line."""

    start: int
    end: int
    line: int
    before: str
    behind: str


def standing(text: str, words: str) -> Iterator[Standing]:
    """Each place of words that are no part of others or of a number: ``24 months`` is not in ``124 months``.

    What a text does not say itself is left out: code, HTML, the targets of links, and what stands in block quotes; so
    are words among which a mark of Markdown would lose its other half.
    """
    pattern = _pattern(words)
    if pattern is None or any(word not in text for word in _WORD.findall(words)):
        return
    document = document_of(text)
    ends = dict(document.code)
    starts = list(ends)
    for piece in document.prose:
        if piece.kind not in _SAID or piece.quoted:
            continue
        for start, end in _ranges(piece, pattern):
            code = bisect_right(starts, start) - 1
            if (code < 0 or ends[starts[code]] <= start) and unescape(text[start:end]).split() == words.split():
                yield _standing(document, start, end)


def _pattern(words: str) -> re.Pattern[str] | None:
    every = words.split()
    if not every:
        return None
    before, behind = r"(?<!\w)(?<![0-9][.,:])", r"(?!\w|[.,:][0-9])"
    if every[0][0].isdigit():
        before += r"(?<![^\W\d_]-)"  # an id, such as REQ-24
    if re.match(r"[0-9]{3}(?![0-9])", every[0]):
        before += _GROUP_BEFORE
    if re.search(r"(?<![0-9])[0-9]{1,3}\Z", every[-1]):
        behind += rf"(?!{_BLANK}[0-9]{{3}}(?![0-9]))"
    return re.compile(before + r"\s+".join(map(re.escape, every)) + behind)


def _ranges(piece: Prose, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    return (piece.source(*found.span()) for found in pattern.finditer(piece.text))


def _standing(document: Document, start: int, end: int) -> Standing:
    text, first = document.text, max(start - AROUND, 0)
    before, behind = text[first:start].rpartition("\n")[2], text[end : end + AROUND].partition("\n")[0]
    return Standing(start, end, document.line(start), before, behind)


def put_instead(text: str, places: Iterable[Standing], words: str) -> str:
    """The text with other words in these places, given in their order."""
    pieces, position = list[str](), 0
    for place in places:
        pieces += [text[position : place.start], words]
        position = place.end
    return "".join([*pieces, text[position:]])


def stand_at(text: str, words: str, starts: Sequence[int]) -> list[Standing] | None:
    """The places of words that begin at these characters; None if they do not stand at each of them."""
    wanted, last = frozenset(starts), max(starts, default=-1)
    upto = takewhile(lambda place: place.start <= last, standing(text, words))
    found = [place for place in upto if place.start in wanted]
    return found if len(found) == len(wanted) else None
