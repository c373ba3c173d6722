"""Key terms: what a text is about, in the words that it uses itself."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .words import STOPWORDS, WORD, content_stems, stem

# Verbs and adverbs that a noun phrase never ends with; they would spoil a key term.
_NOT_IN_TERMS = frozenset(
    """add adds allow allows answer answers ask asks become becomes begin begins bring brings build builds buy buys
    call calls carry carries choose come comes cost costs cover covers depend depends describe expect expects fall
    falls feel feels find finds follow follows go goes grow grows help helps hold holds include includes know knows
    leave leaves live lives look looks lose loses mean means meet meets move moves offer offers open opens pay pays
    prefer put puts reach reaches read reads remain remains rest rests run runs said say says see sees sell sells send
    serve serves set sets share shares show shows speak speaks stand stands start starts stay stays stop stops support
    supports tell tells think thinks turn turns visit visits wait waits want wants work works write writes able
    available different following good great large little long main new old own particular possible short similar
    small specific various usually simply twice soon later early ago back particularly currently really""".split()
)
_DETERMINERS = frozenset("the a an each every this its their no".split())
_LITTLE = _DETERMINERS | frozenset("of for with between".split())
_WORDLIKE = re.compile(r"[^\W\d_][\w'’-]*")
_LONGEST_RUN = 3
_INSIDE_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]*")
_UNITS = frozenset(
    """per percent cent euro euros dollar dollars hour hours minute minutes day days week weeks month months year years
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday km kg cm metre metres third tenths time times rest end way thing things everything
    anybody somebody nobody people person case part parts number numbers one three four five six seven eight nine ten
    eleven twelve fourteen twenty hundred thousand million half quarter section item items point points list""".split()
)


@dataclass(frozen=True)
class Lexicon:
    """What is known of the words of a document's whole material."""

    names: frozenset[str]
    nouns: frozenset[str]
    counts: Counter[str]
    after_the: frozenset[str]

    def terms(self, texts: Iterable[str], limit: int) -> list[str]:
        """Up to ``limit`` phrases of the material that tell these texts from the rest, the most telling first."""
        found: Counter[str] = Counter()
        shown: dict[str, str] = {}
        for phrase in (phrase for text in texts for phrase in _phrases(text, self.nouns)):
            if phrase.lower() in self.counts:
                found[phrase.lower()] += 1
                shown.setdefault(phrase.lower(), phrase)
        ranked = sorted(found, key=lambda phrase: (-self._telling(phrase, found[phrase]), phrase))
        return _without_overlap([shown[phrase] for phrase in ranked], limit)

    def in_sentence(self, texts: Iterable[str], limit: int) -> list[str]:
        """The key terms as they stand in a sentence: ``the cargo bicycle``, ``members``, ``Fernhill``."""
        return [self.with_article(term) for term in self.terms(texts, limit)]

    def with_article(self, term: str) -> str:
        """``the cargo bicycle``, ``members``, ``Fernhill``."""
        plain_plural = term[0].islower() and term.endswith("s") and not term.endswith("ss")
        if term.lower() in self.after_the or not (plain_plural or term[0].isupper()):
            return f"the {term}"
        return term

    def lowered(self, phrase: str) -> str:
        """A title or sentence as it goes on inside a sentence: its first word keeps its capital if it is a name."""
        first = WORD.match(phrase)
        if not first or first.group() == "I" or any(map(str.isupper, first.group()[1:])):
            return phrase
        if first.group() in self.names and first.group().lower() not in STOPWORDS:
            return phrase
        return phrase[0].lower() + phrase[1:]

    def _telling(self, phrase: str, count: int) -> float:
        weight = 1.7 if " " in phrase else 0.7 if len(phrase) < 5 else 1.0
        return weight * count * math.sqrt(count / max(count, self.counts[phrase]))


@lru_cache(maxsize=64)
def _runs(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every little word of a text in lower case, each with the up to three words that follow it without a pause."""
    tokens = text.split()
    places = [place for place, token in enumerate(tokens) if token.lower() in _LITTLE]
    return tuple((tokens[place].lower(), _run(tokens[place + 1 : place + 1 + _LONGEST_RUN])) for place in places)


def _run(tokens: Sequence[str]) -> tuple[str, ...]:
    words: list[str] = []
    for token in tokens:
        word = _WORDLIKE.match(token)
        if not word:
            break
        words.append(word.group())
        if word.end() < len(token):
            break
    return tuple(words)


@lru_cache(maxsize=64)
def _known(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    names = frozenset(_INSIDE_NAME.findall(text))
    runs = [(little, words) for little, words in _runs(text) if words]
    nouns = frozenset(stem(words[0].lower()) for little, words in runs if little in _DETERMINERS)
    after_the = {" ".join(words[:2]).lower() for little, words in runs if little == "the"}
    return names, nouns, frozenset(after_the)


@lru_cache(maxsize=32)
def lexicon(texts: tuple[str, ...]) -> Lexicon:
    """The lexicon of the material."""
    known = [_known(text) for text in texts]
    nouns = frozenset().union(*(part[1] for part in known))
    counts = Counter(phrase.lower() for text in texts for phrase in _phrases(text, nouns))
    names = frozenset().union(*(part[0] for part in known))
    return Lexicon(names, nouns, counts, frozenset().union(*(part[2] for part in known)))


@lru_cache(maxsize=512)
def _phrases(text: str, nouns: frozenset[str]) -> tuple[str, ...]:
    found = (_phrase_from(words, nouns) for _, words in _runs(text))
    return tuple(phrase for phrase in found if phrase)


def _phrase_from(tokens: Sequence[str], nouns: frozenset[str]) -> str:
    taken: list[str] = []
    for token in tokens:
        if not _may_be_in_term(token):
            break
        taken.append(token)
    while len(taken) > 1 and stem(taken[-1].lower()) not in nouns:
        taken.pop()
    return " ".join(taken[-2:])


@lru_cache(maxsize=8192)
def _may_be_in_term(token: str) -> bool:
    word = token.lower()
    if word in STOPWORDS or word in _NOT_IN_TERMS or word in _UNITS or len(word) < 3 or not word[0].isalpha():
        return False
    return not word.endswith(("ly", "ed", "ing", "'s", "’s"))


def _without_overlap(phrases: Sequence[str], limit: int) -> list[str]:
    kept: list[str] = []
    seen: set[str] = set()
    for phrase in phrases:
        stems = set(content_stems(phrase))
        if stems and not stems & seen:
            kept.append(phrase)
            seen |= stems
        if len(kept) == limit:
            break
    return kept
