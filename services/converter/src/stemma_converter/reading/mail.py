"""Messages: EML, MSG and winmail.dat. Attachments are files of their own; headers are places to cite, never text."""

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import quote

from compressed_rtf import decompress
from oxmsg import Message
from stemma_markdown import escaping

from .composing import Composer, plain
from .containers import held_by_tnef, signed_content
from .kinds import MIME_HEAD, decoded
from .pandoc_formats import put_html, read_rtf
from .result import Unreadable

_RTF_BODY, _CONTENT_ID = 0x1009, 0x3712
_FEWEST_WORDS, _LONGEST_NOTICE, _SAMPLE = 3, 40, 20_000
_NO_TEXT = re.compile(r"<(?:style|script|head)\b.*?</(?:style|script|head)>|<[^<>]*>", re.IGNORECASE | re.DOTALL)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
_SIGNED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_ENCRYPTED = (
    "A part of the message is encrypted. Open it where its key is, save it without encryption, and attach that."
)


class Body(NamedTuple):
    plain: str = ""
    page: str = ""
    rtf: bytes = b""

    @property
    def is_empty(self) -> bool:
        return not (self.plain.strip() or self.page.strip() or self.rtf)


def read_eml(content: bytes, composer: Composer) -> None:
    try:
        message = _parsed(content)
        sender, date, subject = (_header_among(message, names) for names in (_SENDER, _DATE, _SUBJECT))
        _put_header(sender, date, subject, composer)
        _Mail(composer).put(message)
    except (LookupError, ValueError, AttributeError, TypeError, RecursionError):
        raise Unreadable("damaged", kind="e-mail") from None


def _header_among(message: EmailMessage, names: frozenset[str]) -> str:
    return next((str(value) for name, value in message.items() if name.lower() in names), "")


def _parsed(content: bytes) -> EmailMessage:
    return email.message_from_bytes(content, policy=email.policy.default)


class _Mail:
    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._images: dict[str, bytes] = {}
        self._more: list[Body] = []
        self._spare = Body()
        self._attached: set[bytes] = set()
        self._pages = ""

    def put(self, message: EmailMessage) -> None:
        """The text, and what follows it; a signed message is the one inside of its signature."""
        while message.get_content_type() in _SIGNED and (inside := self._inside(message)) is not None:
            message = inside
        text, page = (message.get_body((kind,)) for kind in ("plain", "html"))
        self._pages = "\n".join(_text_of(part) for part, _ in _parts(message) if part.get_content_type() == "text/html")
        for number, (part, is_one_of_several) in enumerate(_parts(message), 1):
            if part is not text and part is not page:
                self._part(part, number, is_one_of_several)
        bodies = [body for body in (Body(_text_of(text), _text_of(page)), *self._more) if not body.is_empty]
        for body in bodies or [self._spare]:
            _put_body(body, self._images, self._composer)

    def _inside(self, message: EmailMessage) -> EmailMessage | None:
        try:
            data = signed_content(_data_of(message))
        except Unreadable as why:
            self._composer.warn("attachment_unread", "", why.words)
            return None
        return _parsed(data) if MIME_HEAD.match(data) else None

    def _part(self, part: Any, number: int, is_one_of_several: bool) -> None:
        kind, data = part.get_content_type(), _data_of(part)
        identifier = str(part.get("Content-ID", "")).strip().strip("<>")
        # Some programs give each attachment an identifier.
        if part.get_content_maintype() == "image" and _is_shown(identifier, self._pages):
            self._images[f"cid:{identifier}"] = data
        elif kind == "application/pgp-encrypted":
            self._composer.warn("attachment_unread", "", _ENCRYPTED)
        elif kind in _TNEF:
            self._tnef(data)
        elif part.get_filename() or part.is_attachment() or part.get_content_maintype() != "text":
            if kind not in _SIGNATURES:
                self._attach(_named(part, number), kind, data)
        elif kind == "text/calendar":
            self._attach(f"calendar-{number}.ics", kind, data)
        elif not is_one_of_several:
            self._more.append(Body(page=_text_of(part)) if kind == "text/html" else Body(_text_of(part)))

    def _tnef(self, data: bytes) -> None:
        try:
            held = held_by_tnef(data)
        except Unreadable as why:
            self._composer.warn("attachment_unread", "winmail.dat", why.words)
            return
        for name, content in held.files:
            self._attach(name, "application/octet-stream", content)
        # The message mostly has the same text beside it.
        self._spare = Body(held.plain, held.page, held.rtf)

    def _attach(self, name: str, kind: str, data: bytes) -> None:
        """An invitation is often in a message twice."""
        if data not in self._attached:
            self._attached.add(data)
            self._composer.child(name, kind, data)


