"""What a text says that a term or an abbreviation means, and which abbreviations it leaves without a meaning."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from stemma_languages import fact_words

from stemma_evidence.claims.vocabulary import ANY
from stemma_evidence.sources.source import Source
from stemma_evidence.sources.words import content_words

from .facts import ADJECTIVE_BEHIND, WORD, Fact, alternatives
from .roles import TITLES

_QUOTED = r"[“„«\"「][ \u00a0]?(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[ \u00a0]?[”“»\"」],?[ ]?"
_TERM = r"(?:[“„«\"「]|(?<![^\n])[ #>*-]{0,8})(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[”“»\" *」]{1,6}"
_EXPLAINED = re.compile(r"(?<![^\W_])(?P<words>(?:[^\W_]+[ '’-]){1,9}[^\W_]+)[ ]\((?P<term>[A-Z][A-Z0-9&]{1,7})\)")
_ALL_BEHIND = re.compile(r"[^.\n。|]{3,300}")
_SHORT = re.compile(
    r"(?<![\w&./@#-])(?<![0-9][ ])(?P<term>[A-ZÀ-Þ][A-ZÀ-Þ0-9&]{1,4}[A-ZÀ-Þ])s?"
    r"(?![\w&@]|[./:]\w|[ -][0-9]|-[A-ZÀ-Þ]{2})"
)
"""An abbreviation of three letters or more; with a number behind it, it is a standard, a unit or a name."""
_IN_BRACKETS = re.compile(r"\([^()\n]{0,30}?(?<![\w&-])([A-ZÀ-Þ][A-ZÀ-Þ0-9&]{1,5})s?[”“»\"]?[,;)]")
_WITH_MEANING = re.compile(
    r"(?<![\w&-])([A-ZÀ-Þ][A-ZÀ-Þ0-9&]{1,5})s?"
    r"(?:[ ]?\([^\W\d]|[ ]?[=:–—][ ]?[^\W\d_]{2}|[ ]\|[ ]*[^\W\d_]{2,}[ ][^\W\d_])"
)
_SURNAME = re.compile(
    rf"(?:(?<!\w)(?:{TITLES})\.?|(?<=[\w,;(|:-][ ])[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-ZÀ-Þ][a-zß-ÿ]+)?)[ ]([A-ZÀ-Þ]{{3,6}})(?!\w)"
)
"""A name in capitals, as in French: "Mme LEROY", "Paul DURAND"."""
_WORD_IN_LETTERS = re.compile(r"(?<!\w)[^\W\d_][a-zß-ÿ]{2,5}(?!\w)")
_ROMAN = re.compile(r"[IVXLC]+")
_WORD_IN_CAPITALS = re.compile(r"(?<!\w)[A-ZÀ-Þ]{2,}(?!\w)")
_FEWEST_CAPITALS = 2


@dataclass(frozen=True)
class Unexplained:
    """An abbreviation that no text explains, where it stands first, and how often it stands anywhere."""

    text: str
    where: str
    line: int
    count: int


def unexplained(texts: Sequence[Source], known: Collection[str] = ()) -> Iterator[Unexplained]:
    """The abbreviations that none of the texts explains, in their order; ``known`` are those of other texts.

    What everybody knows, as PDF, needs no meaning, and a word that also stands in small letters is only stressed;
    Chinese and Japanese texts are not looked at.
    """
    first, counts = dict[str, tuple[Source, re.Match[str]]](), Counter[str]()
    explained = {*known, *(code for codes in ANY.currencies.values() for code in codes), *ANY.companies}
    for source in texts:
        explained |= _known(source.language)
        explained |= {found[1] for form in (_IN_BRACKETS, _WITH_MEANING) for found in form.finditer(source.shown)}
        explained |= {*_SURNAME.findall(source.shown)} if source.language in ADJECTIVE_BEHIND else set()
        explained |= {word.upper() for word in _WORD_IN_LETTERS.findall(source.shown)}
        explained |= {word.upper() for fact in terms_of(source) for word in fact.about}
        for found in _abbreviations(source.shown):
            first.setdefault(found["term"], (source, found))
            counts[found["term"]] += 1
    for term, (source, found) in first.items():
        if term not in explained:
            yield Unexplained(term, source.name, _line(source, found), counts[term])


@cache
def _known(language: str) -> frozenset[str]:
    return fact_words(language).known | fact_words("any").known


def _abbreviations(shown: str) -> Iterator[re.Match[str]]:
    """Those of a text that are of no heading or sentence in capitals, and no numbers."""
    end, is_shouted = -1, False
    for found in _SHORT.finditer(shown):
        if found.start() > end:
            start, end = shown.rfind("\n", 0, found.start()) + 1, shown.find("\n", found.end())
            end = end if end >= 0 else len(shown)
            is_shouted = _is_shouted(shown[start:end])
        capitals = sum(map(str.isalpha, found["term"]))
        if capitals >= _FEWEST_CAPITALS and not is_shouted and not _ROMAN.fullmatch(found["term"]):
            yield found


def _is_shouted(line: str) -> bool:
    letters = [letter for letter in line if letter.isalpha()]
    capitals = sum(map(str.isupper, letters))
    return 2 * capitals > len(letters) and (capitals == len(letters) or len(_WORD_IN_CAPITALS.findall(line)) > 1)


def terms_of(source: Source) -> Iterator[Fact]:
    """What a term or an abbreviation means."""
    for form in _defining(source.language):
        for found in form.finditer(source.shown):
            if meaning := _ALL_BEHIND.match(source.shown, found.end()):
                groups = found.groupdict()
                term = next(groups[name] for name in ("term", "quoted", "dashed", "several") if groups.get(name))
                yield _term(source, found, term, meaning[0])
    for found in _EXPLAINED.finditer(source.shown):
        words = WORD.findall(found["words"])[-2 * len(found["term"]) - 1 :]
        initials = [at for at, word in enumerate(words) if word[0].casefold() == found["term"][0].casefold()]
        if initials:
            yield _term(source, found, found["term"], " ".join(words[initials[0] :]))


def _term(source: Source, found: re.Match[str], term: str, meaning: str) -> Fact:
    words = content_words(meaning, source.language)
    about = frozenset((term.strip(" ,").casefold().removeprefix("the "),))
    return Fact("term", source.name, _line(source, found), meaning.strip(), about, words=words)


def _line(source: Source, found: re.Match[str]) -> int:
    return source.shown.count("\n", 0, found.start()) + 1


@cache
def _defining(language: str) -> tuple[re.Pattern[str], ...]:
    """A phrase that defines the term before it, and one that stands before both."""
    words = fact_words(language)
    every = alternatives((*words.defining, *words.defining_quoted))
    quoted = _QUOTED.replace("<term>", "<quoted>")
    defining = rf"(?:{alternatives(words.defining)})(?!\w)"
    dashed = rf"(?<!\w)(?P<dashed>(?-i:[A-ZÀ-Þ])[^\W\d_]{{2,30}})[ ][–—-][ ]{defining}"
    article = rf"(?:(?:{alternatives((*words.plain, *words.definite))})[ ])?"
    word, before, meant = r"(?P<term>[^\W\d_]{3,30})", alternatives(words.defined_behind), alternatives(words.meant)
    several = r"(?P<several>[^\W\d_]{3,30}(?:[ ][^\W\d_]{2,30}){0,2}?)"
    behind = rf"(?:{before})[ ]{article}(?:{several}[ ](?:{meant})(?!\w)|{quoted}(?:(?:{meant})[ ])?)"
    return (
        re.compile(rf"{_TERM},?[ ]?{defining}|{quoted}(?:{every})(?!\w)|{dashed}", re.I),
        re.compile(rf"(?<!\w){behind}", re.I),
        re.compile(rf"(?<!\w)(?:{alternatives(words.calling)})[ ]{article}{word}(?!\w)", re.I),
    )
