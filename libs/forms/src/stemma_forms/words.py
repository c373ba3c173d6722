"""The words by which forms are read, in every language, and the texts that ask for an answer.

Such are placeholders ([insert your name], <System Name>, ____) and labels.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from stemma_languages import form_words

_NOT_A_WORD = re.compile(r"[\W_]+")
# A German compound ends with what it is about: Bieterantwort.
_COMPOUND = 6
# From here on scripts put no spaces between words.
UNSPACED = "\u3041"
SUMS = ("total", "gross", "net", "vat_amount")
_LONGEST_SUM = 6
_LONGEST_HEADER = 120


@cache
def terms(about: str) -> tuple[str, ...]:
    """What all languages call something, in the order of the languages and of their lists."""
    return tuple(dict.fromkeys(term for known in _lists(about) for term in known))


@cache
def _in_words(about: str) -> tuple[str, ...]:
    """The same as words: of a form with many cells they are compared with each."""
    return tuple(map(normal, terms(about)))


def normal(text: str) -> str:
    """The words of a text in lower case with one space between them."""
    return _NOT_A_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def mentions(text: str, about: str) -> bool:
    """Whether a short text, such as the header of a column, has one of the terms."""
    return rank(text, about) is not None


@lru_cache(maxsize=8192)
def rank(text: str, about: str) -> int | None:
    """The place in its language's list of the first term that a short text has; None if it has none."""
    if len(text) > _LONGEST_HEADER:
        return None
    single, several = _ranked(about)
    words = normal(text)
    held = [single[ending] for word in words.split() for ending in _endings(word) if ending in single]
    held += [place for term, place in several.items() if f" {term} " in f" {words} "]
    if not text.isascii():
        held += [place for term, place in single.items() if term[0] >= UNSPACED and term in words]
    return min(held, default=None)


def is_sum(text: str) -> bool:
    """Whether the words of a row say that it adds up others."""
    return len(text.split()) <= _LONGEST_SUM and any(mentions(text, about) for about in SUMS)


def _endings(word: str) -> Iterator[str]:
    yield word
    yield from (word[start:] for start in range(1, len(word) - _COMPOUND + 1))


@cache
def _ranked(about: str) -> tuple[dict[str, int], dict[str, int]]:
    """Terms of one word and of several, with the place that each has in its language's list."""
    found: dict[str, int] = {}
    for known in _lists(about):
        for place, term in enumerate(known):
            found[normal(term)] = min(place, found.get(normal(term), place))
    return (
        {term: place for term, place in found.items() if " " not in term},
        {term: place for term, place in found.items() if " " in term},
    )


def _lists(about: str) -> Iterator[tuple[str, ...]]:
    """What each language calls something: one of its lists, or a concept."""
    yield from (getattr(words, about, ()) or words.concepts.get(about, ()) for words in form_words().values())


def crossed(heads: Mapping[int, str]) -> dict[int, str]:
    """Of the heads of columns, by their number, those side by side of which a row has one crossed: yes, no, n/a."""
    ticks = _in_words("ticks")
    run: dict[int, str] = {}
    for column in sorted(heads):
        is_tick = any(normal(part) in ticks for part in heads[column].split("/")) or normal(heads[column]) in ticks
        if is_tick and (not run or column == max(run) + 1):
            run[column] = heads[column]
        elif len(run) > 1:
            break
        else:
            run = {column: heads[column]} if is_tick else {}
    return run if len(run) > 1 else {}


UNCHECKED, CHECKED, CROSS = "☐", "☒", "X"
BOXES = "☐□❏❑◻⬜☒☑"
_BOX = re.compile(f"[{BOXES}]")
_LONGEST_OPTION = 200


@dataclass(frozen=True)
class Box:
    """A box to check, drawn as the character at ``start`` of a text; ``label`` is what it stands for."""

    start: int
    label: str


def boxes(text: str) -> tuple[Box, ...]:
    """The boxes of a text: each stands before its label, but for a single one behind it."""
    found = [match.start() for match in _BOX.finditer(text)]
    if not found:
        return ()
    ends = [*found[1:], len(text)]
    labels = [text[start + 1 : end].strip(" \t\n\u00a0_.…;,") for start, end in zip(found, ends, strict=True)]
    if len(found) == 1 and not labels[0]:
        labels = [text[: found[0]].strip()]
    is_told = all(label and len(label) <= _LONGEST_OPTION for label in labels)
    return tuple(map(Box, found, labels)) if is_told and len(set(labels)) == len(labels) else ()


