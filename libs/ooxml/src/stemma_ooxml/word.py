"""A Word document that comes back: its paragraphs with the changes of chosen people, its comments, and our marks.

Each paragraph leaves with a bookmark that says which piece of which draft it shows. Tracked changes are accepted of
the people that are given and rejected of others, so that the changes of each person can be told apart.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from lxml import etree

from . import Package, PackageError, serialize_xml
from .word_styles import WORDPROCESSING, Styles, child, is_on, number, value

W = f"{{{WORDPROCESSING}}}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
ORIGIN = "urn:stemma:document:1"
"""The namespace of the part that says of which document a file is."""

_NAME = re.compile(r"stm_(\d{1,4})_([0-9a-f]{8})_(o?)(\d{1,5})_([0-9a-f]{6})")
_DIGEST, _PRINT = 8, 6
# Far above the numbers that other bookmarks have.
_FIRST_ID = 2_000_000
_DEEPEST = 8  # Word has nine levels of lists.
_LONGEST_QUOTE = 2_000
_RANGE = (f"{W}commentRangeStart", f"{W}commentRangeEnd")
_REFERENCE = f"{W}commentReference"
_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_COME, _GONE = (f"{W}ins", f"{W}moveTo"), (f"{W}del", f"{W}moveFrom")
_INSIDE = frozenset((f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}smartTag", *_COME, *_GONE))
_PAGE = re.compile(r"PAGE|NUMPAGES")
_CONTENTS = re.compile(r"toc( heading|\s\d)", re.IGNORECASE)


class Mark(NamedTuple):
    """What a paragraph was when it left: a piece of prose of a draft, by number, or text around the drafts.

    ``draft`` is the beginning of the digest of the draft, ``text`` a fingerprint of what the paragraph said.
    """

    section: int
    draft: str
    number: int
    text: str
    is_own: bool = False

    @property
    def name(self) -> str:
        """The name of its bookmark: at most 40 characters, as Word wants it."""
        return f"stm_{self.section}_{self.draft}_{'o' if self.is_own else ''}{self.number}_{self.text}"

    @classmethod
    def of(cls, name: str) -> "Mark | None":
        """The mark in the name of a bookmark; LibreOffice adds to names that stand twice."""
        if not (found := _NAME.match(name)):
            return None
        return cls(int(found[1]), found[2], int(found[4]), found[5], bool(found[3]))


def marked(section: int, digest: str, number: int, text: str, *, is_own: bool = False) -> Mark:
    """The mark of a paragraph that leaves."""
    return Mark(section, digest[:_DIGEST].rjust(_DIGEST, "0"), number, fingerprint(text), is_own)


def same(text: str) -> str:
    """A text as it counts: white space and the forms of a letter make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fingerprint(text: str) -> str:
    """What tells whether a paragraph still says the same."""
    return sha256(same(text).encode(errors="replace")).hexdigest()[:_PRINT]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph with the changes of some people.

    ``level`` is that of a heading, else 0; ``depth`` that of an item of a list, else None. In a table ``row`` is a
    number of its own and ``cell`` counts from 0. ``note`` is the id of the footnote that it stands in, ``notes`` are
    those of the ones that it refers to. ``pictures`` are those that stand in it without words, ``among`` the places and
    descriptions in its text of those among words, ``formulas`` the letters of all formulas in it.
    ``numbered`` is the text of one that has numbers of pages among its words, with a sign in the place of each.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    level: int = 0
    depth: int | None = None
    table: int | None = None
    row: int | None = None
    cell: int = 0
    note: str = ""
    notes: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    pictures: tuple["Picture", ...] = ()
    among: tuple[tuple[int, str], ...] = ()
    formulas: str = ""
    numbered: str = ""
    element: etree._Element | None = field(default=None, repr=False, compare=False)


class Picture(NamedTuple):
    """A picture: its description, and a fingerprint of its file; empty where that cannot be read in the document."""

    description: str
    look: str = ""


class Change(NamedTuple):
    """That somebody changed something, with the time that Word wrote down."""

    author: str
    at: datetime | None


@dataclass(frozen=True)
class Comment:
    """A comment on some words; ``parent`` is the one that it answers."""

    identifier: str
    author: str
    at: datetime | None
    text: str
    quote: str = ""
    resolved: bool = False
    parent: str = ""


