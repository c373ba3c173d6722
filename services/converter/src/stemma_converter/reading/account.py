"""What a person sees in an Office file against what was read of it.

The parts are walked here without regard to how they are read: what a reader leaves out shows by itself.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import NamedTuple

from lxml import etree
from stemma_ooxml import Package, PackageError, worksheets
from stemma_ooxml.word_styles import WORDPROCESSING, Styles, child, number, tag, value

from .composing import Composer, is_edge

_W = f"{{{WORDPROCESSING}}}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_REMOVED = frozenset({"del", "moveFrom", "rt", "rPh"})
_GAPS = ("{*}tab", "{*}br", "{*}cr", "{*}ptab", "{*}noBreakHyphen")
_WORD = re.compile(r"[^\W_]+")
_MARKDOWN = re.compile(r"\[\^[^\]\s]*\]|!\[[^\]]*\]\([^)\s]*\)|\\(?=[!-/:-@\[-`{-~])|[*~]")
_EXAMPLES = 5
_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_EDGES = {"header": "a header", "footer": "a footer"}
_INSIDE = {"txbxContent": "a text box", "tc": "a table"}
_DRAWN = {"chart": "a chart", "chartEx": "a chart", "diagramData": "a diagram"}
_FILES = frozenset({"package", "oleObject"})
_PLAIN_FORMATS = frozenset(range(5))
"""Formats of cells that show a number as it is stored, by their ids."""
Unseen = Callable[[etree._Element, str], str]
"""Why nobody sees a run in a paragraph of a style; empty for one that is shown."""


class _Piece(NamedTuple):
    """Words that are seen together; of ``repeated`` ones, such as headers, it is enough that they were read once."""

    place: str
    kind: str
    words: Sequence[str]
    repeated: bool = False


def _tell(pieces: Sequence[_Piece], composer: Composer) -> None:
    """Each difference by place and kind: what was left out as a whole lacks more than what shares words with it."""
    read = Counter(_words(composer.text))
    missing = Counter(word for piece in pieces if not piece.repeated for word in piece.words) - read
    lacks: dict[tuple[str, str], list[str]] = {}
    for piece in sorted(pieces, key=lambda piece: -sum(word in missing for word in piece.words) / len(piece.words)):
        for word in piece.words:
            if word not in read if piece.repeated else missing[word] > 0:
                missing[word] -= 1
                lacks.setdefault((piece.place, piece.kind), []).append(word)
    for (place, kind), words in lacks.items():
        examples = ", ".join(f"“{word}”" for word in dict.fromkeys(words[:_EXAMPLES]))
        told = f"Words are seen in {kind} that were not read ({len(words)}): {examples}."
        composer.warn("seen_not_read", place, told)


def _words(text: str) -> list[str]:
    """The words of a text in Markdown, or of a plain one, as they are compared."""
    plain = _MARKDOWN.sub("", text.replace("<br>", " ").replace("\\\n", " "))
    return _WORD.findall(unicodedata.normalize("NFKC", plain).casefold())


def account_of_word(package: Package, root: etree._Element, styles: Styles, unseen: Unseen, composer: Composer) -> None:
    """Tell what is seen in a document and was not read, each by the heading above it and its kind."""
    pieces = [*_body(root, styles, unseen)]
    related, edges = package.related(package.main), root.iter(f"{_W}headerReference", f"{_W}footerReference")
    used = {related.get(one.get(_ID, ""), ("", ""))[1] for one in edges}
    for kind, target in related.values():
        if kind in _NOTES and target in package:
            marks = root.iter(f"{_W}{_NOTES[kind]}Reference")
            noted = {value(one, "id") for one in marks if not any(map(_is_gone, one.iterancestors()))}
            notes = (note for note in package.xml(target) if value(note, "id") in noted)
            texts = (text for note in notes for _, text in _paragraphs(note, unseen))
            pieces += (_Piece("", f"a {_NOTES[kind]}", _words(text)) for text in texts)
        elif kind in _EDGES and target in used and target in package:
            lines = (text for _, text in _paragraphs(package.xml(target), unseen) if is_edge(text))
            pieces += (_Piece("", _EDGES[kind], _words(line), repeated=True) for line in lines)
    pieces += _drawn(package, package.main, "", composer)
    _tell([piece for piece in pieces if piece.words], composer)
    if deleted := len(_words(" ".join(one.text or "" for one in root.iter(f"{_W}delText")))):
        composer.warn("hidden_text", "", f"Text that was deleted as a tracked change was left out (words: {deleted}).")


def _body(root: etree._Element, styles: Styles, unseen: Unseen) -> Iterator[_Piece]:
    place = ""
    for paragraph, text in _paragraphs(root, unseen):
        kind = _kind(paragraph)
        yield _Piece(place, kind, _words(text))
        if kind == "the text" and styles.heading(paragraph) and text.strip():
            place = " ".join(text.split())


def _paragraphs(root: etree._Element, unseen: Unseen) -> Iterator[tuple[etree._Element, str]]:
    """Each paragraph with what is seen of it; one whose end was removed goes on in the next."""
    before = ""
    for paragraph in root.iter("{*}p", "{*}textpath"):
        if any(map(_is_gone, paragraph.iterancestors())):
            continue
        text = before + (paragraph.get("string", "") if tag(paragraph) == "textpath" else _own(paragraph, unseen))
        before = text if child(paragraph, "pPr/rPr/del") is not None else ""
        if text and not before:
            yield paragraph, text


def _own(paragraph: etree._Element, unseen: Unseen) -> str:
    """The text of a paragraph without what stands in text boxes of it."""
    if any(unseen(run, "") == "hidden" for run in paragraph.iterancestors(f"{_W}r")):
        return ""
    style, found = value(child(paragraph, "pPr/pStyle")), []
    for item in paragraph.iter("{*}t", *_GAPS):
        above = list(takewhile(lambda one: one is not paragraph, item.iterancestors()))
        if any(tag(one) == "p" or _is_gone(one) for one in above):
            continue
        if not any(unseen(run, style) for run in above if run.tag == f"{_W}r"):
            found.append((item.text or "") if tag(item) == "t" else " ")
    return "".join(found)


def _is_gone(element: etree._Element) -> bool:
    """Whether nobody sees what stands in an element: it was removed, goes on from above, or is shown in another way."""
    match tag(element):
        case "tr":
            return child(element, "trPr/del") is not None
        case "tc":
            merged = child(element, "tcPr/vMerge")
            return child(element, "tcPr/cellDel") is not None or (merged is not None and value(merged) != "restart")
        case "Fallback":
            return child(element.getparent(), "Choice") is not None
        case name:
            return name in _REMOVED


def _kind(paragraph: etree._Element) -> str:
    names = map(tag, paragraph.iterancestors())
    found = next((_INSIDE[name] for name in names if name in _INSIDE), "")
    return found or ("the text" if tag(paragraph) == "p" else "a drawing")


def _drawn(package: Package, part: str, place: str, composer: Composer) -> Iterator[_Piece]:
    """The words of charts and diagrams; files that are shown as pictures of themselves are told."""
    for kind, target in package.related(part).values():
        if kind in _FILES and target in package:
            told = f"A file is embedded that was not read: {target.rpartition('/')[2]}. Attach it by itself."
            composer.warn("seen_not_read", place, told)
        elif kind in _DRAWN and target in package:
            try:
                drawn = package.xml(target)
            except PackageError:
                composer.warn("seen_not_read", place, f"{_DRAWN[kind].capitalize()} could not be read: it is damaged.")
                continue
            texts = ("".join(map(str, one.itertext())) for one in drawn.iter("{*}p", "{*}v"))
            # Numbers of a chart are those of cells, which are shown otherwise.
            words = [word for text in texts for word in _words(text) if not word.isdecimal()]
            yield _Piece(place, _DRAWN[kind], words, repeated=True)


def account_of_workbook(package: Package, told: Mapping[str, Collection[tuple[int, int]]], composer: Composer) -> None:
    """Tell what is seen in a workbook and was not read, by sheet and kind.

    ``told`` are the cells of each sheet, by row and column, that were left out and told as such.
    """
    pieces, texts, formats = list[_Piece](), _shared_texts(package), _formats(package)
    for sheet in (sheet for sheet in worksheets(package) if sheet.is_shown and sheet.part in package):
        for cell, place in _cells(package.xml(sheet.part)):
            if place not in told.get(sheet.name, ()):
                pieces.append(_Piece(sheet.name, "cells", _words(_text_of(cell, texts, formats))))
        pieces += _above(package, sheet.part, sheet.name, composer)
    for kind, target in package.related(package.main).values():
        pieces += _above(package, target, "", composer) if kind == "chartsheet" else ()
    _tell([piece for piece in pieces if piece.words], composer)


def _cells(sheet: etree._Element) -> Iterator[tuple[etree._Element, tuple[int, int]]]:
    """Cells with their rows and columns; one that does not name its own follows the one before it."""
    row_number = 0
    for row in sheet.iterfind("{*}sheetData/{*}row"):
        row_number, column = number(row.get("r", ""), row_number + 1), 0
        for cell in row.iterfind("{*}c"):
            letters = re.match("[A-Z]{1,3}", cell.get("r", ""))
            column = _column(letters[0]) if letters else column + 1
            yield cell, (row_number, column)


def _column(letters: str) -> int:
    at = 0
    for letter in letters:
        at = at * 26 + ord(letter) - ord("A") + 1
    return at


def _text_of(cell: etree._Element, texts: Sequence[str], formats: Sequence[int]) -> str:
    """A cell as it is shown; nothing for a number whose format shows it in another way, such as a date."""
    stored = cell.findtext("{*}v") or ""
    match cell.get("t", "n"):
        case "s":
            return texts[number(stored, -1)] if -1 < number(stored, -1) < len(texts) else ""
        case "inlineStr":
            return _flat(cell)
        case "n":
            style = number(cell.get("s", "0"))
            is_plain = style < len(formats) and formats[style] in _PLAIN_FORMATS
            with suppress(ValueError):
                return f"{float(stored):.15g}" if is_plain and not stored.isdecimal() else stored if is_plain else ""
            return ""
        case "b" | "d":
            return ""
        case _:
            return stored


def _flat(element: etree._Element) -> str:
    """The text in an element, without how it is spoken."""
    return "".join(t.text or "" for t in element.iter("{*}t") if not any(map(_is_gone, t.iterancestors())))


def _shared_texts(package: Package) -> list[str]:
    targets = (target for kind, target in package.related(package.main).values() if kind == "sharedStrings")
    root = package.xml_if_there(next(targets, ""))
    return [] if root is None else [_flat(item) for item in root.iterfind("{*}si")]


def _formats(package: Package) -> list[int]:
    """The id of the format of numbers of each style of cells."""
    targets = (target for kind, target in package.related(package.main).values() if kind == "styles")
    root = package.xml_if_there(next(targets, ""))
    return [0] if root is None else [number(item.get("numFmtId", "0")) for item in root.iterfind("{*}cellXfs/{*}xf")]


def _above(package: Package, sheet: str, name: str, composer: Composer) -> Iterator[_Piece]:
    """What lies above the cells: notes, shapes, charts."""
    for kind, target in package.related(sheet).values():
        if kind == "comments" and target in package:
            yield from (_Piece(name, "a note", _words(_flat(one))) for one in package.xml(target).iter("{*}comment"))
        elif kind == "drawing" and target in package:
            shapes = (p for p in package.xml(target).iter("{*}p") if not any(map(_is_hidden, p.iterancestors("{*}sp"))))
            yield from (_Piece(name, "a text box", _words(_flat(one))) for one in shapes)
            yield from _drawn(package, target, name, composer)
    yield from _drawn(package, sheet, name, composer)


def _is_hidden(shape: etree._Element) -> bool:
    about = child(shape, "nvSpPr/cNvPr")
    return about is not None and about.get("hidden") in ("1", "true")
