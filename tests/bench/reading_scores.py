"""The corpus of files to be read, what stands in each in truth, and how much of it a reading has."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

CORPUS = Path(__file__).parents[2] / "services" / "converter" / "tests" / "corpus"
T = TypeVar("T")
_TAGS = re.compile(r"<!--.*?-->|<[^>]+>|:::.*|\[\^[\w-]+\]:?", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ESCAPED = re.compile(r"\\([^\w\s])")
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Sample:
    """A file, the text that it was made from, and the least share of its words and headings that is to be read.

    A file that is only a part of the text has the words that it ``begins`` with.
    """

    name: str
    truth: str
    words: float = 0.99
    headings: float | None = 1.0
    begins: str = ""
    is_long: bool = False


SAMPLES = (
    Sample("rfq.pdf", "rfq.md", headings=0.8),
    Sample("letter.pdf", "letter.md", headings=0.8),
    Sample("work-two-columns.pdf", "work.md", headings=0.8),
    Sample("rfq-scan.pdf", "rfq.md", 0.95, None, begins="d. Communications Prior to Award", is_long=True),
    *(Sample(f"{name}.docx", f"{name}.md") for name in ("rfq", "letter", "work")),
    *(Sample(f"{name}.odt", f"{name}.md") for name in ("rfq", "letter", "work")),
    *(Sample(f"{name}.rtf", f"{name}.md") for name in ("letter", "work")),
    Sample("rfq.html", "rfq.md"),
    Sample("work-latin1.html", "work.md"),
    Sample("rfq.md", "rfq.md"),
    Sample("slides.pptx", "slides.md"),
    *(Sample(f"letter.{kind}", "letter.md", headings=None) for kind in ("txt", "eml", "msg")),
)
TABLES = ("prices.xlsx", "prices-utf8.csv", "prices-cp1252.csv", "prices-utf16.tsv")


@dataclass(frozen=True)
class Score:
    """Shares of the truth: words, runs of five words in order, headings."""

    words: float
    order: float
    headings: float


def score(truth: str, read: str, begins: str = "") -> Score:
    """How much of a text a reading has; with ``begins`` the text counts from there, and as far as the reading goes."""
    wanted, found = words(truth), words(read)
    if first := words(begins):
        start = next(n for n in range(len(wanted)) if wanted[n : n + len(first)] == first)
        wanted = wanted[start : start + len(found)]
    return Score(
        _share(Counter(wanted), Counter(found)),
        _share(_fives(wanted), _fives(found)),
        _share(Counter(headings(truth)), Counter(headings(read))),
    )


def _fives(found: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(found[n:] for n in range(5)), strict=False))


def words(markdown: str) -> list[str]:
    """The words of a text without its markup, in small letters."""
    text = _LINK.sub(r"\1", _TAGS.sub(" ", _ESCAPED.sub(r"\1", markdown)))
    return re.findall(r"\w+", text.lower().translate(dict.fromkeys(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹"), " ")))


def headings(markdown: str) -> list[str]:
    """The headings of a text, as their words."""
    return [" ".join(words(found)) for found in _HEADING.findall(markdown)]


def cells(markdown: str) -> list[list[str]]:
    """The rows of all tables of a text."""
    rows = [line for line in markdown.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    return [[_ESCAPED.sub(r"\1", cell.strip()) for cell in _CELLS.split(row)[1:-1]] for row in rows]


def _share(wanted: Counter[T], found: Counter[T]) -> float:
    total = sum(wanted.values())
    return sum((wanted & found).values()) / total if total else 1.0
