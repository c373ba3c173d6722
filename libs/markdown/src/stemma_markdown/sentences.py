"""Sentences of prose, by sentencex and what it does not know of the languages that ship."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import sentencex

from .prose import Prose

WINDOW = 1000
"""Characters that are cut at a time: a quotation mark without its partner takes sentencex quadratic time."""
KEPT_TEXTS = 512
"""Paragraphs of one window whose sentences are kept: they are asked for several times, also of the next version."""

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_MARK = re.compile(r"(?:\s{0,9}\([^\s()]{1,4}\)(?=\s)){1,3}")
"""The marks of an item, "(1) (a)": sentencex takes what begins with one for one sentence."""
_ODD_SPACE = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x85\u2028\u2029\ufeff]")
_OPENING = '(["“„«‹'
_GOES_ON = re.compile(r"[a-zà-öø-ÿœ,;:ºª°]")
_NUMBER = re.compile(r"[#§(]?\d")
_ROMAN = re.compile(r"[IVXLC]{1,7}(?!\w)")
_ARTICLE = re.compile(r"[ldra]\.")
"""The letter before the number of an article in a French code."""
_ELIDED = re.compile(r"\w{1,6}['’](?=\w)")
"""An article that has run into the word after it, as in "l'art."."""
_INITIAL = re.compile(r"[^\W\d_]\.")
_ORDINAL = re.compile(r"\d{1,3}\.")
_AFTER_SPEECH = re.compile(r"と|って|など|を|が|は|に|の")
_CLOSED_SPEECH = ("」", "』")
_MAY_GO_ON = (".", "。", *_CLOSED_SPEECH)
_ASIDE = re.compile(r"\s{0,9}\([^()\n]{0,60}[^()\n.!?]\)(?=\s+[^\sa-zà-öø-ÿœ(]|\s*\Z)")
"""A source in brackets after a sentence: it belongs to what stands before it. sentencex ends one at each empty line, so
that without a bound on the spaces a text of these would be looked through from each of them to its end."""
_CONTEXT = 90

# Many of these sentencex knows; what it knows differs from language to language and from version to version.
_NAMED = {
    "de": "hr. fr. dr. prof. dipl.-ing. st. vgl. bzw. ggf. evtl. ca. inkl. exkl. zzgl. gem. lt. sog.",
    "en": "mr. mrs. ms. dr. prof. st. vs. cf. e.g. i.e. approx. incl. excl.",
    "es": "sr. sra. srta. d. dña. dr. dra. prof. ing. lic. gral. cf. vs.",
    "fr": "m. mm. mme. mlle. dr. me. pr. cf. ste.",
    "it": "sig. sig.ra. dott. dott.ssa. ing. avv. prof. arch. geom. cfr. spett. egr. gent.",
    "nl": "dhr. mevr. drs. dr. ir. ing. mr. prof. bijv. o.a. d.w.z. i.v.m. m.b.t. t.a.v. vgl. ca. incl. excl.",
    "pt": "sr. sra. dr. dra. eng. prof. profa. exmo. exma. cf. vs.",
}
_BEFORE_NAMES = {language: frozenset(words.split()) for language, words in _NAMED.items()}
"""After them a sentence goes on, whatever follows."""

_BEFORE_NUMBERS = frozenset(
    "abs. al. anl. art. arts. bd. buchst. blz. cap. cf. cfr. ch. chap. eq. fig. figs. hfst. inc. incs. kap. lett."
    " let. lit. n. nn. no. nos. nr. núm. nº. p. pp. pag. pagg. par. pág. págs. pgs. pt. rn. sec. sect. sez. tab."
    " tav. vgl. vol. vols. ziff. approx. ca. circa. max. min.".split()
)
_BEFORE_ROMANS = frozenset("art. arts. cap. inc. incs. lit. sec. sez. tit.".split())
_BEFORE_ORDINALS = frozenset(
    "der die das den dem des am im vom zum zur beim bis ab seit ein eine einen einem einer eines jeder jede jedes jeden"
    " jedem dieser diese dieses diesen diesem ihr ihre ihren seinem seiner seinen dessen deren".split()
)
_BEFORE_INITIALS = frozenset(
    "and by from of to von vom und durch an par et por y e da di dal con door van en com pelo pela"
    " mr mrs ms dr prof sir lady herr frau herrn signor signora monsieur madame señor señora senhor senhora heer"
    " mevrouw".split()
)
"""Words before the initial of a name, with which no sentence ends."""
_HOURS = frozenset(("a.m.", "p.m."))
_AFTER_HOURS = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:mon|tue|wed|thu|fri|sat|sun)\b|[\d(–—-]"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december) [\d]"
    r"|(?:[a-z]{4,12} ){1,3}time\b|(?:[a-z]{1,3}[sd]?t|utc|gmt|cest|met|mesz|mez)\b(?! [a-z]+ )",
    re.IGNORECASE,
)
"""What goes on after an hour of the day: a day, a zone."""


@dataclass(frozen=True)
class Sentence:
    """A sentence: plain text, and the range of its source with the markup that is inside of it."""

    text: str
    line: int
    start: int
    end: int


def sentences_of(pieces: Iterable[Prose], language: str) -> Iterator[Sentence]:
    """The sentences of prose; headings, cells and code have none."""
    for piece in pieces:
        if piece.kind == "paragraph":
            for start, end in sentence_ranges(piece.text, language):
                begin, after = piece.source(start, end)
                yield Sentence(piece.text[start:end], piece.line, begin, after)


def sentence_ranges(text: str, language: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences of a plain text begin and end, without the spaces around them.

    ``language`` is a BCP 47 tag such as ``de``; one that is not known is read like English.
    """
    return _kept(text, language) if len(text) <= WINDOW else _ranges(text, language)


