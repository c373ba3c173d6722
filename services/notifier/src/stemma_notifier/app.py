"""Composition root of the notifier."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network
from typing import Literal

from faststream import FastStream
from pydantic import Field, SecretStr
from stemma_contracts import subjects
from stemma_messaging import BadSettings, Opened, Service, ServiceSettings, StemmaBroker
from stemma_messaging.drivers import PullDriver

from .adapters import RULES, Attempts, Rules, Summaries
from .delivering import Lanes, NoticeSender
from .handlers import Tools, routes
from .notices import Links
from .sending import Mail, MailServer, Webhook, trusted_ssl_context

EVENT_SLOTS, RULE_SLOTS = 512, 2
"""Most events are nobody's, and wait only for the rules to be looked at."""


class NotifierSettings(ServiceSettings):
    """What can be set; see config/settings.toml."""

    slots: int = Field(default=32, ge=1, le=1024, description="notices at a time")
    limit_s: float = Field(default=10.0, gt=0, description="one webhook, or one mail")
    rest_s: float = Field(default=5.0, gt=0, description="of a receiver that failed; doubles each time")
    longest_rest_s: float = Field(default=900.0, gt=0)
    give_up_after_s: float = Field(default=86400.0, ge=0)
    allowed_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    link_base: str = Field(default="", pattern=r"^(https?://[^\s/?#]+(/[^\s?#]*)?)?$", description="of the gateway")
    link_days: float = Field(default=7.0, gt=0, le=365)
    mail_host: str | None = None
    mail_port: int = Field(default=587, ge=1, le=65535)
    mail_security: Literal["starttls", "tls", "none"] = "starttls"
    mail_from: str | None = None
    mail_user: str | None = None
    mail_password: SecretStr | None = None
    mail_domains: tuple[str, ...] = ()

    def mail_server(self) -> MailServer | None:
        """The mail server, if there is one; raises `BadSettings` for one that could not be used."""
        if self.mail_host is None:
            return None
        if self.mail_from is None or not self.mail_domains:
            raise BadSettings(["mail_host: give mail_from as well, and in mail_domains who may get mails"])
        return MailServer(
            self.mail_host,
            self.mail_port,
            self.mail_security,
            self.mail_from,
            tuple(domain.lower() for domain in self.mail_domains),
            self.mail_user,
            self.mail_password.get_secret_value() if self.mail_password else None,
        )


def check(settings: NotifierSettings) -> None:
    """Raises `BadSettings` for a mail server that could not be used."""
    settings.mail_server()


def build_app(settings: NotifierSettings) -> FastStream:
    tools = Opened[Tools]()

    broker = StemmaBroker(
        subjects.NOTIFIER,
        settings,
        PullDriver(subjects.EVENTS, (subjects.NOTIFIER,), EVENT_SLOTS),
        PullDriver(RULES, (subjects.NOTIFIER,), RULE_SLOTS),
        PullDriver(subjects.NOTICES, (subjects.NOTIFIER,), settings.slots),
    )
    broker.include_router(routes(tools))

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with broker.connected():
            tools.give(make_tools(settings, broker))
            await broker.publish_capabilities({})
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


def make_tools(settings: NotifierSettings, broker: StemmaBroker) -> Tools:
    attempts, trust = Attempts(broker.jetstream), trusted_ssl_context()
    sender = NoticeSender(
        Webhook(settings.allowed_networks, settings.limit_s, trust),
        Mail(settings.mail_server(), settings.limit_s, trust),
        Lanes(settings.rest_s, settings.longest_rest_s),
        attempts,
        timedelta(seconds=settings.give_up_after_s),
        Links(settings.link_base, timedelta(days=settings.link_days)),
    )
    return Tools(broker.sender, Summaries(broker.jetstream), Rules(broker.jetstream), attempts, sender)


service = Service(subjects.NOTIFIER, NotifierSettings, build_app, check)


def main() -> None:
    service.main()
