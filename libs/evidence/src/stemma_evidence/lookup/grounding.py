"""Where the claims of a draft stand: in a source, computed from sources, said by a person, or nowhere."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, product

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.names import is_marked
from stemma_evidence.claims.vocabulary import ANY
from stemma_evidence.sources.source import Source, kept_with_source

from .arithmetic import MOST_OPERANDS, Run, Step, all_runs, follows, is_a_power_of_ten, runs, share_of, total
from .clauses import sentences_of
from .index import Found, Index
from .quotations import Names, QuotedWords
from .swapped import SwappedValues
from .verbatim import Verbatim

COMPUTED = "computed"
UNSUPPORTED = "unsupported"
PERSON = "person"
EXCHANGED = "exchanged"
"""How a claim is unsupported whose value the sources have, but of something else; its first place is what they say."""
_SHORT = 3
_LEAST_SHARED = 2
"""Words of a sentence that tell which figures a percentage is of."""
_COMPUTABLE = ("amount", "quantity", "date")
_MOST_TRIES = 2_000_000
"""Pairs of operands that are tried for one draft: a few seconds."""


@dataclass(frozen=True, slots=True)
class Grounded:
    """A claim of a draft, its standing, the places that say it, and how it is computed from them."""

    claim: Claim
    standing: str
    places: tuple[Found, ...] = ()
    how: str = ""


def ground(draft: Source, sources: Iterable[Source], own_words: Iterable[str] = ()) -> tuple[Grounded, ...]:
    """Each claim of a draft with its standing.

    ``sources`` come in the order in which they are to be named: a claim has the standing of the first that says it.
    ``own_words`` are titles of the document and its sections, which are names in it without a source. If the
    sources are in another language than the draft, its single capitalised words and short abbreviations that none of
    them has are left out, and such words beside a name that one of them has.
    """
    index = Index(sources)
    quoted = QuotedWords(index.sources, draft, own_words)
    names = Names(index.sources, draft, own_words)
    found = [_looked_up(claim, index, quoted, names) for claim in draft.claims]
    found = [_of_a_file_name(item, quoted) for item in found]
    verbatim = Verbatim(draft, index.sources)
    found = [_word_for_word(item, verbatim.place(number)) for number, item in enumerate(found)]
    found = list(_totalled(list(_computed(found, draft, index)), draft))
    found = _without_swapped(found, draft, index, verbatim)
    translated = _is_translated(draft, index)
    return tuple(item for item in found if not (translated and _is_a_plain_word(item, draft, names)))


def _is_translated(draft: Source, index: Index) -> bool:
    """Whether the sources, but for a brief perhaps, are in another language."""
    same = sum(len(source.wording) for source in index.sources if source.language == draft.language)
    return same * 5 < sum(len(source.wording) for source in index.sources)


def _is_a_plain_word(item: Grounded, draft: Source, names: Names) -> bool:
    """Whether an unsupported name may as well be a word or a short abbreviation of the language of the draft.

    Of several words it may be if the sources have one of them: the others say in that language what the name is of.
    """
    name = item.claim.text
    if item.claim.kind != "name" or item.standing != UNSUPPORTED:
        return False
    if not name.isalpha():
        return names.has_a_part(item.claim)
    if is_marked(name):
        return name.isupper() and len(name) <= _SHORT
    titled = (f"{title}{mark} {name}".casefold() for title in ANY.titles for mark in ("", "."))
    return not any(words in draft.wording for words in titled)


def _word_for_word(item: Grounded, place: Found | None) -> Grounded:
    return _standing(item.claim, [place]) if place and item.standing == UNSUPPORTED else item


def _without_swapped(found: list[Grounded], draft: Source, index: Index, verbatim: Verbatim) -> list[Grounded]:
    """Claims whose value the sources have, but of something else, are supported by nothing."""
    compared = [number for number, item in enumerate(found) if item.standing not in (UNSUPPORTED, PERSON)]
    compared = [n for n in compared if found[n].claim.kind in _COMPUTABLE and not verbatim.is_bound(n)]
    stated = [(draft.claims[n], draft.contexts[n], found[n].standing == COMPUTED) for n in compared]
    for place, instead in SwappedValues(index.sources).found(stated).items() if stated else ():
        item = found[compared[place]]
        found[compared[place]] = Grounded(item.claim, UNSUPPORTED, (instead, *item.places), EXCHANGED)
    return found


def _of_a_file_name(item: Grounded, quoted: QuotedWords) -> Grounded:
    return _standing(item.claim, quoted.in_a_file_name(item.claim)) if item.standing == UNSUPPORTED else item


def _looked_up(claim: Claim, index: Index, quoted: QuotedWords, names: Names) -> Grounded:
    match claim.kind:
        case "name":
            places = names.places(claim)
        case "quotation" | "citation":
            places = quoted.places(claim)
        case "date":
            places = index.of_value(claim) or _with_the_year(claim, index)
        case _:
            return _measured(claim, index)
    return _standing(claim, places)


def _standing(claim: Claim, places: list[Found] | None, how: str = "") -> Grounded:
    if places is None:
        return Grounded(claim, COMPUTED, (), "own words")
    if not places:
        return Grounded(claim, UNSUPPORTED)
    return Grounded(claim, COMPUTED if how else places[0].source.standing, tuple(places), how)


def _measured(claim: Claim, index: Index) -> Grounded:
    if places := index.of_value(claim) or index.of_cell(claim):
        return _standing(claim, places)
    if not claim.units and (places := index.of_number(claim)):
        return _standing(claim, places)
    if places := index.of_other_unit(claim):
        return _standing(claim, places, "in another unit")
    if claim.hedged and (places := _rounded(claim, index)):
        return _standing(claim, places, "rounded")
    return _standing(claim, _told_without_unit(claim, index))


def _told_without_unit(claim: Claim, index: Index) -> list[Found]:
    """Where a person said the number alone: who writes “replace 4,250 by 4,300” need not repeat the currency."""
    found = index.of_number(claim)
    return [place for place in found if place.source.standing == PERSON and place.claim and not place.claim.units]


def _with_the_year(claim: Claim, index: Index) -> list[Found]:
    places = index.days_without_year.get(claim.values[0], [])[:1]
    return [Found(source, source.place(other.line), other.text, other) for source, other in places]


def _rounded(claim: Claim, index: Index) -> list[Found]:
    """The first quantity of the same unit that is no farther away than the last digit of a rounded one."""
    measures = index.measures.get(claim.units[0] if claim.units else "", [])
    number = claim.numbers[0]
    reach = min(_last_digit(number), abs(number) / 10)
    first = bisect_right(measures, number - reach, key=lambda measure: measure[0])
    for exact, source, other in measures[first : first + 1]:
        if exact < number + reach:
            return [Found(source, source.place(other.line), other.text, other)]
    return []


def _last_digit(number: Decimal) -> Decimal:
    """What one more in the last digit that is not zero comes to: 100 for 4,300."""
    exponent = number.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)


def _computed(found: list[Grounded], draft: Source, index: Index) -> Iterator[Grounded]:
    pools: _Pools | None = None
    for item in found:
        if item.standing != UNSUPPORTED or item.claim.kind not in _COMPUTABLE:
            yield item
            continue
        pools = pools or _Pools(draft, index, [n for n, known in enumerate(found) if known.standing != UNSUPPORTED])
        step = pools.step(item.claim)
        yield Grounded(item.claim, COMPUTED, pools.places(step), step[1]) if step else item


def _totalled(found: list[Grounded], draft: Source) -> Iterator[Grounded]:
    """The claims with the totals of all that stands in one column or block, where a part of it was computed itself."""
    computed = any(item.standing == COMPUTED for item in found)
    known = [number for number, item in enumerate(found) if item.standing != UNSUPPORTED] if computed else []
    totals = {(unit, sum(one.numbers[0] for one in run)): run for unit, run in runs(draft, known)}
    for item in found:
        units = item.claim.units or ("",) if item.standing == UNSUPPORTED else ()
        run = next((totals[key] for key in product(units, item.claim.numbers) if key in totals), ())
        yield Grounded(item.claim, COMPUTED, (), " + ".join(one.text for one in run)[:300]) if run else item


class _Pools:
    """Claims that stand together, in the draft or in a source: what is computed is computed from such."""

    def __init__(self, draft: Source, index: Index, supported: Sequence[int]) -> None:
        self._draft = draft
        self._index = index
        self._near = _grouped(draft, [draft.claims[number] for number in supported])
        self._by_block = {id(source): _groups(source) for source in index.sources}
        self._groups = [group for groups in self._by_block.values() for group in groups.values()]
        self._runs: dict[str, list[Run]] = defaultdict(list)
        for unit, run in chain(*map(all_runs, index.sources), runs(draft, supported)):
            self._runs[unit].append(run)
        self._where = {id(claim): source for source in index.sources for claim in source.claims}
        self._tries = _MOST_TRIES

    def step(self, claim: Claim) -> Step | None:
        """How a claim follows from claims that stand together; None if it does not, or too much was tried before."""
        near = self._near.setdefault(self._draft.place(claim.line).block, [])
        step = self._follows(claim, near) or self._total(claim) or self._share(claim, near) or self._share_told(claim)
        if step:
            near.append(claim)
        return step

    def _follows(self, claim: Claim, near: list[Claim]) -> Step | None:
        for group in (near, *self._groups):
            self._tries -= min(len(group), MOST_OPERANDS) ** 2
            if self._tries < 0:
                return None
            step = follows(claim, group)
            if step and (group is near or not (step[1].count("×") and is_a_power_of_ten(step[0][-1]))):
                return step
        return None

    def _share(self, claim: Claim, near: list[Claim]) -> Step | None:
        """How a percentage follows from figures of a source, of which the draft names the whole beside it."""
        for whole in near if "percent" in claim.units else ():
            for place in self._index.of_value(whole) if whole.numbers else ():
                pool = self._by_block[id(place.source)].get(place.place.block, [])
                if step := share_of(claim, whole, pool[:MOST_OPERANDS]):
                    return step
        return None

    def _share_told(self, claim: Claim) -> Step | None:
        """How a percentage follows from two figures of a sentence that has most of the words of its own."""
        own = _words_beside(claim, self._draft) if "percent" in claim.units else frozenset[str]()
        for said in chain.from_iterable(map(sentences_of, self._index.sources)) if own else ():
            is_of_it = len(own.intersection(said.whole.terms)) >= max(_LEAST_SHARED, len(own) / 2)
            values = [one for one in said.whole.values[:MOST_OPERANDS] if one.numbers] if is_of_it else []
            self._tries -= 1 + len(values) ** 2
            if self._tries < 0:
                return None
            if step := next(filter(None, (share_of(claim, whole, values) for whole in values)), None):
                return step
        return None

    def _total(self, claim: Claim) -> Step | None:
        for run in (run for unit in claim.units or ("",) for run in self._runs.get(unit, ())):
            self._tries -= len(run)
            if self._tries < 0:
                return None
            if step := total(claim, run):
                return step
        return None

    def places(self, step: Step) -> tuple[Found, ...]:
        """Where the operands of a step stand."""
        found: list[Found] = []
        for claim in step[0]:
            source = self._where.get(id(claim))
            if source:
                found.append(Found(source, source.place(claim.line), claim.text, claim))
            else:
                found.extend(self._index.of_value(claim)[:1])
        return tuple(found)


def _words_beside(claim: Claim, draft: Source) -> frozenset[str]:
    """The words of the sentence that a claim stands in."""
    said = sentences_of(draft)
    at = bisect_right(said, claim.start, key=lambda one: one.start) - 1
    words = said[at].whole.terms if at >= 0 and claim.start < said[at].end else ()
    return frozenset(word for word in words if word[0] != "=")


@kept_with_source
def _groups(source: Source) -> dict[int, list[Claim]]:
    return _grouped(source, source.claims)


def _grouped(source: Source, claims: Iterable[Claim]) -> dict[int, list[Claim]]:
    groups: dict[int, list[Claim]] = {}
    for claim in claims:
        if claim.kind in _COMPUTABLE:
            groups.setdefault(source.place(claim.line).block, []).append(claim)
    return groups
