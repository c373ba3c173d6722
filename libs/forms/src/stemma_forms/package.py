"""Office Open XML packages: read within limits, written back with every other part as it was.

The packaging is ECMA-376 part 2, the relationships in ``_rels`` say where the parts are.
"""

from __future__ import annotations

import posixpath
import zlib
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lxml import etree

from .errors import UnreadableForm
from .xml import parsed

MOST_BYTES = 200 * 1024 * 1024
MOST_PARTS = 5000
MOST_OF_XML = 32 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = 0x1
_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_OFFICE_DOCUMENT = "/officeDocument"


class Package:
    """The parts of a file by name; ``main`` is the part that the package is about."""

    def __init__(self, content: bytes) -> None:
        self._zip = _opened(content)
        self._entries = _entries(self._zip)
        self._types = self.xml("[Content_Types].xml")
        self._refuse_macros()
        main = [part for kind, part in self.related("") if kind.endswith(_OFFICE_DOCUMENT)]
        if not main or main[0] not in self:
            raise UnreadableForm("The file is no Office document: it has no main part.")
        self.main = main[0]

    def __contains__(self, part: str) -> bool:
        return part in self._entries

    @property
    def is_signed(self) -> bool:
        return any(name.casefold().startswith("_xmlsignatures/") for name in self._entries)

    def type_of(self, part: str) -> str:
        """The content type of a part."""
        for override in self._types.iter(f"{_TYPES}Override"):
            if override.get("PartName", "").casefold() == f"/{part}".casefold():
                return override.get("ContentType", "")
        ending = part.rpartition(".")[2].casefold()
        defaults = self._types.iter(f"{_TYPES}Default")
        return next((d.get("ContentType", "") for d in defaults if d.get("Extension", "").casefold() == ending), "")

    def read(self, part: str) -> bytes:
        """The content of a part; an entry that holds something else than it declares is refused."""
        entry = self._entries.get(part)
        if entry is None:
            raise UnreadableForm(f"The file has no part {part}.")
        try:
            return self._zip.read(entry)
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
            raise UnreadableForm(f"The part {part} of the file is damaged.") from problem

    def xml(self, part: str) -> etree._Element:
        """The root of a part of XML."""
        if part in self._entries and self._entries[part].file_size > MOST_OF_XML:
            raise UnreadableForm(f"The part {part} is larger than {MOST_OF_XML >> 20} MiB.")
        return parsed(self.read(part), part)

    def related(self, part: str) -> list[tuple[str, str]]:
        """The type and the name of the parts that a part (the package itself: "") refers to."""
        return [(kind, target) for _, kind, target in self.relationships(part)]

    def relationships(self, part: str) -> list[tuple[str, str, str]]:
        """The id, the type and the target of what a part refers to inside the file."""
        folder, name = posixpath.split(part)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if relations not in self:
            return []
        inside = [r for r in self.xml(relations).iter(_RELATIONSHIPS) if r.get("TargetMode") != "External"]
        return [(r.get("Id", ""), r.get("Type", ""), _target(folder, r.get("Target", ""))) for r in inside]

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

    def _refuse_macros(self) -> None:
        kinds = [element.get("ContentType", "").casefold() for element in self._types]
        if any("macroenabled" in kind or kind.endswith("vbaproject") for kind in kinds):
            raise UnreadableForm("The file has macros, which are not carried on. Save it without them.")
        if any(name.casefold().endswith("vbaproject.bin") for name in self._entries):
            raise UnreadableForm("The file has macros, which are not carried on. Save it without them.")


def _opened(content: bytes) -> ZipFile:
    if content.startswith(_OLE):
        raise UnreadableForm("The file is protected by a password or of an older format. Save it as DOCX or XLSX.")
    try:
        return ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError, OSError) as problem:
        raise UnreadableForm("The file is neither a DOCX nor an XLSX, or it is damaged.") from problem


def _entries(package: ZipFile) -> dict[str, ZipInfo]:
    entries = package.infolist()
    if len(entries) > MOST_PARTS:
        raise UnreadableForm(f"The file has more than {MOST_PARTS} parts.")
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise UnreadableForm(f"The file unpacks to more than {MOST_BYTES >> 20} MiB.")
    for entry in entries:
        _check(entry)
    named = {entry.filename: entry for entry in entries}
    if len(named) != len(entries):
        raise UnreadableForm("The file holds a part twice.")
    return named


def _check(entry: ZipInfo) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise UnreadableForm("The file is protected by a password.")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise UnreadableForm("The file is packed in a way that Office does not use.")
    steps = entry.filename.replace("\\", "/").split("/")
    if entry.filename.startswith(("/", "\\")) or ".." in steps or ":" in steps[0]:
        raise UnreadableForm("The file has a part whose name leads outside of it.")


def _target(folder: str, target: str) -> str:
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")


def _like(entry: ZipInfo) -> ZipInfo:
    twin = ZipInfo(entry.filename, entry.date_time)
    twin.compress_type = entry.compress_type
    twin.comment, twin.create_system = entry.comment, entry.create_system
    twin.internal_attr = entry.internal_attr
    return twin
