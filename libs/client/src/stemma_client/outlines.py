"""Outlines of documents as files: JSON, YAML, or Markdown with a heading for each section."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import PurePath
from typing import Any

import yaml
from pydantic import ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.shown import shown
from stemma_contracts.v1.outline import MOST_SECTIONS, OutlineSection
from stemma_languages import asks_for_a_form, bid_words, detect, limits_in
from stemma_markdown import Document, Heading

from .errors import InvalidInputError

_NOTE = re.compile(r"[ \t]*(?P<name>id|kind|depends on)[ \t]*:[ \t]*(?P<value>[^\n]*)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[ \t]*[(\uff08]([^()\uff08\uff09]{1,60})[)\uff09][ \t]*\Z")
_FIELDS = {"id": "section_id", "kind": "kind", "depends on": "depends_on"}
MAX_NOTE = 60
MAX_COMMAS = 8
"""Commas in a title that others name."""


def read_outline(name: str, text: str) -> tuple[OutlineSection, ...]:
    """The sections of an outline file; its name says its form. Raises `InvalidInputError` with the section at fault."""
    match PurePath(name).suffix.lower():
        case ".json":
            sections = _list(name, _json(name, text))
        case ".yaml" | ".yml":
            sections = _list(name, _yaml(name, text))
        case ".md" | ".markdown":
            sections = _with_upstreams([_section(heading, body) for heading, body in _headed(text)])
        case _:
            raise InvalidInputError(f"{name}: an outline is a file that ends in .json, .yaml or .md")
    if not sections:
        raise InvalidInputError(f"{name}: there is no section in it; in Markdown each has a heading")
    return tuple(_checked(name, number, section) for number, section in enumerate(sections, start=1))


def write_outline(sections: Sequence[OutlineSection]) -> str:
    """An outline as Markdown, which `read_outline` reads back."""
    return "\n\n".join(["# Outline", *(_written(section) for section in sections)]) + "\n"


def _written(section: OutlineSection) -> str:
    notes = [f"id: {section.section_id}"] if section.section_id else []
    notes += [f"kind: {section.kind}"] if section.kind else []
    notes += [f"depends on: {', '.join(section.depends_on)}"] if section.depends_on is not None else []
    notes += [f"max {section.max_words} words"] if section.max_words else []
    notes += [f"max {section.max_pages} pages"] if section.max_pages else []
    return "\n\n".join([f"## {section.title}", *notes, *([section.purpose] if section.purpose else [])])


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"{name}: line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise InvalidInputError(f"{name}: it is nested too deeply") from None


def _yaml(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise InvalidInputError(f"{name}: line {line}: {getattr(error, 'problem', None) or 'not YAML'}") from None


def _list(name: str, found: Any) -> list[dict[str, Any]]:
    sections = found.get("sections") if isinstance(found, dict) else found
    if not isinstance(sections, list) or not all(isinstance(section, dict) for section in sections):
        raise InvalidInputError(f"{name}: it must be a list of sections, each with a title")
    return [{_FIELDS.get(str(key), str(key)): value for key, value in section.items()} for section in sections]


def _checked(name: str, number: int, section: dict[str, Any]) -> OutlineSection:
    if unknown := sorted(set(section) - set(OutlineSection.model_fields)):
        known = ", ".join(["id", *(field for field in OutlineSection.model_fields if field != "section_id")])
        raise InvalidInputError(f"{name}: section {number}: {unknown[0]!r} is not known; known are: {known}")
    try:
        return OutlineSection.model_validate(section)
    except ValidationError as error:
        raise InvalidInputError(f"{name}: section {number}: {misfits(error)[0]}") from None


def _headed(text: str) -> Iterator[tuple[Heading, str]]:
    """The headings of the sections with what stands below them; a single first heading above all is the title."""
    headings = list(Document(text).headings)
    levels = [heading.level for heading in headings]
    if len(levels) > 1 and levels.count(min(levels)) == 1 and levels[0] == min(levels):
        headings, levels = headings[1:], levels[1:]
    if not headings:
        return
    lines = text.split("\n")
    tops = [heading for heading in headings if heading.level == min(levels)]
    for heading, following in zip(tops, [*tops[1:], None], strict=True):
        yield heading, "\n".join(lines[heading.line : following.line - 1 if following else None]).strip()


def _section(heading: Heading, body: str) -> dict[str, Any]:
    """A section of Markdown: notes on lines of their own or in brackets behind the title, all else is its purpose."""
    title, section = heading.text, dict[str, Any]()
    if (bracket := _IN_BRACKETS.search(title)) and _limits(bracket[1]):
        title, section = title[: bracket.start()], _limits(bracket[1])
    kept = []
    for line in body.split("\n"):
        note = _noted(line)
        section |= note
        kept += [] if note else [line]
    return section | {"title": title, "purpose": "\n".join(kept).strip()}


def _with_upstreams(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    titles = {" ".join(str(section["title"]).split()).casefold() for section in sections}
    lists = (
        {"depends_on": _upstreams(section["depends_on"], titles)} if "depends_on" in section else {}
        for section in sections
    )
    return [section | upstreams for section, upstreams in zip(sections, lists, strict=True)]


def _upstreams(value: str, titles: Set[str]) -> list[str]:
    parts, found, at = [part.strip() for part in value.split(",") if part.strip()], list[str](), 0
    while at < len(parts):
        ends = range(min(len(parts), at + MAX_COMMAS), at + 1, -1)
        end = next((end for end in ends if ", ".join(parts[at:end]).casefold() in titles), at + 1)
        found.append(", ".join(parts[at:end]))
        at = end
    return found


def _noted(line: str) -> dict[str, Any]:
    if (note := _NOTE.fullmatch(line)) is not None:
        name, value = note["name"].lower(), note["value"].strip()
        return {_FIELDS[name]: value}
    return _limits(line) if len(line) <= MAX_NOTE and len(line.split()) <= 6 else {}


def _limits(note: str) -> dict[str, Any]:
    words, pages = limits_in(note, bare=True)
    found = {"max_words": words, "max_pages": pages}
    return {name: most for name, most in found.items() if most is not None}


MAX_PURPOSE = 4_000
MAX_TITLE = 200
MOST_LISTED = 1000
"""Lines behind a sentence that demands an order in which its list stands."""

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
_CELL = re.compile(r"(?<!\\)\|")
_RULED = re.compile(r"[\s|:-]+")


def find_outline(texts: Iterable[str]) -> tuple[OutlineSection, ...]:
    """The sections that a passage of the texts asks for, the one that names the most; none if no passage does.

    The purpose of each begins with its number in the request, in brackets. Chapters of volumes have their names, too.
    """
    found = [sections for text in texts for sections in _asked(text)]
    return max(found, key=len, default=())


def _asked(text: str) -> Iterator[tuple[OutlineSection, ...]]:
    headings, lines = list(Document(text).headings), text.split("\n")
    for place, heading in enumerate(headings):
        if not asks_for_a_form(heading.text):
            continue
        below, body = _below(headings, place), _body(headings, place, lines)
        yield from _enough(_of_headings(below, headings, lines) or _of_items(body) or _of_rows(body))
    order = bid_words(detect(text)).order
    for number, line in enumerate(lines, start=1):
        if line.rstrip().endswith((":", "：")) and order.search(line):
            yield from _enough(_of_items("\n".join(lines[number : number + MOST_LISTED])))


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
    return OutlineSection(
        title=called,
        purpose=(f"({said}) {purpose}".rstrip() if said else purpose)[:MAX_PURPOSE],
        max_words=words,
        max_pages=pages,
    )


def _plain(text: str) -> str:
    return " ".join(shown(_MARKS.sub(lambda found: found[1] or "", text)).split())
