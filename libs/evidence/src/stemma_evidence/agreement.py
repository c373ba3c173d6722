"""Where texts disagree about one fact: one thing with two dates, amounts, durations, counts, names or meanings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, combinations, islice, pairwise
from typing import Literal

from stemma_languages import fact_words

from .claims.claim import Claim
from .lookup.clauses import Said, sentences_of
from .sources.contexts import COMPARED, comparable, terms
from .sources.source import Source, kept_with_source
from .sources.words import content_words

MOST_FACTS = 5000
_LIMITING = frozenset(("least", "atmost", "exceed"))
_OFTEN = 40
"""A word of more facts finds none: each fact is compared with a bounded number of others."""
_MOST_BESIDE_ONE = 4
_SPECIFIC = 8
_HEADED = 2
_ALIKE = 0.6
"""The share of words in common from which on two explanations are one."""
_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[^\W_]+")
_COUNTED = re.compile(r"[ \n](?:[^\W\d_]{2,}[ \n])?[^\W\d_]{3,}|[\u3040-\u9fff]")
_NUMBERED = re.compile(r"[^\W\d_]\w*\.?[ \n]([^\W\d_]+)\.?[ \n]\Z")
_BEHIND = 40
_REACH = 120
_END = re.compile(r"[.!?;。](?=\s)|\n[ >]*\n|\|")
_TWO = 2
_COMPOUNDING = frozenset(("de", "nl"))
_ADJECTIVE_BEHIND = frozenset(("fr", "es", "it", "pt"))
_PERSON = (
    r"(?P<name>(?-i:(?<![^\W_])[A-ZÀ-Þ][^\W\d_]+(?:[ -](?:(?:von|van|de|da|di|del|der)[ ])?[A-ZÀ-Þ][^\W\d_]+){1,3}))"
)
_QUOTED = r"[“„«\"「][ \u00a0]?(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[ \u00a0]?[”“»\"」],?[ ]?"
_TERM = r"(?:[“„«\"「]|(?<![^\n])[ #>*-]{0,8})(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[”“»\" *」]{1,6}"
_EXPLAINED = re.compile(r"(?<![^\W_])(?P<words>(?:[^\W_]+[ '’-]){1,9}[^\W_]+)[ ]\((?P<term>[A-Z][A-Z0-9&]{1,7})\)")
_ALL_BEHIND = re.compile(r"[^.\n。|]{3,300}")

Kind = Literal["value", "role", "term"]


@dataclass(frozen=True)
class Fact:
    """What a text states of one thing. ``text`` is the value, name or meaning as it is written.

    ``about`` are the words that tell what it is about, ``scope`` values beside it for which it holds, ``bound`` the
    words that stand before, behind or under a preposition with a word, by that word or preposition.
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

    @property
    def units(self) -> frozenset[str]:
        """What it is measured in; of a date, how exact it is."""
        if self.claim is None or self.claim.kind != "date":
            return frozenset(self.claim.units) if self.claim else frozenset()
        return frozenset((_DIGIT.sub("0", self.claim.values[0]),))

    def with_(self, other: Fact) -> Fact:
        """Both as one, as in "4 and 5 March"."""
        return replace(self, text=f"{self.text}, {other.text}", values=self.values | other.values)


@dataclass(frozen=True)
class Disagreement:
    """Two statements of one fact."""

    one: Fact
    other: Fact


_Near = defaultdict[str, list[tuple[float, int]]]
"""The facts that are of the same thing, by their texts, each with how sure that is."""


