"""Mails to a real server: plain words, no text of a document, no header that somebody else wrote."""

import email
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope
from stemma_contracts.v1.usage import Usage
from stemma_notifier.notices import NONE, Budget, Notice, NoticedSection
from stemma_notifier.sending import Mail, MailServer, NotSent, Refused, message_of, subject_of, trusted_ssl_context
from stemma_testkit.certificates import Authority
from stemma_testkit.serving import free_port

from .conftest import notice

SENDER = "stemma@example.com"


class Mailbox:
    """Takes mails; refuses a receiver with the code that it is told."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.receivers: list[str] = []
        self.refuses = ""

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if self.refuses:
            return self.refuses
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Envelope
    ) -> str:
        self.mails.append(email.message_from_bytes(envelope.original_content or b"", policy=policy.default))
        self.receivers += envelope.rcpt_tos
        return "250 OK"


@contextmanager
def mail_server(**options: Any) -> Iterator[tuple[Mailbox, MailServer]]:
    box, port = Mailbox(), free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield box, MailServer("127.0.0.1", port, "none", SENDER, ("example.com",))
    finally:
        controller.stop()


def mail(server: MailServer | None, trust: ssl.SSLContext | None = None) -> Mail:
    return Mail(server, 10, trust or trusted_ssl_context())


def mailed(sent: Notice, links: Mapping[str, str] = NONE) -> tuple[EmailMessage, list[str], str]:
    """A mail as its receiver reads it: with its plain lines and its HTML."""
    got = email.message_from_bytes(bytes(message_of(sent, SENDER, "ada@example.com", links)), policy=policy.default)
    plain, html = (part.get_content() for part in got.iter_parts())
    return got, plain.splitlines(), html


@pytest.mark.req("H7")
def test_a_mail_tells_in_plain_words_and_as_html_what_waits_and_by_which_links_a_person_decides() -> None:
    links = {"approve": "https://x/decide/a?b&c", "revise": "https://x/d"}
    got, plain, html = mailed(notice(), links)
    assert (got["from"], got["to"]) == (SENDER, "ada@example.com")
    assert got["subject"] == "Stemma: Research waits for a decision"
    assert got["message-id"] == "<msg_1@example.com>"
    assert plain == [
        "Research waits for a decision.",
        "Document d1, of the kind proposal.",
        "Section Research (research)",
        "Version 1.",
        "See it with: stemma show d1",
        "You get this by the rule r1; stemma notify remove r1 ends it.",
        "Approve it: https://x/decide/a?b&c",
        "Ask for a revision: https://x/d",
    ]
    assert "<p>Document d1, of the kind proposal.</p>" in html
    assert '<a href="https://x/decide/a?b&amp;c">Approve it</a>' in html


@pytest.mark.req("H7")
def test_a_mail_about_a_budget_says_what_was_spent_and_what_the_rule_names() -> None:
    spent = Usage(calls=90, input_tokens=90_000, output_tokens=12_000, cost=1.254)
    reached = notice(occasion="budget", sections=(), version=None, budget=Budget(tokens=100_000, spent=spent))
    got, plain, _ = mailed(reached)
    assert got["subject"] == "Stemma: Document d1 reached a budget"
    assert "It cost 102,000 tokens and $1.25 so far; the rule names 100,000 tokens." in plain


@pytest.mark.req("H7", "S8")
def test_a_title_begins_no_header_and_is_no_markup() -> None:
    title = "Budget\r\nBcc: all@example.com\r\n\r\n<script>x</script>"
    got, _, html = mailed(notice(sections=[NoticedSection(section_id="budget", title=title)]))
    assert got["bcc"] is None
    assert got["subject"].strip() == "Stemma: Budget Bcc: all@example.com <script>x</script> waits for a decision"
    assert "<script>" not in html


@pytest.mark.req("H7")
async def test_mails_go_to_the_domains_that_the_operator_names_and_a_receiver_refused_for_good_is_refused() -> None:
    with mail_server() as (box, server):
        with pytest.raises(Refused, match="mail_domains"):
            await mail(server).send("ada@elsewhere.org", notice())
        with pytest.raises(Refused, match="mail_host"):
            await mail(None).send("ada@example.com", notice())
        assert await mail(replace(server, domains=("*",))).send("ada@elsewhere.org", notice()) == "sent"
        for refusal, error in (("550 no such user", Refused), ("451 come again later", NotSent)):
            box.refuses = refusal
            with pytest.raises(NotSent, match=f"SMTP {refusal[:3]}") as refused:
                await mail(server).send("ada@example.com", notice())
            assert type(refused.value) is error
    assert box.receivers == ["ada@elsewhere.org"]
    assert len(box.mails) == 1


@pytest.mark.req("H7", "S7")
@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_password_and_mail_go_to_a_trusted_server_and_encrypted(tmp_path: Path, security: Any) -> None:
    authority, given = Authority(tmp_path), []
    own = authority.certify("localhost")
    certificate = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.load_cert_chain(own.certificate, own.key)

    def check(_server: Any, session: Any, _envelope: Any, _mechanism: str, auth_data: Any) -> AuthResult:
        given.append((auth_data.login, auth_data.password, session.ssl is not None))
        return AuthResult(success=True)

    encrypted = {"tls_context": certificate} if security == "starttls" else {"ssl_context": certificate}
    trust = trusted_ssl_context()
    trust.load_verify_locations(authority.ca)
    options = {"authenticator": check, "auth_require_tls": security == "starttls"}
    with mail_server(**encrypted, **options) as (box, given_server):
        server = replace(given_server, security=security, user="stemma", password="hidden")
        with pytest.raises(NotSent, match="SSLCertVerificationError"):
            await mail(server).send("ada@example.com", notice())
        assert given == []
        await mail(server, trust).send("ada@example.com", notice())
    assert [one[:2] for one in given] == [(b"stemma", b"hidden")]
    assert len(box.mails) == 1


@pytest.mark.req("H7", "S1")
def test_a_title_of_an_old_document_turns_nothing_and_one_in_persian_stays_as_it_is() -> None:
    deceiving = notice(sections=[NoticedSection(section_id="research", title="pay\u202eoge\x1b[2J")])
    persian = notice(sections=[NoticedSection(section_id="research", title="می\u200cخواهم")])
    assert subject_of(deceiving) == "Stemma: payoge[2J waits for a decision"
    assert subject_of(persian) == "Stemma: می\u200cخواهم waits for a decision"
