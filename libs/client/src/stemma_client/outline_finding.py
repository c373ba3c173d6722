"""The outline that inputs ask for: a passage about the form of the document, read by code and shown to a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stemma_contracts.shown import shown
from stemma_contracts.v1.outline import OutlineSection
from stemma_languages import asks_for_a_form, limits_in
from stemma_markdown import Document, Heading

MAX_SECTIONS = 100
MAX_PURPOSE = 4_000
MAX_TITLE = 200

_NUMBER = re.compile(
    r"(?:(?:section|sec\.?|chapter|part|abschnitt|kapitel|teil|secci\u00f3n|chapitre|partie|sezione|hoofdstuk|sec\u00e7\u00e3o)"
    r"\s{1,3})?(?:\u00a7\s?)?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[ivxIVX]{1,5}(?=[.)])|[a-zA-Z](?=[.)]))[.):]?\s{1,5}",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]{0,3}(?:\d{1,3}[.)]|[ivxIVX]{1,5}[.)]|[a-z][.)]|[-*+])[ \t]{1,4}(?P<text>\S[^\n]*)")
_LEAD = re.compile(r"(?P<title>[^\n]{3,120}?)(?:\s[\u2013\u2014-]\s|:\s|\uff1a|\.\s|\Z)")
_BRACKET = re.compile(r"\s?[(\uff08][^()\uff08\uff09]{0,60}[)\uff09]?\Z")
_MARKS = re.compile(r"[*_`]|\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)")


def find_outline(texts: Iterable[str]) -> tuple[OutlineSection, ...]:
    """The sections that a passage of the texts asks for, the one that names the most; none if no passage does."""
    found = [sections for text in texts for sections in _asked(text)]
    return max(found, key=len, default=())


def _asked(text: str) -> Iterator[tuple[OutlineSection, ...]]:
    headings, lines = list(Document(text).headings), text.split("\n")
    for place, heading in enumerate(headings):
        if not asks_for_a_form(heading.text):
            continue
        below = _below(headings, place)
        sections = _of_headings(below, headings, lines) or _of_items(_body(headings, place, lines))
        if len(sections) > 1:
            yield tuple(sections[:MAX_SECTIONS])


def _end(headings: Sequence[Heading], place: int) -> int:
    """The place of the next heading that is not below one."""
    for after in range(place + 1, len(headings)):
        if headings[after].level <= headings[place].level:
            return after
    return len(headings)


def _below(headings: Sequence[Heading], place: int) -> list[int]:
    """The places of the headings directly below one."""
    inside = range(place + 1, _end(headings, place))
    top = min((headings[one].level for one in inside), default=0)
    return [one for one in inside if headings[one].level == top]


def _of_headings(below: Sequence[int], headings: Sequence[Heading], lines: Sequence[str]) -> list[OutlineSection]:
    wanted = [place for place in below if not asks_for_a_form(headings[place].text)]
    found = (_section(headings[place].text, _body(headings, place, lines)) for place in wanted)
    return [section for section in found if section is not None]


def _body(headings: Sequence[Heading], place: int, lines: Sequence[str]) -> str:
    """What stands below a heading, down to the next one that is not below it."""
    end = _end(headings, place)
    last = headings[end].line - 1 if end < len(headings) else None
    return "\n".join(lines[headings[place].line : last]).strip()


def _of_items(body: str) -> list[OutlineSection]:
    """The items of the first list, with what stands in them behind a title."""
    sections: list[tuple[str, list[str]]] = []
    for line in body.split("\n"):
        if (item := _ITEM.fullmatch(line)) is not None and "](#" not in line:
            sections.append((item["text"], []))
        elif sections and line.startswith(("  ", "\t")):
            sections[-1][1].append(line.strip())
        elif sections and line.strip():
            break
    found = (_of_item(text, more) for text, more in sections)
    return [section for section in found if section is not None]


def _of_item(text: str, more: Sequence[str]) -> OutlineSection | None:
    plain = _plain(text)
    lead = _LEAD.match(plain)
    title = lead["title"] if lead else plain
    return _section(title, "\n".join([plain[lead.end() :] if lead else "", *more]).strip(), also=plain)


def _section(title: str, purpose: str, also: str = "") -> OutlineSection | None:
    """None if nothing is left of the title but marks."""
    name = _BRACKET.sub("", _NUMBER.sub("", _plain(title), count=1)).strip()
    called = (name or _plain(title))[:MAX_TITLE].rstrip(" .:")
    if not called:
        return None
    words, pages = limits_in(f"{title}\n{purpose}\n{also}")
    return OutlineSection(
        title=called,
        purpose=purpose[:MAX_PURPOSE],
        max_words=words,
        max_pages=pages,
    )


def _plain(text: str) -> str:
    return " ".join(shown(_MARKS.sub(lambda found: found[1] or "", text)).split())
