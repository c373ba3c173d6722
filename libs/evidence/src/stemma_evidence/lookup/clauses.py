"""The sentences of a text in their clauses, each with what marks how it holds."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from stemma_languages import mode_words

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.modes import DAYS, WIDE, Word, words
from stemma_evidence.claims.numerals import is_number
from stemma_evidence.claims.vocabulary import ANY, LANGUAGES
from stemma_evidence.sources.contexts import COMPARED, plain
from stemma_evidence.sources.source import Source, kept_with_source
from stemma_evidence.sources.words import stemmed


def _ends(digits: int) -> re.Pattern[str]:
    """Where a sentence, a block, an item or a cell ends; after fewer ``digits`` a point may be of an ordinal."""
    after = rf"(?:(?<=[^\W\d_]{{2}})|(?<=[0-9]{{{digits}}})|(?<=[%)”\"»€]))"
    mark = r"[.!?…]+[ \u00a0]?[\"”»)]{0,2}\s+(?=[^\Wa-zà-öø-ÿ_]|[„“«\"($€£¥])"
    block = r"[。！？]+[」』”]?\s*|\n[ >]{0,12}\n|\n(?=[ >]{0,12}(?:[-*+#|]|[0-9]{1,3}[.)])[ ])|\|"
    return re.compile(f"{after}{mark}|{block}")


_END, _END_GERMAN = _ends(1), _ends(3)
_HEADING = re.compile(r"[ >]{0,12}#{1,6}[ ]")
_SHORTEST, _SHORTEST_WIDE, _LONGEST = 8, 4, 2000
_MOST_CLAUSES = 24
_REACH = 3
_MOST_VALUES = 1000
_FIRST_VALUE = 0xE000
_MARKS = re.compile("[\ue000-\uefff]")
_ENDING = 9
_FIRST_WIDE = "\u30a0"
_PIECE = re.compile(r"[^\W_]+")
_TITLES = frozenset(title.casefold() for title in ANY.titles)
_DIGIT = re.compile(r"[0-9]")
_WITH_CONTENT = frozenset(("guarantee", "agreed", "want", "not", "without", *DAYS))
_LEADING = frozenset(("before", "early", "late", "least", "atmost", "all"))
_OF_VALUES = frozenset(("by", "from", "dal"))
"""Words that say when only before a date or a time."""
_OBJECT_BEGINS = frozenset("the a an our its his her their this these".split())
"""After ``approved`` they tell that somebody did it: in English it looks like a participle."""


class Ahead(NamedTuple):
    """A word that says when or how much, with the words and values right behind it."""

    mode: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: the words with content in their order, and what marks how it holds."""

    terms: tuple[str, ...] = ()
    modes: frozenset[str] = frozenset()
    ahead: tuple[Ahead, ...] = ()
    ordinals: tuple[tuple[int, str], ...] = ()
    fractions: tuple[Fraction, ...] = ()
    values: tuple[Claim, ...] = ()
    counts: frozenset[str] = frozenset()

    @property
    def measures(self) -> frozenset[str]:
        """The amounts and quantities of it."""
        return frozenset(value for claim in self.values if claim.numbers for value in claim.values)


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a text at ``text[start:end]``, whole and in its clauses."""

    text: str
    start: int
    end: int
    line: int
    whole: Clause
    clauses: tuple[Clause, ...]

    def terms_up_to(self, clause: Clause) -> frozenset[str]:
        """The words of a clause and of those before it, which may say of whom it is."""
        parts = self.clauses[: self.clauses.index(clause) + 1]
        return frozenset(chain.from_iterable(part.terms for part in parts))


@kept_with_source
def sentences_of(source: Source) -> tuple[Said, ...]:
    """The sentences of a text in one of the languages whose words are known; headings and tables have none."""
    if source.language not in LANGUAGES:
        return ()
    return tuple(_sentences(source))


def _sentences(source: Source) -> Iterator[Said]:
    text, claims = source.shown, [claim for claim in source.claims if claim.kind in COMPARED]
    starts = [claim.start for claim in claims]
    lines = [match.start() for match in re.finditer("\n", text)]
    for start, end in _ranges(text, source.language):
        if end - start < (_SHORTEST_WIDE if source.language in WIDE else _SHORTEST):
            continue
        own = claims[bisect_left(starts, start) : bisect_left(starts, end)]
        whole = _clause(text, start, end, own, source.language)
        if not whole.terms and not whole.modes:
            continue
        ends = (match.end() for match in _clause_ends(source.language).finditer(text, start, end))
        cuts = [start, *islice(ends, _MOST_CLAUSES - 1), end]
        parts = (
            _clause(text, one, other, [c for c in own if one <= c.start < other], source.language)
            for one, other in pairwise(cuts)
        )
        clauses = (whole,) if cuts == [start, end] else parts
        yield Said(text[start:end], start, end, bisect_left(lines, start) + 1, whole, tuple(_joined(clauses)))


def _ranges(text: str, language: str) -> Iterator[tuple[int, int]]:
    position = 0
    for cut in chain(
        (match.span() for match in (_END_GERMAN if language == "de" else _END).finditer(text)), [(len(text), len(text))]
    ):
        start, end = position, cut[1]
        position = cut[1]
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip("\n |"))
        if not _HEADING.match(text, start, end):
            yield from ((at, min(end, at + _LONGEST)) for at in range(start, end, _LONGEST))


@cache
def _clause_ends(language: str) -> re.Pattern[str]:
    joining = "|".join(mode_words(language).joining)
    return re.compile(r"[;:、，；：]|,(?=\s)" + (rf"|(?<!\w)(?:{joining})(?!\w)" if joining else ""))


def _joined(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Clauses with at least two words of content; those with fewer belong to the one before."""
    kept: Clause | None = None
    for clause in clauses:
        if kept is not None and (len(clause.terms) < 2 or len(kept.terms) < 2):
            kept = _both(kept, clause)
        else:
            if kept is not None:
                yield kept
            kept = clause
    if kept is not None:
        yield kept


