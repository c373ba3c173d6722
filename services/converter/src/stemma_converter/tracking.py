"""Marks in a document tree that say where a change begins and ends, and the tracked changes that they become."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from enum import StrEnum
from io import BytesIO
from itertools import count
from typing import NamedTuple
from zipfile import ZipFile

from docx.oxml.ns import qn
from lxml import etree

from .tree import Node, node

_ELEMENT = '<w:bookmarkStart w:id="0" w:name="{name}"/>'
# No name of a heading holds a colon.
PREFIX = "stemma:"


class Change(StrEnum):
    """What happened to a piece of text; the values are the names of Word's elements."""

    INSERTED = "ins"
    DELETED = "del"


class Scope(StrEnum):
    """What a mark is about: all blocks or all words up to the next end, or the table row that it stands in."""

    BLOCKS = "blocks"
    WORDS = "words"
    ROW = "row"


class Mark(NamedTuple):
    """What a mark says: what begins, none where it ends, and the numbers of those who did it, if that is known."""

    scope: Scope
    change: Change | None
    makers: tuple[int, ...] = ()


class Maker(NamedTuple):
    author: str
    made_at: datetime | None = None


def changed_blocks(change: Change, blocks: Sequence[Node]) -> list[Node]:
    return [begin(change), *blocks, end()]


def changed_words(change: Change, inlines: Sequence[Node]) -> list[Node]:
    first, last = (node("RawInline", "openxml", xml) for xml in (_xml(Scope.WORDS, change), _xml(Scope.WORDS)))
    return [first, *inlines, last] if inlines else []


def begin(change: Change, scope: Scope = Scope.BLOCKS) -> Node:
    return node("RawBlock", "openxml", _xml(scope, change))


def end(scope: Scope = Scope.BLOCKS) -> Node:
    return node("RawBlock", "openxml", _xml(scope))


def made_by(mark: Node, makers: Sequence[int]) -> Node:
    found = mark_of(mark)
    assert found
    assert found.change
    return node(mark["t"], "openxml", _xml(found.scope, found.change, makers))


def mark_of(item: Node) -> Mark | None:
    match item:
        case {"t": "RawBlock" | "RawInline", "c": ["openxml", str(xml)]}:
            return read_mark(xml.partition('w:name="')[2].partition('"')[0])
        case _:
            return None


def read_mark(name: str) -> Mark | None:
    if not name.startswith(PREFIX):
        return None
    scope, change, makers = name.removeprefix(PREFIX).split(":")
    return Mark(Scope(scope), Change(change) if change else None, tuple(map(int, filter(None, makers.split("+")))))


def _xml(scope: Scope, change: Change | None = None, makers: Sequence[int] = ()) -> str:
    return _ELEMENT.format(name=f"{PREFIX}{scope}:{change or ''}:{'+'.join(map(str, makers))}")


# Words that come at the end of a paragraph, and paragraphs that come after it, are one insertion to a word processor:
# it begins before the end of the old paragraph, and the end of the last new one is the old one's. Said otherwise,
# LibreOffice joins the paragraphs around it when the insertion is rejected.
_BETWEEN = (qn("w:bookmarkStart"), qn("w:bookmarkEnd"))
_MARK = f"{qn('w:rPr')}/{qn('w:ins')}"


def with_moved_ends(root: etree._Element, change_like: Callable[[str, etree._Element], etree._Element]) -> None:
    """Move the mark of the last inserted paragraph to the old one, if its words end in an insertion as well.

    ``change_like`` makes an element of the name given that says of whom a change is as another one does.
    """
    for paragraph in root.iter(qn("w:p")):
        if paragraph.find(_path(_MARK)) is None and len(paragraph) and paragraph[-1].tag == qn("w:ins"):
            for last in list(_inserted_after(paragraph))[-1:]:
                _move(_properties(last), _properties(paragraph), change_like("w:pPrChange", paragraph[-1]))


def _path(below: str) -> str:
    return f"{qn('w:pPr')}/{below}"


def _inserted_after(paragraph: etree._Element) -> Iterator[etree._Element]:
    following = paragraph.getnext()
    while following is not None and (following.tag in _BETWEEN or following.find(_path(_MARK)) is not None):
        if following.tag not in _BETWEEN:
            yield following
        following = following.getnext()


def _properties(paragraph: etree._Element) -> etree._Element:
    properties = paragraph.find(qn("w:pPr"))
    if properties is None:
        properties = etree.Element(qn("w:pPr"))
        paragraph.insert(0, properties)
    return properties


def _move(source: etree._Element, target: etree._Element, change: etree._Element) -> None:
    """The end of a paragraph is what holds its style: where it was another one's, the style of that is kept."""
    old = etree.SubElement(change, qn("w:pPr"))
    old.extend(deepcopy(child) for child in target)
    mark = source.find(qn("w:rPr"))
    assert mark is not None
    target.append(mark)
    source.append(change)


_DOCUMENT, _FOOTNOTES = "word/document.xml", "word/footnotes.xml"
_RUNS = (qn("w:r"), qn("m:oMathPara"), qn("m:oMath"))
_DELETED_TEXT = {qn("w:t"): qn("w:delText"), qn("w:instrText"): qn("w:delInstrText")}
# Far above the numbers that bookmarks have.
_FIRST_ID = 1_000_000
_LONGEST_NAME = 255


