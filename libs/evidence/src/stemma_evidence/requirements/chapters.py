"""The chapters of the bid as a request names them: titles, numbers and limits, in its order."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from stemma_contracts.shown import shown
from stemma_contracts.v1.bids import BidRule, BidRules
from stemma_contracts.v1.outline import MOST_SECTIONS, AskedChapters, OutlineSection
from stemma_languages import BidWords, asks_for_a_form, bid_words, detect, gathered_under, limits_in
from stemma_markdown import Document, Heading

from .rules import chapters_named
from .units import Source, units

MAX_PURPOSE = 4_000
MAX_TITLE = 200
MOST_TOLD = 21_000
"""Characters of titles and purposes together, 63 KB of Japanese: the event that plans the document carries them."""
LONGEST_WORDS, LEAST_SAID = 15, 6
"""Words of a chapter's title: more of them are a sentence; and of a sentence that says what the chapter has."""
MOST_LISTED = 1000
"""Lines behind a sentence that demands an order in which its list stands."""
MOST_ORDERS = 20
"""Such sentences of a text that are looked at."""

_NUMBER = re.compile(
    r"(?:(?:section|sec\.?|chapter|part|abschnitt|kapitel|teil|secci\u00f3n|chapitre|partie|sezione|hoofdstuk|sec\u00e7\u00e3o)"
    r"\s{1,3})?(?:\u00a7\s?)?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[ivxIVX]{1,5}(?=[.)])|[a-zA-Z](?=[.)]))[.):]?\s{1,5}",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]{0,3}(?:(?P<number>\d{1,3}|[ivxIVX]{1,5}|[a-zA-Z])[.)]|[-*+])[ \t]{1,4}(?P<text>\S[^\n]*)")
_LEAD = re.compile(r"(?P<title>[^\n]{3,120}?)(?:\s[\u2013\u2014-]\s|:\s|\uff1a|(?<!max)(?<!Max)\.\s|\Z)")
_BRACKET = re.compile(r"\s?[(\uff08][^()\uff08\uff09]{0,60}[)\uff09]?\Z")
_MARKS = re.compile(r"[*_`]|\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)")


_VOLUME = re.compile(
    r"(?:volumes?|vol\.|envelope?|band|umschlag|tom[eo]|enveloppe|volumen|sobre|busta|deel|第)"
    r"\s{0,2}(?:[ivxIVX]{1,5}|\d{1,2}|[a-dA-D一二三四])(?:巻|册|卷)?(?!\w)",
    re.IGNORECASE,
)
_LED = re.compile(r"\*\*(?P<number>\d{1,2}\.)?[ \t]{0,3}(?P<title>[^*\n]{3,120})\*\*")
_TITLED = re.compile(
    r"[ \t]{0,3}[*_]{0,3}(?P<number>\d{1,2}|[a-zA-Z])[.)][ \t]{1,4}[*_]{0,3}(?P<title>[^*_\n]{3,80})[*_]{1,3}"
    r"(?P<text>[^\n]*)"
)
_COLONS = (":", "：")
_CELL = re.compile(r"(?<!\\)\|")
_RULED = re.compile(r"[\s|:-]+")


def find_outline(texts: Iterable[str]) -> tuple[OutlineSection, ...]:
    """The sections that a passage of the texts asks for, the one that names the most; none if no passage does.

    The purpose of each begins with its number in the request, in brackets. Chapters of volumes have their names, too.
    """
    found = [sections for text in texts for sections in _asked(text)]
    return max(found, key=len, default=())


def demanded_chapters(sources: Sequence[Source], rules: BidRules) -> AskedChapters | None:
    """The chapters of the first request whose rules for the bid demand them in an order; None if none does."""
    named = {source.name: source for source in sources}
    asked = lru_cache(maxsize=None)(_longest_first)
    for rule in rules.found:
        if rule.kind == "order" and not rule.advised and not rule.replaced_by and rule.source in named:
            source = named[rule.source]
            judged = bid_words(source.language).criteria
            sections = tuple(one for one in _in_order(rule, asked(source.text)) if not judged.search(one.title))
            if len(sections) > 1 and all(len(section.title.split()) <= LONGEST_WORDS for section in sections):
                told = tuple(_with_purposes(sections, rule, source))
                return AskedChapters(source=rule.source, sections=_bounded(told))
    return None


def _longest_first(text: str) -> list[tuple[OutlineSection, ...]]:
    return sorted(_asked(text), key=len, reverse=True)[:MOST_ORDERS]


def _in_order(rule: BidRule, passages: Sequence[tuple[OutlineSection, ...]]) -> tuple[OutlineSection, ...]:
    """The passage that names the chapters of the rule; its own words if there is none such."""
    named = [_key(value) for value in rule.values]
    if not named:
        return passages[0] if passages else ()
    for sections in passages:
        titles = [_key(section.title) for section in sections]
        if 2 * sum(any(title in name or name in title for title in titles) for name in named) > len(named):
            return sections
    found = (_titled_section(value, "") for value in rule.values)
    return tuple(section for section in found if section is not None)


