"""All claims of a text, in the order in which they stand."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain

from stemma_languages import mode_words
from stemma_markdown import Document

from . import numerals
from .claim import Claim
from .dates import Day, dates
from .measures import Measure, measure, ranged, under_heads
from .names import names
from .numerals import Numeral
from .prose import prose, without_headings
from .quotations import citations, folded, quotations
from .vocabulary import ANY, months

_ORDER = re.compile(
    r"(?m)^[ >]{0,12}(?:#{1,6}[ ]{1,3}(?:[0-9]{1,3}\.)*[0-9]{1,3}[.)]?[ ]"
    r"|(?![0-9]{2}\.[0-9]{2}\.)(?:[0-9]{1,3}\.){2,5}(?=[ \n])"
    r"|(?:[-*+][ ]{1,4}){0,3}[(\[]?[0-9]{1,9}[ ]?[.)\]](?=[ \n]|$))"
)
_ENUMERATED = re.compile(
    r"(?:(?:^|[;,.:][ \n]|(?<!\w)(?:and|or|und|oder|et|ou|y|o|e|en|of)[ \n])[ ]{0,2}\(?|\((?=1\)))"
    r"([0-9]{1,2})\)(?=[ ])",
    re.MULTILINE,
)
_ROW = re.compile(r"^[ >]{0,12}\|[ ]{0,8}([0-9]{1,4})[.)]?[ ]{0,8}(?=\|)", re.MULTILINE)
_LICENCE = re.compile(
    r"(?<![\w-])(?:CC|[AL]?GPL|MPL|EUPL|BSD|Apache|ODbL|EPL)"
    r"(?:[- ][A-Z]{2,4}){0,4}[- ]v?[0-9](?:\.[0-9])?(?!\w)(?:-Clause)?"
)
_CAPTION = re.compile(
    rf"(?:(?<!\w)(?:{'|'.join(sorted(ANY.captions))}|fig\.|abb\.|tab\.)[ ]|(?<![\u3400-\u9fff])[図表图][ ]?)"
    r"[0-9]{1,3}(?:[.-][0-9]{1,3}){0,3}(?![\w%])",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    rf"(?:(?<!\w)(?:{'|'.join(sorted(ANY.numbered))})[ ]#?|(?:{'|'.join(ANY.numbered_unspaced)})[ ]?)"
    r"[0-9]{1,3}(?:(?:\.|,[ ]|[ ]?[–-][ ]?|[ ](?:and|or|to|und|oder|bis|et|ou|à|y|o|e|en|of|tot)[ ])[0-9]{1,3}){0,19}",
    re.IGNORECASE,
)
"""Numbers of entries of a list, as in ``findings 3, 4 and 7-9``."""
_WORD_AFTER = re.compile(r"[A-Za-z]|\.[xX](?!\w)")
"""What makes a number a piece of a word, a code or the name of a line of versions: ``20tab``, ``42a8de2``, ``12.x``."""
_CODE_BEFORE = re.compile(r"(?<![\w.])[A-Z][ -]$")
_PROSE_LINE = re.compile(r"(?![0-9]{1,9}[.)](?:[ ]|$)|[-*+#>|](?:[ ]|$))\S")
_MONTH = re.compile(r"[ ]{1,3}([^\W\d_]{3,12})\.?[ ]{1,3}(?:19|20|21)[0-9]{2}(?!\w)")
_IN = re.compile(r"(?<!\w)(?:in|en|em)\s\Z")
_NUMBER_AFTER = re.compile(r"\.?[ \n]?[0-9]")
_LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|ème|º|ª)(?!\w)")
_COUNTED = re.compile(r"[人名件社校台冊回個个つ枚]")
_RATE = re.compile(r"間?(?:に|につき|あたり|当たり|当り)")
_LEAST_IN_WORDS = 10


def claims(
    text: str, language: str, *, of_draft: bool = True, document: Document | None = None, shown: str = ""
) -> tuple[Claim, ...]:
    """What ``text``, a Markdown document, states in a form that can be looked up, outside of its code blocks.

    ``language`` is a BCP 47 primary tag (``de``); it decides which separator is the decimal one and which words
    count. Other languages than the nine shipped are read like English. Small numbers in words are no claims of a draft,
    but what a source says in words a draft may write with digits. ``document`` is the text if it was read before,
    ``shown`` its prose.
    Takes time linear in the text.
    """
    document = document or Document(text)
    shown, taken, entries = shown or prose(document), Taken(len(text)), Taken(len(text))
    for match in _ENTRY.finditer(shown):
        entries.take(match.start(), match.end())
    found = [
        *_references(document, shown, taken),
        *_dates(document, shown, language, taken),
        *_measures(document, shown, language, taken, entries, _LEAST_IN_WORDS if of_draft else 2),
        *_names(document, without_headings(shown, document), language, taken),
        *_quotations(document, shown),
    ]
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end)))


def _references(document: Document, shown: str, taken: Taken) -> Iterator[Claim]:
    for match in _ORDER.finditer(shown):
        if not (_goes_on(shown, match) or _is_a_day(shown, match)):
            taken.take(match.start(), match.end())
    for match in chain.from_iterable(form.finditer(shown) for form in (_LINK_TARGET, _LICENCE, _CAPTION)):
        taken.take(match.start(), match.end())
    for match in chain(_counted_up(shown, _ENUMERATED), _counted_up(shown, _ROW)):
        taken.take(match.start(1), match.end(1))
    for start, end, value in citations(shown):
        if taken.take(start, end):
            yield Claim("citation", document.text[start:end], start, end, document.line(start), (value,))


def _counted_up(shown: str, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of which the numbers count from 1 on, one after the other, without a blank line between them."""
    last, after = 0, 0
    for match in form.finditer(shown):
        last = 0 if shown.find("\n\n", after, match.start()) >= 0 else last
        after = match.end()
        if int(match[1]) in (1, last + 1):
            last = int(match[1])
            yield match


