"""What a text states: dates, amounts, durations, shares and counts, with what each is of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from itertools import chain, islice, pairwise
from typing import Literal

from stemma_languages import fact_words

from stemma_evidence.claims.claim import Claim, measure_value
from stemma_evidence.claims.modes import words
from stemma_evidence.lookup.clauses import Said, sentences_of
from stemma_evidence.sources.contexts import COMPARED, Context, terms
from stemma_evidence.sources.source import Source

_LIMITING = frozenset(("least", "atmost", "exceed", "below"))
_LIMITED = 5
"""Words before a value that may limit it."""
_DIGIT = re.compile(r"[0-9]")
WORD = re.compile(r"[^\W_]+")
_COUNTED = re.compile(r"[ \n](?:[^\W\d_]{2,}[ \n])?[^\W\d_]{3,}|[\u3040-\u9fff]")
_NUMBERED = re.compile(r"[^\W\d_]\w*\.?[ \n]([^\W\d_]+)\.?[ \n]\Z")
_BEHIND = 40
_REACH = 160
_END = re.compile(r"[.!?;。](?=\s)|\n[ >]*\n|\||;")
_JOINED = re.compile(r"[ ]?[-–/][ ]?|[ ][^\W\d_]{1,7}[ ](?:[^\W\d_]{1,5}[ ])?")
"""What stands between the values of one range or list."""
_CUT = re.compile(r"[.!?;,:。](?=\s)|\n[ >]*\n|\|")
_PARTS = re.compile(r"[,:()–]\s")
_PART, _SENTENCE = 0.6, 0.3
"""What a word counts that stands in another part of the sentence, and in its part or heading."""
ADJECTIVE_BEHIND = frozenset(("fr", "es", "it", "pt"))
_IN_OTHER_UNITS = {"year": (12, "month"), "week": (7, "day")}
_LEAST_COMPOUND = 4
COMPOUNDING = frozenset(("de", "nl"))
"""Languages that write two nouns as one word."""

Kind = Literal["value", "role", "term"]


@dataclass(frozen=True)
class Fact:
    """What a text states of one thing. ``text`` is the value, name or meaning as it is written.

    ``about`` are the words that tell what it is about, ``weights`` all that stand with it and how near they do,
    ``scope`` values beside it for which it holds, ``bound`` the words that stand before, behind or under a preposition
    with a word, by that word or preposition, ``concepts`` what its words are of: a contract, a beginning.
    """

    kind: Kind
    where: str
    line: int
    text: str
    about: frozenset[str]
    claim: Claim | None = None
    values: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    scope: frozenset[str] = frozenset()
    rate: str = ""
    bound: Mapping[str, frozenset[str]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    weights: Mapping[str, float] = field(default_factory=dict)
    concepts: frozenset[str] = frozenset()
    in_row: bool = False
    start: int = 0
    end: int = 0

    @property
    def units(self) -> frozenset[str]:
        """What it is measured in; of a date, how exact it is."""
        if self.claim is None or self.claim.kind != "date":
            return frozenset(value.partition(" ")[2] for value in self.values)
        return frozenset((_DIGIT.sub("0", self.claim.values[0]),))

    @property
    def is_time(self) -> bool:
        """Whether it is a time of the day."""
        value = self.claim.values[0] if self.claim else ""
        return value.startswith("T") or self.text.endswith(" h")

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """The numbers of a measure."""
        return self.claim.numbers if self.claim else ()

    def with_(self, other: Fact) -> Fact:
        """Both as one, as in "4 and 5 March"."""
        return replace(self, text=f"{self.text}, {other.text}", values=self.values | other.values, end=other.end)


def values_of(source: Source) -> Iterator[Fact]:
    """The values of a text; those that stand beside each other for one thing, as in a range, are one fact."""
    before: Fact | None = None
    for fact in _single_values(source):
        if before is not None and _are_one(before, fact, source.shown[before.end : fact.start]):
            before = before.with_(fact)
            continue
        if before is not None:
            yield before
        before = fact
    if before is not None:
        yield before


def _are_one(one: Fact, other: Fact, between: str) -> bool:
    is_alike = one.line == other.line and one.units == other.units and not one.in_row
    return is_alike and not (one.counted or other.counted) and _JOINED.fullmatch(between) is not None


def _single_values(source: Source) -> Iterator[Fact]:
    sentences = sentences_of(source)
    starts = [said.start for said in sentences]
    compared = [claim for claim in source.claims if claim.kind in COMPARED]
    places = [claim.start for claim in compared]
    for index, (claim, context) in enumerate(zip(source.claims, source.contexts, strict=False)):
        if claim.kind not in COMPARED or claim.hedged or index in source.loose:
            continue
        said = _sentence(sentences, starts, claim)
        modes = _marks(source, claim)
        is_count = claim.kind == "quantity" and not claim.units
        if modes & _LIMITING or (is_count and not _is_count_of_all(source, claim, modes)):
            continue
        first, last = (bisect_left(places, end) for end in ((said.start, said.end) if said else (0, 0)))
        yield _value(source, claim, context, said, _without_values(said, compared[first:last]) if said else "")


def _value(source: Source, claim: Claim, context: Context, said: Said | None, shown: str) -> Fact:
    language, is_count = source.language, claim.kind == "quantity" and not claim.units
    bindings = _part(shown, claim.start - said.start) if said and is_count else range(len(shown))
    every = context.near | context.around
    scope = frozenset(word for word in every if word[0] == "=" or word.isdigit()) | _numbered(source, claim, said)
    weights = _weights(shown, claim.start - said.start if said else 0, context, language)
    about = frozenset(word for word, weight in weights.items() if weight == 1) - scope
    specific = about - generic(language)
    return Fact(
        "value",
        source.name,
        claim.line,
        claim.text,
        specific or about,
        claim,
        frozenset(map(_comparable, claim.numbers, claim.units) if claim.units else claim.values),
        context.near if is_count else frozenset(),
        scope,
        _rate(source, claim),
        _bound(shown, bindings, language, specific),
        context.near,
        _heads(source.shown, claim, language) - scope,
        weights,
        _concepts_of((word for word in weights if weights[word] >= _PART), shown, language),
        said is None,
        claim.start,
        claim.end,
    )


def _comparable(number: Decimal, unit: str) -> str:
    """A measure in the unit that all of its kind are compared in."""
    times, of = _IN_OTHER_UNITS.get(unit, (1, unit))
    return measure_value(number * times, of)


def _weights(shown: str, at: int, context: Context, language: str) -> dict[str, float]:
    """The words that stand with a value, each with how near it stands: 1 in its part of the sentence or its row."""
    found = {word: _SENTENCE for word in context.around if word[0] != "="}
    for start, end in _parts(shown):
        weight = 1 if start <= at < end else _PART
        found |= {word: max(found.get(word, 0), weight) for word in _words(shown[start:end], language)}
    found |= dict.fromkeys((word for word in context.near if word[0] != "="), 1.0)
    # What stands alone, as the answer to a field of a form, is about what its heading says.
    return found if max(found.values(), default=1) > _SENTENCE else dict.fromkeys(found, 1.0)


def _numbered(source: Source, claim: Claim, said: Said | None) -> frozenset[str]:
    """The nouns with a number in its sentence or line, as ``phase 2`` and ``second year``."""
    shown = source.shown
    start, end = (said.start, said.end) if said else (shown.rfind("\n", 0, claim.start) + 1, claim.end)
    found = _numbers_behind(source.language).finditer(shown, start, end)
    ordinals = ((noun, number) for number, noun in (said.whole.ordinals if said else ()) if noun)
    numbered = ((form(one[1].casefold(), source.language), one[2]) for one in found)
    return frozenset(f"#{noun} {number}" for noun, number in chain(ordinals, numbered))


@cache
def _numbers_behind(language: str) -> re.Pattern[str]:
    every = alternatives(fact_words(language).numbered)
    return re.compile(rf"(?<!\w)({every})[ ]([0-9]{{1,2}}|[IVX]{{1,4}}|[A-H])(?![\w%.,][\w])", re.I)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    return pairwise((0, *(cut.end() for cut in _PARTS.finditer(text)), len(text)))


@cache
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(word for word in terms(text, language) if not word.isdigit())


def _sentence(sentences: Sequence[Said], starts: Sequence[int], claim: Claim) -> Said | None:
    at = bisect_right(starts, claim.start) - 1
    return sentences[at] if at >= 0 and claim.start < sentences[at].end else None


def _marks(source: Source, claim: Claim) -> frozenset[str]:
    """How a value holds by the words before it in its part of the sentence; only the last few limit it."""
    part = _CUT.split(source.shown[max(0, claim.start - _REACH) : claim.start])[-1]
    before = list(words(part, source.language))
    behind = words(_CUT.split(source.shown[claim.end : claim.end + _BEHIND])[0], source.language)
    found = (word.modes & _LIMITING for word in (*before[-_LIMITED:], *islice(behind, 2)))
    return frozenset(chain(chain.from_iterable(found), *(word.modes & {"each"} for word in before)))


def _is_count_of_all(source: Source, claim: Claim, modes: frozenset[str]) -> bool:
    """Whether a number counts something, and not what each of several things has of it."""
    before = source.shown[max(0, claim.start - _BEHIND) : claim.start].casefold().rstrip()
    of_each = "each" in modes and not before.endswith(fact_words(source.language).each_of)
    return not of_each and _counts(source.shown, claim, source.language)


def _without_values(said: Said, claims: Sequence[Claim]) -> str:
    """The sentence with a 0 in place of each value, of the same length."""
    text = said.text
    for claim in claims:
        start, end = claim.start - said.start, min(claim.end, said.end) - said.start
        text = f"{text[:start]}0{' ' * (end - start - 1)}{text[end:]}"
    return text


def _heads(shown: str, claim: Claim, language: str) -> frozenset[str]:
    """The words that are nearest to a value: two before it and one behind it, without those that say little."""
    before = _END.split(shown[max(0, claim.start - _REACH) : claim.start])[-1]
    behind = _END.split(shown[claim.end : claim.end + _BEHIND])[0]
    left, right = (
        [
            word
            for written in WORD.findall(part)
            if (word := form(written.casefold(), language)) and word not in generic(language) and not word.isdigit()
        ]
        for part in (before, behind)
    )
    return frozenset((*left[-2:], *right[:1]))


def _counts(shown: str, claim: Claim, language: str) -> bool:
    """Whether a bare number counts what follows it; behind a noun with a capital it is a name, as in ``Form 312``."""
    named = _NUMBERED.search(shown, max(0, claim.start - _BEHIND), claim.start)
    counted = _COUNTED.match(shown, claim.end)
    if counted and counted[0].split()[:1] and counted[0].split()[0].casefold() in fact_words(language).times:
        return False
    is_noun = counted is not None and language == "de" and counted[0].strip()[:1].isupper()
    return counted is not None and (is_noun or not (named and named[1][0].isupper()))


def _rate(source: Source, claim: Claim) -> str:
    """The time or the piece that an amount is for."""
    found = _rates(source.language).match(source.shown, claim.end)
    return form(found[1].casefold(), source.language) if found else ""


def _part(text: str, at: int) -> range:
    return next((range(start, end) for start, end in _parts(text) if start <= at < end), range(len(text)))


def _bound(text: str, near: range, language: str, about: frozenset[str]) -> dict[str, frozenset[str]]:
    little, prepositions = generic(language), frozenset(fact_words(language).prepositions)
    found = defaultdict[str, set[str]](set)
    written = [(word[0].casefold(), word.start() in near) for word in WORD.finditer(text)]
    forms = [form(word, language) for word, _ in written]
    for before, word in pairwise(forms):
        if not before or not word or before.isdigit() or word.isdigit():
            continue
        if word in about and before not in little:
            found[f"before {word}"].add(before)
        if language in ADJECTIVE_BEHIND and before in about and word not in little:
            found[f"behind {before}"].add(word)
    for number, (word, is_near) in enumerate(written):
        is_binding = is_near and word in prepositions
        bound = next((one for one in forms[number + 1 : number + 4] if one), "") if is_binding else ""
        if bound and not bound.isdigit() and bound not in little:
            found[word].add(bound)
    return {head: frozenset(bound) for head, bound in found.items()}


@cache
def generic(language: str) -> frozenset[str]:
    """The words that say little of what a value is about."""
    return terms(" ".join(fact_words(language).generic), language)


@cache
def form(word: str, language: str) -> str:
    """What a word is known by."""
    return next(iter(terms(word, language)), "")


def _concepts_of(words: Iterable[str], shown: str, language: str) -> frozenset[str]:
    """What words are of, as ``contract``; in languages with compounds, also what these begin or end with."""
    found = {concept for word in words for concept in _concepts(language).get(word, ())}
    if language in COMPOUNDING:
        found |= {concept for word in WORD.findall(shown.casefold()) for concept in _of_compound(word, language)}
    return frozenset(found)


@cache
def _of_compound(word: str, language: str) -> frozenset[str]:
    return frozenset(
        concept
        for concept, words in fact_words(language).concepts.items()
        if any(len(of) >= _LEAST_COMPOUND and (word.startswith(of) or word.endswith(of)) for of in words)
    )


@cache
def _concepts(language: str) -> Mapping[str, frozenset[str]]:
    found = defaultdict[str, set[str]](set)
    for concept, every in fact_words(language).concepts.items():
        for word in every:
            found[form(word, language)].add(concept)
    return {word: frozenset(concepts) for word, concepts in found.items()}


def alternatives(words: Sequence[str]) -> str:
    """A pattern of any of the words; of none it matches nothing."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or r"(?!)"


@cache
def _rates(language: str) -> re.Pattern[str]:
    every = alternatives(fact_words(language).rates)
    return re.compile(rf"\s{{0,2}}(?:/|(?:{every})\s)\s{{0,2}}([^\W\d_]{{2,12}})", re.I)
