"""Amounts of money and quantities: numbers with what stands before and after them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import zip_longest

from . import vocabulary as words
from .claim import Claim, Kind, measure_value
from .lexicon import currencies, currency_codes, magnitudes, units
from .lines import Lines
from .numerals import Numeral

Phrase = tuple[str, int]
"""Words behind a number, and where they end in the text."""

_AHEAD = 48
_BEHIND = 17
"""No currency with what stands between it and the number is longer."""
_AFTER_WORD = re.compile(r"(?:(?<=[^\W\d_])\.)?")
_GAP = re.compile(r"[ _]{0,8}(?:\n[ >]{0,8}(?![-*+][ ]))?[-‐]?[ _]?(?:(?:de|di|of)[ \n]{1,2}|d['’])?")
_ADJECTIVE = re.compile(r"[ ][^\W\d_]{3,12}(?=[ ])")
_SPACE = re.compile(r"[ \n]{1,4}|-")
_TOKEN = re.compile(
    r"(?:[^\W\d_\u3040-\u9fff]|[²³°])+[23]?(?:/(?:[^\W\d_]|[²³])+)?(?!['’][^\W\d_])|[%‰€$£¥₩₹₽₺₴₫₪฿¢°]+(?:US|[CFk])?"
)
_CODE_BEFORE = re.compile(r"(?:([^\W\d_]{0,4}[$€£¥₩₹₽₺₴₫₪฿￥])|([^\W\d_]{1,12})\.?)[ \n_]{0,4}$")
_MINUS = re.compile(
    r"(?:(?:^|[\s(|])[-−–]|[(|][ ]?[-−–][ ]|(?:^|[\s(|])−[ ]|(?<!\w)(?:minus|moins|menos|meno|min)\s?)$"
)
"""A dash with a space behind it is a mark of a list or between words, but for the beginning of a cell."""
_WORD_BEFORE = re.compile(r"([^\W\d_]+|[~≈><])\.?[\s_]*$")
_RANGE = re.compile(r"\s{0,3}(?:[-–—~〜～]|bis|to|and|und|à|au|et|a|y|e|tot|en|até|から)\s{0,3}$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Measure:
    """A numeral with its currency or unit at ``text[start:end]``; ``numbers`` are the readings before ``powers``."""

    start: int
    end: int
    numbers: tuple[Decimal, ...]
    powers: tuple[int, ...] = (0,)
    currency: tuple[str, ...] = ()
    unit: str = ""
    of_column: bool = False

    @property
    def kind(self) -> Kind:
        """An amount if there is a currency."""
        return "amount" if self.currency else "quantity"

    @property
    def bare(self) -> bool:
        """Whether the number stands without currency, unit and magnitude."""
        return not self.currency and not self.unit and self.powers == (0,)

    def claim(self, source: str, text: str, lines: Lines) -> Claim:
        """The claim at this place of ``source``, whose prose is ``text``."""
        numbers = tuple(dict.fromkeys(n.scaleb(p) for p in self.powers for n in self.numbers))
        units = self.currency or (self.unit,)
        return Claim(
            self.kind,
            source[self.start : self.end],
            self.start,
            self.end,
            lines.at(self.start),
            tuple(dict.fromkeys(measure_value(n, u) for n in numbers for u in units)) + self._as_written(),
            numbers,
            tuple(unit for unit in units if unit),
            hedged(text, self.start),
        )

    def _as_written(self) -> tuple[str, ...]:
        """In a table the number by itself is a reading, too: that its column has a unit is a guess."""
        return tuple(measure_value(number, "") for number in self.numbers) if self.of_column else ()


@dataclass(frozen=True, slots=True)
class _After:
    """What follows a number."""

    end: int
    power: int = 0
    currency: tuple[str, ...] = ()
    unit: str = ""


def measure(text: str, numeral: Numeral, language: str) -> Measure:
    """What a numeral of ``text`` measures."""
    before, start, power = _currency_before(text, numeral.start)
    after = _after(text, numeral, language, with_currency=bool(before))
    numbers = tuple(_signed(text, start, number) for number in numeral.readings)
    currency = before or after.currency
    begin = start if before else _percent_before(text, numeral.start)
    unit = "percent" if begin < numeral.start and not before else after.unit
    return Measure(begin, after.end, numbers, (power + after.power,), currency, "" if currency else unit)


def ranged(text: str, found: list[Measure]) -> Iterator[Measure]:
    """The same measures, in which both ends of a range have what is written at one of them."""
    before: Measure | None = None
    for this, following in zip_longest(found, found[1:]):
        after = following if following and _RANGE.fullmatch(text[this.end : following.start][:12]) else None
        yield _completed(this, before, after)
        before = this if after else None


def _completed(this: Measure, before: Measure | None, after: Measure | None) -> Measure:
    other = after or before
    if other is None:
        return this
    if not (this.currency or this.unit):
        this = replace(this, currency=other.currency, unit=other.unit)
    if after and this.powers == (0,) and after.powers[0] > 0 and this.numbers[0] <= after.numbers[0]:
        this = replace(this, powers=(*after.powers, 0))
    return this


def hedged(text: str, start: int) -> bool:
    """Whether the words before a position call what follows rounded."""
    window = text[max(0, start - 24) : start]
    if window and window[-1] in "約约近":
        return True
    word = _WORD_BEFORE.search(window)
    return bool(word) and word is not None and word[1].casefold() in words.HEDGES


def _signed(text: str, start: int, number: Decimal) -> Decimal:
    return -number if _MINUS.search(text[max(0, start - 8) : start]) else number


def _percent_before(text: str, start: int) -> int:
    return start - 3 if text[max(0, start - 3) : start] == "百分之" else start


def _currency_before(text: str, start: int) -> tuple[tuple[str, ...], int, int]:
    """The currency before a number, where it begins, and the power of ten that it is written with."""
    window = text[max(0, start - _BEHIND) : start]
    match = _CODE_BEFORE.search(window)
    if not match:
        return (), start, 0
    begin = start - len(window) + match.start()
    word = match[1] or match[2]
    if match[1] and not _currency(word) and not _prefixed(word):
        begin, word = begin + len(word) - 1, word[-1]
    if prefix := _prefixed(word):
        return _currency(word[prefix:]), begin, words.PREFIXED_CURRENCIES[word[:prefix].casefold()]
    named = match[1] or word in currency_codes() or (word[0].isupper() and len(word) > 2)
    return (_currency(word), begin, 0) if named and _currency(word) else ((), start, 0)


def _after(text: str, numeral: Numeral, language: str, *, with_currency: bool) -> _After:
    end, power = numeral.end, 0
    if text[end : end + 2] in (",-", ",–", ".-", ".–"):
        end += 2
    ahead, known = _ahead(text, end), magnitudes(language)
    for _ in range(2):
        word, stop = _longest(ahead, lambda w: known.get(w.casefold(), 0))
        if not word or (len(word) <= 2 and word in words.ONLY_WITH_CURRENCY and not _money(text, stop, with_currency)):
            break
        power, end = power + known[word.casefold()], stop
        end = _AFTER_WORD.match(text, end).end()  # type: ignore[union-attr]
        ahead = _ahead(text, end)
    if with_currency:
        return _After(end, power)
    end_of, currency, prefix = _currency_after(ahead, end)
    if currency:
        return _After(end_of, power + prefix, currency)
    word, stop = _longest(ahead, _unit)
    if not word and (between := _ADJECTIVE.match(text, end)):
        word, stop = _longest(_ahead(text, between.end()), lambda w: len(w) > 3 and _unit(w))
    return _After(stop, power, unit=_unit(word)) if word else _After(end, power)


def _unit(word: str) -> str:
    """The unit of a word, also of a German dative."""
    folded = word.casefold()
    return units().get(word) or units().get(folded) or units().get(folded.removesuffix("n"), "")


def _money(text: str, end: int, with_currency: bool) -> bool:
    return with_currency or bool(_currency_after(_ahead(text, end), end)[1])


def _currency_after(ahead: Sequence[Phrase], end: int) -> tuple[int, tuple[str, ...], int]:
    word, stop = _longest(ahead, _currency)
    if word:
        return stop, _currency(word), 0
    word, stop = _longest(ahead, lambda w: words.HUNDREDTHS.get(w.casefold()))
    if word:
        return stop, words.HUNDREDTHS[word.casefold()], -2
    word, stop = _longest(ahead, _prefixed)
    if word:
        return stop, _currency(word[_prefixed(word) :]), words.PREFIXED_CURRENCIES[word[: _prefixed(word)].casefold()]
    return end, (), 0


def _currency(word: str) -> tuple[str, ...]:
    if word in currency_codes():
        return (word,)
    return currencies().get(word.casefold(), ())


def _prefixed(word: str) -> int:
    """How much of ``word`` is a magnitude before a currency, as the k of ``k€``."""
    for length in (1, 2, 3):
        if word[:length].casefold() in words.PREFIXED_CURRENCIES and _currency(word[length:]):
            return length
    return 0


def _longest(ahead: Sequence[Phrase], known: Callable[[str], object]) -> Phrase:
    """The first of some phrases, of which the longest comes first, that ``known`` knows; an empty one if none is."""
    for phrase in ahead:
        if known(phrase[0]):
            return phrase
    return "", 0


def _ahead(text: str, end: int) -> Sequence[Phrase]:
    """The runs of up to three words after ``end``, of ideographs those of up to eight; the longest first."""
    gap = _GAP.match(text, end, end + _AHEAD)
    begin = gap.end() if gap else end
    window = text[begin : begin + _AHEAD]
    if not window:
        return ()
    if _CJK.match(window):
        return [(window[:length], begin + length) for length in range(min(8, len(window)), 0, -1)]
    return [*_phrases(window, begin)][::-1]


def _phrases(window: str, begin: int) -> Iterator[Phrase]:
    position, phrase = 0, ""
    for _ in range(3):
        match = _TOKEN.match(window, position)
        if not match:
            return
        phrase += match[0]
        position = match.end()
        yield phrase, begin + position
        space = _SPACE.match(window, position + (window[position : position + 1] == "." and len(match[0]) < 4))
        if not space:
            return
        position = space.end()
        phrase += "-" if space[0] == "-" else " "