class Left(NamedTuple):
    """A section as it left: the digest of its draft, and the pieces of prose of it that no paragraph showed.

    ``pictures`` are the pieces before and behind each one that stood alone, ``looks`` their fingerprints, ``formulas``
    one of the letters of its formulas; None where a file does not say.
    """

    section_id: str
    version: int
    digest: str
    absent: frozenset[int]
    pictures: tuple[tuple[int, int], ...] | None = None
    formulas: str | None = None
    looks: tuple[str, ...] = ()


class Origin(NamedTuple):
    """Of which document a file says that it is, with its sections in their order."""

    document_id: str
    sections: tuple[Left, ...]


class _Place(NamedTuple):
    """Where in which table; nowhere in none."""

    table: int | None = None
    row: int | None = None
    cell: int = 0


_NOWHERE = _Place()


@dataclass
class _Open:
    """A paragraph under construction: the ones before it whose end is gone run into it."""

    text: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: dict[int, str] = field(default_factory=dict)
    """Which of the texts describe pictures, with the fingerprints of these."""
    formulas: list[str] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)
    """Which of the texts stand for numbers of pages."""

    @property
    def has_words(self) -> bool:
        return any(text.strip() for place, text in enumerate(self.text) if place not in self.pictures)


class WordFile:
    """A DOCX, read within limits; raises `PackageError` for what is none."""

    def __init__(self, content: bytes, *, most_bytes: int = 300 << 20) -> None:
        self._package = Package(content, most_bytes, most_bytes)
        self._package.refuse_entities()
        self._related = self._package.related(self._package.main)
        self._parts, self._looks = dict[str, etree._Element | None](), dict[str, str]()
        root = self._package.xml_if_there(self._package.main)
        body = None if root is None else root.find(f"{W}body")
        if body is None:
            raise PackageError("damaged", "The file is no Word document.")
        self._body = body
        # A damaged part is refused here, where callers expect it.
        for kind in ("styles", "footnotes", "comments", "commentsExtended"):
            self._part(kind)
        self._core = self._part("core-properties", of="")
        self._origin = next(self._origins(), ("", None))

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The tracked changes, in the order of the text."""
        found = (item for root in self._roots for item in root.iter(*_COME, *_GONE))
        return tuple(Change(item.get(f"{W}author", ""), _time(item.get(f"{W}date"))) for item in found)

    @cached_property
    def saved_by(self) -> str:
        """Who saved the file last, as it says itself."""
        found = None if self._core is None else self._core.find("{*}lastModifiedBy")
        return (found.text or "").strip() if found is not None else ""

    @cached_property
    def origin(self) -> Origin | None:
        """The document that the file says it is of; None if it does not."""
        _, root = self._origin
        if root is None:
            return None
        return Origin(root.get("id", ""), tuple(map(_left, root.iter(f"{{{ORIGIN}}}section"))))

    @property
    def origin_part(self) -> str:
        """The name of the part that says it; empty if there is none."""
        return self._origin[0]

    def _origins(self) -> Iterator[tuple[str, etree._Element]]:
        """The parts that say it; those of other programs may hold what they like."""
        for kind, part in self._related.values():
            if kind == "customXml" and part in self._package and ORIGIN.encode() in self._package.read(part):
                root = self._package.xml(part)
                if root.tag == f"{{{ORIGIN}}}document":
                    yield part, root

    def paragraphs(self, accepts: Callable[[str], bool]) -> tuple[Paragraph, ...]:
        """The paragraphs of the text and of its footnotes, with the tracked changes of those whose name is accepted."""
        view = _View(accepts, self._styles, self._look)
        found = [*view.blocks(self._body)]
        gone = view.notes_gone.difference(*(one.notes for one in found))
        notes = self._part("footnotes")
        for note in [] if notes is None else notes.iter(f"{W}footnote"):
            if note.get(f"{W}type") is None and note.get(f"{W}id", "") not in gone:
                found += (replace(one, note=note.get(f"{W}id", "")) for one in view.blocks(note))
        return tuple(found)

    def _look(self, drawing: etree._Element) -> str:
        """A fingerprint of the file of a picture."""
        shown = next((one.get(_EMBEDDED, "") for one in drawing.iter("{*}blip")), "")
        _, part = self._related.get(shown, ("", ""))
        if part not in self._looks:
            try:
                content = self._package.read(part) if part in self._package else b""
            except PackageError:
                content = b""
            self._looks[part] = sha256(content).hexdigest()[:_PRINT] if content else ""
        return self._looks[part]

    def aside(self) -> tuple[str, ...]:
        """What it shows that is nobody's words: lines of a table of contents, numbers of pages."""
        view = _View(lambda _: True, self._styles)
        deque(view.blocks(self._body), maxlen=0)
        return tuple(text.strip() for text in view.aside if text.strip())

    def with_marks(self, marks: Sequence[tuple[Paragraph, Mark]]) -> dict[str, bytes]:
        """The parts of the file in which paragraphs, as `paragraphs` gave them, have their marks."""
        for place, (paragraph, mark) in enumerate(marks, _FIRST_ID):
            if paragraph.element is not None:
                _put(paragraph.element, mark.name, str(place))
        named = {"footnotes": self._part("footnotes")}
        parts = {part: named[kind] for kind, part in self._related.values() if named.get(kind) is not None}
        return {part: serialize_xml(root) for part, root in parts.items() if root is not None} | {
            self._package.main: serialize_xml(self._body)
        }

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The comments in the order of their part, with what they are about as everybody's changes have it."""
        root, more = self._part("comments"), self._part("commentsExtended")
        states = {} if more is None else {one.get(f"{_W15}paraId", ""): one for one in more.iter(f"{_W15}commentEx")}
        found, by_paragraph, view = list[Comment](), dict[str, Comment](), _View(lambda _: True, self._styles)
        deque(view.blocks(self._body), maxlen=0)
        said = "".join(view.said)
        for element in [] if root is None else root.iter(f"{W}comment"):
            comment, paragraph = _comment(element)
            start, end = view.ranges.get(comment.identifier, (0, 0))
            comment = replace(
                comment, quote=" ".join(said[start : max(start, min(end, start + _LONGEST_QUOTE))].split())
            )
            if (state := states.get(paragraph)) is not None:
                parent = by_paragraph.get(state.get(f"{_W15}paraIdParent", ""))
                resolved = state.get(f"{_W15}done") in ("1", "true") or (parent is not None and parent.resolved)
                comment = replace(comment, parent=parent.identifier if parent else "", resolved=resolved)
            by_paragraph[paragraph] = comment
            found.append(comment)
        return tuple(found)

    @cached_property
    def _roots(self) -> list[etree._Element]:
        notes = self._part("footnotes")
        return [self._body] if notes is None else [self._body, notes]

    @cached_property
    def _styles(self) -> Styles:
        return Styles(self._part("styles"))

    def _part(self, kind: str, of: str | None = None) -> etree._Element | None:
        related = self._related if of is None else self._package.related(of)
        name = next((part for found, part in related.values() if found == kind), "")
        if name not in self._parts:
            self._parts[name] = self._package.xml_if_there(name)
        return self._parts[name]


