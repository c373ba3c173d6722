"""Messages: EML and MSG, with attachments as files of their own."""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage
from io import BytesIO
from typing import Any

from compressed_rtf import decompress
from oxmsg import Message

from . import escaping
from .composing import Composer
from .kinds import decoded
from .pandoc_formats import put_html, read_rtf
from .result import Unreadable

_FIELDS = ("From", "To", "Cc", "Date", "Subject")
_RTF_BODY, _ATTACHED_MESSAGE, _CONTENT_ID = 0x1009, 5, 0x3712
_FEWEST_WORDS = 3
_TABLE = re.compile(r"<table\b", re.IGNORECASE)


def read_eml(content: bytes, composer: Composer) -> None:
    try:
        message = email.message_from_bytes(content, policy=email.policy.default)
        _put_fields({name: str(message.get(name, "")) for name in _FIELDS}, composer)
        plain, page = (message.get_body((kind,)) for kind in ("plain", "html"))
        inline = _attach(message, composer)
        _put_body(_text_of(plain), _text_of(page), inline, composer)
    except (LookupError, ValueError, AttributeError, TypeError, RecursionError):
        raise Unreadable("damaged", kind="e-mail") from None


def _text_of(part: Any) -> str:
    if part is None:
        return ""
    data = part.get_payload(decode=True) or b""
    try:
        return escaping.clean(data.decode(part.get_content_charset() or "utf-8"))
    except (UnicodeDecodeError, LookupError):
        found = decoded(data)
        return escaping.clean(found[0]) if found else ""


def _attach(message: EmailMessage, composer: Composer) -> dict[str, bytes]:
    """Attachments as children; gives the images that the text shows itself, by their addresses."""
    inline = {}
    bodies = {id(part) for part in (message.get_body(("plain",)), message.get_body(("html",))) if part is not None}
    for number, part in enumerate(_parts(message), 1):
        if id(part) in bodies:
            continue
        data = _data_of(part)
        identifier = str(part.get("Content-ID", "")).strip().strip("<>")
        if identifier and part.get_content_maintype() == "image":
            inline[f"cid:{identifier}"] = data
        elif part.get_filename() or part.is_attachment() or part.get_content_maintype() != "text":
            composer.child(_named(part, number), part.get_content_type(), data)
    return inline


def _parts(message: Any) -> list[Any]:
    """The parts that hold something; a message in the message is one of them, whole."""
    if message.get_content_type() == "message/rfc822" or not message.is_multipart():
        return [message]
    return [found for part in message.iter_parts() for found in _parts(part)]


def _data_of(part: Any) -> bytes:
    if part.get_content_type() == "message/rfc822":
        return bytes(part.get_payload(0).as_bytes())
    return part.get_payload(decode=True) or b""


def _named(part: Any, number: int) -> str:
    if name := part.get_filename():
        return str(name)
    if part.get_content_type() == "message/rfc822":
        return f"{escaping.one_line(str(part.get_payload(0).get('Subject', ''))) or f'message-{number}'}.eml"
    return f"attachment-{number}"


def _put_fields(fields: dict[str, str], composer: Composer) -> None:
    lines = {name: escaping.one_line(value) for name, value in fields.items()}
    composer.anchor("part", f"message from {lines['From'] or 'somebody'}")
    if lines["Subject"]:
        composer.heading(1, escaping.inline(lines["Subject"]))
    composer.paragraph("\n".join(f"{n}: {escaping.inline(lines[n])}" for n in _FIELDS[:-1] if lines[n]))


def _put_body(plain: str, page: str, images: dict[str, bytes], composer: Composer) -> None:
    """The text that says more: a table is one only in the page, and some messages have no text beside it."""
    if page and (len(plain.split()) < _FEWEST_WORDS or _TABLE.search(page) or images):
        put_html(page, composer, images)
        return
    for paragraph in re.split(r"\n\s*\n", plain.replace("\r\n", "\n")):
        composer.paragraph(escaping.inline(paragraph))


def read_msg(content: bytes, composer: Composer) -> None:
    try:
        message = Message.load(BytesIO(content))
        _put_fields(_fields_of(message), composer)
        inline = _attach_of(message, composer)
        plain, page = message.body or "", message.html_body or ""
        compressed = message.properties.binary_prop_value(_RTF_BODY)
        rtf = decompress(compressed) if compressed else b""
    except (LookupError, ValueError, AttributeError, TypeError, OSError, NotImplementedError):
        raise Unreadable("damaged", kind="Outlook message") from None
    if plain.strip() or page.strip() or not rtf:
        _put_body(escaping.clean(plain), escaping.clean(page), inline, composer)
    else:
        read_rtf(rtf, composer)


def _fields_of(message: Message) -> dict[str, str]:
    headers = {name.lower(): value for name, value in message.message_headers.items()}
    people = ", ".join(f"{r.name} <{r.email_address}>" for r in message.recipients)
    date = message.sent_date.isoformat(" ", "minutes") if message.sent_date else ""
    told = {name: str(headers.get(name.lower()) or "") for name in _FIELDS}
    own = {"From": message.sender or "", "To": people, "Date": date, "Subject": message.subject or ""}
    return {name: told[name] or own.get(name, "") for name in _FIELDS}


def _attach_of(message: Message, composer: Composer) -> dict[str, bytes]:
    inline = {}
    for number, item in enumerate(message.attachments, 1):
        name = item.file_name or f"attachment-{number}"
        if not item.attached_by_value or (data := item.file_bytes) is None:
            composer.warn("attachment_unread", name, "An attached message or link is not read; attach it by itself.")
            continue
        identifier = item.properties.str_prop_value(_CONTENT_ID)
        if identifier and (item.mime_type or "").startswith("image/"):
            inline[f"cid:{identifier.strip('<>')}"] = data
        else:
            composer.child(name, item.mime_type or "application/octet-stream", data)
    return inline
