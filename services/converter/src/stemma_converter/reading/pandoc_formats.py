"""ODT, RTF and HTML, by pandoc."""

import base64
import binascii
import codecs
import json
import re
import subprocess
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

import pypandoc  # type: ignore[import-untyped]
from stemma_markdown import escaping
from stemma_markdown.escaping import WIDE

from stemma_converter.pandoc import MAX_DEPTH
from stemma_converter.tree import Node

from .composing import Composer, again, put_edges
from .kinds import encoding_of
from .result import Unreadable
from .unseen import Seen, edges_of_odt, seen_html, seen_odt

_DECLARED = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w-]+)""", re.I)
_HEAD = 2048
_UNSEEN = re.compile(rb"\\v(?![a-z0-9])")
_PICTURES = re.compile(rb"\\pict\b")
HTML = "html-native_divs-native_spans"
_MEMORY_MB, _SECONDS = 1024, 60
_MARKS = {"Emph": "*", "Strong": "**", "Strikeout": "~~"}
_SHOWN: dict[str, Callable[[str], str]] = {
    "Superscript": escaping.raised,
    **dict.fromkeys(("Subscript", "Underline", "SmallCaps"), str),
}
# The end of a line in the file, which is a space but between two characters of a script that has none.
_BREAK = "\ue001"
_SPACES = {"Space": " ", "SoftBreak": _BREAK, "LineBreak": "\n"}
_NO_BREAK = re.compile(rf"(?<={WIDE}){_BREAK}(?={WIDE})")
_LINKS = ("http://", "https://", "mailto:")
Part = Callable[[str], bytes | None]


def read_odt(content: bytes, composer: Composer) -> None:
    package = composer.limits.package(content)
    package.refuse_entities()
    if "content.xml" not in package:
        raise Unreadable("damaged", kind="ODT")
    seen, edges = seen_odt(package), edges_of_odt(package)
    put_edges(map(escaping.inline, edges.get("header", [])), composer)
    put_tree(seen.content, "odt", "ODT", composer, lambda name: package.read(name) if name in package else None)
    put_edges(map(escaping.inline, edges.get("footer", [])), composer)
    _tell(seen, composer)


def _tell(seen: Seen, composer: Composer) -> None:
    if seen.hidden:
        composer.warn("hidden_text", "", f"Text that nobody sees was left out (words: {seen.hidden}).")


def read_rtf(content: bytes, composer: Composer) -> None:
    """RTF; its images are left out and told. Raises `Unreadable`."""
    put_tree(content, "rtf", "RTF", composer)
    if _UNSEEN.search(content):
        composer.warn("hidden_text", "", "Text that is formatted as hidden was left out.")
    if _PICTURES.search(content):
        composer.warn("image_unread", "", "Images of RTF files are left out: save the file as DOCX to keep them.")


def read_html(content: bytes, composer: Composer) -> None:
    put_html(content.decode(_encoding(content), "replace"), composer)


def put_html(text: str, composer: Composer, images: dict[str, bytes] | None = None) -> None:
    seen = seen_html(text)
    put_tree(seen.content, HTML, "HTML", composer, (images or {}).get)
    _tell(seen, composer)


def _encoding(content: bytes) -> str:
    """What the bytes say by themselves, else what the page says, else what the bytes look like."""
    found = encoding_of(content) or "utf-8"
    if found.startswith("utf") or not (declared := _DECLARED.search(content[:_HEAD])):
        return found
    name = (declared[1] or declared[2]).decode("ascii", "ignore")
    try:
        return "cp1252" if codecs.lookup(name).name in ("iso8859-1", "ascii") else name
    except LookupError:
        return found


def put_tree(content: bytes, reader: str, kind: str, composer: Composer, part: Part = lambda _: None) -> None:
    """Read with pandoc; ``part`` gives the data of an image by its address. Raises `Unreadable`."""
    _Tree(composer, part).blocks(_blocks(content, reader, kind))


def _blocks(content: bytes, reader: str, kind: str) -> list[Node]:
    limits = ("+RTS", f"-M{_MEMORY_MB}m", "-RTS")
    command = [str(pypandoc.get_pandoc_path()), *limits, "--sandbox", "--from", reader, "--to", "json"]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=True
        )
        blocks: list[Node] = json.loads(done.stdout)["blocks"]
    except (subprocess.SubprocessError, ValueError, KeyError, RecursionError):
        raise Unreadable("damaged", kind=kind) from None
    return blocks


class _Tree:
    def __init__(self, composer: Composer, part: Part) -> None:
        self._composer, self._part = composer, part
        self._notes = 0

    def blocks(self, blocks: Sequence[Node], depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            return
        for block in blocks:
            self._block(block, depth)

    def _block(self, block: Node, depth: int) -> None:
        match block:
            case {"t": "Header", "c": [level, _, inlines]}:
                self._composer.heading(level, self._line(inlines))
            case {"t": "Para" | "Plain", "c": inlines}:
                self._composer.paragraph(self._line(inlines))
            case {"t": "BulletList", "c": items}:
                self._items([("-", item) for item in items], depth)
            case {"t": "OrderedList", "c": [[start, _, _], items]}:
                self._items([(f"{number}.", item) for number, item in enumerate(items, start)], depth)
            case {"t": "Table", "c": [_, caption, _, head, bodies, foot]}:
                self._table(caption, head, bodies, foot)
            case {"t": "CodeBlock", "c": [_, text]}:
                self._composer.code(text)
            case {"t": "DefinitionList", "c": items}:
                self._definitions(items, depth)
            case {"t": "LineBlock", "c": lines}:
                self._composer.paragraph("\n".join(map(self._line, lines)))
            case {"t": "BlockQuote", "c": inner} | {"t": "Div", "c": [_, inner]}:
                self.blocks(inner, depth + 1)
            case {"t": "Figure", "c": [_, caption, inner]}:
                self.blocks([*inner, *caption[1]], depth + 1)

    def _items(self, items: list[tuple[str, list[Node]]], depth: int) -> None:
        for marker, item in items:
            text = "\n".join(self._line(block["c"]) for block in item if block["t"] in ("Para", "Plain"))
            self._composer.item(text, depth=depth, marker=marker)
            self.blocks([block for block in item if block["t"] not in ("Para", "Plain")], depth + 1)

    def _definitions(self, items: list[Any], depth: int) -> None:
        for term, definitions in items:
            self._composer.paragraph(self._line(term))
            for definition in definitions:
                self.blocks(definition, depth + 1)

    def _table(self, caption: Any, head: Any, bodies: Any, foot: Any) -> None:
        rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
        cells = self._cells(rows)
        if cells and not any(cells[0]) and len(cells) > 1:
            cells = cells[1:]
        if len(rows) == 1 and len(rows[0][1]) == 1:
            self.blocks(rows[0][1][0][4], 1)
            return
        self.blocks(caption[1], 1)
        self._composer.table(cells)

    def _cells(self, rows: Sequence[Any]) -> list[list[str]]:
        """The cells row by row; one that reaches into rows below has its column there as well."""
        table: list[list[str]] = []
        reaching: dict[int, tuple[int, str]] = {}
        for row in rows:
            cells: list[str] = []
            for _, _, down, across, blocks in row[1]:
                _fill(cells, reaching)
                text, width = self._inside(blocks), min(across, 100)
                if down > 1:
                    above = again(text)
                    reaching |= {len(cells) + at: (down - 1, "" if at else above) for at in range(width)}
                cells += [text, *[""] * (width - 1)]
            _fill(cells, reaching)
            table.append(cells)
        return table

    def _inside(self, blocks: Sequence[Node], depth: int = 0) -> str:
        lines = []
        for block in blocks if depth < MAX_DEPTH else ():
            match block:
                case {"t": "Para" | "Plain", "c": inlines} | {"t": "Header", "c": [_, _, inlines]}:
                    lines.append(self._line(inlines))
                case {"t": "CodeBlock", "c": [_, text]}:
                    lines.append(escaping.inline(text))
                case {"t": "BulletList", "c": items} | {"t": "OrderedList", "c": [_, items]}:
                    lines += [f"• {self._inside(item, depth + 1)}" for item in items]
                case {"t": "Div", "c": [_, inner]} | {"t": "BlockQuote", "c": inner}:
                    lines.append(self._inside(inner, depth + 1))
                case {"t": "Table", "c": [_, _, _, head, bodies, foot]}:
                    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
                    lines += [" / ".join(filter(None, (self._inside(c[4], depth + 1) for c in row[1]))) for row in rows]
        return "\n".join(filter(None, lines))

    def _line(self, inlines: Sequence[Node], depth: int = 0) -> str:
        if depth >= MAX_DEPTH:
            return ""
        return _NO_BREAK.sub("", "".join(self._inline(item, depth + 1) for item in inlines)).replace(_BREAK, " ")

    def _inline(self, item: Node, depth: int) -> str:
        match item:
            case {"t": "Str", "c": text}:
                return escaping.inline(text)
            case {"t": "Space" | "SoftBreak" | "LineBreak" as kind}:
                return _SPACES[kind]
            case {"t": "Emph" | "Strong" | "Strikeout" as kind, "c": inner}:
                return _marked(self._line(inner, depth), _MARKS[kind])
            case {"t": "Code" | "Math", "c": [_, text]}:
                return escaping.inline(text)
            case {"t": "Quoted", "c": [kind, inner]}:
                return (
                    f"“{self._line(inner, depth)}”" if kind["t"] == "DoubleQuote" else f"‘{self._line(inner, depth)}’"
                )
            case {"t": "Link", "c": [_, inner, [address, _]]}:
                return _linked(self._line(inner, depth), address)
            case {"t": "Image", "c": [_, inner, [address, _]]}:
                return self._image(self._line(inner, depth), address)
            case {"t": "Note", "c": blocks}:
                self._notes += 1
                return self._composer.note(str(self._notes), self._inside(blocks))
            case {"t": "Span" | "Cite", "c": [_, inner]}:
                return self._line(inner, depth)
            case {"t": "Superscript" | "Subscript" | "Underline" | "SmallCaps" as kind, "c": inner}:
                return _SHOWN[kind](self._line(inner, depth))
            case _:
                return ""

    def _image(self, alt: str, address: str) -> str:
        data = _in_address(address) if address.startswith("data:") else self._part(unquote(address))
        if data is None:
            self._composer.warn("image_elsewhere", "", "An image that is not in the file itself was left out.")
            return alt
        return self._composer.image(data, alt)


def _fill(cells: list[str], reaching: dict[int, tuple[int, str]]) -> None:
    """Add the cells of rows above that reach into the next columns of this one."""
    while (found := reaching.pop(len(cells), None)) is not None:
        left, text = found
        if left > 1:
            reaching[len(cells)] = left - 1, text
        cells.append(text)


def _marked(text: str, mark: str) -> str:
    inner = text.strip()
    if not inner or "\n" in inner or inner.startswith(("*", "~")):
        return text
    first, last = text.split(inner, 1)
    return f"{first}{mark}{inner}{mark}{last}"


def _linked(text: str, address: str) -> str:
    """A link into the world; ones inside of the document are their words."""
    known = address.startswith(_LINKS) and not set(address) & set(" <>()\n\\")
    return f"[{text}]({address})" if known and text.strip() and text != escaping.inline(address) else text


def _in_address(address: str) -> bytes | None:
    head, _, data = address.partition(",")
    try:
        return base64.b64decode(data, validate=False) if head.endswith(";base64") else None
    except (binascii.Error, ValueError):
        return None
