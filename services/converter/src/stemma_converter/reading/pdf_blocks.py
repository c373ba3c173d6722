"""Lines as headings, items and paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .pdf_lines import Line

_BULLET = re.compile(r"[•▪■●○◦‣∙·–—*o](?=\s)\s*|[\uf0b7\uf0a7\uf0d8\uf02d\uf06f]\s*|-\s+")
_NUMBER = re.compile(r"(\d{1,3}[.)])\s+(?=\S)")
_OUTLINE = re.compile(r"(?:\(?[a-zA-Z]{1,4}[.)]|\(\d{1,3}\)|\d{1,3}(?:\.\d{1,3})+\.?|§+)\s+\S")
ENDED = re.compile(r"[.:;?!”\"’)\]]\W?$")
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,5}\.?\s+[^\W\d_a-z]")
_LONGEST_CLAUSE = 90
_ADDRESS = re.compile(r"https?://\S*$")
# What is left of the number of a page without its figures.
_PAGE_NUMBERS = frozenset({"", "page", "page of", "/", "- -", "|", "seite", "seite von", "p."})
_LARGER, _LONGEST_HEADING, _MOST_LINES = 1.08, 160, 4
_LOOSE, _INDENT, _SHORT = 1.45, 0.7, 0.8
_SAME_SIZE = 0.6


@dataclass(frozen=True)
class Block:
    lines: tuple[Line, ...]

    @property
    def top(self) -> float:
        return self.first.top

    @property
    def first(self) -> Line:
        return self.lines[0]


@dataclass(frozen=True)
class Looks:
    """What the text of a file looks like: the size of its body, and the looks of its headings, the largest first."""

    body: float
    headings: tuple[tuple[float, bool], ...]

    def level(self, block: Block) -> int:
        look = _look(block.first)
        return self.headings.index(look) + 1 if look in self.headings and _is_heading(block, self.body) else 0


def looks_of(pages: Iterable[Sequence[Block]]) -> Looks:
    blocks = [block for page in pages for block in page]
    letters: Counter[float] = Counter()
    for block in blocks:
        for line in block.lines:
            letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    looks = {_look(block.first) for block in blocks if _is_heading(block, body)}
    return Looks(body, tuple(sorted(looks, reverse=True)[:6]))


def _look(line: Line) -> tuple[float, bool]:
    return round(line.size * 2) / 2, line.is_bold


def _is_heading(block: Block, body: float) -> bool:
    text = " ".join(line.text for line in block.lines)
    if len(text) > _LONGEST_HEADING or len(block.lines) > _MOST_LINES or not any(map(str.isalpha, text)):
        return False
    if _BULLET.match(text):
        return False
    if _CLAUSE.match(text) and len(text) <= _LONGEST_CLAUSE and not ENDED.search(text):
        return True
    size, bold = _look(block.first)
    alike = all(abs(_look(line)[0] - size) < _SAME_SIZE and line.is_bold == bold for line in block.lines)
    if not alike:
        return False
    if size >= body * _LARGER:
        return bold or not text.endswith((",", ";"))
    return bold and size >= body * 0.9 and not text.endswith((",", ";", "."))


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    blocks: list[list[Line]] = []
    pitch = _pitch(lines)
    for line in lines:
        if blocks and _goes_on(blocks[-1], line, pitch):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [Block(tuple(block)) for block in blocks]


def _pitch(lines: Sequence[Line]) -> dict[float, float]:
    """How far lines of one size are apart, from top to top."""
    found: dict[float, Counter[float]] = {}
    for before, line in pairwise(lines):
        if before.column == line.column and abs(before.size - line.size) < _SAME_SIZE and line.top > before.top:
            found.setdefault(round(line.size), Counter())[round(line.bottom - before.bottom)] += 1
    usual = {}
    for size, distances in found.items():
        close = {distance: n for distance, n in distances.items() if distance <= size * 2.2}
        usual[size] = max(close, key=lambda distance: close[distance]) if close else size * 1.2
    return usual


def _goes_on(block: list[Line], line: Line, pitch: dict[float, float]) -> bool:
    before = block[-1]
    if abs(before.size - line.size) >= _SAME_SIZE or before.is_bold != line.is_bold or _begins(line):
        return False
    if before.column != line.column:
        return not ENDED.search(before.text) and line.text[:1].islower()
    distance = line.bottom - before.bottom
    if not 0 < distance <= _LOOSE * pitch.get(round(line.size), line.size * 1.2):
        return False
    return not _is_last(block, line)


def _begins(line: Line) -> bool:
    text = line.text
    return bool(_BULLET.match(text) or _NUMBER.match(text) or _OUTLINE.match(text))


def _is_last(block: list[Line], line: Line) -> bool:
    """Whether the last line of a block ends a paragraph: the next is indented, or its first word had found room."""
    before, indent = block[-1], _INDENT * line.size
    hanging = bool(_begins(block[0]))
    if not hanging and line.left > before.left + indent and line.left > line.column[0] + indent:
        return len(block) > 1 or line.left > before.left + 2 * indent
    if len(block) > 1 and not hanging and line.left > block[1].left + indent:
        return True
    first_word = len(line.text.split(" ", 1)[0]) * line.size * 0.5
    room = before.column[1] - before.right
    width = before.column[1] - before.column[0]
    return room > first_word + line.size and (bool(ENDED.search(before.text)) or room > width * (1 - _SHORT))


def text_of(block: Block, words: Counter[str]) -> str:
    """The words of a block; a word that was divided at the end of a line is one again if the file has it elsewhere."""
    text = ""
    for line in block.lines:
        text = appended(text, line.text, words)
    return text


def appended(text: str, line: str, words: Counter[str]) -> str:
    """A text with its next line; the mark of a divided word goes if the file has the word elsewhere."""
    if not text:
        return line
    head, tail = text.rpartition(" ")[2], line.partition(" ")[0]
    if text.endswith(("-", "‐")) and tail[:1].isalpha() and len(head) > 1 and head[-2].isalpha():
        whole = re.sub(r"\W+$", "", head[:-1] + tail).lower().lstrip("(“\"'")
        with_mark = re.sub(r"\W+$", "", head + tail).lower().lstrip("(“\"'")
        divided = tail[:1].islower() and 0 < words[whole] >= words[with_mark]
        return (text[:-1] if divided else text) + line
    in_address = _ADDRESS.search(text) is not None and "/" in tail
    return text + line if text.endswith("/") or in_address else f"{text} {line}"


def item_of(text: str) -> tuple[str, str] | None:
    if found := _BULLET.match(text):
        return "-", text[found.end() :]
    if found := _NUMBER.match(text):
        return found[1], text[found.end() :]
    return None


def without_running_lines(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> list[list[Line]]:
    """The lines of all pages but headers and footers: what comes again at the edges of pages, numbers aside."""
    seen: Counter[str] = Counter()
    for lines, height in zip(pages, heights, strict=True):
        seen.update({_without_numbers(line) for line in lines if _is_at_edge(line, height)})
    fewest = max(3, len(pages) // 4) if len(pages) > 3 else max(2, len(pages))
    return [
        [line for line in lines if not (_is_at_edge(line, height) and _is_running(line, seen, fewest))]
        for lines, height in zip(pages, heights, strict=True)
    ]


def _is_running(line: Line, seen: Counter[str], fewest: int) -> bool:
    text = _without_numbers(line)
    return seen[text] >= fewest or text in _PAGE_NUMBERS


def _is_at_edge(line: Line, height: float) -> bool:
    return line.bottom < height * 0.09 or line.top > height * 0.91


def _without_numbers(line: Line) -> str:
    return " ".join(re.sub(r"\d+", " ", line.text).lower().split())


def all_words(pages: Iterable[Sequence[Line]]) -> Counter[str]:
    return Counter(word for page in pages for line in page for word in _plain_words(line.text))


def _plain_words(text: str) -> Iterator[str]:
    for word in text.split():
        yield word.strip(".,;:!?()[]“”\"'").lower()