def _ranges(text: str, language: str) -> tuple[tuple[int, int], ...]:
    primary = language.lower().replace("_", "-").split("-")[0]
    known = primary if _LANGUAGE.fullmatch(primary) else "en"
    bounds = [0, *_mended(text, list(_breaks(text, known)), known), len(text)]
    return tuple(
        (start + len(text[start:end]) - len(text[start:end].lstrip()), start + len(text[start:end].rstrip()))
        for start, end in pairwise(bounds)
        if text[start:end].strip()
    )


_kept = lru_cache(maxsize=KEPT_TEXTS)(_ranges)


def _breaks(text: str, language: str) -> Iterator[int]:
    readable = text if text.isascii() and text.isprintable() else _ODD_SPACE.sub(" ", text)
    readable = _MARK.sub(_blank, readable, count=1) if _MARK.match(readable) else readable
    at = 0
    while at < len(text):
        parts = sentencex.segment(language, readable[at : at + WINDOW])
        whole = at + WINDOW >= len(text)
        for part in parts if whole or len(parts) == 1 else parts[:-1]:
            at += len(part)
            if at < len(text) and (whole or len(parts) > 1):
                yield at


def _blank(mark: re.Match[str]) -> str:
    return " " * len(mark[0])


_DOTTED = re.compile(r"(?<![^\W_])(?:[A-Z]\.)+$")
"""Letters of an abbreviation that goes on without a space, such as C.C.T.P."""


def _mended(text: str, breaks: list[int], language: str) -> Iterator[int]:
    for place in breaks:
        before = text[max(0, place - _CONTEXT) : place].rstrip()
        if _DOTTED.search(text[max(0, place - _CONTEXT) : place]) and text[place + 1 : place + 2] == ".":
            continue
        if not before.endswith(_MAY_GO_ON) or not _goes_on(before, text[place : place + _CONTEXT].lstrip(), language):
            aside = _ASIDE.match(text, place)
            yield aside.end() if aside else place


def _goes_on(before: str, after: str, language: str) -> bool:
    if after.startswith(("）", ")")):
        return True
    if language == "ja":
        return before.endswith(_CLOSED_SPEECH) and _AFTER_SPEECH.match(after) is not None
    words = (piece.lstrip(_OPENING).lower() for piece in before.split()[-2:])
    *_, last_but_one, word = ["", "", *(_ELIDED.sub("", piece) for piece in words)]
    if not word.endswith("."):
        return False
    return (
        _GOES_ON.match(after) is not None
        or word in _BEFORE_NAMES.get(language, ())
        or (word in _HOURS and _AFTER_HOURS.match(after) is not None)
        or (before[-2:-1].isupper() and after[:1].isupper() and _is_of_name(last_but_one, word, language))
        or (word in _BEFORE_NUMBERS and _NUMBER.match(after) is not None)
        or (word in _BEFORE_ROMANS and _ROMAN.match(after) is not None)
        or (language == "fr" and _ARTICLE.fullmatch(word) is not None and _NUMBER.match(after) is not None)
        or (language == "de" and last_but_one in _BEFORE_ORDINALS and _ORDINAL.fullmatch(word) is not None)
    )


def _is_of_name(before: str, word: str, language: str) -> bool:
    """Whether a letter is the initial of a name: after a title, another initial or a word that goes on."""
    leads = before in _BEFORE_INITIALS or before in _BEFORE_NAMES.get(language, ()) or _INITIAL.fullmatch(before)
    return bool(leads) and _INITIAL.fullmatch(word) is not None
