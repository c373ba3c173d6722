"""Who calls. Everything else of the gateway gets a `Session`, and does not know how its caller was recognised."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from stemma_client import AccessDeniedError
from stemma_client.bearer import InvalidBearerError, address_of
from stemma_client.settings import ServerAddress
from stemma_telemetry import annotate

from .problems import Unauthenticated
from .sessions import Session

SCHEME = HTTPBearer(
    auto_error=False, scheme_name="bearer", description="What `stemma token` prints for a login or a program."
)


class Bearer:
    """Recognises callers by the token that they show: it is the login of a person, or the password of a program."""

    def __init__(self, url: str, tls: Mapping[str, Any]) -> None:
        self._url = url
        self._tls = tls

    def caller(self, request: Request) -> tuple[ServerAddress, str]:
        """Who calls, and the key of the session; raises `Unauthenticated`."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("show a token: Authorization: Bearer ...")
        try:
            return address_of(token.strip(), self._url, self._tls), sha256(token.encode()).hexdigest()
        except InvalidBearerError as error:
            raise Unauthenticated(str(error)) from None


async def authenticated(request: Request, _: Annotated[object, Depends(SCHEME)]) -> AsyncIterator[Session]:
    """The session of whoever calls, open until the answer is sent.

    Raises `Unauthenticated` for those whom the bus does not admit, and `TooMany`.
    """
    state, peer = request.app.state, request.client.host if request.client else ""
    try:
        address, key = state.bearer.caller(request)
        state.limit.take(key)
        if key not in state.sessions:
            state.refusals.check(peer)
        async with state.sessions.session(address, key) as session:
            annotate(tenant=session.tenant)
            with _still_admitted(session):
                yield session
    except Unauthenticated:
        state.refusals.take(peer)
        raise


@contextmanager
def _still_admitted(session: Session) -> Iterator[None]:
    """Who is put out in the middle of a call is not one who may not do this, but nobody."""
    try:
        yield
    except AccessDeniedError as error:
        if session.client.is_connected:
            raise
        raise Unauthenticated(str(error)) from None


Caller = Annotated[Session, Depends(authenticated)]
