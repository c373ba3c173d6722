"""Composition root of the gateway."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts
from pydantic import Field, SecretStr
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import BaseRoute
from stemma_contracts import subjects
from stemma_contracts.connections import servers_in
from stemma_messaging import BadSettings, Service, ServiceSettings, http_server
from stemma_messaging.outages import measure
from stemma_telemetry import bind, get_logger, names

from . import agents, desk, openapi, pages, problems
from .authentication import Bearer
from .computing import Computing
from .cookies import CookieRules, Cookies, SetCookies
from .limits import OF_A_TENANT, Attempts, RateLimit, Shares
from .middlewares import NO_MORE_TELEMETRY, BodyBounds, BodyLimit, CompressedPages, SafeHeaders, Telemetry
from .openid import OpenId, Registration
from .resources import commands, decisions, documents, signing_in, streams, uploads
from .sessions import Sessions

SHORTEST_KEY = 32
REACHED_WITHIN_S = 2.0
DEFAULT_PORT = 4222


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """They take a quarter of a second, an application of them none."""
    router = APIRouter(generate_unique_id_function=openapi.name_of)
    of_documents = (documents.documents, documents.sections, documents.exports, commands.router, commands.answers)
    of_all = (documents.library, uploads.router, streams.router)
    for routes in (*of_documents, *of_all, agents.router, signing_in.router, decisions.router):
        router.include_router(routes)
    for page in desk.PAGES:
        router.include_router(page.router, include_in_schema=False)
    deque(iter_route_contexts(router.routes), maxlen=0)
    return tuple(router.routes)


class GatewaySettings(ServiceSettings):
    """What can be set; see config/settings.toml."""

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535, description="0 takes a free one")
    trusted_proxies: str = "127.0.0.1"
    trusted_hosts: str = Field(
        default="127.0.0.1,localhost,[::1]", pattern=r"^[^*\s]+$", description="names by which callers reach it"
    )
    max_sessions: int = Field(default=250, ge=1, description="callers that are connected at a time")
    session_idle_s: float = Field(default=60.0, gt=0)
    requests_per_s: float = Field(default=50.0, gt=0, description="of one caller")
    requests_at_once: int = Field(default=200, ge=1, description="of one caller")
    refusals_per_s: float = Field(default=1.0, gt=0, description="of one name at one address")
    refusals_at_once: int = Field(default=20, ge=1, description="of one name at one address")
    max_body_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    max_text_bytes: int = Field(default=6 * 1024 * 1024, ge=1, description="of a body that is no file")
    max_texts_bytes: int = Field(default=256 * 1024 * 1024, ge=1, description="of all such bodies at a time")
    max_wait_s: float = Field(default=60.0, ge=0)
    max_streams: int = Field(default=1000, ge=1)
    streams_at_once: int = Field(default=250, ge=1, description="of one caller")
    max_requests: int = Field(default=2000, ge=1)
    asks_within_s: float = Field(default=20.0, gt=0, description="the first of a body")
    takes_within_s: float = Field(default=60.0, gt=0, description="what a client is sent")
    least_bytes_per_s: float = Field(default=2000.0, gt=0, description="of a body")
    cookie_keys: SecretStr = Field(default=SecretStr(""), description="with commas between; the first one encrypts")
    cookie_idle_s: float = Field(default=1800.0, gt=0)
    cookie_longest_s: float = Field(default=43200.0, gt=0)
    cookie_secure: bool = Field(default=False, description="as over https, also where https is not seen here")
    public_url: str = Field(default="", pattern=r"^(https?://[^\s?#]+)?$", description="by which people reach it")
    oidc_issuer: str = Field(default="", validation_alias="STEMMA_OIDC_ISSUER")
    oidc_client_id: str = Field(default="", validation_alias="STEMMA_OIDC_CLIENT_ID")
    oidc_client_secret: SecretStr = SecretStr("")
    oidc_scopes: str = "openid email profile"
    agent_origins: str = Field(default="", description="web pages from which agents may call; none")

    def body_bounds(self) -> BodyBounds:
        return BodyBounds(
            self.max_body_bytes, self.max_text_bytes, self.max_texts_bytes, self.asks_within_s, self.least_bytes_per_s
        )

    def hosts(self) -> list[str]:
        named = [name for name in self.trusted_hosts.split(",") if name]
        return named + ([host] if (host := urlsplit(self.public_url).hostname) else [])

    def requests_in_hand(self) -> int:
        return self.requests_at_once + self.streams_at_once

    def openid(self) -> OpenId | None:
        """The provider at which people sign in; raises `BadSettings` where it does not know the gateway."""
        if not self.oidc_issuer:
            return None
        if not self.oidc_client_id:
            raise BadSettings(["STEMMA_OIDC_CLIENT_ID: give it as well, where STEMMA_OIDC_ISSUER is given"])
        secret = self.oidc_client_secret.get_secret_value()
        return OpenId(Registration(self.oidc_issuer, self.oidc_client_id, secret, self.oidc_scopes))

    def cookies(self) -> Cookies:
        """The cookies of sessions; raises `BadSettings` for a key that can be guessed."""
        keys = [key.strip() for key in self.cookie_keys.get_secret_value().split(",") if key.strip()]
        if any(len(key) < SHORTEST_KEY for key in keys):
            raise BadSettings([f"cookie_keys: each has at least {SHORTEST_KEY} characters, drawn at random"])
        return Cookies(keys, CookieRules(self.cookie_idle_s, self.cookie_longest_s, self.cookie_secure))


def check(settings: GatewaySettings) -> None:
    settings.cookies()
    settings.openid()


def build_app(settings: GatewaySettings) -> FastAPI:
    sessions = Sessions(settings.max_sessions, settings.session_idle_s)
    open_streams = streams.Streams(settings.max_streams, settings.streams_at_once)
    hosts = settings.hosts()
    mcp = agents.Agents(settings.agent_origins)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with sessions.swept(), mcp.running():
            yield

    app = FastAPI(
        title="Stemma",
        version=openapi.VERSION,
        routes=[*_routes()],
        lifespan=lifespan,
        telemetry=NO_MORE_TELEMETRY,
        **openapi.ABOUT,
    )
    app.state.bearer = Bearer(settings.nats_url, settings.tls_options(), settings.cookies(), settings.openid())
    app.state.public_url = settings.public_url
    app.state.sessions = sessions
    app.state.streams = open_streams
    app.state.links = signing_in.Links()
    app.state.agents = mcp
    app.state.computing = Computing(Shares("long texts", "max_texts_bytes", settings.max_texts_bytes))
    per_s, at_once = settings.requests_per_s, settings.requests_at_once
    app.state.limit = RateLimit("requests", per_s, at_once)
    app.state.limit_of_tenants = RateLimit("requests", per_s * OF_A_TENANT, at_once * OF_A_TENANT)
    app.state.in_hand = Shares("requests", "max_requests", settings.max_requests, settings.requests_in_hand())
    app.state.attempts = Attempts(settings.refusals_per_s, settings.refusals_at_once)
    app.state.max_wait_s = settings.max_wait_s
    problems.handle_errors(app)
    pages.handle_errors(app)
    openapi.describe(app)
    app.add_middleware(CompressedPages)
    app.add_middleware(SetCookies)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    app.add_middleware(BodyLimit, bounds=settings.body_bounds())
    app.add_middleware(Telemetry)
    return app


def missing(url: str) -> Callable[[], Awaitable[list[str]]]:
    """Asks the servers of an address, and tells what is missing: nothing, or the bus."""

    async def ask() -> list[str]:
        away = not any(await asyncio.gather(*map(_answers, servers_in(url))))
        measure(away=away)
        return ["no NATS server can be reached"] if away else []

    return ask


async def observed(missing: Callable[[], Awaitable[list[str]]], every_s: float) -> None:
    while True:
        await missing()
        await asyncio.sleep(every_s)


async def _answers(server: str) -> bool:
    address = urlsplit(server if "://" in server else f"nats://{server}")
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(REACHED_WITHIN_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port or DEFAULT_PORT)
            writer.close()
            return True
    return False


@dataclass(frozen=True)
class HttpService(Service[GatewaySettings]):
    """A service that listens to HTTP; it has no consumer, so it is ready where the bus can be reached."""

    async def run(self, settings: GatewaySettings) -> None:
        """Run until cancelled; who is being answered then is answered, and streams end at once."""
        with bind(service=self.name):
            app = self.build_app(settings)
            try:
                await self._listen(settings, app)
            finally:
                get_logger().info(names.Log.SERVICE_STOPPED)

    async def _listen(self, settings: GatewaySettings, app: FastAPI) -> None:
        options = {
            "lifespan": "on",
            "forwarded_allow_ips": settings.trusted_proxies,
            "timeout_graceful_shutdown": int(settings.shutdown_grace_s),
            "server_header": False,
        }
        safe = SafeHeaders(app, settings.cookie_secure)
        async with http_server(safe, settings.host, settings.port, settings.takes_within_s, **options) as port:
            get_logger().info("listening", host=settings.host, port=port)
            reached = missing(settings.nats_url)
            async with self.ready(settings, reached):
                try:
                    await observed(reached, settings.observe_every_s)
                finally:
                    app.state.streams.end()


service = HttpService(subjects.GATEWAY, GatewaySettings, build_app, check)


def main() -> None:
    def print_openapi(settings: GatewaySettings) -> None:
        """print the OpenAPI of the gateway, and end"""
        print(json.dumps(build_app(settings).openapi(), indent=1, sort_keys=True, ensure_ascii=False))

    service.main({"--openapi": print_openapi})
