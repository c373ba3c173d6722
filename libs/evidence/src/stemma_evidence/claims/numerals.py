"""Numbers in a text: digits with the separators of its language, ideographs, and words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from text_to_num import find_numbers

from .vocabulary import DECIMAL_POINT

_DIGITS = re.compile(r"(?:[0-9]{1,3}(?:[ '’][0-9]{3}(?![0-9]))++|[0-9]+)(?:[.,·][0-9]+)*+")
"""Spaces part groups of three digits, and a first one of at most as many: ``2027 300`` are two numbers."""
_IDEOGRAPHS = re.compile(r"[〇零一二三四五六七八九十百千万萬億亿兆]{2,20}|[一二三四五六七八九十](?=[人名年月個个件社])")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[.,;:!?()\n]")
_LONGEST = 40
_AROUND = 4
"""Words beside one that is a number by itself which may belong to the same number."""
_SPOKEN = frozenset({"en", "de", "fr", "es", "it", "nl", "pt"})
_COMPOUND = re.compile(
    r"(?:[0-9][0-9,]{0,20}(?:\.[0-9]{1,10})?[百千]?[万萬億亿兆千百]){1,4}(?:[0-9][0-9,]{0,20})?(?![0-9])"
)
_COMPOUND_PART = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?)([百千]?)([万萬億亿兆]?)")
_IDEOGRAPH_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0}
_IDEOGRAPH_POWERS = {"十": 1, "百": 2, "千": 3}
_IDEOGRAPH_GROUPS = {"万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12}
_POWERS = _IDEOGRAPH_POWERS | _IDEOGRAPH_GROUPS


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at ``text[start:end]``; ``readings`` has the likelier first, two where a separator is ambiguous."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    in_words: bool = False


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A word as text2num wants it."""

    word: str
    start: int

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: _Spoken) -> bool:
        return self.start - previous.start - len(previous.word) > 2

    def not_a_number_part(self) -> bool:
        return False


def digits(text: str, language: str) -> Iterator[Numeral]:
    """Numbers that are written with digits."""
    for match in _DIGITS.finditer(text):
        found = readings(match[0], language) if match.end() - match.start() <= _LONGEST else ()
        if found:
            yield Numeral(match.start(), match.end(), found)


def readings(written: str, language: str) -> tuple[Decimal, ...]:
    """What digits with separators mean; nothing if they are no number, as in a version or an address."""
    plain = re.sub(r"[ '’]", "", written)
    marks = re.findall(r"[.,·]", plain)
    if not marks:
        return (Decimal(plain),)
    if len(set(marks)) == 2:
        return _mixed(plain, marks)
    groups = re.split(r"[.,·]", plain)
    if len(marks) > 1:
        grouped = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3
        return (Decimal("".join(groups)),) if grouped else ()
    return _single(groups[0], groups[1], marks[0], language)


def _mixed(plain: str, marks: list[str]) -> tuple[Decimal, ...]:
    if len(set(marks)) > 2 or marks.count(marks[-1]) > 1:
        return ()
    whole, _, fraction = plain.rpartition(marks[-1])
    groups = re.split(r"[.,·]", whole)
    if any(len(group) != 3 for group in groups[1:]):
        return ()
    return (Decimal(f"{''.join(groups)}.{fraction}"),)


def _single(whole: str, rest: str, mark: str, language: str) -> tuple[Decimal, ...]:
    decimal = Decimal(f"{whole}.{rest}")
    if len(rest) != 3 or len(whole) > 3 or whole.startswith("0"):
        return (decimal,)
    grouped = Decimal(whole + rest)
    point = "." if language in DECIMAL_POINT else ","
    return (grouped,) if mark not in (point, "·") else (decimal, grouped)


def ideographs(text: str) -> Iterator[Numeral]:
    """Numbers that are written with Chinese characters."""
    for match in _IDEOGRAPHS.finditer(text):
        value = ideographic(match[0])
        if value is not None:
            yield Numeral(match.start(), match.end(), (Decimal(value),), in_words=True)


def ideographic(written: str) -> int | None:
    """The value of a number in Chinese characters, as ``三百二十`` or ``二〇二七``; None if it is none."""
    if all(character in _IDEOGRAPH_DIGITS for character in written):
        return int("".join(str(_IDEOGRAPH_DIGITS[character]) for character in written))
    total = section = digit = 0
    for character in written:
        if character in _IDEOGRAPH_DIGITS:
            digit = _IDEOGRAPH_DIGITS[character]
        elif character in _IDEOGRAPH_POWERS:
            section += (digit or 1) * 10 ** _IDEOGRAPH_POWERS[character]
            digit = 0
        else:
            if not section + digit:
                return None
            total += (section + digit) * 10 ** _IDEOGRAPH_GROUPS[character]
            section = digit = 0
    return total + section + digit


def words(text: str, language: str) -> Iterator[Numeral]:
    """Numbers that are written out; ordinals are none."""
    if language in ("ja", "zh"):
        yield from ideographs(text)
    if language not in _SPOKEN:
        return
    written = list(_WORD.finditer(text))
    numbers = set(filter(_counting(language), {match[0] for match in written}))
    counted = (at for at, match in enumerate(written) if match[0] in numbers)
    for start, end in _merged((max(0, at - _AROUND), at + 1 + _AROUND) for at in counted):
        spoken = [_Spoken(match[0].casefold(), match.start()) for match in written[start:end]]
        for found in find_numbers(spoken, language, threshold=0):
            if not found.is_ordinal:
                first, last = spoken[found.start], spoken[found.end - 1]
                yield Numeral(first.start, last.start + len(last.word), (Decimal(found.text.replace(",", ".")),), True)


def is_number(word: str, language: str) -> bool:
    """Whether a word is a number or an ordinal by itself."""
    return language in _SPOKEN and _counting(language)(word)


@cache
def _counting(language: str) -> Callable[[str], bool]:
    """Whether a word is a number or an ordinal by itself: every number in words has such a one."""

    @lru_cache(maxsize=50_000)
    def counts(word: str) -> bool:
        return bool(find_numbers([_Spoken(word.casefold(), 0)], language, threshold=0))

    return counts


def compounds(text: str) -> Iterator[Numeral]:
    """Numbers of digits with ideographic magnitudes, as in ``1億2000万``."""
    for match in _COMPOUND.finditer(text):
        total = Decimal(0)
        for number, tens, group in _COMPOUND_PART.findall(match[0]):
            total += Decimal(number.replace(",", "")) * Decimal(10) ** (_POWERS.get(tens, 0) + _POWERS.get(group, 0))
        yield Numeral(match.start(), match.end(), (total,))


def _merged(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges that come in order, those that touch as one."""
    start, end = 0, -1
    for begin, finish in ranges:
        if begin > end:
            if end >= 0:
                yield start, end
            start = begin
        end = finish
    if end >= 0:
        yield start, end
