"""Signing in at an OpenID provider: the code flow with PKCE (RFC 7636), state and nonce, found by discovery.

The token that the provider sends is what the person shows to the bus: the admission verifies it by the keys of the
provider. Nothing here decides who somebody is.
"""

import base64
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from urllib.parse import urlencode

import httpx
from jwt import PyJWTError, decode, get_unverified_header
from pydantic import BaseModel
from stemma_client.bearer import PREFIX
from stemma_client.connection import CALL_TIMEOUT_S, connect
from stemma_client.errors import AccessDeniedError
from stemma_client.logins import IdentityLogin
from stemma_client.requests import USER_INFO
from stemma_client.settings import ServerAddress
from stemma_contracts.connections import KnownAs, asks_who
from stemma_contracts.v1.answers import Problem

from .problems import ProviderAway, SignInFailed

DISCOVERY = "/.well-known/openid-configuration"
WITHIN_S, KNOWN_FOR_S = 5.0, 300.0


@dataclass(frozen=True)
class Registration:
    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    scopes: str = "openid email profile"


class Visit(BaseModel):
    state: str
    nonce: str
    verifier: str
    next: str


class OpenId:
    def __init__(self, registration: Registration) -> None:
        self._own = registration
        self._known: dict[str, Any] = {}
        self._known_at = 0.0

    @property
    def name(self) -> str:
        return httpx.URL(self._own.issuer).host

    async def begin(self, next_page: str, back: str) -> tuple[str, Visit]:
        visit = Visit(
            state=secrets.token_urlsafe(24),
            nonce=secrets.token_urlsafe(24),
            verifier=secrets.token_urlsafe(48),
            next=next_page,
        )
        digest = base64.urlsafe_b64encode(sha256(visit.verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "client_id": self._own.client_id,
            "redirect_uri": back,
            "scope": self._own.scopes,
            "state": visit.state,
            "nonce": visit.nonce,
            "code_challenge": digest,
            "code_challenge_method": "S256",
        }
        there = str((await self._about())["authorization_endpoint"])
        return f"{there}{'&' if '?' in there else '?'}{urlencode(query)}", visit

    async def finish(self, visit: Visit, answer: dict[str, str], back: str) -> str:
        if not compare_digest(answer.get("state", "").encode(), visit.state.encode()):
            raise SignInFailed(Problem.of("provider_state_mismatch"))
        if answer.get("iss", self._own.issuer) != self._own.issuer:
            raise SignInFailed(Problem.of("provider_wrong_issuer"))
        if "code" not in answer:
            raise SignInFailed(Problem.of("provider_refused", reason=answer.get("error", "no reason given")[:80]))
        token = await self._token(answer["code"], visit.verifier, back)
        if not compare_digest(str(claims_of(token).get("nonce", "")).encode(), visit.nonce.encode()):
            raise SignInFailed(Problem.of("provider_nonce_mismatch"))
        return token

    def why_refused(self, token: str) -> Problem:
        """The problem of a token that the bus does not take; it was verified there, and not here."""
        try:
            algorithm, claims = get_unverified_header(token).get("alg", ""), claims_of(token)
        except (PyJWTError, SignInFailed):
            return Problem.of("identity_token_invalid")
        audiences = claims.get("aud", ())
        if str(algorithm).lower() == "none":
            return Problem.of("identity_token_unsigned")
        if claims.get("iss") != self._own.issuer:
            return Problem.of("identity_token_wrong_issuer")
        if ends_at(claims) < time.time():
            return Problem.of("identity_token_expired")
        if self._own.client_id not in ([audiences] if isinstance(audiences, str) else audiences):
            return Problem.of("identity_token_wrong_audience")
        return Problem.of("identity_unknown")

    async def _token(self, code: str, verifier: str, back: str) -> str:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        secret = httpx.BasicAuth(self._own.client_id, self._own.secret) if self._own.secret else httpx.Auth()
        where = str((await self._about())["token_endpoint"])
        async with httpx.AsyncClient(timeout=WITHIN_S) as http:
            try:
                answer = await http.post(where, data={**form, "client_id": self._own.client_id}, auth=secret)
                told = answer.json()
            except (httpx.HTTPError, ValueError):
                raise ProviderAway(Problem.of("provider_unreachable"), WITHIN_S) from None
        if answer.is_server_error:
            raise ProviderAway(Problem.of("provider_unreachable"), WITHIN_S)
        if not isinstance(told, dict) or not isinstance(token := told.get("id_token"), str):
            raise SignInFailed(Problem.of("provider_code_used"))
        return token

    async def _about(self) -> dict[str, Any]:
        if self._known and time.monotonic() - self._known_at < KNOWN_FOR_S:
            return self._known
        async with httpx.AsyncClient(timeout=WITHIN_S) as http:
            try:
                answer = await http.get(self._own.issuer.rstrip("/") + DISCOVERY)
                told = answer.raise_for_status().json()
                if told["issuer"] != self._own.issuer:
                    raise ValueError("the provider calls itself otherwise")
            except (httpx.HTTPError, ValueError, KeyError, TypeError):
                raise ProviderAway(Problem.of("provider_unreachable"), WITHIN_S) from None
        self._known, self._known_at = told, time.monotonic()
        return self._known


def is_signed(token: str) -> bool:
    return token.count(".") == 2 and not token.startswith(PREFIX)


def claims_of(token: str) -> dict[str, Any]:
    try:
        return dict(decode(token, options={"verify_signature": False}))
    except PyJWTError:
        raise SignInFailed(Problem.of("provider_token_unreadable")) from None


def ends_at(claims: dict[str, Any]) -> float:
    ends = claims.get("exp", 0)
    return float(ends) if isinstance(ends, (int, float)) else 0.0


async def address_of_identity(token: str, url: str, tls: Mapping[str, Any]) -> ServerAddress:
    """The person whom a token of the provider stands for; raises `AccessDeniedError` if it stands for nobody."""
    asking = ServerAddress(url, user=asks_who(token), password=token, tls=tls)
    async with connect(asking, _ignore) as connection:
        told = await connection.call(connection.nats.request(USER_INFO, b"", timeout=CALL_TIMEOUT_S))
    try:
        known = KnownAs.read(json.loads(told.data)["data"]["user"].rpartition("/")[0])
    except (ValueError, KeyError, TypeError):
        raise AccessDeniedError(f"the server at {asking.shown} does not say whose token this is") from None
    login = IdentityLogin(known.tenant, known.person, known.role, token)
    return ServerAddress(url, known.tenant, known.person, login=login, tls=tls)


def _ignore(line: str) -> None:
    """It is over in a moment."""
