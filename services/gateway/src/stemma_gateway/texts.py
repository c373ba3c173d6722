"""What pages make of texts: pure functions, which may be called in a process of their own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

import stemma_client.library  # noqa: F401 - its functions are called there, too
from stemma_client.differences import Change, Piece, differences, placed, placed_changes
from stemma_markdown import SingleChange, html, plain, split

AROUND = 50
"""Characters before the words that were searched for, and twice as many behind them."""
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
MOST_LINES = 5_000
"""Lines that a page shows each by itself, in 25 ms."""


def prepare() -> None:
    """The first sentences take longer than all others."""
    differences("A word. Another.", "A word. Other.", "en")


def shown_lines(text: str) -> list[str]:
    return text.split("\n", MOST_LINES)


@dataclass(frozen=True)
class Compared:
    """What differs between two texts; what of it can be decided has its number among the single changes."""

    changes: tuple[tuple[Change, tuple[Piece | int, ...]], ...]
    singles: tuple[SingleChange, ...]


def rendered(text: str, pictures: Mapping[str, str], first_line: int = 1, name: str = "line") -> str:
    return html(text, pictures.get, level=1, first_line=first_line, name=name)


def compared(old: str, new: str, language: str, is_open: bool) -> Compared:
    """What differs between two texts; its single changes have numbers where they can be decided."""
    if is_open:
        return Compared(*placed_changes(old, new, language))
    return Compared(placed(differences(old, new, language), ()), ())


def pairs_compared(pairs: tuple[tuple[str, str], ...], language: str) -> list[tuple[Change, ...]]:
    return [differences(old, new, language) for old, new in pairs]


@dataclass(frozen=True)
class Passage:
    """Words of a text around those that were searched for, and the line that their block begins on."""

    line: int
    words: str


def passages_with(text: str, sought: str, most: int) -> list[Passage]:
    """The first paragraphs that have each of the words, wherever they stand in it."""
    wanted = sought.casefold().split()
    found = ((place.start(), said) for place in _PARAGRAPH.finditer(text) if _has(said := place.group(), wanted))
    return [
        Passage(block_line(text, 1, text.count("\n", 0, start) + 1), _around(said, wanted[0]))
        for start, said in islice(found, most)
    ]


def _has(paragraph: str, wanted: list[str]) -> bool:
    inside = paragraph.casefold()
    return all(word in inside for word in wanted)


def _around(paragraph: str, word: str) -> str:
    at = max(0, paragraph.casefold().find(word) - AROUND)
    begin = paragraph.find(" ", at) + 1 if at else 0
    rest = paragraph[begin:]
    end = rest.rfind(" ", 0, 3 * AROUND) if len(rest) > 3 * AROUND else -1
    words = " ".join(plain(rest[: end if end > 0 else 3 * AROUND]).replace("|", " ").split())
    return f"{'… ' if begin else ''}{words}{' …' if end > 0 else ''}"


def block_line(text: str, first_line: int, line: int) -> int:
    """The line that the block begins on which holds a line; the text begins on ``first_line``."""
    starts = [block.line + first_line - 1 for block in split(text) if block.kind != "blank"]
    return max((start for start in starts if start <= line), default=first_line)
