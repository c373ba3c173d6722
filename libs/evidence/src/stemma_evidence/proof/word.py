"""The proof in a DOCX: its blocks, as the reader of files that come back has them, and the part that carries it."""

import re
from collections.abc import Iterator
from hashlib import sha256

from lxml import etree
from stemma_contracts.v1.proofs import ProvenBlock
from stemma_ooxml import Package, parse_xml
from stemma_ooxml.word import ORIGIN, Mark, WordFile, same

from .shown import CONTENTS, Carried, Shown, digest_of
from .signing import packed, unpacked

_PROOF = f"{{{ORIGIN}}}proof"
_RUNNING = ("header", "footer", "endnotes")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _BOX = f"{_W}p", f"{_W}txbxContent"
_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_PAGE = re.compile(r"[\d\sivxlcdm.\-–/]*", re.IGNORECASE)
_LINE = re.compile(r"^[\d.]*\s*(.*?)[\s.]*[\divxlc]*$", re.IGNORECASE)
_MOST_BYTES = 300 << 20


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
        return (*self._text(), *self._contents(), *self._boxes(), *self._running(), *self._pictures())

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
            if one.formulas:
                yield _shown("formula", same(one.formulas))

    def _contents(self) -> Iterator[Shown]:
        """Lines of a table of contents without numbers, and what else stands in the place of the number of a page."""
        for line in map(same, self._file.aside()):
            if not _PAGE.fullmatch(line):
                words = _LINE.fullmatch(line)
                yield _shown(CONTENTS, words[1] if words else line)

    def _boxes(self) -> Iterator[Shown]:
        """Text that floats above the page: the same stands twice, for older programs."""
        root = self._package.xml(self._package.main)
        found = dict.fromkeys(words for box in root.iter(_BOX) for words in _paragraphs(box))
        yield from (_shown("box", words) for words in found)

    def _running(self) -> Iterator[Shown]:
        parts = {part for kind, part in self._package.related(self._package.main).values() if kind in _RUNNING}
        roots = (self._package.xml(part) for part in sorted(parts) if part in self._package)
        found = dict.fromkeys(words for root in roots for words in _paragraphs(root))
        yield from (_shown("running", words) for words in sorted(found))

    def _pictures(self) -> Iterator[Shown]:
        related = self._package.related(self._package.main)
        for drawn in self._package.xml(self._package.main).iter("{*}blip"):
            kind, part = related.get(drawn.get(_EMBED, ""), ("", ""))
            if kind == "image" and part in self._package:
                digest = sha256(self._package.read(part)).hexdigest()
                yield Shown(ProvenBlock(kind="picture", digest=digest), part.rpartition("/")[2])


def _shown(kind: str, words: str, mark: Mark | None = None) -> Shown:
    return Shown(ProvenBlock(kind=kind, digest=digest_of(words)), words, mark)


def _paragraphs(root: etree._Element) -> Iterator[str]:
    for paragraph in root.iter(_PARAGRAPH):
        if words := same("".join(_words(paragraph))):
            yield words


def _words(paragraph: etree._Element) -> Iterator[str]:
    """The words of a paragraph around the text, without the numbers that programs set anew."""
    is_set = False
    for one in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}fldChar", f"{_W}fldSimple"):
        if one.tag == f"{_W}fldChar":
            is_set = one.get(f"{_W}fldCharType") != "end"
        elif one.tag == f"{_W}t" and not is_set and next(one.iterancestors(f"{_W}fldSimple"), None) is None:
            yield one.text or ""
        elif one.tag == f"{_W}tab":
            yield " "
