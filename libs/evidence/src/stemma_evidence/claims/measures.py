"""Amounts of money and quantities: numbers with what stands before and after them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest

from stemma_markdown import Document

from . import vocabulary as words
from .claim import Claim, Kind, measure_value
from .numerals import Numeral
from .vocabulary import PREFIXED_CURRENCIES, currencies, currency_codes, magnitudes, units

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
    r"(?:(?:^|[\s(|])[-−–]|[(|][ ]?[-−–][ ]|(?:^|[\s(|])−[ ]"
    r"|(?<!\w)(?<!a[luo] )(?<!du )(?<!lo )(?:minus|moins|menos|meno|min)\s?)$"
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

    def claim(self, document: Document, text: str) -> Claim:
        """The claim at this place of a document, whose prose is ``text``."""
        numbers = tuple(dict.fromkeys(n.scaleb(p) for p in self.powers for n in self.numbers))
        units = self.currency or (self.unit,)
        return Claim(
            self.kind,
            document.text[self.start : self.end],
            self.start,
            self.end,
            document.line(self.start),
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
    return bool(word) and word is not None and word[1].casefold() in words.ANY.hedges


def _signed(text: str, start: int, number: Decimal) -> Decimal:
    return -number if _MINUS.search(text[max(0, start - 12) : start]) else number


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
    word, stop = _longest(ahead, lambda w: words.ANY.hundredths.get(w.casefold()))
    if word:
        return stop, words.ANY.hundredths[word.casefold()], -2
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


_LEADS = re.compile(r"[(\[/,_]\s*|(?<!\w)(?:in|en|em)\s+|(?<=[a-z])(?=[€$£])", re.IGNORECASE)
_START = re.compile(r"(?<![^\W_])[^\W_]|[€$£¥]")
_DELIMITER = re.compile(r"[ >]{0,12}\|?[ ]{0,20}:?-{1,200}:?[ ]{0,20}(?:\|[-: |]{0,2000})?$")
_LONGEST = 80
_COMMON = frozenset("EUR USD GBP CHF JPY CNY KRW INR CAD AUD NZD BRL MXN DKK NOK PLN CZK HUF ZAR SGD HKD TWD".split())
"""Codes that are no words, so that they may stand in small letters; ``all`` and ``top`` are currencies as well."""
_ORDERING = frozenset("abcdef")
"""Letters that tell one from another, as in ``plan_b``, where they could be a unit."""


@lru_cache(maxsize=4096)
def unit_of(head: str, language: str) -> str:
    """The currency or unit that the head of a column names, as it is written there; empty if it names none."""
    head = head.strip()[:_LONGEST]
    if "_" in head and len(head.split()) == 1:
        return _in_name(head.split("_"), language)
    head = head.replace("_", " _")
    for start in (match.start() for match in _START.finditer(head)):
        found = _template(head[start:], language)
        if found.currency:
            return head[start : start + found.end - 2]
    for start in (match.end() for match in _LEADS.finditer(head)):
        found = _template(head[start:], language)
        if found.unit:
            return head[start : start + found.end - 2]
    return ""


def _in_name(words: list[str], language: str) -> str:
    """The unit in a name such as ``cost_k_eur``, of which each word stands by itself."""
    for before, word in zip(["", *words], words, strict=False):
        if _is_currency(word, words):
            return _sized(before, word.upper(), language)
    units = (word for word in words[1:] if word.casefold() not in _ORDERING and _template(word, language).unit)
    return next(units, "")


def _sized(before: str, code: str, language: str) -> str:
    """A currency with the word before it, if that is a size; no bare ``b`` is a billion."""
    if len(before) > 1:
        return f"{before} {code}" if _template(f"{before} {code}", language).powers != (0,) else code
    return before + code if before.casefold() in PREFIXED_CURRENCIES else code


def _is_currency(word: str, words: list[str]) -> bool:
    capitals = word in currency_codes() and not "".join(words).isupper()
    return capitals or word.upper() in _COMMON


def under_heads(text: str, found: list[Measure], language: str) -> Iterator[Measure]:
    """The same measures; bare numbers in a Markdown table have the unit of their column, too."""
    heads = dict(_heads(text))
    line_start, line_end, column, counted = 0, -1, 0, 0
    in_table: list[str] | None = None
    for this in found:
        if this.start > line_end:
            line_start = text.rfind("\n", max(0, line_end), this.start) + 1
            line_end = text.find("\n", this.start)
            line_end = len(text) if line_end < 0 else line_end
            in_table, column, counted = heads.get(line_start), 0, line_start
        if in_table and not this.currency and not this.unit:
            column, counted = column + text.count("|", counted, this.start), this.start
            unit = unit_of(in_table[column], language) if column < len(in_table) else ""
            yield _with(this, _template(unit, language)) if unit else this
        else:
            yield this


def _with(this: Measure, of_column: Measure) -> Measure:
    powers = tuple(dict.fromkeys(p + q for p in this.powers for q in (*of_column.powers, 0)))
    return replace(this, currency=of_column.currency, unit=of_column.unit, powers=powers, of_column=True)


def _template(unit: str, language: str) -> Measure:
    return measure(f"1 {unit}", Numeral(0, 1, (Decimal(1),)), language)


def _heads(text: str) -> Iterator[tuple[int, list[str]]]:
    """The heads of the columns for the start of each line of a table."""
    head: list[str] | None = None
    before, position = "", 0
    for line in text.split("\n"):
        if "|" not in line:
            head = None
        elif head is None and "|" in before and _DELIMITER.match(line):
            head = before.split("|")
        elif head is not None:
            yield position, head
        before, position = line, position + len(line) + 1