def _both(one: Clause, other: Clause) -> Clause:
    return Clause(
        one.terms + other.terms,
        one.modes | other.modes,
        one.ahead + other.ahead,
        one.ordinals + other.ordinals,
        one.fractions + other.fractions,
        one.values + other.values,
        one.counts | other.counts,
    )


def _clause(text: str, start: int, end: int, claims: Sequence[Claim], language: str) -> Clause:
    written = [claim for claim in claims if claim.end <= end and _DIGIT.search(claim.text)]
    found = list(words(_with_values(text[start:end], start, written), language))
    content = [_content(word, written, language) for word in found]
    modes = frozenset(
        mode for at, word in enumerate(found) for mode in word.modes if not _is_a_year(found, at, written)
    )
    if any(word.text in ANY.hedges for word in found):
        modes |= {"hedged"}
    ahead = tuple(_ahead(found, content))
    if any("agreed" in one.modes and other.text in _OBJECT_BEGINS for one, other in pairwise(found)):
        modes |= {"done"}
    if {"not", "exceed"} <= modes:
        modes = modes - {"not"} | {"atmost"}
    if "not" in modes and any(one.mode == "before" for one in ahead):
        ahead = tuple(one._replace(mode="late") if one.mode == "before" else one for one in ahead)
        modes -= {"not"}
    return Clause(
        tuple(chain.from_iterable(content)),
        modes,
        ahead,
        tuple((word.ordinal, _behind(content, at)) for at, word in enumerate(found) if word.ordinal),
        tuple(word.fraction for word in found if word.fraction),
        tuple(written),
        frozenset(word.text for word in found if is_number(word.text, language)),
    )


def _with_values(part: str, start: int, claims: Sequence[Claim]) -> str:
    """A part of a text in which a mark stands in place of each claim."""
    part, pieces, position = _MARKS.sub(" ", part), list[str](), 0
    for number, claim in enumerate(claims[:_MOST_VALUES]):
        at, end = claim.start - start, claim.end - start
        if at >= position:
            pieces += [part[position:at], chr(_FIRST_VALUE + number), " " * (end - at - 1)]
            position = end
    return "".join([*pieces, part[position:]])


def _claim_at(text: str, claims: Sequence[Claim]) -> Claim | None:
    """The claim that a mark stands in place of; nothing for any other word."""
    number = ord(text) - _FIRST_VALUE if len(text) == 1 else -1
    return claims[number] if 0 <= number < len(claims) else None


def _content(word: Word, claims: Sequence[Claim], language: str) -> tuple[str, ...]:
    if claim := _claim_at(word.text, claims):
        return ("=" + claim.values[0],)
    if word.ordinal or word.fraction or not word.modes <= _WITH_CONTENT:
        return ()
    if word.text[0] >= _FIRST_WIDE:
        return tuple(word.text[at : at + 2] for at in range(max(1, len(word.text) - 1)))
    stems = (stemmed(piece, language) for piece in _PIECE.findall(word.text) if piece not in _TITLES)
    return tuple(plain(stem)[:_ENDING] for stem in stems if stem)


def _is_a_year(found: Sequence[Word], at: int, claims: Sequence[Claim]) -> bool:
    """Whether a word for a rate names a year that follows, as in ``im Jahr 2027``."""
    following = found[at + 1].text if "year" in found[at].modes and at + 1 < len(found) else ""
    claim = _claim_at(following, claims)
    return claim is not None and claim.kind == "date"


def _ahead(found: Sequence[Word], content: Sequence[tuple[str, ...]]) -> Iterator[Ahead]:
    for at, word in enumerate(found):
        for mode in sorted(word.modes & _LEADING):
            reach = 1 if mode == "all" else _REACH
            places = (
                range(at - 1, max(-1, at - 1 - reach), -1) if "back" in word.modes else range(at + 1, at + 1 + reach)
            )
            led = _led(found, content, places)
            if word.text not in _OF_VALUES or any(term[0] == "=" for term in led):
                yield Ahead(mode, led)


def _led(found: Sequence[Word], content: Sequence[tuple[str, ...]], places: Iterable[int]) -> frozenset[str]:
    """The value that stands beside a word, or else the words up to the next one that leads others."""
    led = list[str]()
    for number in places:
        if number >= len(found) or found[number].modes & _LEADING:
            break
        led += content[number]
        if any(term[0] == "=" for term in led):
            break
    return frozenset(led)


def _behind(content: Sequence[tuple[str, ...]], at: int) -> str:
    return next((one for these in content[at + 1 : at + 4] for one in these), "")
