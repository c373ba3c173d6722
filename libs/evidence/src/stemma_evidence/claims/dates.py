"""Dates in the forms of nine languages, as exact as the text has them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from . import vocabulary as words
from .numerals import ideographic
from .vocabulary import months

_BEHIND = 32
_AHEAD = 32
_WORD = re.compile(r"[^\W\d_]{3,12}")
_LINK = r"(?:[-–—/~〜]|bis|to|and|und|or|oder|à|au|et|ou|al|a|y|o|e|ed|tot|en|of|até|ao|through|until|zum|le|el|il|den)"
_DAY = r"([0-3]?[0-9])(?:\.|st|nd|rd|th|er|ers|e|º|ª|°|de)?"
_DAY_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z\d.,/:-]){_DAY}[ \n]{{0,3}}{_LINK}[ \n]{{0,3}}(?:{_LINK}[ \n]{{1,3}})?)?"
    rf"(?<![A-Za-z\d.,/:])(?<!\d-){_DAY}[ \n]{{0,3}}(?:of |de |di |d['’])?[ \n-]{{0,3}}$"
)
_YEAR_AFTER = re.compile(r"\.?(?:,?[ \n-]{1,4}|,)(?:de |del |of |do )?['’]?((?:19|20|21)[0-9]{2})(?![\d])")
_DAY_AFTER = re.compile(
    rf"\.?[ \n]{{1,3}}([0-3]?[0-9])(?:st|nd|rd|th)?(?![\d%])"
    rf"(?:(?:[ ]?(?:{_LINK})[ ]?|,[ ](?=[0-3]?[0-9],[ ](?:19|20|21)[0-9]{{2}}))([0-3]?[0-9])(?:st|nd|rd|th)?(?![\d]))?"
    r"(?:,?[ \n]{1,3}((?:19|20|21)[0-9]{2})(?![\d]))?(?![.,:]?\d)"
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_WORD_BEFORE = re.compile(r"([^\W\d_']+'?)[ \n]{1,3}(?:l'|the |den |dem |le |la |il |o |de )?$")
_ISO = re.compile(
    r"(?<![\d-])([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::[0-9]{2})?Z?)?)?(?![\d-])"
)
_NUMERIC = re.compile(
    r"(?<![\d./-])([0-9]{1,2})(?:(\.)[ ]?([0-9]{1,2})\.[ ]?|([/-])([0-9]{1,2})\4)([0-9]{4}|[0-9]{2})(?![\d/-]|\.\d)"
)
_YEAR_FIRST = re.compile(r"(?<![\d./-])((?:19|20)[0-9]{2})([/.])([0-9]{1,2})\2([0-9]{1,2})(?![\d/-]|\.\d)")
_DAY_MONTH = re.compile(r"(?<![\d.])([0-9]{1,2})\.[ ]?([0-9]{1,2})\.(?![\d])")
_NUMBERED = re.compile(
    r"(?:^|\n)[\s>#*+-]*$|(?:Nr\.|Nummern?|Ziff(?:er[n]?|\.)|Punkte?|Abschnitte?|Kapitel|Anlagen?|§) $"
)
"""What stands before the number of a chapter: nothing, or a word for one."""
_EASTERN = re.compile(
    r"(?:(?:(令和|平成|昭和)[ ]?([0-9]{1,2}|元)|([0-9]{4}|[〇零一二三四五六七八九]{4}))[ ]?年度?)?[ ]?"
    r"(?:([0-9]{1,2}|十?[一二三四五六七八九]|十)[ ]?月)?[ ]?"
    r"(?:([0-9]{1,2}|[二三]?十?[一二三四五六七八九十])[ ]?[日号號](?!間|本))?"
)
_EASTERN_MARK = re.compile(r"[年月]")
_TIME = re.compile(
    r"(?<![\d:.,])([01]?[0-9]|2[0-4])(?:(?::|[ ]?h[ ]?)([0-5][0-9])(?::[0-5][0-9])?(?![\d:])"
    r"|\.([0-5][0-9])(?=[ ]?(?:Uhr|uur|[apAP]\.?[mM])))"
    r"(?:[ ]?([apAP])\.?[mM]\b\.?|[ ]?(?:Uhr|uur|horas)\b|[ ]?h\b)?"
    r"|(?<![\d:.,])([01]?[0-9]|2[0-4])[ ]?(?:([apAP])\.?[mM]\b\.?|Uhr\b|o'clock)"
    r"|(午前|午後|上午|下午)?(?<!\d)([01]?[0-9]|2[0-4])[ ]?(?:[時点时](?:([0-5]?[0-9])分)?(?!間)|[:：]([0-5][0-9]))"
    r"|(?<=[Oo]re )([01]?[0-9]|2[0-4])(?:\.([0-5][0-9]))?(?![\d:.,])"
    r"|(?:(?<=à )|(?<=las )|(?<=às )|(?<=om ))([01]?[0-9]|2[0-4])[ ](?:heures?|horas|uur)\b"
)
_PART = re.compile(
    r"(?<![\w])(?:([QTK])([1-4])|(H)([12])|(KW|W)[ ]?([0-5]?[0-9])|CW[ ]?([0-5]?[0-9]))"
    r"(?:[ /-]{1,3}(?:of |de |du |del )?((?:19|20)[0-9]{2}))?(?!\w)"
)
_PART_AFTER_YEAR = re.compile(r"(?<![\w])((?:19|20)[0-9]{2})[ /-]?([QTH])([1-4])(?!\w)")
_EASTERN_PART = re.compile(r"(?:((?:19|20)[0-9]{2})年度?[ ]?)?(?:第([1-4一二三四])(四半期|季度)|([上下])(半期|半年))")
_PART_WORD = re.compile(
    r"(?<![\w.,])([1-4]|[IVX]{1,3}|[^\W\d_]{4,12})(?:\.|st|nd|rd|th|er|e|º|ª|°|ème)?[ -]("
    + "|".join(sorted(words.ANY.quarters | words.ANY.halves, key=len, reverse=True))
    + r")(?:[ ](?:of |de |du |del |des Jahres |van |di |do )?((?:19|20)[0-9]{2}))?(?!\w)",
    re.IGNORECASE,
)
_WEEK = re.compile(
    r"(?<!\w)(?:Kalenderwoche|week|semaine|semana|settimana)[ ]([0-5]?[0-9])"
    r"(?:(?:[ ](?:of|de|del|van)[ ]|[ /])((?:19|20)[0-9]{2}))?(?!\w)",
    re.IGNORECASE,
)
_SEASON = re.compile(r"(?<![\d.,/-])((?:19|20)[0-9]{2})[/–-]([0-9]{2})(?![\d/-]|\.\d)")
_YEAR = re.compile(r"(?<![\w.,/$€£¥+-])(?:FY ?)?((?:19|20)[0-9]{2})(?![\d]|[.,/]\d|[ ]?[%€$£])")
_STREET = re.compile(
    r"(?<!\w)(?:(?:rue|place|avenue|boulevard|quai) du|(?:calle|plaza|avenida)(?: del)?|(?:via|viale|piazza)"
    r"|(?:rua|praça)(?: d[oe])?|straße des|platz des)[ ]"
    r"(?:[0-3]?[0-9](?:\.|º|er)?[ ](?:de )?[^\W\d_]{3,12}[ ](?:de )?)?$",
    re.IGNORECASE,
)
"""What makes a day the name of a street."""
_NARROW = str.maketrans("０１２３４５６７８９：／", "0123456789:/")
_HALVES = {"午前": "a", "上午": "a", "午後": "p", "下午": "p"}
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}


@dataclass(frozen=True, slots=True)
class Day:
    """A date at ``text[start:end]`` and what it may mean, the likelier first."""

    start: int
    end: int
    values: tuple[str, ...]


def dates(text: str, language: str) -> Iterator[Day]:
    """Every date of a text, the exact forms before the loose ones; they may overlap."""
    text = text.translate(_NARROW)
    yield from _iso(text)
    yield from _year_first(text)
    yield from _numeric(text, language)
    yield from _eastern(text)
    yield from (day for day in _named(text) if not _is_street(text, day.start))
    yield from _parts(text)
    yield from _day_month(text, language)
    yield from _times(text)
    for match in _SEASON.finditer(text):
        if int(match[2]) == (int(match[1]) + 1) % 100:
            yield Day(match.start(), match.end(), (f"{match[1]}/{match[2]}",))
    for match in _YEAR.finditer(text):
        if not _is_street(text, match.start()):
            yield Day(match.start(), match.end(), (match[1],))


def _is_street(text: str, place: int) -> bool:
    return _STREET.search(text, max(0, place - _BEHIND), place) is not None


def iso(year: int | None, month: int, day: int | None = None) -> str:
    """ISO 8601 of a date of which the year or the day may be unknown; empty if there is no such date."""
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _LENGTHS[month - 1]):
        return ""
    head = f"{year:04}-{month:02}" if year is not None else f"--{month:02}"
    return head if day is None else f"{head}-{day:02}"


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _day(match: re.Match[str], values: Iterable[str]) -> Iterator[Day]:
    known = tuple(dict.fromkeys(value for value in values if value))
    if known:
        yield Day(match.start(), match.end(), known)


def _iso(text: str) -> Iterator[Day]:
    for match in _ISO.finditer(text):
        if 1900 <= int(match[1]) < 2200:
            yield from _day(match, [iso(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)])


def _year_first(text: str) -> Iterator[Day]:
    for match in _YEAR_FIRST.finditer(text):
        yield from _day(match, [iso(int(match[1]), int(match[3]), int(match[4]))])


def _numeric(text: str, language: str) -> Iterator[Day]:
    for match in _NUMERIC.finditer(text):
        first, second = int(match[1]), int(match[3] or match[5])
        year = int(match[6]) if len(match[6]) == 4 else 2000 + int(match[6])
        readings = [iso(year, second, first)]
        if not match[2]:
            readings.append(iso(year, first, second))
        yield from _day(match, reversed(readings) if language == "en" else readings)


def _day_month(text: str, language: str) -> Iterator[Day]:
    """Days without a year as German alone writes them, where "2.1." is no number of a chapter."""
    for match in _DAY_MONTH.finditer(text) if language.startswith("de") else ():
        if len(match[1] + match[2]) < 4 and _NUMBERED.search(text, max(0, match.start() - _BEHIND), match.start()):
            continue
        yield from _day(match, [iso(None, int(match[2]), int(match[1]))])


def _eastern(text: str) -> Iterator[Day]:
    if not _EASTERN_MARK.search(text):  # the expression may match nothing, and so stops at each character
        return
    for match in _EASTERN.finditer(text):
        if match[0].strip():
            yield from _day(match, [_eastern_value(match)])


def _eastern_value(match: re.Match[str]) -> str:
    era, era_year, plain, month, day = match.groups()
    year = _ERAS[era] + (1 if era_year == "元" else int(era_year)) if era else _number(plain)
    if month:
        return iso(year, _number(month) or 0, _number(day) if day else None)
    return f"{year:04}" if year and not day else ""


def _number(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdecimal() else ideographic(written)


def _named(text: str) -> Iterator[Day]:
    """Dates with the name of a month; the first of two takes the year of the second."""
    found, numbers = list[Day](), months()
    for match in _WORD.finditer(text):
        if month := numbers.get(match[0].casefold()):
            found.extend(_around(text, match, month))
    for this, following in pairwise(found):
        yield _with_year_of(following, this, text[this.end : following.start])
    yield from found[-1:]


def _around(text: str, match: re.Match[str], month: int) -> Iterator[Day]:
    window = _PARAGRAPH_END.split(text[max(0, match.start() - _BEHIND) : match.start()])[-1]
    before = _DAY_BEFORE.search(window)
    paragraph_end = _PARAGRAPH_END.search(text, match.end(), match.end() + _AHEAD)
    ahead = paragraph_end.start() if paragraph_end else match.end() + _AHEAD
    year = _YEAR_AFTER.match(text, match.end(), ahead)
    end, written = (year.end(), year[1]) if year else (match.end(), None)
    if before:
        offset = match.start() - len(window)
        if before[1]:
            yield from _dated(offset + before.start(1), offset + before.end(1), month, before[1], written)
        yield from _dated(offset + before.start(2), end, month, before[2], written)
        return
    if year:
        yield from _dated(match.start(), end, month, None, written)
        return
    after = _DAY_AFTER.match(text, match.end(), ahead)
    if after and match[0][0].isupper():
        if after[2]:
            yield from _dated(match.start(), after.end(1), month, after[1], after[3])
            yield from _dated(after.start(2), after.end(), month, after[2], after[3])
        else:
            yield from _dated(match.start(), after.end(), month, after[1], after[3])
        return
    lead = _WORD_BEFORE.search(window)
    if lead and lead[1].casefold() in words.ANY.month_leads and match[0] not in ("may", "mar"):
        yield from _dated(match.start(), match.end(), month, None, None)


def _dated(start: int, end: int, month: int, day: str | None, year: str | None) -> Iterator[Day]:
    value = iso(int(year) if year else None, month, int(day) if day else None)
    if value:
        yield Day(start, end, (value,))


def _with_year_of(following: Day, this: Day, between: str) -> Day:
    year = following.values[0][:4]
    if not this.values[0].startswith("--") or not year.isdigit() or len(between) > 14 or not _JOIN.fullmatch(between):
        return this
    return replace(this, values=tuple(f"{year}{value[1:]}" for value in this.values))


_JOIN = re.compile(rf"\.?\s{{0,3}}{_LINK}\s{{0,3}}(?:{_LINK}\s{{1,3}})?|,\s")


def _parts(text: str) -> Iterator[Day]:
    """Quarters, halves and weeks of a year."""
    for match in _PART.finditer(text):
        mark = "Q" if match[1] else "H" if match[3] else "W"
        yield from _day(match, [_part(match[8], mark, match[2] or match[4] or match[6] or match[7])])
    for match in _PART_AFTER_YEAR.finditer(text):
        yield from _day(match, [_part(match[1], "H" if match[2] == "H" else "Q", match[3])])
    for match in _WEEK.finditer(text):
        yield from _day(match, [_part(match[2], "W", match[1])] if match[2] else [])
    for match in _PART_WORD.finditer(text):
        number = int(match[1]) if match[1].isdecimal() else words.ANY.ordinals.get(match[1].casefold())
        mark = "Q" if match[2].casefold() in words.ANY.quarters else "H"
        yield from _day(match, [_part(match[3], mark, str(number))] if number else [])
    for match in _EASTERN_PART.finditer(text):
        number = _number(match[2]) if match[2] else 1 if match[4] == "上" else 2
        yield from _day(match, [_part(match[1], "Q" if match[2] else "H", str(number))])


def _part(year: str | None, mark: str, number: str) -> str:
    return f"{year or '-'}-{mark}{int(number):02}" if mark == "W" else f"{year or '-'}-{mark}{number}"


def _times(text: str) -> Iterator[Day]:
    for match in _TIME.finditer(text):
        hour = int(match[1] or match[5] or match[8] or match[11] or match[13])
        minute = int(match[2] or match[3] or match[9] or match[10] or match[12] or 0)
        half = (match[4] or match[6] or _HALVES.get(match[7], "")).casefold()
        if half and hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        yield from _day(match, [f"T{hour:02}:{minute:02}"])