def disagreements(texts: Sequence[Source]) -> Iterator[Disagreement]:
    """The facts that two of the texts state differently, each pair of values once.

    A value that the other text has of the same thing, too, differs from nothing there; what three texts state in three
    ways is a series. Of more facts than `MOST_FACTS` the first count.
    """
    facts = list(islice(chain.from_iterable(map(facts_of, texts)), MOST_FACTS))
    often = Counter(word for fact in facts for word in fact.about)
    near = defaultdict[int, _Near](lambda: defaultdict(list))
    for first, second in _candidates(facts):
        score = _nearness(facts[first], facts[second], often) if facts[first].where != facts[second].where else 0
        if score:
            near[first][facts[second].where].append((score, second))
            near[second][facts[first].where].append((score, first))
    told = set[tuple[str, frozenset[str], str, frozenset[str]]]()
    for one, other in _mutual(facts, near):
        this, that = facts[one], facts[other]
        key = (this.where, _value(this), that.where, _value(that))
        if key not in told:
            told.add(key)
            yield Disagreement(this, that)


def _mutual(facts: Sequence[Fact], near: Mapping[int, _Near]) -> Iterator[tuple[int, int]]:
    """The facts of which each is the nearest to the other one in its text, and that are no part of a series."""
    for one, texts in near.items():
        others = [other for found in texts.values() if (other := _counterpart(one, found, facts)) is not None]
        if len({_value(facts[one]), *(_value(facts[other]) for other in others)}) == _TWO:
            where = facts[one].where
            yield from (
                (one, other)
                for other in others
                if one < other and _counterpart(other, near[other][where], facts) == one
            )


def _counterpart(one: int, found: Sequence[tuple[float, int]], facts: Sequence[Fact]) -> int | None:
    """The nearest fact of another text with another value; None if the text has one with the same."""
    if any(not _differ(facts[one], facts[other]) for _, other in found):
        return None
    return max(found, key=lambda pair: (pair[0], -pair[1]))[1] if found else None


@kept_with_source
def facts_of(source: Source) -> tuple[Fact, ...]:
    """What a text states in exact values, of who has which role, and of what a term means."""
    return (*_values(source), *_roles(source), *_terms(source))


def _values(source: Source) -> Iterator[Fact]:
    """The values of a text; those that one sentence states of one thing, as of a range, are one fact."""
    found = dict[tuple[int, frozenset[str], frozenset[str]], Fact]()
    for fact in _single_values(source):
        key = (fact.line, fact.about, fact.units)
        before = found.get(key)
        found[key] = before.with_(fact) if before else fact
    yield from found.values()


def _single_values(source: Source) -> Iterator[Fact]:
    sentences, generic = sentences_of(source), _generic(source.language)
    starts = [said.start for said in sentences]
    for index, (claim, context) in enumerate(zip(source.claims, source.contexts, strict=False)):
        if claim.kind not in COMPARED or claim.hedged or index in source.loose:
            continue
        is_count = claim.kind == "quantity" and not claim.units
        said = _sentence(sentences, starts, claim)
        modes = said.whole.modes if said else frozenset[str]()
        if modes & _LIMITING or (is_count and ("each" in modes or not _counts(source.shown, claim))):
            continue
        every = context.near | context.around
        scope = frozenset(word for word in every if word[0] == "=" or word.isdigit())
        about = context.near - generic - scope
        about = (every - generic - scope) if is_count or not about else about
        if about:
            yield Fact(
                "value",
                source.name,
                claim.line,
                claim.text,
                about,
                claim,
                frozenset(claim.values),
                context.near if is_count else frozenset(),
                scope,
                _rate(source, claim),
                _bound(_without_values(said), source.language, about),
                context.near,
                _heads(source.shown, claim, source.language) - scope,
            )


def _sentence(sentences: Sequence[Said], starts: Sequence[int], claim: Claim) -> Said | None:
    at = bisect_right(starts, claim.start) - 1
    return sentences[at] if at >= 0 and claim.start < sentences[at].end else None


def _without_values(said: Said | None) -> str:
    text = said.text if said else ""
    for claim in said.whole.values if said else ():
        text = text.replace(claim.text, " 0 ")
    return text