def _left(section: etree._Element) -> Left:
    absent = frozenset(number(one, -1) for one in section.get("absent", "").split())
    name, version, digest = section.get("id", ""), number(section.get("version", "")), section.get("digest", "")
    looks = tuple(section.get("looks", "").split())
    return Left(name, version, digest, absent, _pictures(section.get("pictures")), section.get("formulas"), looks)


def _pictures(said: str | None) -> tuple[tuple[int, int], ...] | None:
    if said is None:
        return None
    pairs = (one.partition("/") for one in said.split())
    return tuple((number(before, -1), number(behind, -1)) for before, _, behind in pairs)


def _comment(element: etree._Element) -> tuple[Comment, str]:
    """A comment, and the id of its last paragraph, by which the other part knows it."""
    paragraphs = list(element.iter(f"{W}p"))
    lines = ["".join(_plain(paragraph)) for paragraph in paragraphs]
    at = _time(element.get(f"{W}date"))
    made = Comment(value(element, "id"), value(element, "author"), at, "\n".join(lines).strip())
    return made, paragraphs[-1].get(f"{W14}paraId", "") if paragraphs else ""


def _plain(paragraph: etree._Element) -> Iterator[str]:
    for element in paragraph.iter(f"{W}t", f"{W}tab", f"{W}br"):
        yield element.text or "" if element.tag == f"{W}t" else _BREAKS[element.tag.removeprefix(W)]