def _goes_on(shown: str, match: re.Match[str]) -> bool:
    """Whether a paragraph goes on with the number, which then orders nothing: only a 1 begins a list inside of one."""
    if "#" in match[0] or match[0].strip(" >") in ("1.", "1)"):
        return False
    before = shown[shown.rfind("\n", 0, max(0, match.start() - 1)) + 1 : max(0, match.start() - 1)]
    return _PROSE_LINE.match(before) is not None


def _is_a_day(shown: str, match: re.Match[str]) -> bool:
    """Whether a month follows the number, as in ``5. Dezember 2027``."""
    word = _MONTH.match(shown, match.end())
    return "#" not in match[0] and word is not None and word[1].casefold() in months()


def _dates(document: Document, shown: str, language: str, taken: Taken) -> Iterator[Claim]:
    for day in dates(shown, language):
        if not _is_measured(shown, day, language) and taken.take(day.start, day.end):
            written = document.text[day.start : day.end]
            yield Claim("date", written, day.start, day.end, document.line(day.start), day.values)


def _is_measured(shown: str, day: Day, language: str) -> bool:
    """Whether what looks like a year has a currency or a unit, as in ``EUR 2000``; not ``in EUR 2027``."""
    year = shown[day.start : day.end]
    if len(year) != 4 or not year.isdecimal():
        return False
    measured = measure(shown, Numeral(day.start, day.end, (Decimal(year),)), language)
    if measured.start < day.start:
        return bool(measured.currency) and not _IN.search(shown, max(0, measured.start - 4), measured.start)
    behind = shown[day.end : measured.end].strip()
    is_of_this = not _NUMBER_AFTER.match(shown, measured.end)
    if behind in mode_words(language).modes.get("done", ()):  # "ha" is a verb in Spanish and Italian.
        return False
    return is_of_this and bool(measured.currency or (measured.unit and " " not in behind))


def _measures(
    document: Document, shown: str, language: str, taken: Taken, entries: Taken, least_in_words: int
) -> Iterator[Claim]:
    found = sorted(_measured(shown, language, taken), key=lambda measured: measured.start)
    for measured in under_heads(shown, list(ranged(shown, found)), language):
        is_of_an_entry = measured.bare and not entries.free(measured.start, measured.end)
        if not is_of_an_entry and _says_something(shown, measured, least_in_words):
            yield measured.claim(document, shown)


def _measured(shown: str, language: str, taken: Taken) -> Iterator[Measure]:
    for source in (numerals.compounds(shown), numerals.digits(shown, language), numerals.words(shown, language)):
        for numeral in source:
            if _stands_alone(shown, numeral) and taken.free(numeral.start, numeral.end):
                measured = measure(shown, numeral, language)
                if _is_a_piece_of_a_word(shown, measured):
                    continue
                if taken.take(measured.start, measured.end):
                    yield measured


def _stands_alone(shown: str, numeral: Numeral) -> bool:
    """Whether a number is no part of a word, a version or a name."""
    before = shown[numeral.start - 1 : numeral.start] if numeral.start else ""
    if before and (before.isascii() or before.isalpha()) and before.isalpha() and before < "\u3040":
        return shown[max(0, numeral.start - 3) : numeral.start] in ("EUR", "USD", "CHF", "GBP", "JPY", "CNY")
    if before == "_" and shown[max(0, numeral.start - 2) : numeral.start - 1].isalnum():
        return False
    return not (before == "#" or _ORDINAL.match(shown, numeral.end))


def _is_a_piece_of_a_word(shown: str, measured: Measure) -> bool:
    """Whether letters go on where a bare number ends, or one capital stands before it, as in ``B 360``."""
    if not measured.bare or not shown[measured.start].isdigit():
        return False
    before = shown[max(0, measured.start - 3) : measured.start]
    return bool(_WORD_AFTER.match(shown, measured.end) or _CODE_BEFORE.search(before))


def _says_something(shown: str, measured: Measure, least_in_words: int) -> bool:
    if _RATE.match(shown, measured.end) and measured.numbers[0] == 1:
        return False
    if measured.unit == "quarter" and not shown[measured.start].isdigit():
        return False
    if not measured.bare:
        return bool(measured.currency) or measured.numbers[0] != 1 or shown[measured.start].isdigit()
    number = measured.numbers[0]
    if not shown[measured.start].isdigit():
        return number >= least_in_words or (number > 1 and bool(_COUNTED.match(shown, measured.end)))
    return abs(number) > 1


def _names(document: Document, shown: str, language: str, taken: Taken) -> Iterator[Claim]:
    for start, end, name in names(shown, language):
        if taken.take(start, end):
            value = " ".join(name.split()).casefold()
            yield Claim("name", document.text[start:end], start, end, document.line(start), (value,))


def _quotations(document: Document, shown: str) -> Iterator[Claim]:
    for start, end, found in quotations(shown):
        text = document.text[start:end]
        # An entity keeps its width in what is shown, so that its letters stand apart there.
        value = folded(html.unescape(text[1:-1])) if "&" in text else found
        yield Claim("quotation", text, start, end, document.line(start), (value,))


class Taken:
    """The places of a text of ``length`` characters, free at first."""

    def __init__(self, length: int) -> None:
        self._places = bytearray(length)

    def take(self, start: int, end: int) -> bool:
        """Take a span; False if a part of it was taken before, and then nothing is."""
        if not self.free(start, end):
            return False
        self._places[start:end] = b"\x01" * (end - start)
        return True

    def free(self, start: int, end: int) -> bool:
        """Whether no part of a span is taken."""
        return self._places.find(1, start, end) < 0