def _is_shown(identifier: str, page: str) -> bool:
    return bool(identifier) and any(f"cid:{name}" in page for name in (identifier, quote(identifier)))


def _text_of(part: Any) -> str:
    if part is None:
        return ""
    data = part.get_payload(decode=True) or b""
    try:
        return escaping.clean(data.decode(part.get_content_charset() or "utf-8"))
    except (UnicodeDecodeError, LookupError):
        found = decoded(data)
        return escaping.clean(found[0]) if found else ""


def _parts(message: Any, *, is_one_of_several: bool = False) -> Iterator[tuple[Any, bool]]:
    """The parts that hold something, and whether another one says the same; a message in the message is one, whole."""
    if message.get_content_type() == "message/rfc822" or not message.is_multipart():
        yield message, is_one_of_several
        return
    several = message.get_content_type() == "multipart/alternative"
    for part in message.iter_parts():
        yield from _parts(part, is_one_of_several=several)


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


def _put_header(sender: str, date: str, subject: str, composer: Composer) -> None:
    composer.named = escaping.one_line(subject)
    composer.anchor("part", _label(sender, date, subject))
    composer.leave_out = lambda text: _without_headers(text, composer)


def _label(sender: str, date: str, subject: str) -> str:
    told = [escaping.one_line(sender) or "somebody", escaping.one_line(date), escaping.one_line(subject)]
    return f"message from {', '.join(filter(None, told))}"


def _says_more(page: str, text: str) -> bool:
    """Whether the text beside a page is none, or only says that the page is there."""
    count = len(text.split())
    if count > _LONGEST_NOTICE:
        return False
    seen = _NO_TEXT.sub(" ", page[:_SAMPLE])
    return count < _FEWEST_WORDS or len(seen.split()) > 2 * count


def _put_body(body: Body, images: dict[str, bytes], composer: Composer) -> None:
    """The text that says more: a table is one only in the page, and some messages have no text beside it."""
    text, page = escaping.clean(body.plain), escaping.clean(body.page)
    if not text.strip() and not page.strip() and body.rtf:
        read_rtf(body.rtf, composer)
    elif page and (_TABLE.search(page) or images or _says_more(page, text)):
        put_html(page, composer, images)
    else:
        for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
            composer.paragraph(escaping.inline(paragraph))


# The fields above a message that is answered or forwarded, as mail programs write them in nine languages.
_SENDER, _DATE, _SUBJECT, _OTHER = (
    frozenset(words.split())
    for words in (
        "from von de da van afzender remitente mittente expéditeur remetente absender 差出人 送信者 发件人 寄件者",
        "sent date gesendet datum envoyé envoyée fecha enviado enviada data inviato verzonden 送信日時 日時 日付 "
        "发送时间 日期 时间",
        "subject betreff objet asunto oggetto assunto onderwerp 件名 主题 主題",
        "to cc bcc an à a para aan kopie reply-to antwort-an message-id received return-path importance wichtigkeit "
        "attachments anlagen signed-by mailed-by 宛先 收件人 抄送",
    )
)
_FIELD = re.compile(r"[>\s|\\]*[*_]{0,2}([\w-]+)[*_]{0,2}\s?[:：][*_]{0,2}(.*)")
_DIVIDER = re.compile(r"[>\s\\]*-{2,}[^-]{3,60}-{2,}\s*")
_ATTRIBUTION = re.compile(
    r"(?=.*\d)(?=.*(?:<\S+@\S+>|\b(?:wrote|schrieb|écrit|escribió|scritto|escreveu|schreef)\b|写道|書きました)).{9,300}[:：]\s*"
)
_FEWEST_FIELDS, _LONGEST_ATTRIBUTION = 3, 400


