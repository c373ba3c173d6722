"""Packages of Office documents (ECMA-376 part 2, and ODF's): every byte of them is hostile.

They are opened within limits, read part by part, and written back with every other part as it was. Nothing here has
I/O; callers read files from outside in a confined process.
"""

import posixpath
import re
import zlib
from collections.abc import Mapping
from functools import cached_property
from io import BytesIO
from typing import Literal, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lxml import etree

# Also in UTF-16, where each of these characters has a zero beside it.
ENTITY = re.compile(rb"<\0?!\0?E\0?N\0?T\0?I\0?T\0?Y", re.IGNORECASE)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = 0x1
_XML = (".xml", ".rels", ".vml", ".xhtml")
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class PackageError(Exception):
    """Why a package cannot be read; ``values`` are the numbers that the message has."""

    def __init__(self, reason: Literal["damaged", "password", "bomb", "entities"], message: str, **values: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


class Package:
    """The parts of a file by name.

    ``most_bytes`` is what all parts may have together, checked before any is unpacked; ``most_xml`` is what a part may
    have that is parsed. Every method raises `PackageError` for a part that is missing or damaged.
    """

    def __init__(self, content: bytes, most_bytes: int, most_xml: int) -> None:
        self._zip = _open(content)
        self._entries = _entries(self._zip, most_bytes)
        self._most_xml = most_xml

    def __contains__(self, part: str) -> bool:
        return part in self._entries

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._entries)

    @property
    def is_signed(self) -> bool:
        return any(name.casefold().startswith("_xmlsignatures/") for name in self._entries)

    @property
    def has_macros(self) -> bool:
        """Whether the package holds macros, or a document that may."""
        types = [element.get("ContentType", "").casefold() for element in self._types]
        return any("macroenabled" in each or each.endswith("vbaproject") for each in types) or any(
            name.casefold().endswith("vbaproject.bin") for name in self._entries
        )

    @cached_property
    def main(self) -> str:
        """The part that an Office document is about; empty if the package is none."""
        return next((part for kind, part in self.related("").values() if kind == "officeDocument"), "")

    def content_type(self, part: str) -> str:
        """The media type of a part, in small letters; empty if the package does not say it."""
        by_name = {item.get("PartName", "").casefold(): item.get("ContentType", "") for item in self._types}
        by_suffix = {item.get("Extension", "").casefold(): item.get("ContentType", "") for item in self._types}
        name = part.casefold()
        return (by_name.get(f"/{name}") or by_suffix.get(name.rpartition(".")[2]) or "").casefold()

    @cached_property
    def _types(self) -> list[etree._Element]:
        root = self.xml_if_there("[Content_Types].xml")
        return [] if root is None else list(root)

    def refuse_entities(self) -> None:
        """Refuse parts that define entities, for parsers that are not ours."""
        if any(name.casefold().endswith(_XML) and ENTITY.search(self.read(name)) for name in self._entries):
            raise PackageError("entities", "The file defines entities of XML.")

    def read(self, part: str) -> bytes:
        """The content of a part; one that is larger than the package says is damaged."""
        entry = self._entries.get(part)
        if entry is None:
            raise PackageError("damaged", f"The file has no part {part}.")
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise PackageError("damaged", f"The part {part} is packed in a way that Office does not use.")
        try:
            return self._zip.read(entry)
        except (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as problem:
            raise PackageError("damaged", f"The part {part} of the file is damaged.") from problem

    def xml(self, part: str) -> etree._Element:
        """The root of a part of XML."""
        if part in self._entries and self._entries[part].file_size > self._most_xml:
            raise PackageError("damaged", f"The part {part} is larger than {self._most_xml >> 20} MiB.")
        return parse_xml(self.read(part), part)

    def xml_if_there(self, part: str) -> etree._Element | None:
        return self.xml(part) if part in self else None

    def related(self, part: str) -> dict[str, tuple[str, str]]:
        """The parts that a part (the package itself: "") refers to by id: the last word of their type, and their name.

        What is outside of the file is left out.
        """
        folder, name = posixpath.split(part)
        root = self.xml_if_there(posixpath.join(folder, "_rels", f"{name}.rels"))
        inside = [] if root is None else [r for r in root.iter(_RELATIONSHIP) if r.get("TargetMode") != "External"]
        return {
            r.get("Id", ""): (r.get("Type", "").rpartition("/")[2], _target(folder, r.get("Target", "")))
            for r in inside
        }

    def with_parts(self, changed: Mapping[str, bytes]) -> bytes:
        """The file with other content in some parts; the order, dates and kinds of all entries stay."""
        buffer = BytesIO()
        with ZipFile(buffer, "w") as written:
            written.comment = self._zip.comment
            for name, entry in self._entries.items():
                twin = _like(entry)
                written.writestr(twin, changed[name] if name in changed else self.read(name))
                # Where an entry has no attributes, writing gives it some; the directory is written last.
                twin.external_attr = entry.external_attr
        return buffer.getvalue()


def _open(content: bytes) -> ZipFile:
    if content.startswith(_OLE):
        words = "The file is protected by a password or of an older format. Save it as DOCX or XLSX."
        raise PackageError("password", words)
    try:
        return ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError, OSError) as problem:
        raise PackageError("damaged", "The file is neither a DOCX nor an XLSX, or it is damaged.") from problem