def _with_purposes(sections: Sequence[OutlineSection], rule: BidRule, source: Source) -> Iterator[OutlineSection]:
    """The chapters; those without a purpose have the sentences that begin with their title: "References must ..."."""
    said: dict[str, list[str]] = {_key(section.title): [] for section in sections if not section.purpose}
    for unit in units(source.text, source.language) if said else ():
        words = unit.text.split(maxsplit=LONGEST_WORDS)
        begins = (" ".join(words[first:end]).casefold() for first in (0, 1) for end in range(len(words), first, -1))
        title = next((begin for begin in begins if begin in said), None)
        if title and unit.form == "sentence" and len(words) >= LEAST_SAID and unit.text not in rule.quote:
            said[title].append(unit.text)
    for section in sections:
        sentences = said.get(_key(section.title), [])
        words_at_most, pages = limits_in("\n".join(sentences))
        limits = {"max_words": section.max_words or words_at_most, "max_pages": section.max_pages or pages}
        purpose = section.purpose or " ".join(sentences)[:MAX_PURPOSE]
        yield section.model_copy(update={"purpose": purpose, **limits})


def _key(title: str) -> str:
    return " ".join(title.split()).casefold()


def _bounded(sections: tuple[OutlineSection, ...]) -> tuple[OutlineSection, ...]:
    """The chapters with as much of their purposes as an event can carry."""
    most = max(0, MOST_TOLD - sum(len(section.title) for section in sections)) // len(sections)
    return tuple(section.model_copy(update={"purpose": section.purpose[:most]}) for section in sections)


def _asked(text: str) -> Iterator[tuple[OutlineSection, ...]]:
    headings, lines = list(Document(text).headings), text.split("\n")
    for place, heading in enumerate(headings):
        if not asks_for_a_form(heading.text):
            continue
        below, body = _below(headings, place), _body(headings, place, lines)
        yield from _enough(_of_headings(below, headings, lines) or _of_items(body) or _of_rows(body))
    language = detect(text)
    words = bid_words(language)
    yield from _enough(_of_titled(lines, words))
    ordered = ((number, found) for number, line in enumerate(lines, start=1) if (found := words.order.search(line)))
    for number, found in islice(ordered, MOST_ORDERS):
        if found.string.rstrip().endswith(_COLONS):
            yield from _enough(_of_items("\n".join(lines[number : number + MOST_LISTED])))
        else:
            named = (_titled_section(one, "") for one in chapters_named(found.string[found.end() :], language))
            yield from _enough([section for section in named if section is not None])


def _of_titled(lines: Sequence[str], words: BidWords) -> list[OutlineSection]:
    """Lettered paragraphs with titles below a bold line about the form of bids, those that turn to the bidder.

    "**6. Quotation Instructions.**", then "*d. Staffing Plan.* The offeror shall describe ...". What the others say is
    of the file, not of a chapter.
    """
    led = [(number, found) for number, line in enumerate(lines) if (found := _LED.match(line)) and found["number"]]
    for place, (number, found) in enumerate(led):
        end = led[place + 1][0] if place + 1 < len(led) else len(lines)
        if words.form.search(found["title"]) and (items := _titled_items(lines[number + 1 : end])):
            found_in = (_of_titled_item(*item, words) for item in items)
            return [section for section in found_in if section is not None]
    return []


def _of_titled_item(title: str, text: Sequence[str], number: str, words: BidWords) -> OutlineSection | None:
    """A chapter with the limits of its title and first sentence: later ones may be of a part, such as a résumé."""
    whole = "\n".join(text).strip()
    first = re.match(r"[^.。]{0,300}", whole)
    if first is None or not words.bidders.search(first[0]):
        return None
    section = _titled_section(title, first[0], "", number)
    return section and section.model_copy(update={"purpose": f"({number}) {whole}"[:MAX_PURPOSE]})


def _titled_items(lines: Sequence[str]) -> list[tuple[str, list[str], str]]:
    items = list[tuple[str, list[str], str]]()
    for line in lines:
        if (item := _TITLED.match(line)) is not None and (not items or _follows(item["number"], items[-1][2])):
            items.append((item["title"], [item["text"].strip()], item["number"]))
        elif items:
            items[-1][1].append(line.rstrip())
    return items


def _follows(number: str, before: str) -> bool:
    return int(number) == int(before) + 1 if (number + before).isdecimal() else ord(number[0]) == ord(before[0]) + 1


def _enough(sections: list[OutlineSection]) -> Iterator[tuple[OutlineSection, ...]]:
    if len(sections) > 1:
        yield tuple(sections[:MOST_SECTIONS])


