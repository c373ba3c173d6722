"""The proof in a DOCX: its blocks, as the reader of files that come back has them, and the part that carries it."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from lxml import etree
from stemma_contracts.v1.proofs import ProvenBlock
from stemma_ooxml import Package, parse_xml
from stemma_ooxml.word import ORIGIN, Mark, WordFile, same

from .shown import CONTENTS, Carried, Shown, digest_of
from .signing import packed, unpacked

_PROOF = f"{{{ORIGIN}}}proof"
_RUNNING = ("header", "footer", "endnotes", "footnotes")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _BOX = f"{_W}p", f"{_W}txbxContent"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/"
_REFERENCE, _FORMULA = f"{_OFFICE}relationships}}", f"{_OFFICE}math}}t"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_LINKS = frozenset(("hyperlink", "hlinkClick", "hlinkHover", "headerReference", "footerReference"))
"""What refers to something and shows nothing of it."""
_PAGE = re.compile(r"[\d\sivxlcdm.\-–/]*", re.IGNORECASE)
_LINE = re.compile(r"^[\d.]*\s*(.*?)[\s.]*[\divxlc]*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(PAGE|PAGEREF|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_LIVE = re.compile(r"\s*(STYLEREF|DATE|TIME)\b", re.IGNORECASE)
"""Programs set these anew in headers and footers whenever they show them."""
_LEVEL = re.compile(r"%\d")
_MOST_BYTES = 300 << 20
Reference = tuple[str, str]
"""The kind of a part and its name; of one that is not there the name is empty."""


class ProvenWord:
    """A DOCX that carries a proof, or may; raises `PackageError` for what is none."""

    def __init__(self, content: bytes) -> None:
        self._file = WordFile(content)
        self._package = Package(content, _MOST_BYTES, _MOST_BYTES)

    @property
    def is_ours(self) -> bool:
        """Whether it says that it is of a document, or has the marks of one."""
        return bool(self._file.origin) or any(one.mark for one in self._text())

    @property
    def carried(self) -> Carried | None:
        """The proof; None if it has none, or a damaged one."""
        root = self._origin()
        found = None if root is None else root.find(_PROOF)
        statement = unpacked(found.text or "") if found is not None else None
        if found is None or statement is None:
            return None
        return Carried(found.get("key", ""), found.get("signature", ""), statement)

    @property
    def rest(self) -> str:
        """The digest of all of the file but the proof."""
        told = sha256()
        for name in sorted(self._package.names):
            root = self._origin() if name == self._file.origin_part else None
            if root is not None:
                for proof in root.findall(_PROOF):
                    root.remove(proof)
            content = self._package.read(name) if root is None else etree.tostring(root, method="c14n")
            told.update(f"{len(name)} {name} {len(content)}\n".encode() + content)
        return told.hexdigest()

    def shown(self) -> tuple[Shown, ...]:
        """What a reader sees, but for numbers of pages, which other programs set anew."""
        around = (*self._boxes(), *self._running(), *self._labels())
        text = (*self._text(), *self._contents(), *self._comments())
        return (*text, *around, *self._taken_in(self._package.main), *self._taken_around())

    def with_proof(self, carried: Carried) -> bytes:
        root = self._origin()
        if root is None:
            raise ValueError("a file without the part of its origin carries no proof")
        proof = etree.SubElement(root, _PROOF, {"key": carried.key, "signature": carried.signature})
        proof.text = packed(carried.statement)
        content = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
        return self._package.with_parts({self._file.origin_part: content})

    def _origin(self) -> etree._Element | None:
        """The root of the part, each time anew."""
        part = self._file.origin_part
        return parse_xml(self._package.read(part), part) if part else None

    def _text(self) -> Iterator[Shown]:
        for one in self._file.paragraphs(lambda _: True):
            if words := same(one.text):
                mark = next(iter(one.marks), None)
                yield _shown("note" if one.note else "text", words, mark)
            if one.numbered:
                yield _shown("numbered", same(one.numbered))
            if one.formulas:
                yield _shown("formula", same(one.formulas))

    def _contents(self) -> Iterator[Shown]:
        """Lines of a table of contents without numbers, and what else stands in the place of the number of a page."""
        for line in map(same, self._file.aside()):
            if not _PAGE.fullmatch(line):
                words = _LINE.fullmatch(line)
                yield _shown(CONTENTS, words[1] if words else line)

    def _comments(self) -> Iterator[Shown]:
        """What stands beside the text; no file has any when it leaves."""
        for part in self._parts("comments"):
            yield from (_shown("comment", words) for words in _paragraphs(self._package.xml(part)))

    def _boxes(self) -> Iterator[Shown]:
        """Text that floats above the page, or is drawn: the same stands twice, for older programs."""
        root = self._package.xml(self._package.main)
        boxes = (words for box in root.iter(_BOX) for words in _paragraphs(box))
        yield from (_shown("box", words) for words in dict.fromkeys((*boxes, *_drawn(root))))

    def _running(self) -> Iterator[Shown]:
        """Text of headers, footers and endnotes, and of the lines between text and notes."""
        found = set[str]()
        for part in self._around():
            root = self._package.xml(part)
            notes = root.findall(f"{_W}footnote")
            for one in [note for note in notes if note.get(f"{_W}type") is not None] if notes else [root]:
                found |= {*_paragraphs(one, is_running=True), *_drawn(one)}
        yield from (_shown("running", words) for words in sorted(found))

    def _around(self) -> list[str]:
        return self._parts(*_RUNNING)

    def _parts(self, *kinds: str) -> list[str]:
        parts = {part for kind, part in self._package.related(self._package.main).values() if kind in kinds}
        return sorted(part for part in parts if part in self._package)

    def _labels(self) -> Iterator[Shown]:
        """Words that stand before the items of lists."""
        roots = map(self._package.xml, self._parts("numbering"))
        texts = {same(_LEVEL.sub("", one.get(f"{_W}val", ""))) for root in roots for one in root.iter(f"{_W}lvlText")}
        yield from (_shown("label", text) for text in sorted(texts) if sum(map(str.isalnum, text)) > 1)

    def _taken_around(self) -> Iterator[Shown]:
        parts = (*self._around(), *self._parts("comments"))
        found = {one.block.digest: one.words for part in parts for one in self._taken_in(part)}
        yield from (Shown(ProvenBlock(kind="running", digest=digest), found[digest]) for digest in sorted(found))

    def _taken_in(self, story: str) -> Iterator[Shown]:
        """Pictures, and what else a program shows from another part, or from elsewhere; the same may stand twice."""
        related, seen = self._package.related(story), set[str]()
        for one in self._package.xml(story).iter(etree.Element):
            for found in _signs(one) or map(self._part_shown, _references(one, related)):
                if found.block.digest not in seen or next(one.iterancestors(_FALLBACK), None) is None:
                    seen.add(found.block.digest)
                    yield found

    def _part_shown(self, reference: Reference) -> Shown:
        """A part by its content; something outside of the file by what refers to it."""
        kind, part = reference
        content = self._package.read(part) if part in self._package else kind.encode()
        kind = "picture" if kind == "image" and part in self._package else "object"
        return Shown(ProvenBlock(kind=kind, digest=sha256(content).hexdigest()), part.rpartition("/")[2])


def _references(element: etree._Element, related: Mapping[str, Reference]) -> Iterator[Reference]:
    name = etree.QName(element).localname
    if name not in _LINKS:
        told = ((str(key), str(value)) for key, value in element.attrib.items())
        identifiers = (value for key, value in told if key.startswith(_REFERENCE))
        yield from (related.get(identifier, (name, "")) for identifier in identifiers)


def _signs(element: etree._Element) -> list[Shown]:
    """A sign by its number in a font, and words that programs take from another part."""
    if element.tag not in (f"{_W}sym", f"{_W}dataBinding"):
        return []
    told = f"{element.tag} {sorted(element.attrib.items())}"
    return [Shown(ProvenBlock(kind="object", digest=sha256(told.encode()).hexdigest()), etree.QName(element).localname)]


def _shown(kind: str, words: str, mark: Mark | None = None) -> Shown:
    return Shown(ProvenBlock(kind=kind, digest=digest_of(words)), words, mark)


def _paragraphs(root: etree._Element, *, is_running: bool = False) -> Iterator[str]:
    for paragraph in root.iter(_PARAGRAPH):
        if words := same("".join(_words(paragraph, is_running=is_running))):
            yield words


def _drawn(root: etree._Element) -> Iterator[str]:
    """Words of drawings that are no paragraphs, and what is there for programs that do not know a drawing."""
    texts = [one.text or "" for one in root.iter(_DRAWN)] + [one.get("string", "") for one in root.iter("{*}textpath")]
    for one in root.iter(_FALLBACK):
        texts.append("".join(t.text or "" for t in one.iter(f"{_W}t") if next(t.iterancestors(_BOX), None) is None))
    yield from filter(None, map(same, texts))


def _words(paragraph: etree._Element, *, is_running: bool) -> Iterator[str]:
    """The words of a paragraph around the text, with a sign for numbers that programs set anew."""
    field = ""
    for one in paragraph.iter(*(f"{_W}{name}" for name in ("t", "tab", "instrText", "fldChar", "fldSimple")), _FORMULA):
        match one.tag.removeprefix(_W):
            case "fldChar" if one.get(f"{_W}fldCharType") == "end":
                field = ""
            case "instrText" if not field:
                field = _set_anew(one.text or "", is_running=is_running)
                yield "#" if field else ""
            case "fldSimple" if _set_anew(one.get(f"{_W}instr", ""), is_running=is_running):
                yield "#"
            case "tab":
                yield " "
            case "t":
                simple = next((each.get(f"{_W}instr", "") for each in one.iterancestors(f"{_W}fldSimple")), "")
                within = field or _set_anew(simple, is_running=is_running)
                yield "" if within == "live" or (within and _PAGE.fullmatch(one.text or "")) else one.text or ""
            case _ if one.tag == _FORMULA:
                yield one.text or ""


def _set_anew(instruction: str, *, is_running: bool) -> str:
    """What kind of field programs set anew; empty for others."""
    if _NUMBER.match(instruction):
        return "number"
    return "live" if is_running and _LIVE.match(instruction) else ""