def _heads(shown: str, claim: Claim, language: str) -> frozenset[str]:
    """The words that are nearest to a value: two before it and one behind it, without those that say little."""
    generic = _generic(language)
    before = _END.split(shown[max(0, claim.start - _REACH) : claim.start])[-1]
    behind = _END.split(shown[claim.end : claim.end + _BEHIND])[0]
    left, right = (
        [
            form
            for word in _WORD.findall(part)
            if (form := _form(word.casefold(), language)) and form not in generic and not form.isdigit()
        ]
        for part in (before, behind)
    )
    return frozenset((*left[-2:], *right[:1]))


def _counts(shown: str, claim: Claim) -> bool:
    """Whether a bare number counts what follows it; behind a noun with a capital it is a name, as in ``Form 312``."""
    named = _NUMBERED.search(shown, max(0, claim.start - _BEHIND), claim.start)
    return _COUNTED.match(shown, claim.end) is not None and not (named and named[1][0].isupper())


def _rate(source: Source, claim: Claim) -> str:
    """The time or the piece that an amount is for."""
    found = _rates(source.language).match(source.shown, claim.end)
    return _form(found[1].casefold(), source.language) if found else ""


def _bound(text: str, language: str, about: frozenset[str]) -> dict[str, frozenset[str]]:
    generic, prepositions = _generic(language), frozenset(fact_words(language).prepositions)
    found = defaultdict[str, set[str]](set)
    words = [word.casefold() for word in _WORD.findall(text)]
    forms = [_form(word, language) for word in words]
    for before, form in pairwise(forms):
        if not before or not form or before.isdigit() or form.isdigit():
            continue
        if form in about and before not in generic:
            found[f"before {form}"].add(before)
        if language in _ADJECTIVE_BEHIND and before in about and form not in generic:
            found[f"behind {before}"].add(form)
    for at, word in enumerate(words):
        bound = next((form for form in forms[at + 1 : at + 4] if form), "") if word in prepositions else ""
        if bound and not bound.isdigit() and bound not in generic:
            found[word].add(bound)
    return {head: frozenset(bound) for head, bound in found.items()}


def _roles(source: Source) -> Iterator[Fact]:
    """Who has which role: a person's name with a word for a role before or behind it."""
    for found in chain.from_iterable(form.finditer(source.shown) for form in _role_forms(source.language)):
        role = terms(found["role"], source.language) - _generic(source.language)
        if role:
            yield Fact("role", source.name, _line(source, found), found["name"], role)


def _terms(source: Source) -> Iterator[Fact]:
    for found in _defining(source.language).finditer(source.shown):
        meaning = _ALL_BEHIND.match(source.shown, found.end())
        if meaning:
            yield _term(source, found, found["term"] or found["quoted"], meaning[0])
    for found in _EXPLAINED.finditer(source.shown):
        words = _WORD.findall(found["words"])[-2 * len(found["term"]) - 1 :]
        initials = [at for at, word in enumerate(words) if word[0].casefold() == found["term"][0].casefold()]
        if initials:
            yield _term(source, found, found["term"], " ".join(words[initials[0] :]))


def _term(source: Source, found: re.Match[str], term: str, meaning: str) -> Fact:
    words, about = content_words(meaning, source.language), frozenset((term.strip().casefold().removeprefix("the "),))
    return Fact("term", source.name, _line(source, found), meaning.strip(), about, words=words)


def _line(source: Source, found: re.Match[str]) -> int:
    return source.shown.count("\n", 0, found.start()) + 1


def _candidates(facts: Sequence[Fact]) -> Iterator[tuple[int, int]]:
    by_word = defaultdict[tuple[str, str], list[int]](list)
    for number, fact in enumerate(facts):
        for word in fact.about:
            by_word[fact.kind, word].append(number)
    few = (numbers for numbers in by_word.values() if len(numbers) <= _OFTEN)
    yield from sorted({pair for numbers in few for pair in combinations(numbers, 2)})


def _value(fact: Fact) -> frozenset[str]:
    return fact.values or frozenset((fact.text,))


def _differ(one: Fact, other: Fact) -> bool:
    if one.kind == "role":
        return not set(one.text.casefold().split()) & set(other.text.casefold().split())
    if one.kind == "value":
        return not any(
            mine.startswith(theirs) or theirs.startswith(mine) for mine in one.values for theirs in other.values
        )
    return len(one.words & other.words) < _ALIKE * min(len(one.words), len(other.words))


