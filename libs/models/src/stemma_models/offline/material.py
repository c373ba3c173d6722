"""Documents split into units: paragraphs, lists and tables, each with the heading that it stands under."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Literal

from .plain import has_address, heading_text, plain, without_markup_blocks
from .sentences import as_sentence, is_sentence, split_sentences
from .tables import Table, read_table, starts_table
from .words import content_stems

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{2,})\s*$")
_RULE = re.compile(r"^ {0,3}(?:[-*_]\s*){3,}$")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)([^*_]{2,80})(?:\*\*|__)\s*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)]|[a-z][.)])\s+(.*)$")
_ONLY_LINK = re.compile(r"^\s*!?\[[^\]]*\]\([^)]*\)\s*$")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\(<?([^()<>\s]{1,300})")
_NUMBERING = re.compile(r"(?:\(?[a-zA-Z]\)|\d+(?:\.\d+)+\.?|\(\d+\))\s+(?=[A-Z])")
_NOT_CONTENT = re.compile(r"^(?:table of )?contents$|^(?:licen[cs]e|copyright)\b", re.I)
_DUTY = re.compile(r"\b(?:must|shall|should|ha(?:s|ve) to)\b")
_LEAST_DUTIES = 3
LONGEST_LINE = 20_000
_BELOW_ALL = 7
_NEAR = 4
_SAYS_NOTHING = re.compile(r"^(?:requirements?|description|notes?|details?)?$", re.I)


@dataclass(frozen=True, eq=False)
class Unit:
    """A piece of a document that stays together: sentences, items under a lead, or a table.

    ``above`` are the headings over its own one, outermost first; ``quoted`` says that its words are another's.
    """

    kind: Literal["paragraph", "list", "table"]
    source: str
    heading: str
    order: int
    sentences: tuple[str, ...] = ()
    lead: str = ""
    table: Table | None = None
    above: tuple[str, ...] = ()
    quoted: bool = False

    @cached_property
    def text(self) -> str:
        return " ".join((self.lead, *self.sentences, self.table.text if self.table else ""))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(content_stems(self.text)))

    @cached_property
    def heading_stems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(content_stems(self.heading)))

    @cached_property
    def source_stems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(content_stems(re.sub(r"[_\W]+", " ", self.source.rsplit("/", 1)[-1]))))


@dataclass(frozen=True)
class Document:
    """The units of a document, and where in it its images stand."""

    units: tuple[Unit, ...]
    images: tuple[Place, ...]


@dataclass(frozen=True)
class Place:
    """Where an image stands: under which headings, outermost first, and beside which unit."""

    name: str
    source: str
    headings: tuple[str, ...]
    beside: Unit | None


@dataclass
class _Reader:
    lines: list[str]
    source: str
    units: list[Unit] = field(default_factory=list)
    images: list[tuple[str, tuple[str, ...], int]] = field(default_factory=list)
    open: list[tuple[int, str]] = field(default_factory=list)
    position: int = 0

    @property
    def heading(self) -> str:
        return self.open[-1][1] if self.open else ""

    @property
    def above(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.open[:-1])

    def places(self) -> list[Place]:
        """The images with the unit before them, else after them, under the same heading."""
        found = []
        for name, headings, index in self.images:
            near = [*reversed(self.units[max(0, index - _NEAR) : index]), *self.units[index : index + 1]]
            own = [unit for unit in near if (*unit.above, unit.heading) == headings and _has_content(unit)]
            found.append(Place(name, self.source, headings, own[0] if own else None))
        return found

    def read(self) -> None:
        while self.position < len(self.lines):
            self._read_block(self.lines[self.position])

    def _read_block(self, line: str) -> None:
        if fence := _FENCE.match(line):
            self._skip_fence(fence.group(1))
        elif heading := _HEADING.match(line):
            self._open(heading.group(2) or "", len(heading.group(1)))
        elif bold := _BOLD_LINE.match(line):
            self._open(bold.group(1), _BELOW_ALL)
        elif starts_table(self.lines, self.position):
            self._read_table()
        elif not line.strip() or _RULE.match(line) or _DEFINITION.match(line):
            self.position += 1
        elif _ITEM.match(line):
            self._read_list()
        else:
            self._read_paragraph()

    def _open(self, title: str, level: int) -> None:
        self.open = [(above, words) for above, words in self.open if above < level]
        words = heading_text(title)
        self.open.append((level, self.heading if _SAYS_NOTHING.match(words) and self.open else words))
        self.position += 1

    def _skip_fence(self, mark: str) -> None:
        for index in range(self.position + 1, len(self.lines)):
            if self.lines[index].strip().startswith(mark):
                self.position = index + 1
                return
        self.position += 1

    def _read_table(self) -> None:
        table, self.position = read_table(self.lines, self.position)
        if table:
            self._add("table", table=table)

    def _read_list(self) -> None:
        raw: list[str] = []
        while self.position < len(self.lines):
            line = self.lines[self.position]
            if item := _ITEM.match(line):
                raw.append(item.group(2))
            elif line.strip() and raw and self._continues_item(line):
                raw[-1] += f" {line.strip()}"
            elif line.strip() or not self._list_goes_on():
                break
            self.position += 1
        items = [plain(item) for item in raw if not _ONLY_LINK.match(item)]
        self._add_list(tuple(item for item in items if _is_item(item)))

    def _continues_item(self, line: str) -> bool:
        follows_text = bool(self.lines[self.position - 1].strip())
        return line[:1] in (" ", "\t") or (follows_text and not _ends_paragraph(line) and "|" not in line)

    def _list_goes_on(self) -> bool:
        following = self.lines[self.position + 1 : self.position + 2]
        return bool(following and _ITEM.match(following[0]))

    def _add_list(self, items: tuple[str, ...]) -> None:
        lead = ""
        last = self.units[-1] if self.units else None
        if last and last.kind == "paragraph" and last.heading == self.heading and last.lead:
            lead = last.lead
            self.units.pop()
            self._add("paragraph", last.sentences)
        if len(items) == 1:
            self._add("paragraph", tuple(filter(is_sentence, split_sentences(as_sentence(items[0])))))
        else:
            self._add("list", items, lead=lead)

    def _read_paragraph(self) -> None:
        parts: list[str] = []
        while self.position < len(self.lines) and (line := self.lines[self.position]).strip():
            if parts and (_ends_paragraph(line) or starts_table(self.lines, self.position)):
                break
            if parts and _UNDERLINE.match(line):
                self._open(" ".join(parts), 1 if "=" in line else 2)
                return
            parts.append(line.strip().lstrip(">").strip())
            self.position += 1
        text = " ".join(parts)[:LONGEST_LINE]
        here = (*self.above, self.heading)
        self.images += [(name.removeprefix("./"), here, len(self.units)) for name in _IMAGE.findall(text)]
        self._add_paragraph(plain(text))

    def _add_paragraph(self, text: str) -> None:
        if self._is_loose_item(text):
            last = self.units.pop()
            self._add("list", (*last.sentences, text), lead=last.lead)
            return
        numbering = _NUMBERING.match(text)
        sentences = split_sentences(text[numbering.end() :] if numbering else text)
        lead = sentences.pop() if sentences and sentences[-1].endswith(":") else ""
        fit = tuple(sentence for sentence in sentences if is_sentence(sentence) and not has_address(sentence))
        self._add("paragraph", fit, lead=lead if len(lead) < 240 and not has_address(lead) else "")

    def _is_loose_item(self, text: str) -> bool:
        """Whether a paragraph is one of the lines that follow an announcement: no sentence of its own."""
        last = self.units[-1] if self.units else None
        announced = last and last.lead and last.heading == self.heading and (last.kind == "list" or not last.sentences)
        return bool(announced) and _is_item(text) and not text.endswith((".", ":", "?", "!"))

    def _add(
        self,
        kind: Literal["paragraph", "list", "table"],
        sentences: tuple[str, ...] = (),
        *,
        lead: str = "",
        table: Table | None = None,
    ) -> None:
        if (sentences or lead or table) and not _NOT_CONTENT.match(self.heading):
            place = (self.source, self.heading, len(self.units))
            self.units.append(Unit(kind, *place, sentences, lead, table, self.above))


def _ends_paragraph(line: str) -> bool:
    return bool(_HEADING.match(line) or _FENCE.match(line) or _ITEM.match(line))


def _is_item(text: str) -> bool:
    return 3 <= len(text) <= 300 and not has_address(text)


def _with_lists_of_duties(units: Iterable[Unit]) -> Iterator[Unit]:
    """Runs of one-sentence paragraphs that each state a duty are one list."""
    for (_, duty), together in groupby(units, key=lambda unit: (unit.heading, _is_duty(unit))):
        run = list(together)
        if duty and len(run) >= _LEAST_DUTIES:
            first = run[0]
            yield replace(first, kind="list", sentences=tuple(unit.sentences[0] for unit in run))
        else:
            yield from run


def _is_duty(unit: Unit) -> bool:
    return unit.kind == "paragraph" and len(unit.sentences) == 1 and _DUTY.search(unit.sentences[0]) is not None


def _has_content(unit: Unit) -> bool:
    return bool(unit.sentences or unit.table)


@lru_cache(maxsize=64)
def read_document(source: str, text: str) -> Document:
    """The document of a text. ``source`` is its name, empty for the brief."""
    lines = _without_front_matter(without_markup_blocks(text).split("\n"))
    reader = _Reader(lines, source)
    reader.read()
    whole = tuple(_with_lists_of_duties(filter(_has_content, reader.units)))
    return Document(whole, tuple(reader.places()))


def read_units(source: str, text: str) -> tuple[Unit, ...]:
    """The units of a text in their order."""
    return read_document(source, text).units


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines and lines[0].strip() == "---":
        for index in range(1, min(len(lines), 60)):
            if lines[index].strip() in ("---", "..."):
                return lines[index + 1 :]
    return lines
