"""The ways to tell somebody: signed webhooks (Standard Webhooks), and mails over SMTP."""

import asyncio
import base64
import hashlib
import hmac
import json
import smtplib
import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from html import escape
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

import certifi
import httpcore
from stemma_contracts.shown import shown
from stemma_contracts.v1.decision_links import Verb
from stemma_contracts.v1.notifications import SECRET_PREFIX, Occasion

from .notices import NONE, Budget, Notice, NoticedSection

GONE = 410
HTTPS = 443
SENT = range(200, 300)
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_PLAIN, _PRIVATE = "http is for allowed networks alone", "its address is not public, and in no allowed network"
_NAT64 = IPv6Network("64:ff9b::/96")


def trusted_ssl_context() -> ssl.SSLContext:
    trust = ssl.create_default_context()
    trust.load_verify_locations(certifi.where())
    return trust


class NotSent(Exception):
    """The receiver did not take it; it may later. Its words hold nothing that the receiver said."""


class Refused(NotSent):
    """It is not sent there, now or later: the address is not allowed, or the receiver wants no more."""


class Guard(httpcore.AsyncNetworkBackend):
    """Connects to public addresses and to ``allowed`` networks; with ``plain`` to these networks alone.

    A name is resolved once, and the connection is made to the address that was looked at: one that answers differently
    the second time is not asked a second time.
    """

    def __init__(self, allowed: Sequence[Network], *, plain: bool) -> None:
        self._allowed = allowed
        self._plain = plain
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (as the library calls it)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve and connect; raises `Refused` for an address that may not be reached."""
        address = await self.resolved(host, port)
        return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)

    async def resolved(self, host: str, port: int) -> Address:
        """The first address of a name; raises `Refused` if one of them may not be reached, `NotSent` if it has none."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise NotSent("its name is not known") from None
        addresses = [ip_address(str(info[4][0]).partition("%")[0]) for info in found]
        if not addresses or not all(map(self._may_be_reached, addresses)):
            raise Refused(f"{_PLAIN if self._plain else _PRIVATE} (allowed_networks of the notifier)")
        return addresses[0]

    def _may_be_reached(self, address: Address) -> bool:
        meant = _meant(address)
        if any(meant in network for network in self._allowed):
            return True
        return not self._plain and is_public(meant)


def is_public(address: Address) -> bool:
    return address.is_global and not address.is_multicast and not address.is_reserved


