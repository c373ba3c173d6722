"""What sentences do, by words: `data/sentences/<tag>.json` and `data/instructions/<tag>.json`.

What a text says to its own reader, to bidders about what they hand in, or about its own place in its own document is
false in another document; a sentence that leans on the one before it says nothing without that one. A sentence of a
brief may tell the writer what to do.
"""

import re
from functools import lru_cache

from .languages import DEFAULT, primary
from .outlines import asks_for_a_form
from .wordlists import WIDE, WordList, any_of, folded, read_lists

LOOKED_AT = 300
"""Characters of a sentence that are looked at."""

_MARKS = "\"'“”„«»‘’*_`>()[]-–—•·¿¡ \t"


class _Instructions(WordList):
    polite: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


def is_instruction(sentence: str, language: str) -> bool:
    """Whether a sentence of a brief asks the writer for something, rather than stating it. Questions do not."""
    known = _read_instructions(primary(language) or DEFAULT)
    text = folded(" ".join(sentence[:LOOKED_AT].split())).lstrip(_MARKS)
    if text.endswith(("?", "？")):
        return False
    asked = _without(known.polite, text)
    return known.matches(asked) or known.fits(asked) or known.fits(text)


class _InstructionForms:
    def __init__(self, data: _Instructions) -> None:
        self.polite = tuple(sorted(data.polite, key=len, reverse=True))
        self._begins = _beginning(data.verbs, r"(?!\w)")
        after = rf"[\s,:]+(?:{any_of(data.after)})(?!\w)" if data.after else r"(?!\w)"
        self._may_begin = _beginning(data.unsure, after)
        self._patterns = tuple(re.compile(pattern) for pattern in data.patterns)

    def matches(self, text: str) -> bool:
        return any(pattern is not None and pattern.match(text) for pattern in (self._begins, self._may_begin))

    def fits(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in self._patterns)


def _beginning(words: tuple[str, ...], end: str) -> re.Pattern[str] | None:
    return re.compile(f"(?:{any_of(words)}){end}") if words else None


def _without(polite: tuple[str, ...], text: str) -> str:
    for _ in range(3):
        for word in polite:
            if text.startswith(word) and not text[len(word) : len(word) + 1].isalpha():
                text = text[len(word) :].lstrip(" ,:;")
                break
    return text


@lru_cache(maxsize=32)
def _read_instructions(tag: str) -> _InstructionForms:
    return _InstructionForms(read_lists(_Instructions, "instructions", tag))


_FORM_TEXT = re.compile(
    r"_{4}|\.{5}|……|\bX{3,}\b|\[[^\W\d_][^\[\]\n]{1,60}\]|\((?:[A-ZÀ-ÖØ-Þ/]{1,30} ){2,8}[A-ZÀ-ÖØ-Þ/]{2,30}\)"
)
"""Room for words of somebody's own: "____", "[name]", "(NAME OF THE BODY)"."""
_BEHIND_LABEL = re.compile(r"\s{0,2}(?:[\d０-９IVX]{1,4}(?:[.-]\d{1,3})*\)?\s?(?:[:：.–—-]|\s|$)|[:：–—])")
_LABELLED = (" - ", " – ", ": ", "; ")
"""What stands between a label and what is asked for under it."""


class SentenceWords(WordList):
    """A data file: words for the reader of a text, for bidders, for what they hand in and their duties in it, for the
    place where a sentence stands, those that lean or that say not, headings of what only lists other texts, and labels
    of captions."""

    reader: tuple[str, ...] = ()
    bidders: tuple[str, ...] = ()
    bids: tuple[str, ...] = ()
    duties: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    leaning: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()


def is_addressed(text: str, heading: str, language: str) -> bool:
    """Whether a text, or the heading above it, turns to its reader or to bidders, or speaks of its own document."""
    return (
        asks_for_a_form(heading)
        or _has("bidders", f"{heading}\n{text}", language)
        or _has("reader", text, language)
        or _has("places", text, language)
        or (_has("bids", text, language) and (_has("duties", text, language) or _instructs(text, language)))
    )


def is_form_text(text: str) -> bool:
    """Whether a text has room that somebody is to fill in: it states nothing yet."""
    return _FORM_TEXT.search(text) is not None


def negates(text: str, language: str) -> bool:
    """Whether a text says that something is not so, or excepts something."""
    return _has("negations", text, language)


def only_lists(heading: str, language: str) -> bool:
    """Whether a heading announces a bibliography or a table of contents."""
    found = _words("lists", primary(language)).search(folded(heading))
    return found is not None and found.group() == folded(heading).strip(" .:0123456789#")


def is_caption(text: str, language: str) -> bool:
    """Whether a text is the caption of a figure or a table: a label and a number, a mark, or both, before its words."""
    words = _words("captions", primary(language)).match(folded(text))
    return words is not None and _BEHIND_LABEL.match(text, words.end()) is not None


def leans(sentence: str, language: str) -> bool:
    """Whether a sentence begins as one that cannot be understood without the sentence before it."""
    found = _words("leaning", primary(language)).search(folded(sentence))
    return found is not None and not any(map(str.isalnum, sentence[: found.start()]))


def _instructs(text: str, language: str) -> bool:
    return any(is_instruction(part, language) for part in (text, *(text.partition(mark)[2] for mark in _LABELLED)))


def _has(kind: str, text: str, language: str) -> bool:
    return _words(kind, primary(language)).search(folded(text)) is not None


@lru_cache(maxsize=128)
def _words(kind: str, tag: str) -> re.Pattern[str]:
    """Any word of a list as a whole word, where words are told apart by spaces."""
    words: tuple[str, ...] = getattr(_read(tag), kind)
    wide = [word for word in words if WIDE.search(word)]
    spaced = [word for word in words if word not in wide]
    whole = rf"(?<!\w)(?:{any_of(spaced)})(?!\w)" if spaced else ""
    return re.compile("|".join(filter(None, (any_of(wide), whole))) or r"(?!)")


@lru_cache(maxsize=32)
def _read(tag: str) -> SentenceWords:
    return read_lists(SentenceWords, "sentences", tag)