class _Tracker:
    """Rewrites parts; ``notes`` are the footnotes whose reference came or went.

    ``somebody`` is the name for changes that nobody is known for.
    """

    def __init__(self, makers: Sequence[Maker], somebody: str) -> None:
        self._makers = makers
        self._somebody = somebody
        self._ids = count(_FIRST_ID)
        self.notes: dict[str, Mark] = {}

    def body(self, root: etree._Element) -> None:
        now: dict[Scope, Mark | None] = dict.fromkeys(Scope)
        for element in list(root.iter()):
            blocks = now[Scope.BLOCKS]
            change = blocks or now[Scope.WORDS]
            if mark := _mark(element):
                if mark.scope is Scope.ROW and mark.change:
                    self._row(next(element.iterancestors(qn("w:tr"))), mark)
                else:
                    now[mark.scope] = mark if mark.change else None
                _remove(element)
            elif blocks and element.tag == qn("w:tr"):
                self._row_properties(element, blocks)
            elif blocks and element.tag == qn("w:p") and not _inside(element, "w:tc"):
                self._paragraph_mark(element, blocks)
            elif change and element.tag in _RUNS:
                self._run(element, change)
        with_moved_ends(root, self._like)

    def footnotes(self, root: etree._Element) -> None:
        for note in root.iter(qn("w:footnote")):
            if change := self.notes.get(note.get(qn("w:id"), "")):
                self._runs(note, change)

    def _row(self, row: etree._Element, change: Mark) -> None:
        self._row_properties(row, change)
        self._runs(row, change)

    def _row_properties(self, row: etree._Element, change: Mark) -> None:
        properties = row.find(qn("w:trPr"))
        if properties is None:
            # A row's properties may not be its change alone: that it is no header row is true of every such row.
            properties = etree.Element(qn("w:trPr"))
            etree.SubElement(properties, qn("w:tblHeader"), {qn("w:val"): "off"})
            row.insert(0, properties)
        properties.append(self._element(change))

    def _paragraph_mark(self, paragraph: etree._Element, change: Mark) -> None:
        properties = paragraph.find(qn("w:pPr"))
        if properties is None:
            properties = etree.Element(qn("w:pPr"))
            paragraph.insert(0, properties)
        etree.SubElement(properties, qn("w:rPr")).append(self._element(change))

    def _runs(self, element: etree._Element, change: Mark) -> None:
        for run in list(element.iter(*_RUNS)):
            self._run(run, change)

    def _run(self, run: etree._Element, change: Mark) -> None:
        """Put a run into the change before it, or into a new one; a formula goes as a whole."""
        if _inside(run, "m:oMath", "m:oMathPara") or _inside(run, f"w:{Change.INSERTED}", f"w:{Change.DELETED}"):
            return
        for reference in run.iter(qn("w:footnoteReference")):
            self.notes[reference.get(qn("w:id"), "")] = change
        if change.change is Change.DELETED:
            for text in run.iter(*_DELETED_TEXT):
                text.tag = _DELETED_TEXT[text.tag]
        before, tracked = run.getprevious(), self._element(change)
        if before is not None and _are_one(before, tracked):
            before.append(run)
            return
        run.addprevious(tracked)
        tracked.append(run)

    def _element(self, mark: Mark) -> etree._Element:
        makers = [self._makers[number] for number in mark.makers]
        names = dict.fromkeys(maker.author or self._somebody for maker in makers)
        values = {qn("w:id"): str(next(self._ids)), qn("w:author"): ", ".join(names)[:_LONGEST_NAME] or self._somebody}
        if dates := [maker.made_at for maker in makers if maker.made_at]:
            values[qn("w:date")] = f"{max(dates).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        return etree.Element(qn(f"w:{mark.change}"), values)

    def _like(self, name: str, change: etree._Element) -> etree._Element:
        return etree.Element(qn(name), {**dict(change.attrib), qn("w:id"): str(next(self._ids))})


def _are_one(before: etree._Element, change: etree._Element) -> bool:
    keys = (qn("w:author"), qn("w:date"))
    return before.tag == change.tag and all(before.get(key) == change.get(key) for key in keys)


def tracked_parts(package: bytes, makers: Sequence[Maker], somebody: str) -> dict[str, bytes]:
    """The parts of a package with tracked changes in the place of marks, which name ``makers`` by their number.

    ``somebody`` is the name for changes that nobody is known for.
    """
    tracker = _Tracker(makers, somebody)
    parts = {}
    with ZipFile(BytesIO(package)) as old:
        for name, rewrite in ((_DOCUMENT, tracker.body), (_FOOTNOTES, tracker.footnotes)):
            if name in old.namelist():
                root = etree.fromstring(old.read(name))
                rewrite(root)
                parts[name] = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return parts


def _mark(element: etree._Element) -> Mark | None:
    return read_mark(element.get(qn("w:name"), "")) if element.tag == qn("w:bookmarkStart") else None


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    assert parent is not None
    parent.remove(element)


def _inside(element: etree._Element, *tags: str) -> bool:
    return next(element.iterancestors(*map(qn, tags)), None) is not None
