"""Footnotes that a program adds to a text, each behind the words that it is about."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from .document import Document

_BETWEEN = re.compile(r"[ \t|]*\n?[ \t|]*")
"""What stands between two sentences of a paragraph, or two rows of a table."""
_CLOSING = re.compile(r"(?:[`*_~\"'”’»)]|\]\([^()\n]*\))*")
_ADDRESS = re.compile(r"(?:://|www\.|@)[^\s<>]*\Z")
_MARKUP = re.compile(
    r"[\\`*\[^$~@]|(?<![^\W_])_|_(?![^\W_])|<(?=[a-z/!?])|&(?=[#\w]+;)|:(?=//|[\w+-]+:)|(?<=\bwww)\.", re.IGNORECASE
)
"""What may be markup in a line, also an address or an emoji; an underline inside a word is none."""
_BLOCK = re.compile(r"\A(\d{0,9})(>|[-#+:.)](?=[\s#-]|\Z))")
"""What begins an item, a heading, a rule or a quotation."""
_LONGEST_WORD = 500


@dataclass(frozen=True)
class Footnote:
    """Plain words about what stands from ``start`` to ``end`` of a text."""

    start: int
    end: int
    words: str


def with_footnotes(text: str, notes: Iterable[Footnote]) -> str:
    """The text with footnotes; of those in a row that say the same only the last.

    A text in which they would not be footnotes, as behind a code block that does not end, stays as it is.
    """
    kept = list(_of_each_row(text, notes))
    mark = next(mark for mark in (f"source{number or ''}-" for number in count()) if f"[^{mark}" not in text)
    parts, at = list[str](), 0
    for number, note in enumerate(kept, 1):
        end = _behind(text, note.end)
        space = " " if _ADDRESS.search(text, max(0, end - _LONGEST_WORD), end) else ""
        parts += [text[at:end], f"{space}[^{mark}{number}]"]
        at = end
    told = (f"\n\n[^{mark}{number}]: {_escaped(note.words)}" for number, note in enumerate(kept, 1))
    noted = "".join([*parts, text[at:].rstrip("\n"), *told, "\n"]) if kept else text
    labels = [found.label for found in Document(noted).footnotes] if kept else []
    complete = all(labels.count(f"{mark}{number}") == 2 for number in range(1, len(kept) + 1))
    return noted if complete else text


def _of_each_row(text: str, notes: Iterable[Footnote]) -> Iterator[Footnote]:
    last: Footnote | None = None
    for note in sorted(notes, key=lambda note: note.start):
        if not 0 <= note.start < note.end <= len(text) or (last and note.start < last.end):
            continue
        if last and last.words == note.words and _BETWEEN.fullmatch(text, last.end, note.start):
            last = replace(note, start=last.start)
            continue
        if last:
            yield last
        last = note
    if last:
        yield last


def _behind(text: str, end: int) -> int:
    closed = _CLOSING.match(text, end)
    return closed.end() if closed else end


def _escaped(words: str) -> str:
    """Plain words as Markdown, which still reads as they do."""
    line = _MARKUP.sub(r"\\\g<0>", " ".join(words.split()))
    return _BLOCK.sub(r"\1\\\2", line)
