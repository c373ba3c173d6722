"""What of a text others can rest on: its sentences, items, rows and lines, the figures and names in them, by marks.

The same words have the same mark, whatever they look like and wherever they stand. Targets of links are no words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from .blocks import Block, split
from .differences import Passage, lines, units

MARK_LENGTH = 12
WORD = re.compile(
    r"https?://[^\s`)>\]\"']+|\d+(?:[.,:/-]\d+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:_+[^\W\d_]+)*"
    r"|[<>=≤≥≠±%€$£¥&+]"
)
_TARGET = re.compile(r"\]\([^)\s]*\)|\]\[[^\]\s]*\]|^\s*\[[^\]]+\]:\s+\S+", re.MULTILINE)
_CODE = re.compile(r"`([^`\s]{2,64})`")
_NAME = re.compile(r"\b(?:[A-Za-z]*[a-z][A-Z]\w*|[A-Za-z]+_\w+)\b")
_LEAD = re.compile(
    r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|\|\s*|>\s*)?(?:\w{1,3}\s+)?"
    r"(\*\*|__|[`\"“„«])([^`*\"“”„«»\n]{2,60}?)(?:\*\*|__|[`\"“”»])"
    r"(?::|\s*(?::|[-–—]\s|\||(?:is|are|means|refers|denotes|ist|sind|bedeutet|bezeichnet|heißt|est|désigne|signifie|es|son"
    r"|significa|è|é|indica|betekent)\b))"
)
CODE = "`"
"""What stands before a name among words, and before a term that is one."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence, item, row or line with its marks.

    ``facts`` are the marks of the figures and names in it, ``alone`` those of names wherever in the text they stand,
    ``below`` is the mark of there being nothing more below it in its block, ``after`` of its being the last under its
    heading. ``defines`` is the term that it, or the item that it hangs below, says the meaning of. ``section`` counts
    headings, ``block`` blocks, ``part`` paragraphs, items and rows; ``depth`` is how far its item is indented.
    """

    text: str
    line: int
    section: int
    block: int
    part: int
    depth: int
    kind: str
    words: tuple[str, ...]
    names: frozenset[str]
    mark: str
    below: str
    after: str
    facts: Mapping[str, str] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)
    defines: str = ""


def words_of(text: str) -> tuple[str, ...]:
    """The words, figures and signs of a text; names that are written in one word with capitals keep them."""
    found = WORD.findall(_TARGET.sub("] ", text))
    return tuple(word if _NAME.fullmatch(word) else word.casefold() for word in found)


def names_of(text: str) -> frozenset[str]:
    """What stands as code in a sentence, and words with capitals or low lines within."""
    return frozenset((*_CODE.findall(text), *_NAME.findall(text)))


def mark_of(*words: str) -> str:
    """The mark of words."""
    return sha256(" ".join(words).encode(errors="replace")).hexdigest()[:MARK_LENGTH]


def _marks_within(words: Sequence[str], parts: Iterable[str]) -> dict[str, str]:
    """The marks of parts of words; the words are read once for all of them."""
    before, found = sha256(" ".join((*words, "#", "")).encode(errors="replace")), dict[str, str]()
    for part in parts:
        whole = before.copy()
        whole.update(part.encode(errors="replace"))
        found[part] = whole.hexdigest()[:MARK_LENGTH]
    return found


def marked(text: str, language: str = "en") -> tuple[Marked, ...]:
    """What a text says, in its order; what has no words is left out."""
    return tuple(_Marking(language).of(split(text)))


class _Marking:
    def __init__(self, language: str) -> None:
        self._language = language
        self._section, self._block, self._part, self._depth = 0, 0, 0, 0
        self._heading = tuple[str, ...]()

    def of(self, blocks: Sequence[Block]) -> Iterator[Marked]:
        for self._block, block in enumerate(blocks):
            self._part, self._depth = self._part + 1, 0
            pieces = lines(block) if block.kind == "table" else units(block, self._language)
            yield from self._pieces(block, pieces)

    def _pieces(self, block: Block, pieces: Sequence[Passage]) -> Iterator[Marked]:
        line, at, term, depth = block.line, block.start, "", 0
        for piece in pieces:
            line, at = line + block.text.count("\n", at - block.start, piece.start - block.start), piece.start
            if not (words := words_of(piece.text)):
                continue
            indent, begins = _indent(piece.text), block.kind == "table" or _is_item(piece.text)
            self._part += begins
            self._depth = indent if begins else self._depth
            term = "" if begins and indent <= depth else term
            if defined := self._defined(block.kind, piece.text, words):
                term, depth = defined, indent
            yield self._marked(block.kind, piece.text, line, words, term)
            term = term if block.kind == "list" else ""

    def _marked(self, kind: str, text: str, line: int, words: tuple[str, ...], term: str) -> Marked:
        names = names_of(text)
        if kind == "heading":
            self._section, self._heading = self._section + 1, words
            names |= {text.strip("#= \r\n")} if len(words) == 1 else set()
        figures = {word for word in words if word[0].isdigit()}
        facts = _marks_within(words, figures | names)
        alone = {name: mark_of("#", name) for name in names}
        marks = mark_of(*words), mark_of(*words, "#"), mark_of(*words, "##")
        at = self._section, self._block, self._part, self._depth
        return Marked(text, line, *at, kind, words, names, *marks, facts, alone, term)

    def _defined(self, kind: str, text: str, words: Sequence[str]) -> str:
        """The term that a sentence begins with, and says something of: one that stands out, or that of its heading."""
        if kind not in ("paragraph", "list", "table"):
            return ""
        if lead := _LEAD.match(text):
            return (CODE if lead[1] == CODE else "") + lead[2].strip()
        length = len(self._heading)
        begins = any(tuple(words[at : at + length]) == self._heading for at in (0, 1))
        return " ".join(self._heading) if length > 1 and begins and len(words) > length + 1 else ""


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _is_item(text: str) -> bool:
    return text.lstrip()[:1] in ("-", "*", "+") or text.lstrip()[:1].isdigit()