def _entries(package: ZipFile, most_bytes: int) -> dict[str, ZipInfo]:
    entries = package.infolist()
    size = sum(entry.file_size for entry in entries)
    if size > most_bytes:
        words = f"The file unpacks to more than {most_bytes >> 20} MiB."
        raise PackageError("bomb", words, size=size >> 20, most=most_bytes >> 20)
    for entry in entries:
        _check(entry)
    named = {entry.filename: entry for entry in entries}
    if len(named) != len(entries):
        raise PackageError("damaged", "The file holds a part twice.")
    return named


def _check(entry: ZipInfo) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise PackageError("password", "The file is protected by a password.")
    steps = entry.filename.replace("\\", "/").split("/")
    if entry.filename.startswith(("/", "\\")) or ".." in steps or ":" in steps[0]:
        raise PackageError("damaged", "The file has a part whose name leads outside of it.")


def _target(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _like(entry: ZipInfo) -> ZipInfo:
    twin = ZipInfo(entry.filename, entry.date_time)
    twin.compress_type = entry.compress_type
    twin.comment, twin.create_system = entry.comment, entry.create_system
    twin.internal_attr = entry.internal_attr
    return twin


class Worksheet(NamedTuple):
    """A sheet of a workbook: its name, its part, and whether people see it."""

    name: str
    part: str
    is_shown: bool


def worksheets(package: Package) -> list[Worksheet]:
    """The sheets with cells of a workbook, in their order; charts have none."""
    related, root = package.related(package.main), package.xml(package.main)
    sheets = [(related.get(s.get(_ID, ""), ("", "")), s) for s in root.iterfind(".//{*}sheets/{*}sheet")]
    return [
        Worksheet(s.get("name", ""), part, s.get("state", "visible") == "visible")
        for (kind, part), s in sheets
        if kind == "worksheet"
    ]


def parse_xml(data: bytes, part: str) -> etree._Element:
    """The root of a document, without entities and network, and no deeper or longer than libxml2 allows by default.

    Raises `PackageError`, also for a document type, which Office never writes.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, strip_cdata=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as problem:
        raise PackageError("damaged", f"The part {part} cannot be read as XML.") from problem
    if root.getroottree().docinfo.internalDTD is not None:
        raise PackageError("entities", f"The part {part} declares a document type.")
    return root


def serialize_xml(root: etree._Element) -> bytes:
    """The bytes of a changed document, with what stands before and after its root."""
    tree = root.getroottree()
    if tree.docinfo.standalone is None:
        return etree.tostring(tree, xml_declaration=True, encoding="UTF-8")
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=tree.docinfo.standalone)