def _time(value: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if value else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


class _View:
    """The paragraphs as they are with some changes accepted and all others rejected."""

    def __init__(
        self, accepts: Callable[[str], bool], styles: Styles, look: Callable[[etree._Element], str] = lambda _: ""
    ) -> None:
        self._accepts, self._styles, self._look, self._style = accepts, styles, look, ""
        self._tables = self._rows = 0
        self._waiting: list[Mark] = []
        self._in_page = False
        self.said, self._length = list[str](), 0
        self.aside = list[str]()
        self.notes_gone = set[str]()
        """Footnotes to which a reference is gone; Word keeps the note while that is a tracked change."""
        self.ranges = dict[str, tuple[int, int]]()
        """Where in what was said the words of each comment stand."""

    def blocks(self, parent: etree._Element, place: _Place = _NOWHERE) -> Iterator[Paragraph]:
        before = _Open()
        for element in self._elements(parent):
            if element.tag == f"{W}bookmarkStart":
                self._waiting += _marks(element)
            elif element.tag in _RANGE:
                self._range(element)
            elif element.tag == f"{W}p":
                now = self._open(element, before)
                if self._has_end(element):
                    before = _Open()
                    yield self._closed(element, now, place)
                else:
                    # Of a paragraph that is gone as a whole nothing runs into the next one.
                    before = now if now.has_words else _Open(comments=now.comments)
            else:
                yield from self._table(element)
        if before.text:
            comments = tuple(before.comments)
            notes = tuple(before.notes)
            yield Paragraph(
                "".join(before.text), tuple(before.marks), notes=notes, comments=comments, **place._asdict()
            )

    def _elements(self, parent: etree._Element) -> Iterator[etree._Element]:
        for element in parent:
            if element.tag in (f"{W}p", f"{W}tbl", f"{W}bookmarkStart", *_RANGE):
                yield element
            elif element.tag in _INSIDE and self._is_there(element):
                yield from self._elements(element)

    def _is_there(self, element: etree._Element) -> bool:
        """Whether what stands in a change is there; what stands in anything else is."""
        if element.tag in _COME:
            return self._accepts(element.get(f"{W}author", ""))
        return element.tag not in _GONE or not self._accepts(element.get(f"{W}author", ""))

    def _open(self, paragraph: etree._Element, now: _Open) -> _Open:
        now.marks += self._waiting
        self._waiting, self._style = [], value(child(paragraph, "pPr/pStyle"))
        if now.text and not now.text[-1].endswith((" ", "\n")):
            now.text.append(" ")
        self._read(paragraph, now)
        self._say(" ")
        return now

    def _say(self, text: str) -> str:
        self.said.append(text)
        self._length += len(text)
        return text

    def _range(self, element: etree._Element) -> None:
        """Open or close what a comment is about; its reference stands behind its words."""
        name, (start, end) = value(element, "id"), self.ranges.get(value(element, "id"), (self._length, -1))
        self.ranges[name] = start, self._length if end < 0 and element.tag != _RANGE[0] else end

    def _read(self, parent: etree._Element, now: _Open) -> None:
        for element in parent:
            name = element.tag.removeprefix(W) if isinstance(element.tag, str) else ""
            match name:
                case "t" | "delText" | "tab" | "br" | "cr" | "noBreakHyphen":
                    now.text.append(self._say(_BREAKS.get(name, self._words(element, now))))
                case "bookmarkStart":
                    now.marks += _marks(element)
                case "commentRangeStart" | "commentRangeEnd":
                    self._range(element)
                case "commentReference" | "footnoteReference":
                    self._refer(element, now)
                case "fldSimple" | "fldChar" | "instrText":
                    self._field(element, now)
                case "r" if is_on(self._styles.look(element, self._style, "vanish")):
                    self._pass(element, now)
                case "drawing" if not _is_shape(element):
                    # In Markdown a picture among words is read as its description.
                    now.pictures[len(now.text)] = self._look(element)
                    now.text.append(self._say(_description(element)))
                case "pPr" | "rPr" | "sdtPr" | "delInstrText" | "txbxContent" | "":
                    pass
                case _ if element.tag in (_FALLBACK, _MATH):
                    # LibreOffice makes an object of a formula: its letters are no words.
                    now.formulas += _letters(element)
                case _ if self._is_there(element):
                    self._read(element, now)
                case _:
                    # The mark of a paragraph may stand among words of it that are gone.
                    now.marks += (mark for start in element.iter(f"{W}bookmarkStart") for mark in _marks(start))
                    self._drop_notes(element)
                    self._pass(element, now)

    def _words(self, element: etree._Element, now: _Open) -> str:
        if not self._in_page or not element.text:
            return element.text or ""
        self.aside.append(element.text)
        now.pages.add(len(now.text))
        return ""

    def _drop_notes(self, element: etree._Element) -> None:
        self.notes_gone.update(value(one, "id") for one in element.iter(f"{W}footnoteReference"))

    def _pass(self, element: etree._Element, now: _Open) -> None:
        """Read the comments on words that are not there."""
        for one in element.iter(*_RANGE, _REFERENCE):
            self._refer(one, now) if one.tag == _REFERENCE else self._range(one)

    def _refer(self, element: etree._Element, now: _Open) -> None:
        if element.tag == _REFERENCE:
            self._range(element)
        (now.comments if element.tag == _REFERENCE else now.notes).append(value(element, "id"))

    def _field(self, element: etree._Element, now: _Open) -> None:
        """Word and LibreOffice set the numbers of pages anew: they are nobody's words."""
        if element.tag == f"{W}fldSimple" and _PAGE.search(element.get(f"{W}instr", "")):
            self.aside.append("".join(_plain(element)))
            now.pages.add(len(now.text))
            now.text.append("")
        elif element.tag == f"{W}fldSimple":
            self._read(element, now)
        elif element.tag == f"{W}instrText":
            self._in_page = self._in_page or bool(_PAGE.search(element.text or ""))
        elif element.get(f"{W}fldCharType") == "end":
            self._in_page = False

    def _has_end(self, paragraph: etree._Element) -> bool:
        mark = paragraph.find(f"{W}pPr/{W}rPr")
        ends = [] if mark is None else [item for item in mark if item.tag in (*_COME, *_GONE)]
        return all(map(self._is_there, ends))

    def _closed(self, paragraph: etree._Element, now: _Open, place: _Place) -> Paragraph:
        level, listed = self._styles.heading(paragraph), self._styles.numbering(paragraph)
        depth = None
        if not level and (listed or self._styles.is_bullet(paragraph)):
            depth = max(0, min(listed[1], _DEEPEST)) if listed else 0
        is_contents = _CONTENTS.fullmatch(self._styles.name(paragraph)) is not None
        is_text = now.has_words and not is_contents
        self.aside += ["".join(now.text)] if now.has_words and not is_text else []
        return Paragraph(
            "".join(now.text) if is_text else "",
            tuple(now.marks),
            level,
            depth,
            notes=tuple(now.notes),
            comments=tuple(now.comments),
            pictures=() if now.has_words else tuple(Picture(now.text[at], look) for at, look in now.pictures.items()),
            among=tuple(_among(now)) if is_text else (),
            formulas="".join(now.formulas),
            numbered="" if is_contents or not now.pages else _numbered(now),
            element=paragraph,
            **place._asdict(),
        )

    def _table(self, table: etree._Element) -> Iterator[Paragraph]:
        self._tables += 1
        number = self._tables
        for row in _inside(table, f"{W}tr"):
            properties = row.find(f"{W}trPr")
            if properties is not None and not all(self._is_there(i) for i in properties if i.tag in (*_COME, *_GONE)):
                self._drop_notes(row)
                continue
            self._rows += 1
            row_number = self._rows
            for cell, element in enumerate(_inside(row, f"{W}tc")):
                yield from self.blocks(element, _Place(number, row_number, cell))


def _among(now: _Open) -> Iterator[tuple[int, str]]:
    at = 0
    for place, text in enumerate(now.text):
        if place in now.pictures:
            yield at, text
        at += len(text)


def _numbered(now: _Open) -> str:
    words = ("\0" if place in now.pages else text for place, text in enumerate(now.text))
    return re.sub("\0+", "#", "".join(words))


_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def _letters(element: etree._Element) -> list[str]:
    return [text.text or "" for text in element.iter("{*}t")] if element.tag == _MATH else []


def _is_shape(drawing: etree._Element) -> bool:
    """Whether something drawn is no picture, as the line that LibreOffice makes of a rule between paragraphs."""
    return any(True for _ in drawing.iter("{*}wsp")) and not any(True for _ in drawing.iter("{*}blip"))


def _description(drawing: etree._Element) -> str:
    return next((one.get("descr", "") for one in drawing.iter("{*}docPr")), "")


def _inside(parent: etree._Element, wanted: str) -> Iterator[etree._Element]:
    for element in parent:
        if element.tag == wanted:
            yield element
        elif element.tag in _INSIDE:
            yield from _inside(element, wanted)


def _put(paragraph: etree._Element, name: str, identifier: str) -> None:
    start = etree.Element(f"{W}bookmarkStart", {f"{W}id": identifier, f"{W}name": name})
    properties = paragraph.find(f"{W}pPr")
    paragraph.insert(0 if properties is None else 1, start)
    etree.SubElement(paragraph, f"{W}bookmarkEnd", {f"{W}id": identifier})


def _marks(element: etree._Element) -> list[Mark]:
    found = Mark.of(element.get(f"{W}name", ""))
    return [found] if found else []
