"""Sessions of people with browsers: the bearer token in an encrypted cookie, short, and renewed while it is used.

Any process that has the key can answer: nothing of a session is kept here, but the names of those that were ended
before their time. Without a key in the settings one is made at the start: the sessions end with the process.
"""

import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from typing import TypeVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from pydantic import BaseModel, ValidationError
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from stemma_contracts.v1.answers import Problem

from .problems import FromElsewhere, Invalid, SessionEnded

NAME, SAFE_NAME = "stemma", "__Host-stemma"
MOST_BYTES = 4000
"""Of a cookie; browsers keep no longer ones."""
RENEWED_AFTER = 0.1
"""Of the time after which an idle session ends."""
AWAY, AWAY_FOR_S = "-away", 600
UNATTENDED = "hx-request"
"""The header of what a page asks for that is open: nobody uses the session by that."""
_TO_SET = "set_cookies"
M = TypeVar("M", bound=BaseModel)


class SignedIn(BaseModel):
    """What a cookie holds: the token, since when, and until when it is good. ``number`` tells sessions apart."""

    token: str
    number: str
    begun_at: float
    renewed_at: float
    token_ends_at: float | None = None

    @property
    def name(self) -> str:
        """What it is known by where it was ended; nobody can make a cookie of it."""
        return sha256(f"ended {self.number}".encode()).hexdigest()

    @property
    def proof(self) -> str:
        """What only who may read the answers of this session knows; a page of another site does not."""
        return sha256(f"not another site {self.number}".encode()).hexdigest()


@dataclass(frozen=True)
class CookieRules:
    """How long sessions last, in seconds without a request and in all; ``secure``: as over https in any case."""

    idle_s: float
    longest_s: float
    secure: bool = False


class Cookies:
    """Makes and reads the cookies of sessions; the first key encrypts, any of them decrypts."""

    def __init__(self, keys: Sequence[str], rules: CookieRules, clock: Callable[[], float] = time.time) -> None:
        self._box = MultiFernet([Fernet(_fernet_key(key)) for key in keys or [secrets.token_urlsafe(32)]])
        self._rules = rules
        self._clock = clock
        self._ended: dict[str, float] = {}

    def begun(self, request: Request, token: str, ends_at: float | None = None) -> SignedIn:
        """Begin a session with the answer to a request; raises `Invalid` for a token that no cookie can hold."""
        now, number = self._clock(), secrets.token_hex(16)
        signed_in = SignedIn(token=token, number=number, begun_at=now, renewed_at=now, token_ends_at=ends_at)
        self._set(request, signed_in)
        return signed_in

    def put_aside(self, request: Request, what: BaseModel) -> None:
        value = self._box.encrypt(what.model_dump_json().encode()).decode()
        self._have_set(request, value, AWAY_FOR_S, AWAY)

    def brought_back(self, request: Request, kind: type[M]) -> M | None:
        """What was put aside, once; None if there is nothing, or it was too long ago."""
        cookie = request.cookies.get(self._name(request, AWAY), "")
        self._have_set(request, "", 0, AWAY)
        try:
            return kind.model_validate_json(self._box.decrypt(cookie, AWAY_FOR_S))
        except (InvalidToken, ValidationError):
            return None

    def ended(self, request: Request, signed_in: SignedIn | None = None) -> None:
        self._have_set(request, "", 0)
        if signed_in:
            now = self._clock()
            self._ended = {name: end for name, end in self._ended.items() if end > now}
            self._ended[signed_in.name] = self.last_moment(signed_in)

    def has_ended(self, signed_in: SignedIn) -> bool:
        return signed_in.name in self._ended

    def last_moment(self, signed_in: SignedIn) -> float:
        return self._clock() + self.ends_in(signed_in)

    def of(self, request: Request) -> SignedIn | None:
        cookie = request.cookies.get(self._name(request))
        if cookie is None:
            return None
        try:
            signed_in = SignedIn.model_validate_json(self._box.decrypt(cookie))
        except (InvalidToken, ValidationError):
            signed_in = None
        if signed_in is None or self._left(signed_in) <= 0 or self.has_ended(signed_in):
            self.ended(request)
            raise SessionEnded(Problem.of("session_ended"))
        return self._renewed(request, signed_in)

    def ends_at(self, signed_in: SignedIn) -> datetime:
        return datetime.fromtimestamp(self._clock() + self._left(signed_in), UTC)

    def ends_in(self, signed_in: SignedIn) -> float:
        longest = signed_in.begun_at + self._rules.longest_s
        return max(0.0, min(longest, signed_in.token_ends_at or longest) - self._clock())

    def _renewed(self, request: Request, signed_in: SignedIn) -> SignedIn:
        now = self._clock()
        if now - signed_in.renewed_at < self._rules.idle_s * RENEWED_AFTER or UNATTENDED in request.headers:
            return signed_in
        signed_in = signed_in.model_copy(update={"renewed_at": now})
        self._set(request, signed_in)
        return signed_in

    def _left(self, signed_in: SignedIn) -> float:
        idle = signed_in.renewed_at + self._rules.idle_s
        ends = [idle, signed_in.begun_at + self._rules.longest_s, signed_in.token_ends_at or idle]
        return min(ends) - self._clock()

    def _set(self, request: Request, signed_in: SignedIn) -> None:
        value = self._box.encrypt(signed_in.model_dump_json().encode()).decode()
        if len(value) > MOST_BYTES:
            raise Invalid(Problem.of("token_too_long"))
        self._have_set(request, value, int(self._left(signed_in)))

    def _have_set(self, request: Request, value: str, seconds: int, kind: str = "") -> None:
        name, answer = self._name(request, kind), Response()
        answer.set_cookie(name, value, seconds, secure=self._is_secure(request), httponly=True, samesite="lax")
        request.scope.setdefault("state", {}).setdefault(_TO_SET, {})[name] = answer.headers["set-cookie"]

    def _is_secure(self, request: Request) -> bool:
        return self._rules.secure or request.url.scheme == "https"

    def _name(self, request: Request, kind: str = "") -> str:
        return (SAFE_NAME if self._is_secure(request) else NAME) + kind


class SetCookies:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_cookie(message: Message) -> None:
            for cookie in scope.get("state", {}).get(_TO_SET, {}).values():
                if message["type"] == "http.response.start":
                    MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        await self._app(scope, receive, with_cookie)


def _fernet_key(secret: str) -> bytes:
    return urlsafe_b64encode(sha256(f"cookies {secret}".encode()).digest())


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
PROOF = "x-csrf-token"


def check_origin(request: Request) -> bool:
    """Whether the browser says that the request comes from here; raises `FromElsewhere` where it says otherwise."""
    if site := request.headers.get("sec-fetch-site"):
        is_own = site == "same-origin"
    elif origin := request.headers.get("origin"):
        is_own = origin.lower() == f"{request.url.scheme}://{request.url.netloc}".lower()
    else:
        return False
    if not is_own:
        raise FromElsewhere(Problem.of("cross_site_request"))
    return True


def check_visit(request: Request) -> None:
    """A page is not visited from one of another site, but by its address; raises `FromElsewhere`."""
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise FromElsewhere(Problem.of("cross_site_link"))


def check_change(request: Request, signed_in: SignedIn) -> None:
    """A change that comes with a cookie shows where it comes from, or what only this session knows.

    Raises `FromElsewhere`.
    """
    if request.method in SAFE_METHODS or check_origin(request):
        return
    if not compare_digest(request.headers.get(PROOF, "").encode(), signed_in.proof.encode()):
        raise FromElsewhere(Problem.of("origin_needed", header=PROOF))
