"""Packages of parts (ZIP): looked at before anything of them is unpacked."""

from __future__ import annotations

import posixpath
import re
import zlib
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from lxml import etree

from .errors import Unreadable
from .limits import Limits

_MEGABYTE = 1024 * 1024
_XML = (".xml", ".rels", ".vml", ".xhtml")
# Also in UTF-16, where each of these characters has a zero beside it.
ENTITY = re.compile(rb"<\0?!\0?E\0?N\0?T\0?I\0?T\0?Y", re.IGNORECASE)
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_ENCRYPTED = 0x1
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


class Package:
    """The parts of an office document. Making it refuses bombs, entities and locked parts; raises `Unreadable`."""

    def __init__(self, data: bytes, kind: str, limits: Limits) -> None:
        self._kind = kind
        try:
            self._zip = ZipFile(BytesIO(data))
        except (BadZipFile, ValueError, OSError, NotImplementedError):
            raise Unreadable("damaged", kind=kind) from None
        self._refuse_bombs(limits)
        self.names = frozenset(self._zip.namelist())

    def _refuse_bombs(self, limits: Limits) -> None:
        infos = self._zip.infolist()
        size = sum(info.file_size for info in infos)
        if size > limits.unpacked_bytes:
            raise Unreadable("bomb", size=size // _MEGABYTE, most=limits.unpacked_bytes // _MEGABYTE)
        if any(info.flag_bits & _ENCRYPTED for info in infos):
            raise Unreadable("password")

    def refuse_entities(self) -> None:
        """Refuse parts that define entities; raises `Unreadable`."""
        for name in self.names:
            if name.lower().endswith(_XML) and ENTITY.search(self.read(name)):
                raise Unreadable("entities")

    def read(self, name: str) -> bytes:
        """A part; raises `Unreadable` if it is not there, damaged, or larger than it says."""
        try:
            with self._zip.open(name) as part:
                return part.read(self._zip.getinfo(name).file_size)
        except (KeyError, BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError, zlib.error):
            raise Unreadable("damaged", kind=self._kind) from None

    def xml(self, name: str) -> etree._Element | None:
        """The root of a part, or none if there is no such part."""
        if name not in self.names:
            return None
        try:
            return etree.fromstring(self.read(name), PARSER)
        except etree.XMLSyntaxError:
            raise Unreadable("damaged", kind=self._kind) from None

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The relations of a part by their id: the last word of their kind, and the part or address they lead to."""
        folder, base = posixpath.split(name)
        root = self.xml(f"{folder}/_rels/{base}.rels".removeprefix("/"))
        found = {}
        for item in root.iter(_RELATION) if root is not None else ():
            kind, target = item.get("Type", "").rpartition("/")[2], item.get("Target", "")
            found[item.get("Id", "")] = (kind, target if item.get("TargetMode") == "External" else _at(folder, target))
        return found

    def content_type(self, name: str) -> str:
        """The media type of a part, in small letters; empty if the package does not say it."""
        root = self.xml("[Content_Types].xml")
        items = [] if root is None else list(root)
        by_name = {item.get("PartName", ""): item.get("ContentType", "") for item in items}
        by_suffix = {item.get("Extension", ""): item.get("ContentType", "") for item in items}
        return (by_name.get(f"/{name}") or by_suffix.get(name.rpartition(".")[2]) or "").lower()


def _at(folder: str, target: str) -> str:
    if target.startswith("/"):
        return target.removeprefix("/")
    return posixpath.normpath(posixpath.join(folder, target))
