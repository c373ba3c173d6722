"""Comments that suggest other words: how they are written, and what of a text they replace."""

import re
from collections import Counter
from dataclasses import dataclass

_BLOCK = re.compile(r"^(`{3,})suggestion[ \t]*\n(.*?)^\1[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"^(`{3,})suggestion[ \t]*\n", re.MULTILINE)
_CLOSING = re.compile(r"^(`{3,})[ \t]*$", re.MULTILINE)
_MARKER = re.compile(r"\*+|_+|~~|`+")
"""What begins and ends emphasis and code, always in pairs."""


@dataclass(frozen=True)
class Suggestion:
    """What a comment suggests in the place of its passage, and what else it says."""

    words: str
    said: str


def suggestion_in(comment: str) -> Suggestion | None:
    """The first suggestion of a comment; None if it has none."""
    ends = {closing[1]: closing.start() for closing in _CLOSING.finditer(comment)}
    # A block without its end is not searched to the end of the comment: a comment may begin thousands.
    openings = (each for each in _OPENING.finditer(comment) if ends.get(each[1], -1) >= each.end())
    opening = next(openings, None)
    if opening is None or (found := _BLOCK.match(comment, opening.start())) is None:
        return None
    said = comment[: found.start()] + comment[found.end() :]
    return Suggestion(found[2].removesuffix("\n"), said.strip())


def with_suggestion(said: str, words: str) -> str:
    """A comment that says something, and suggests words; no line of theirs ends the block."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{said}\n\n{fence}suggestion\n{words}\n{fence}\n".lstrip("\n")


def replaceable(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range of a passage with the marks of Markdown that belong to it; None if it ends within others.

    ``**pilot** costs`` may be replaced, ``pilot** costs`` alone may not: the first mark would stay without its end.
    """
    while open_mark := _open(text[start:end]):
        if text[:start].endswith(open_mark):
            start -= len(open_mark)
        elif text.startswith(open_mark, end):
            end += len(open_mark)
        else:
            return None
    piece = text[start:end]
    return (start, end) if piece.count("[") == piece.count("]") else None


def _open(piece: str) -> str:
    """A mark that is there once too often or too seldom; empty if there is none."""
    marks = Counter(_MARKER.findall(piece))
    return next((mark for mark, count in marks.items() if count % 2), "")