def _end(headings: Sequence[Heading], place: int) -> int:
    for after in range(place + 1, len(headings)):
        if headings[after].level <= headings[place].level:
            return after
    return len(headings)


def _below(headings: Sequence[Heading], place: int) -> list[int]:
    inside = range(place + 1, _end(headings, place))
    top = min((headings[one].level for one in inside), default=0)
    return [one for one in inside if headings[one].level == top]


def _of_headings(below: Sequence[int], headings: Sequence[Heading], lines: Sequence[str]) -> list[OutlineSection]:
    wanted = [place for place in below if not asks_for_a_form(headings[place].text)]
    found = (one for place in wanted for one in _of_heading(place, headings, lines))
    return [section for section in found if section is not None]


def _of_heading(place: int, headings: Sequence[Heading], lines: Sequence[str]) -> Iterator[OutlineSection | None]:
    """The section of a heading; of one that names a volume the chapters below it, each with its name."""
    title, body = headings[place].text, _body(headings, place, lines)
    chapters = []
    if _VOLUME.search(title):
        chapters = _of_headings(_below(headings, place), headings, lines) or _of_items(body) or _of_rows(body)
    for one in chapters:
        yield one.model_copy(update={"title": f"{_plain(title)}: {one.title}"[:MAX_TITLE]})
    if not chapters:
        yield _titled_section(title, body)


def _of_rows(body: str) -> list[OutlineSection]:
    """The rows of the first table, by their first words; a column of limits is named by its unit."""
    rows = [
        [_plain(cell) for cell in _CELL.split(line.strip().strip("|"))]
        for line in body.split("\n")
        if line.lstrip().startswith("|") and not _RULED.fullmatch(line)
    ]
    columns, *others = rows or [[]]
    found = (_of_row(columns, cells) for cells in others if len(cells) == len(columns))
    return [section for section in found if section is not None]


def _of_row(columns: Sequence[str], cells: Sequence[str]) -> OutlineSection | None:
    named = [cell for cell in cells if re.search(r"[^\W\d_]", cell) and limits_in(cell, bare=True) == (None, None)]
    label = cells[0] if _VOLUME.fullmatch(cells[0].rstrip(".:")) and named[1:] else ""
    title = f"{label}: {named[1]}" if label else named[0] if named else ""
    limits = ", ".join(f"{cell} {column}" for column, cell in zip(columns, cells, strict=True) if cell[:1].isdigit())
    words, pages = limits_in(limits, bare=True)
    section = _titled_section(title, "")
    return section and section.model_copy(update={"max_words": words, "max_pages": pages})


def _body(headings: Sequence[Heading], place: int, lines: Sequence[str]) -> str:
    end = _end(headings, place)
    last = headings[end].line - 1 if end < len(headings) else None
    return "\n".join(lines[headings[place].line : last]).strip()


def _of_items(body: str) -> list[OutlineSection]:
    """The items of the first list, with what stands in them behind a title."""
    sections: list[tuple[str, list[str], str]] = []
    for line in body.split("\n"):
        if (item := _ITEM.fullmatch(line)) is not None and "](#" not in line:
            sections.append((item["text"], [], item["number"] or ""))
        elif sections and line.startswith(("  ", "\t")):
            sections[-1][1].append(line.strip())
        elif sections and line.strip():
            break
    found = (_of_item(text, more, number) for text, more, number in sections)
    return [section for section in found if section is not None]


def _of_item(text: str, more: Sequence[str], number: str) -> OutlineSection | None:
    plain = _plain(text)
    lead = _LEAD.match(plain)
    title = lead["title"] if lead else plain
    return _titled_section(title, "\n".join([plain[lead.end() :] if lead else "", *more]).strip(), plain, number)


def _titled_section(title: str, purpose: str, also: str = "", number: str = "") -> OutlineSection | None:
    plain = _plain(title)
    own = _NUMBER.match(plain)
    name = _BRACKET.sub("", plain[own.end() :] if own else plain).strip()
    called = (name or plain)[:MAX_TITLE].rstrip(" .:")
    if not called:
        return None
    bracket = _BRACKET.search(plain)
    in_bracket = limits_in(bracket[0], bare=True) if bracket else (None, None)
    words, pages = (one or two for one, two in zip(limits_in(f"{title}\n{purpose}\n{also}"), in_bracket, strict=True))
    said = own[0].strip(" .:)") if own and name else number
    gathered = gathered_under(called)
    return OutlineSection(
        title=called,
        purpose=(f"({said}) {purpose}".rstrip() if said else purpose)[:MAX_PURPOSE],
        max_words=words,
        max_pages=pages,
        collects=(gathered,) if gathered else (),
    )


def _plain(text: str) -> str:
    return " ".join(shown(_MARKS.sub(lambda found: found[1] or "", text)).split())
