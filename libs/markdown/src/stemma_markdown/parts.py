"""A text in parts (paragraphs, items, rows, lines of a table of values), and what of one text another one changed.

This is no reading of Markdown: it goes by lines, in time that grows with the text, so that hostile texts cost no more
than others. Parts are compared by what they say: case, spaces, wrapping, emphasis and the marks of lists do not count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from .comparing import Comparisons

FINGERPRINT_LENGTH = 12

_OWN = re.compile(r"\s{0,3}(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|>|\||!\[)")
_MARK = re.compile(r"^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|#{1,6}\s+|>\s*)+")
_RULE = re.compile(r"[\s|:=_*-]*")
_LOOKS = re.compile(r"[*_`\\|\s]+")


@dataclass(frozen=True)
class Part:
    """A part of a text: what it says, on which line it begins, counted from 1, and what it is compared by."""

    text: str
    line: int
    fingerprint: str


def parts(text: str, *, by_line: bool = False) -> tuple[Part, ...]:
    """The parts of a text in order; ``by_line`` of values in lines, such as CSV, where each line is one."""
    found = (_part(piece, line) for piece, line in _pieces(text, by_line))
    return tuple(part for part in found if part is not None)


def changed_parts(old: Sequence[Part], new: Sequence[Part]) -> tuple[str, ...]:
    """The fingerprints of the old parts that a new text changed or dropped, or right below which it says more."""
    before, after = [part.fingerprint for part in old], [part.fingerprint for part in new]
    known, kept = set(before), set(after)
    touched = dict.fromkeys(mark for mark in before if mark not in kept)
    comparisons = Comparisons(sum(len(part.text) for part in (*old, *new)))
    for (place, end), added in comparisons.runs(before, after):
        if before and place == end and any(mark not in known for mark in after[slice(*added)]):
            touched[before[max(0, place - 1)]] = None
    return tuple(touched)


def _pieces(text: str, by_line: bool) -> Iterator[tuple[str, int]]:
    held, began, number = list[str](), 0, 1
    for line, whole in zip(text.splitlines(), text.splitlines(keepends=True), strict=True):
        if held and (by_line or not line.strip() or _OWN.match(line)):
            yield " ".join(held), began
            held = []
        if line.strip():
            began = began if held else number
            held.append(line)
        number += whole.endswith(("\n", "\r"))
    if held:
        yield " ".join(held), began


def _part(piece: str, line: int) -> Part | None:
    if _RULE.fullmatch(piece):
        return None
    text = _LOOKS.sub(" ", _MARK.sub("", piece)).strip()
    if not text:
        return None
    return Part(text, line, sha256(text.casefold().encode(errors="replace")).hexdigest()[:FINGERPRINT_LENGTH])