def _nearness(one: Fact, other: Fact, often: Mapping[str, int]) -> float:
    """How sure it is that two facts are of one thing; 0 if they are not."""
    if one.kind != other.kind:
        return 0
    if one.kind != "value" or one.claim is None or other.claim is None:
        return float(one.about == other.about)
    if not comparable(one.claim, other.claim) or (one.counted and not one.counted & other.counted):
        return 0
    if one.rate != other.rate and (one.rate or other.rate) not in (other.words if one.rate else one.words):
        return 0
    if one.scope and other.scope and one.scope != other.scope:
        return 0
    if _have_rivals(one, other):
        return 0
    shared = one.about & other.about
    heads = [word for word in one.heads & other.heads if often[word] <= _SPECIFIC]
    fewer, more = sorted((len(one.about), len(other.about)))
    has_head = heads and len(one.values) == len(other.values) and _HEADED * len(shared) >= fewer
    return 2 * len(heads) + len(shared) / more if has_head or _share_enough(one, other) else 0


def _share_enough(one: Fact, other: Fact) -> bool:
    """Whether the words of one are nearly those of the other; one word tells little beside many or beside values."""
    shared = len(one.about & other.about)
    fewer, more = sorted((len(one.about), len(other.about)))
    if shared == 1 and (more > _MOST_BESIDE_ONE or one.scope or other.scope):
        return False
    return shared > 0 and 3 * shared >= 2 * fewer


def _have_rivals(one: Fact, other: Fact) -> bool:
    """Whether two words have one place: ``senior`` and ``junior consultant``, ``in Graz`` and ``in Linz``."""
    mine, theirs = (frozenset(chain(fact.about, *fact.bound.values())) for fact in (one, other))
    return any(
        one.bound[head].isdisjoint(other.bound[head]) and one.bound[head] - theirs and other.bound[head] - mine
        for head in one.bound.keys() & other.bound.keys()
    )


@cache
def _generic(language: str) -> frozenset[str]:
    return terms(" ".join(fact_words(language).generic), language)


@cache
def _form(word: str, language: str) -> str:
    return next(iter(terms(word, language)), "")


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or r"(?!)"


@cache
def _rates(language: str) -> re.Pattern[str]:
    return re.compile(rf"\s{{0,2}}(?:/|(?:{_any(fact_words(language).rates)})\s)\s{{0,2}}([^\W\d_]{{2,12}})", re.I)


@cache
def _role_forms(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A role before a name, and one behind it."""
    words = fact_words(language)
    compound = r"[^\W\d_]{0,30}" if language in _COMPOUNDING else ""
    role = rf"(?<!\w)(?P<role>(?:[^\W\d_]+(?:[ -]|['’])){{0,2}}{compound}(?:{_any(words.roles)})"
    role += r"(?:[ ](?:d[eiu][ ]|d['’])?[^\W\d_]+){0,2})(?!\w)" if language in _ADJECTIVE_BEHIND else r")(?!\w)"
    link = rf"[ ]{{0,4}}(?:[|:,*–(-][|:,*–( -]{{0,6}}|(?<!\w)(?:{_any(words.linking)})(?!\w))[ ]{{0,4}}"
    title = r"(?:[^\W\d_]{1,9}\.?[ ]){0,2}?"
    before = rf"(?:{link}|[ ])"
    return re.compile(rf"{role}{before}{title}{_PERSON}", re.I), re.compile(rf"{_PERSON}{link}{role}", re.I)


@cache
def _defining(language: str) -> re.Pattern[str]:
    words = fact_words(language)
    every = _any((*words.defining, *words.defining_quoted))
    quoted = _QUOTED.replace("<term>", "<quoted>")
    return re.compile(rf"{_TERM},?[ ]?(?:{_any(words.defining)})(?!\w)|{quoted}(?:{every})(?!\w)", re.I)