def _meant(address: Address) -> Address:
    """The IPv4 address in an IPv6 one that stands for it."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def signature(secret: str, notice_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a webhook; the receiver computes the same from the secret that it was given."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(key, f"{notice_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"


def body_of(notice: Notice, links: Mapping[str, str] = NONE) -> bytes:
    """What a webhook says: what happened, when, and to what, and where somebody can decide."""
    data: dict[str, Any] = notice.model_dump(
        mode="json", exclude_none=True, exclude={"notice_id", "owner", "happened_at", "occasion"}
    )
    if links:
        data["links"] = dict(links)
    told = {"type": f"stemma.{notice.occasion}", "timestamp": notice.happened_at.isoformat(), "data": data}
    return json.dumps(told, ensure_ascii=False).encode()


class Webhook:
    def __init__(self, allowed: Sequence[Network], limit_s: float, trust: ssl.SSLContext) -> None:
        self._allowed = allowed
        self._limit_s = limit_s
        self._trust = trust

    async def check(self, url: str) -> None:
        """Look whether an address may be reached, without a connection; raises as `send` does."""
        parts = urlsplit(url)
        try:
            async with asyncio.timeout(self._limit_s):
                await self._guard(url).resolved(parts.hostname or "", parts.port or HTTPS)
        except TimeoutError:
            raise NotSent(f"its name was not found within {self._limit_s:g} s") from None

    async def send(self, url: str, secret: str, notice: Notice, links: Mapping[str, str] = NONE) -> str:
        """Send a notice; returns the status of the answer. Raises `NotSent`, and `Refused` where it is of no use."""
        body, timestamp = body_of(notice, links), int(time.time())
        headers = {
            "content-type": "application/json",
            "user-agent": "Stemma",
            "webhook-id": notice.notice_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, notice.notice_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(self._limit_s):
                status = await self._posted(url, headers, body)
        except TimeoutError:
            raise NotSent(f"no answer within {self._limit_s:g} s") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
            raise NotSent(type(error).__name__) from None
        return _taken(status)

    async def _posted(self, url: str, headers: dict[str, str], body: bytes) -> int:
        """The status alone: nothing else of the answer is read, and no redirect is followed."""
        async with (
            httpcore.AsyncConnectionPool(ssl_context=self._trust, network_backend=self._guard(url)) as pool,
            pool.stream("POST", url, headers=list(headers.items()), content=body) as answer,
        ):
            return int(answer.status)

    def _guard(self, url: str) -> Guard:
        return Guard(self._allowed, plain=urlsplit(url).scheme != "https")


def _taken(status: int) -> str:
    if status == GONE:
        raise Refused(f"HTTP {status}")
    if status not in SENT:
        raise NotSent(f"HTTP {status}")
    return f"HTTP {status}"


_SAID = {
    Occasion.WAITING: "waits for a decision",
    Occasion.FINISHED: "is finished",
    Occasion.FAILED: "failed",
    Occasion.STALE: "is stale",
    Occasion.BUDGET: "reached a budget",
    Occasion.TEST: "is a test",
    Occasion.ASSIGNED: "is assigned",
    Occasion.DUE_SOON: "is due soon",
    Occasion.OVERDUE: "is overdue",
}
_OFFERED = {Verb.APPROVE: "Approve it", Verb.REVISE: "Ask for a revision"}
_LONGEST = 120


def subject_of(notice: Notice) -> str:
    return _one_line(f"Stemma: {_what(notice)} {_SAID[notice.occasion]}")


def words_of(notice: Notice) -> list[str]:
    named = [f"{_one_line(section.title or section.section_id)} ({section.section_id})" for section in notice.sections]
    of = f"Document {notice.document_id}, of the kind {notice.kind}." if notice.document_id else "No document."
    return [
        f"{_what(notice)} {_SAID[notice.occasion]}.",
        of,
        *(f"Section {name}" for name in named),
        *([f"Version {notice.version}."] if notice.version is not None else []),
        *([_spent(notice.budget)] if notice.budget else []),
        *([f"It is assigned to {notice.assignee}."] if notice.assignee else []),
        *([f"Due: {notice.due.isoformat(' ', 'minutes')}."] if notice.due else []),
        f"See it with: stemma show {notice.document_id}" if notice.document_id else "It arrived.",
        f"You get this by the rule {notice.rule_id}; stemma notify remove {notice.rule_id} ends it.",
    ]


def offers_of(links: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(_OFFERED[Verb(verb)], link) for verb, link in links.items()]


def _spent(budget: Budget) -> str:
    limits = [f"{budget.tokens:,} tokens"] if budget.tokens is not None else []
    limits += [f"${budget.cost:,.2f}"] if budget.cost is not None else []
    spent = budget.spent
    return f"It cost {spent.tokens:,} tokens and ${spent.cost:,.2f} so far; the rule names {' and '.join(limits)}."


def _what(notice: Notice) -> str:
    match notice.sections:
        case (NoticedSection(section_id=name, title=title),):
            return _one_line(title or name)
        case ():
            return f"Document {notice.document_id}" if notice.document_id else "This"
        case several:
            return f"One of {len(several)} sections"


def _one_line(text: str) -> str:
    """On one line, without what is unseen or turns the direction."""
    return " ".join(shown(text).split())[:_LONGEST]


FOR_GOOD = range(550, 555)
EVERY_DOMAIN = "*"


@dataclass(frozen=True)
class MailServer:
    host: str
    port: int
    security: Literal["starttls", "tls", "none"]
    sender: str
    domains: tuple[str, ...]
    user: str | None = None
    password: str | None = field(default=None, repr=False)


def message_of(notice: Notice, sender: str, receiver: str, links: Mapping[str, str] = NONE) -> EmailMessage:
    """The mail of a notice; a line break in a name could begin another header, and is none here."""
    message = EmailMessage()
    message["From"], message["To"] = sender, receiver
    message["Subject"] = subject_of(notice)
    message["Date"] = format_datetime(notice.happened_at)
    message["Message-ID"] = f"<{notice.notice_id}@{parseaddr(sender)[1].rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    words, offers = words_of(notice), offers_of(links)
    message.set_content("\n".join([*words, *(f"{words}: {link}" for words, link in offers)]))
    lines = [f"<p>{escape(line)}</p>\n" for line in words]
    lines += [f'<p><a href="{escape(link)}">{escape(words)}</a></p>\n' for words, link in offers]
    message.add_alternative("".join(lines), subtype="html")
    return message


class Mail:
    """Sends notices to mail addresses; without a server, none."""

    def __init__(self, server: MailServer | None, limit_s: float, trust: ssl.SSLContext) -> None:
        self._server = server
        self._limit_s = limit_s
        self._trust = trust

    def check(self, receiver: str) -> MailServer:
        """The server for a receiver; raises `Refused` where there is none, or where mails may not go."""
        if self._server is None:
            raise Refused("no mail server is configured (mail_host of the notifier)")
        if not {EVERY_DOMAIN, receiver.rpartition("@")[2].lower()} & set(self._server.domains):
            raise Refused("mails may not go to this domain (mail_domains of the notifier)")
        return self._server

    async def send(self, receiver: str, notice: Notice, links: Mapping[str, str] = NONE) -> str:
        """Send a notice; returns how it went. Raises `NotSent`, and `Refused` where it is of no use."""
        server = self.check(receiver)
        message = message_of(notice, server.sender, receiver, links)
        try:
            async with asyncio.timeout(self._limit_s):
                await asyncio.to_thread(self._send, server, message)
        except TimeoutError:
            raise NotSent(f"no answer within {self._limit_s:g} s") from None
        except smtplib.SMTPRecipientsRefused as refused:
            [(code, _)] = refused.recipients.values()
            raise (Refused if code in FOR_GOOD else NotSent)(f"SMTP {code}") from None
        except smtplib.SMTPResponseException as error:
            raise NotSent(f"SMTP {error.smtp_code}") from None
        except (smtplib.SMTPException, OSError) as error:
            raise NotSent(type(error).__name__) from None
        return "sent"

    def _send(self, server: MailServer, message: EmailMessage) -> None:
        with self._connected(server) as connection:
            if server.user is not None:
                connection.login(server.user, server.password or "")
            connection.send_message(message)

    @contextmanager
    def _connected(self, server: MailServer) -> Iterator[smtplib.SMTP]:
        if server.security == "tls":
            with smtplib.SMTP_SSL(server.host, server.port, timeout=self._limit_s, context=self._trust) as encrypted:
                yield encrypted
            return
        with smtplib.SMTP(server.host, server.port, timeout=self._limit_s) as connection:
            if server.security == "starttls":
                connection.starttls(context=self._trust)
            yield connection
