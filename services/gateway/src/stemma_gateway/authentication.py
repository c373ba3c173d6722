"""Who calls. Everything else of the gateway gets a `Session`, and does not know how its caller was recognised."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPBearer
from stemma_client import AccessDeniedError, NobodyAdmitsError
from stemma_client.bearer import InvalidBearerError, address_of
from stemma_client.logins import Login, public_key
from stemma_client.settings import ServerAddress
from stemma_contracts.v1.answers import Problem
from stemma_telemetry import annotate

from .cookies import NAME, Cookies, check_change
from .limits import counted_as
from .openid import OpenId, address_of_identity, is_signed
from .pages import reads_pages
from .problems import SessionEnded, Unauthenticated, problem_in
from .sessions import Find, Session

KEY = "idempotency-key"
SCHEME = HTTPBearer(
    auto_error=False, scheme_name="bearer", description="What `stemma token` prints for a login or a program."
)
COOKIE = APIKeyCookie(
    name=NAME,
    auto_error=False,
    scheme_name="cookie",
    description="What `POST /sign-in` sets; over https its name is `__Host-stemma`.",
)


@dataclass(frozen=True)
class Shown:
    """A token that is good for somebody, if the bus says so.

    Its session is found by ``key``, which has everything that the token can do, and no label that nobody checks.
    ``proof`` is what the bus checks first: one person has one. ``name`` is who the token says that it is of.
    """

    find: Find
    key: str
    proof: str
    name: str


class Bearer:
    """Recognises callers by the token that they show: it is the login of a person, or the password of a program."""

    def __init__(self, url: str, tls: Mapping[str, Any], cookies: Cookies, openid: OpenId | None = None) -> None:
        self.url = url
        self._tls = tls
        self.cookies = cookies
        self.openid = openid

    def caller(self, request: Request) -> Shown:
        """Who calls; raises `Unauthenticated`, and `FromElsewhere` for a change that a page of another site sends."""
        if "authorization" in request.headers:
            return self.shown(bearer_in(request))
        if signed_in := self.cookies.of(request):
            check_change(request, signed_in)
            request.state.signed_in = signed_in
            return self.shown(signed_in.token)
        raise Unauthenticated(Problem.of("token_needed"))

    def shown(self, token: str) -> Shown:
        if self.openid and is_signed(token):
            key = _digest(token)
            return Shown(partial(self._of_identity, token, self.openid), key, key, key)
        try:
            address = address_of(token, self.url, self._tls)
        except InvalidBearerError as error:
            raise Unauthenticated(problem_in(error)) from None
        proof, name = _proof(address), f"{address.tenant}/{address.user}"
        return Shown(partial(_known, address), _digest(name, proof, _asking_key(address)), proof, name)

    async def _of_identity(self, token: str, openid: OpenId) -> ServerAddress:
        try:
            return await address_of_identity(token, self.url, self._tls)
        except NobodyAdmitsError:
            raise
        except AccessDeniedError:
            raise Unauthenticated(openid.why_refused(token)) from None


def _proof(address: ServerAddress) -> str:
    """What the bus knows a caller by: a public key, or a name with its password."""
    if isinstance(address.login, Login):
        return public_key(address.login.reading_seed)
    if address.seed:
        return public_key(address.seed)
    return _digest(address.user or "", address.password or "")


def _asking_key(address: ServerAddress) -> str:
    """The other key of a person: who has the first one alone shares no connection that has both."""
    return public_key(address.login.asking_seed) if isinstance(address.login, Login) else ""


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


def bearer_in(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated(Problem.of("token_needed"))
    return token.strip()


async def _known(address: ServerAddress) -> ServerAddress:
    return address


async def authenticated(
    request: Request, _: Annotated[object, Depends(SCHEME)], __: Annotated[object, Depends(COOKIE)]
) -> AsyncIterator[Session]:
    """The session of whoever calls, open until the answer is sent; ``request.state.signed_in`` is its cookie, if any.

    ``request.state.user`` is the name for pages, also for one that tells what went wrong.

    Raises as `admitted` does.
    """
    bearer = request.app.state.bearer
    shown = bearer.caller(request)
    async with admitted(request, shown) as session:
        signed_in = getattr(request.state, "signed_in", None)
        if signed_in and await session.client.signed_out.has(signed_in.name):
            bearer.cookies.ended(request, signed_in)
            raise SessionEnded(Problem.of("session_ended"))
        request.state.user = session.user
        annotate(tenant=session.tenant)
        compute = request.app.state.computing.called_by(request, session.owner)
        if reads_pages(request):
            await session.client.rights.learn()
        with still_admitted(session):
            yield replace(session, client=session.client.computing(compute))


@asynccontextmanager
async def admitted(request: Request, shown: Shown) -> AsyncIterator[Session]:
    """The session of a token while a request is answered.

    Raises `Unauthenticated`, and `TooMany` and `Busy` where its caller, its tenant or its address asks too much.
    """
    state = request.app.state
    state.limit.take(shown.proof)
    async with recognised(request, shown) as session:
        state.limit.take(session.owner)
        state.limit_of_tenants.take(session.tenant)
        with state.in_hand.more(session.owner):
            yield session


@asynccontextmanager
async def recognised(request: Request, shown: Shown) -> AsyncIterator[Session]:
    """The session of a token, whatever its caller asked for before; raises `Unauthenticated` and `Busy`."""
    state = request.app.state
    attempt = partial(state.attempts.attempt, _peer(request), shown.name)
    async with state.sessions.session(shown.find, shown.key, attempt) as session:
        yield session


def _peer(request: Request) -> str:
    return counted_as(request.client.host) if request.client else ""


@contextmanager
def still_admitted(session: Session) -> Iterator[None]:
    """Who is put out in the middle of a call is not one who may not do this, but nobody."""
    try:
        yield
    except AccessDeniedError as error:
        if session.client.is_connected:
            raise
        raise Unauthenticated(problem_in(error)) from None


Caller = Annotated[Session, Depends(authenticated)]


def repeatable(request: Request, session: Caller) -> Session:
    """The session of whoever calls; what is sent again with the same `Idempotency-Key` is done once."""
    key = request.headers.get(KEY, "")
    return replace(session, client=session.client.repeatable(key)) if key else session


RepeatableCaller = Annotated[Session, Depends(repeatable)]