def with_checked(text: str, chosen: str) -> str:
    """The text with the box of one label checked, and no other."""
    for box in boxes(text):
        mark = CHECKED if box.label == chosen else UNCHECKED
        is_checked = text[box.start] in "☒☑"
        if is_checked != (box.label == chosen):
            text = text[: box.start] + mark + text[box.start + 1 :]
    return text


def opens(text: str) -> bool:
    """Whether a text begins as a request for words of one's own: "Describe your", "Beschreiben Sie"."""
    words = f"{normal(text)} "
    return any(term in words if term[0] >= UNSPACED else words.startswith(f"{term} ") for term in _in_words("opening"))


_BRACKETED = re.compile(r"\[([^\[\]<>\n]{2,150})\]|<([^\[\]<>\n]{2,150})>|\{\{([^{}\n]{1,80})\}\}|«([^«»\n]{1,80})»")
_BLANK = re.compile(r"_{3,}|\.{5,}|…{2,}|(?:_ ){3,}_?")
_NAME = re.compile(r"[^\W\d_][\w’'./&()-]*(?: [\w’'./&()-]+){0,9}")
_SMALL_WORDS = frozenset("of the and or for in to a an by de du des la le und der die".split())
_SURE, _NAMED, _LOOSE = 0.9, 0.7, 0.6
# What is said of an answer after its question: (max. 250 words).
_REMARK = re.compile(r"\s{0,3}\([^()]{1,80}\)\s{0,3}$")
_WORD = re.compile(r"[^\W\d_]{3}")
_LONGEST_LABEL, _LONGEST_QUESTION = 80, 400


@dataclass(frozen=True)
class Placeholder:
    """Characters ``start`` to ``end`` of a text; ``words`` is what they ask for, "" for a blank line."""

    start: int
    end: int
    words: str
    confidence: float
    # Whether the same words elsewhere ask for the same: a name does, "insert date" need not.
    is_name: bool = False


def placeholders(text: str) -> Iterator[Placeholder]:
    """The places of a text that wait for an answer, in their order."""
    found = [p for match in _BRACKETED.finditer(text) if (p := _bracketed(match))]
    found += [Placeholder(m.start(), m.end(), "", _SURE) for m in _BLANK.finditer(text)]
    end = 0
    for each in sorted(found, key=lambda placeholder: placeholder.start):
        if each.start >= end:
            yield each
            end = each.end


def is_placeholder(text: str) -> bool:
    """Whether a text is nothing but a placeholder, or tells people to choose or to enter something."""
    whole = text.strip()
    if any(p.start == 0 and p.end == len(whole) for p in placeholders(whole)):
        return True
    return len(whole) <= 60 and whole.endswith(("...", "…", "--")) and _tells_to_insert(whole)


def _bracketed(match: re.Match[str]) -> Placeholder | None:
    words = next(group for group in match.groups() if group is not None).strip()
    angled, template = match[2] is not None, match[3] is not None or match[4] is not None
    if _tells_to_insert(words):
        return Placeholder(match.start(), match.end(), words, _SURE)
    if template or (angled and _is_words(words)):
        return Placeholder(match.start(), match.end(), words, _NAMED, is_name=True)
    if _is_name(words):
        return Placeholder(match.start(), match.end(), words, _LOOSE, is_name=True)
    return None


def _tells_to_insert(words: str) -> bool:
    first = normal(words.strip("-–—.… ")).split(" ")
    return bool(first) and (first[0] in _insert() or (first[0] in ("please", "bitte", "veuillez") and len(first) > 1))


@cache
def _insert() -> frozenset[str]:
    return frozenset(map(normal, terms("insert")))


def _is_words(words: str) -> bool:
    return sum(c.isalpha() for c in words) > len(words) / 2 and "://" not in words and "@" not in words


def _is_name(words: str) -> bool:
    """Whether words are the name of something to put in: System Name, COMPANY, Name of the Bidder."""
    parts = words.split(" ")
    if not _NAME.fullmatch(words) or len(parts) + len(words) < 5:
        return False
    return all(part.lstrip("(")[:1].isupper() or part in _SMALL_WORDS for part in parts)


def is_name(text: str) -> bool:
    """Whether a text is a few words that name something, without a mark that asks for it."""
    return len(text) <= _LONGEST_LABEL and bool(_WORD.search(text)) and not text.endswith((".", "!", ";", ","))


def is_label(text: str) -> bool:
    """Whether a text is a question, or a few words with a colon."""
    bare = _REMARK.sub("", text)
    return (bare.endswith(("?", "？")) and len(text) <= _LONGEST_QUESTION) or (
        text.endswith((":", "：")) and len(text) <= _LONGEST_LABEL
    )
