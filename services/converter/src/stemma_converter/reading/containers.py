"""What mails bring along: ZIP, signed files (P7M), Outlook's winmail.dat, whose files become inputs; and calendars."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from stemma_markdown import escaping
from stemma_ooxml import PackageError

from .composing import Composer
from .kinds import MIME_HEAD, encoding_of
from .result import Unreadable

if TYPE_CHECKING:
    from icalendar import Component

_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini"})
# Frames, Greek letters and blocks, which no name of a file has.
_FRAMES = re.compile("[\u2500-\u259f\u2310\u2320\u2321\u03b1-\u03c6\u0393-\u03a9]")
_PEM = re.compile(rb"-----BEGIN (?:PKCS7|CMS)-----(.+?)-----END", re.DOTALL)
_ANYTHING = "application/octet-stream"


class Held(NamedTuple):
    """What a winmail.dat holds: the text of the message, and its attachments by name."""

    plain: str
    page: str
    rtf: bytes
    files: tuple[tuple[str, bytes], ...]


def read_zip(content: bytes, composer: Composer) -> None:
    """Each file of an archive as a child; one that is damaged is named and keeps no other from being read."""
    package = composer.limits.package(content)
    for name in sorted(package.names):
        path = PurePosixPath(_readable(name).replace("\\", "/"))
        if name.endswith(("/", "\\")) or _is_of_the_system(path):
            continue
        try:
            composer.child(str(path), _ANYTHING, package.read(name))
        except PackageError:
            composer.warn("attachment_unread", name, "A file of the archive is damaged. Unpack it and attach it.")


def _readable(name: str) -> str:
    """A name in the code page of the machine that packed it, which ZIP takes for that of the first PCs."""
    if not _FRAMES.search(name):
        return name
    try:
        raw = name.encode("cp437")
        return raw.decode(encoding_of(raw) or "cp437")
    except UnicodeError:
        return name


def _is_of_the_system(path: PurePosixPath) -> bool:
    return path.name.lower() in _SYSTEM_FILES or any(part.startswith((".", "__MACOSX")) for part in path.parts)


def read_signed(content: bytes, composer: Composer) -> None:
    """The file inside a signature as a child; whether the signature is valid is not looked at."""
    data = signed_content(content)
    composer.child(_name_inside(composer.title, data), _ANYTHING, data)


def _name_inside(title: str, data: bytes) -> str:
    if MIME_HEAD.match(data):
        return f"{title}.eml"
    return title if PurePosixPath(title).suffix else f"{title}.bin"


def signed_content(content: bytes) -> bytes:
    """What a signature (CMS, PKCS #7) encloses; raises `Unreadable` if it is encrypted or holds nothing."""
    # Files of this kind are rare: what reads them is imported with the first.
    from binascii import a2b_base64

    from pyasn1.codec.ber import decoder  # type: ignore[import-untyped]
    from pyasn1.error import PyAsn1Error  # type: ignore[import-untyped]
    from pyasn1.type import namedtype, tag, univ  # type: ignore[import-untyped]
    from pyasn1_modules import rfc5652  # type: ignore[import-untyped]

    found = _PEM.search(content)
    try:
        data = a2b_base64(found[1]) if found else content
        outer, _ = decoder.decode(data, asn1Spec=rfc5652.ContentInfo())
        if outer["contentType"] != rfc5652.id_signedData:
            raise Unreadable("encrypted")
        # Content that was written in pieces of unknown length loses their ends as the "any" of ContentInfo.
        signed = rfc5652.SignedData().subtype(explicitTag=tag.Tag(tag.tagClassContext, tag.tagFormatConstructed, 0))
        kind = namedtype.NamedType("contentType", rfc5652.ContentType())
        parts = namedtype.NamedTypes(kind, namedtype.NamedType("content", signed))
        whole, _ = decoder.decode(data, asn1Spec=univ.Sequence(componentType=parts))
        inside = whole["content"]["encapContentInfo"]["eContent"]
        data = bytes(inside) if inside.hasValue() else b""
    except (PyAsn1Error, ValueError, IndexError, TypeError):
        raise Unreadable("damaged", kind="signed file") from None
    if not data:
        raise Unreadable("signature")
    return data


def held_by_tnef(content: bytes) -> Held:
    from tnefparse import TNEF  # type: ignore[import-untyped]

    try:
        found = TNEF(content, do_checksum=False)
        files = tuple(_files(found))
        body, page, rtf = found.body, found.htmlbody, found.rtfbody
    except Exception:  # tnefparse raises anything where a file is damaged, also struct.error
        raise Unreadable("damaged", kind="winmail.dat") from None
    return Held(_text(body), _text(page), rtf or b"", files)


def _files(found: object) -> Iterator[tuple[str, bytes]]:
    for number, item in enumerate(getattr(found, "attachments", ()), 1):
        name = str(item.long_filename() or "").strip() or f"attachment-{number}"
        yield name, bytes(item.data or b"")


def _text(body: str | bytes | None) -> str:
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""


_SAID = (("SUMMARY", ""), ("DTSTART", "From: "), ("DTEND", "To: "), ("DUE", "Due: "), ("LOCATION", "Place: "))


def read_calendar(content: bytes, composer: Composer) -> None:
    """The events of a calendar file: what, when, where, and the words below."""
    from icalendar import Calendar

    try:
        events = [event for calendar in Calendar.from_ical(content, multiple=True) for event in _events(calendar)]
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Unreadable("damaged", kind="calendar") from None
    for event in events:
        lines = (escaping.inline(f"{label}{_shown(event[name])}") for name, label in _SAID if name in event)
        composer.paragraph("\n".join(lines))
        for paragraph in str(event.get("DESCRIPTION", "")).split("\n\n"):
            composer.paragraph(escaping.inline(paragraph))


def _events(calendar: Component) -> list[Component]:
    return [part for part in calendar.walk() if part.name in ("VEVENT", "VTODO")]


def _shown(value: object) -> str:
    try:
        moment = getattr(value, "dt", None)
    except ValueError:
        # A time that is none is said as it stands there.
        moment = None
    return escaping.one_line(moment.isoformat(" ") if isinstance(moment, dt.datetime) else str(moment or value))
