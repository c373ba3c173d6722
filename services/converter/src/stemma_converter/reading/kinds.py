"""What a file is: by its content; its name counts only where the content leaves it open."""

from __future__ import annotations

import re
from enum import StrEnum
from io import BytesIO
from pathlib import PurePath

from olefile import OleFileIO
from stemma_ooxml import Package

from .decoding import encoding_of
from .result import Limits, Unreadable


class Kind(StrEnum):
    """The kinds of files that are read; the value is what people call them."""

    PDF = "PDF"
    DOCX = "DOCX"
    XLSX = "XLSX"
    PPTX = "PPTX"
    ODT = "ODT"
    RTF = "RTF"
    HTML = "HTML"
    EML = "e-mail (EML)"
    MSG = "Outlook message (MSG)"
    SVG = "SVG"
    IMAGE = "image"
    CSV = "CSV"
    MARKDOWN = "Markdown"
    TEXT = "text"


_SUFFIXES = {
    Kind.PDF: "pdf",
    Kind.DOCX: "docx dotx",
    Kind.XLSX: "xlsx xltx",
    Kind.PPTX: "pptx ppsx potx",
    Kind.ODT: "odt ott",
    Kind.RTF: "rtf doc",
    Kind.HTML: "html htm xhtml",
    Kind.EML: "eml",
    Kind.MSG: "msg oft",
    Kind.SVG: "svg",
    Kind.IMAGE: "png jpg jpeg jpe gif webp tif tiff bmp",
    Kind.CSV: "csv tsv tab",
    Kind.MARKDOWN: "md markdown mkd",
}
_BY_SUFFIX = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
# What nothing in a text itself gives away for certain.
_BY_ITS_NAME = frozenset({Kind.CSV, Kind.MARKDOWN, Kind.HTML, Kind.EML})
_BY_MEDIA_TYPE = {
    "text/csv": Kind.CSV,
    "text/tab-separated-values": Kind.CSV,
    "text/markdown": Kind.MARKDOWN,
    "text/html": Kind.HTML,
    "message/rfc822": Kind.EML,
    "image/svg+xml": Kind.SVG,
}
# The main part of a document is one of these; with macros it is of Microsoft's own media types.
_OFFICE = (
    ("wordprocessingml", Kind.DOCX),
    ("ms-word", Kind.DOCX),
    ("spreadsheetml", Kind.XLSX),
    ("ms-excel", Kind.XLSX),
    ("presentationml", Kind.PPTX),
    ("ms-powerpoint", Kind.PPTX),
)
_STRICT = re.compile(rb"""(?<=["'])http://purl\.oclc\.org/ooxml/(\w+)/""")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_ODF = "application/vnd.oasis.opendocument.text"
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
_OLE, _ZIP = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_ARCHIVES = (b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
_HEAD = 4096
# A comment ends at its first end: other ways to read many of them are without number.
_COMMENTS = r"(?:(?><!--.*?-->)\s*+)*+"
_HTML = re.compile(rf"\s*(?:<\?xml[^>]*>\s*)?{_COMMENTS}<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
_SVG = re.compile(
    rf"\s*(?:<\?xml[^>]*>\s*)?{_COMMENTS}(?:<!doctype\s+svg[^>]*>\s*)?<svg[\s>]", re.IGNORECASE | re.DOTALL
)
_MAIL_FIELD = re.compile(
    r"(?:from|to|cc|subject|date|received|return-path|message-id|mime-version|delivered-to|reply-to|x-[\w-]+|"
    r"content-type|dkim-signature|arc-[\w-]+|authentication-results|thread-[\w-]+):[ \t]*\S",
    re.IGNORECASE,
)
_TELLING = frozenset({"received", "return-path", "message-id", "mime-version", "subject", "from", "date"})
_READ = frozenset(_BY_SUFFIX) | {"txt", "text", "log", "json", "xml", "yaml", "yml"}
_OLD = {"WordDocument": "DOCX", "Workbook": "XLSX", "Book": "XLSX", "PowerPoint Document": "PPTX"}


def kind_of(name: str, media_type: str | None, content: bytes, limits: Limits) -> Kind:
    """The kind of a file that is not empty; raises `Unreadable` for one that is never read."""
    if b"%PDF-" in content[:1024]:
        return Kind.PDF
    if content.startswith((_ZIP, _EMPTY_ZIP)):
        return _packaged(content, limits)
    if content.startswith(_OLE):
        return _compound(content)
    if content.startswith(b"{\\rtf"):
        return Kind.RTF
    if content.startswith(_IMAGES) or _is_other_image(content):
        return Kind.IMAGE
    if content.startswith(_ARCHIVES):
        raise Unreadable("archive")
    return _textual(name, media_type, content)


def _is_other_image(content: bytes) -> bool:
    """WebP, or a bitmap, whose two first letters may begin a text as well."""
    return (content[:4] == b"RIFF" and content[8:12] == b"WEBP") or (content[:2] == b"BM" and content[6:10] == bytes(4))


def claimed(name: str) -> Kind | None:
    return _BY_SUFFIX.get(suffix_of(name))


def open_package(content: bytes, limits: Limits) -> Package:
    return Package(content, limits.unpacked_bytes, most_xml=limits.unpacked_bytes)


def as_transitional(content: bytes, limits: Limits) -> bytes:
    """An Office file with the namespaces of the transitional form: openpyxl and python-pptx know no others."""
    package = open_package(content, limits)
    if not _STRICT.search(package.read(package.main)):
        return content
    parts = (name for name in package.names if name.lower().endswith((".xml", ".rels")))
    return package.with_parts({name: _STRICT.sub(_TRANSITIONAL, package.read(name)) for name in parts})


def _packaged(content: bytes, limits: Limits) -> Kind:
    package = open_package(content, limits)
    if "mimetype" in package and package.read("mimetype").decode("latin-1").strip().startswith(_ODF):
        return _open_document(package)
    if not package.main:
        raise Unreadable("unknown" if "mimetype" in package else "archive")
    return _office(package, package.content_type(package.main))


def _open_document(package: Package) -> Kind:
    if b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise Unreadable("password")
    return Kind.ODT


def _office(package: Package, content_type: str) -> Kind:
    kind = next((kind for word, kind in _OFFICE if word in content_type), None)
    if kind is None:
        raise Unreadable("unknown")
    if "macroenabled" in content_type or any(name.lower().endswith("vbaproject.bin") for name in package.names):
        raise Unreadable("macros", instead=kind.name)
    return kind


def _compound(content: bytes) -> Kind:
    """Files of Office before 2007, messages of Outlook, and whatever Office locked with a password."""
    try:
        with OleFileIO(BytesIO(content)) as compound:
            names = {"/".join(path) for path in compound.listdir()}
    except (OSError, ValueError, IndexError, OverflowError):
        raise Unreadable("damaged", kind="Office file") from None
    if names & {"EncryptedPackage", "EncryptionInfo"}:
        raise Unreadable("password")
    if "__properties_version1.0" in names:
        return Kind.MSG
    raise next((Unreadable("old_office", instead=_OLD[name]) for name in _OLD if name in names), Unreadable("unknown"))


def _textual(name: str, media_type: str | None, content: bytes) -> Kind:
    encoding, suffix = encoding_of(content), suffix_of(name)
    if encoding is None:
        raise Unreadable("wrong_suffix", suffix=suffix) if suffix in _READ else Unreadable("unknown")
    head = content[:_HEAD].decode(encoding, "replace").removeprefix("\ufeff")
    if _HTML.match(head):
        return Kind.HTML
    if _SVG.match(head):
        return Kind.SVG
    if _is_mail(head):
        return Kind.EML
    wanted = _BY_SUFFIX.get(suffix) or _BY_MEDIA_TYPE.get((media_type or "").partition(";")[0].strip().lower())
    return wanted if wanted in _BY_ITS_NAME else Kind.TEXT


def _is_mail(head: str) -> bool:
    """Whether a text begins with two fields of a message or more, as RFC 5322 has them."""
    lines = head.replace("\r\n", "\n").split("\n\n")[0].splitlines()
    fields = [line for line in lines if line[:1] not in (" ", "\t")]
    known = [line for line in fields if _MAIL_FIELD.match(line)]
    named = {line.partition(":")[0].lower() for line in known}
    return len(known) > 1 and len(known) >= len(fields) * 0.5 and bool(named & _TELLING)


def suffix_of(name: str) -> str:
    return PurePath(name.strip()).suffix.lower().removeprefix(".")
