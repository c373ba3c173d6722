"""What a file is, and its encoding: by its content; its name counts only where the content leaves it open."""

import codecs
import re
from collections.abc import Callable
from enum import StrEnum
from io import BytesIO
from pathlib import PurePath

from olefile import OleFileIO
from stemma_languages import is_mail
from stemma_ooxml import Package

from .result import Limits, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SIGNS = "\xa0–—‘’‚“”„…•€£§°«»·²³½¼¾×±®©™¿¡ªº¹µ¢¥¶†‰"
_WESTERN = "äöüßÄÖÜéèêëàâçîïôûùÿœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñÑáíóúÁÍÓÚåÅøØãõÃÕìòÌÒ"
_CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽľĺŕôäőűŐŰöüÖÜßăâîşţÂÎŞŢđĐëç"
_TURKISH = "ğışçöüĞİŞÇÖÜâîûÂÎÛ"
_RUN = re.compile(r"[^\W\d_]{4,}")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s](?=[^\W\d_])")
_CAPITAL_INSIDE = re.compile(r"[α-ωά-ώа-яà-ÿ][Α-ΩА-ЯÀ-Þ]")
_BESIDE = re.compile(r"(?<=[a-zA-Z])[^\x00-\xff]|[^\x00-\xff](?=[a-zA-Z])")
_UNDEFINED, _FOREIGN = 5.0, 2.0


def decoded(data: bytes) -> tuple[str, str] | None:
    encoding = encoding_of(data)
    if encoding is None:
        return None
    mark = next((mark for mark, name in _MARKS if name == encoding and data.startswith(mark)), b"")
    text = data[len(mark) :].decode(encoding, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def encoding_of(data: bytes) -> str | None:
    """The name of the encoding by marks, by zeros, by validity, and at last by what comes out; none for no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if encoding := _wide_without_mark(data):
        return encoding
    if _CONTROL.search(data[:_SAMPLE]):
        return None
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return best_page(data[:_SAMPLE])


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 by its zeros: text of Latin letters has one in every other byte, and on one side alone."""
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or max(even, odd) < len(sample) * 0.3 or min(even, odd) > len(sample) * 0.02:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def best_page(data: bytes) -> str:
    """The code page with the most usual letters; the Western one if all are equal.

    charset-normalizer 3.5 took nine of 15 code pages for another one on samples of two lines.
    """
    scores = {name: _score(data, name, value) for name, value in _PAGES.items()}
    return max(scores, key=lambda name: scores[name])


def _score(data: bytes, name: str, value: Callable[[str], float]) -> float:
    wide = name in _WIDE
    text = data.decode(name, "replace")
    undefined = text.count("�") + sum("\x80" <= letter < "\xa0" for letter in text)
    beyond = [letter for letter in text if letter >= "\xa0" and letter != "�"]
    mixed = len((_BESIDE if wide else _INSIDE).findall("".join(c if c >= "\xa0" or c.isalpha() else " " for c in text)))
    mixed += len(_CAPITAL_INSIDE.findall(text))
    bytes_each = 2 if wide else 1
    return bytes_each * (sum(map(value, beyond)) - _UNDEFINED * undefined - _FOREIGN * mixed) - _long_runs(text, name)


def _long_runs(text: str, name: str) -> float:
    """Accents and umlauts stand among plain letters; a word of nothing else is of another page."""
    if name not in _LATIN:
        return 0
    return sum(len(run) for run in _RUN.findall(text) if min(run) >= "\xa0")


def _among(letters: str) -> Callable[[str], float]:
    usual = frozenset(letters + _SIGNS)
    return lambda letter: 1 if letter in usual else -_FOREIGN


def _cyrillic(letter: str) -> float:
    if "а" <= letter <= "я" or letter in "ёіїєґў":
        return 1
    return 0.5 if "А" <= letter <= "Я" or letter in "ЁІЇЄҐЎ№" + _SIGNS else -_FOREIGN


def _greek(letter: str) -> float:
    # The two with three marks are rare; in Russian texts their bytes are the most usual ones.
    return 1 if ("Ά" <= letter <= "ώ" and letter not in "ΰΐ") or letter in _SIGNS else -_FOREIGN


def _japanese(letter: str) -> float:
    if "぀" <= letter <= "ヿ":
        return 1.5
    return 0.9 if "一" <= letter <= "鿿" or "　" <= letter <= "〕" or "！" <= letter <= "～" else -_FOREIGN


def _first_level(page: str, first: int, last: int) -> Callable[[str], float]:
    """Both Chinese pages have the characters in daily use in their first rows."""

    def value(letter: str) -> float:
        lead = letter.encode(page, "replace")[0]
        usual = first <= lead <= last or "　" <= letter <= "〕" or "！" <= letter <= "～"
        return 1 if usual else -_FOREIGN

    return value


_LATIN = ("cp1252", "iso8859-15", "cp1254", "cp1250", "iso8859-2")
_WIDE = ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
# The first of equals is taken.
_PAGES: dict[str, Callable[[str], float]] = {
    "cp1252": _among(_WESTERN),
    "iso8859-15": _among(_WESTERN),
    "cp1254": _among(_TURKISH),
    "cp1250": _among(_CENTRAL),
    "iso8859-2": _among(_CENTRAL),
    "cp1251": _cyrillic,
    "koi8-r": _cyrillic,
    "cp1253": _greek,
    "shift_jis": _japanese,
    "euc_jp": _japanese,
    "gb18030": _first_level("gb18030", 0xB0, 0xD7),
    "big5": _first_level("big5", 0xA4, 0xC6),
    "euc_kr": lambda letter: 1.2 if "가" <= letter <= "힣" else -_FOREIGN,
}


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
    ZIP = "ZIP"
    SIGNED = "signed file (P7M)"
    TNEF = "winmail.dat"
    CALENDAR = "calendar (ICS)"
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
    Kind.ZIP: "zip",
    Kind.SIGNED: "p7m",
    Kind.CALENDAR: "ics",
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
_TNEF = b"\x78\x9f\x3e\x22"
# The names of signed and of enveloped data in CMS, near the beginning; or the first line of its text form.
_CMS = re.compile(
    rb"\x30.{1,30}?\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07[\x02\x03]|-----BEGIN (?:PKCS7|CMS)-----", re.DOTALL
)
MIME_HEAD = re.compile(rb"(?:content-type|mime-version|content-transfer-encoding):", re.IGNORECASE)
_CALENDAR = "BEGIN:VCALENDAR"
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
    if content.startswith(_TNEF):
        return Kind.TNEF
    if _CMS.match(content):
        return Kind.SIGNED
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


def as_transitional(content: bytes, limits: Limits) -> bytes:
    """An Office file with the namespaces of the transitional form: openpyxl and python-pptx know no others."""
    package = limits.package(content)
    if not _STRICT.search(package.read(package.main)):
        return content
    parts = (name for name in package.names if name.lower().endswith((".xml", ".rels")))
    return package.with_parts({name: _STRICT.sub(_TRANSITIONAL, package.read(name)) for name in parts})


def _packaged(content: bytes, limits: Limits) -> Kind:
    package = limits.package(content)
    if "mimetype" in package and package.read("mimetype").decode("latin-1").strip().startswith(_ODF):
        return _open_document(package)
    if not package.main:
        if "mimetype" in package:
            raise Unreadable("unknown")
        return Kind.ZIP
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
    if head.lstrip().startswith(_CALENDAR):
        return Kind.CALENDAR
    if _is_mail(head) or is_mail(head):
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
