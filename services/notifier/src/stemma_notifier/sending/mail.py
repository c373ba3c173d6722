"""Mails over SMTP, in plain words and as simple HTML."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from html import escape
from typing import Literal

from stemma_contracts.shown import shown
from stemma_contracts.v1.decision_links import Verb
from stemma_contracts.v1.notifications import Occasion

from stemma_notifier.notices import NONE, Budget, Notice, NoticedSection

from .base import NotSent, Refused

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
    """The heading of a mail."""
    return _one_line(f"Stemma: {_what(notice)} {_SAID[notice.occasion]}")


def words_of(notice: Notice) -> list[str]:
    """The lines of a mail."""
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
    """What the links of a mail are for, and where they lead."""
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
    """The mail server of this installation, and which domains it is used for."""

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