def _without_headers(text: str, composer: Composer) -> str:
    """A paragraph without the fields of a message that it quotes; what follows is said by the writer of that one."""
    lines = text.split("\n")
    fields = [_field_of(line) for line in lines]
    first = next((at for at, (name, _) in enumerate(fields) if name in _SENDER), len(lines))
    last = max((at for at, (name, _) in enumerate(fields) if name), default=0)
    said = dict(reversed(fields[first : last + 1]))
    sender, date, subject = (next((said[n] for n in said if n in names), "") for names in (_SENDER, _DATE, _SUBJECT))
    # Without a subject, it may be a journey: from, to, date.
    if len(said.keys() - {""}) >= _FEWEST_FIELDS and said.keys() & _SUBJECT:
        composer.anchor("part", _label(sender, date, subject))
        return "\n".join([line for line in lines[:first] if not _DIVIDER.fullmatch(line)] + lines[last + 1 :])
    return "\n".join(_without_attributions(lines))


def _field_of(line: str) -> tuple[str, str]:
    """The name and value of a line that is a field of a message; empty for any other."""
    found = _FIELD.fullmatch(line)
    name = found[1].lower() if found else ""
    known = name in _SENDER or name in _DATE or name in _SUBJECT or name in _OTHER
    return (name, plain(found[2])) if found and known else ("", "")


def _is_attribution(text: str) -> bool:
    return len(text) <= _LONGEST_ATTRIBUTION and _ATTRIBUTION.fullmatch(text.replace("\\", "")) is not None


def _without_attributions(lines: list[str]) -> list[str]:
    """Lines but those that say who wrote what is quoted below, which may be two."""
    kept: list[str] = []
    for line in lines:
        if _is_attribution(line):
            continue
        if kept and len(lines) > 1 and _is_attribution(f"{kept[-1]} {line}"):
            kept.pop()
            continue
        kept.append(line)
    return kept


def read_tnef(content: bytes, composer: Composer) -> None:
    held = held_by_tnef(content)
    for name, data in held.files:
        composer.child(name, "application/octet-stream", data)
    composer.leave_out = lambda text: _without_headers(text, composer)
    _put_body(Body(held.plain, held.page, held.rtf), {}, composer)


def read_msg(content: bytes, composer: Composer) -> None:
    try:
        message = Message.load(BytesIO(content))
        _put_header(*_header_of(message), composer)
        page = message.html_body or ""
        inline = _attach_of(message, page, composer)
        body = Body(message.body or "", page, _decompressed(message.properties.binary_prop_value(_RTF_BODY), composer))
    except (LookupError, ValueError, AttributeError, TypeError, OSError, NotImplementedError):
        raise Unreadable("damaged", kind="Outlook message") from None
    _put_body(body, inline, composer)


def _decompressed(data: bytes | None, composer: Composer) -> bytes:
    try:
        return decompress(data) if data else b""
    except Exception:  # what it raises where data are damaged is no class of its own
        composer.warn("attachment_unread", "", "The form of the message with its looks (RTF) is damaged.")
        return b""


def _header_of(message: Message) -> tuple[str, str, str]:
    headers = {name.lower(): str(value) for name, value in message.message_headers.items()}
    date = message.sent_date.isoformat(" ", "minutes") if message.sent_date else ""
    own = {"from": message.sender or "", "date": date, "subject": message.subject or ""}
    sender, date, subject = (headers.get(name) or value for name, value in own.items())
    return sender, date, subject


def _attach_of(message: Message, page: str, composer: Composer) -> dict[str, bytes]:
    inline = {}
    for number, item in enumerate(message.attachments, 1):
        name = item.file_name or f"attachment-{number}"
        if not item.attached_by_value or (data := item.file_bytes) is None:
            composer.warn("attachment_unread", name, "An attached message or link is not read; attach it by itself.")
            continue
        identifier = item.properties.str_prop_value(_CONTENT_ID)
        identifier = (identifier or "").strip("<>")
        if (item.mime_type or "").startswith("image/") and _is_shown(identifier, page):
            inline[f"cid:{identifier}"] = data
        else:
            composer.child(name, item.mime_type or "application/octet-stream", data)
    return inline
