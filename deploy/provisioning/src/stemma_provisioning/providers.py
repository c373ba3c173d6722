"""An OpenID provider whose tokens are believed, and whom of a tenant they name.

Its keys are read by discovery, again every few minutes, and when a token names one that is not known. While the
provider is away, those that are known go on to count.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from jwt import PyJWK, PyJWKSet, decode, get_unverified_header
from jwt.exceptions import InvalidTokenError, PyJWTError
from stemma_contracts.tokens import check_token
from stemma_telemetry import get_logger

ISSUER, CLIENT, AUDIENCES = "STEMMA_OIDC_ISSUER", "STEMMA_OIDC_CLIENT_ID", "STEMMA_OIDC_AUDIENCES"
CLAIM, TENANT, TENANT_CLAIM = "STEMMA_OIDC_CLAIM", "STEMMA_OIDC_TENANT", "STEMMA_OIDC_TENANT_CLAIM"
DISCOVERY = "/.well-known/openid-configuration"
ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)] + ["EdDSA"]
"""Those that only the provider can sign with: neither none, nor one with a secret that others know."""
REFRESH_S, RETRY_S, REFRESH_AT_MOST_EVERY_S = 300.0, 10.0, 1.0
FETCH_WITHIN_S = 1.0
MOST_BYTES = 512 * 1024
LEEWAY_S = 30
HERE = frozenset({"127.0.0.1", "localhost", "::1"})
EMAIL = "email"


class BadProvider(ValueError):
    """Settings with which no provider can be trusted; the message names the variable."""


class InvalidIdentity(ValueError):
    """A token that stands for nobody; the message says why, and quotes nothing of it."""


@dataclass(frozen=True)
class Identity:
    """Whom a token names, by what the provider calls this person, and until when (seconds since 1970)."""

    tenant: str
    value: str
    ends_at: int


@dataclass(frozen=True)
class Trusted:
    """Which provider, which tokens of it, and what in them names a person: ``tenant_claim``, else ``tenant``."""

    issuer: str
    audiences: tuple[str, ...]
    claim: str = EMAIL
    tenant: str = "default"
    tenant_claim: str = ""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Trusted | None:
        """What the environment says, None without an issuer; raises `BadProvider` and `InvalidToken`."""
        if not (issuer := environ.get(ISSUER, "")):
            return None
        audiences = [environ.get(CLIENT, ""), *environ.get(AUDIENCES, "").split(",")]
        known = tuple(dict.fromkeys(one.strip() for one in audiences if one.strip()))
        if not known:
            raise BadProvider(f"{CLIENT} is not set: {ISSUER} is, and tokens for others must not count")
        if not is_private(issuer):
            raise BadProvider(f"{ISSUER} must begin with https://")
        tenant = check_token(environ.get(TENANT) or "default", TENANT)
        return cls(issuer, known, environ.get(CLAIM) or EMAIL, tenant, environ.get(TENANT_CLAIM, ""))


def is_private(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HERE)


class Provider:
    """Tells whom tokens name; keeps the keys of the provider."""

    def __init__(self, trusted: Trusted, clock: Callable[[], float] = time.monotonic) -> None:
        self._trusted = trusted
        self._clock = clock
        self._keys: Mapping[str | None, PyJWK] = {}
        self._asked_at = -REFRESH_S
        self._one_at_a_time = asyncio.Lock()

    async def keep_current(self) -> None:
        """Read the keys again and again, until cancelled."""
        while True:
            await self._refresh()
            await asyncio.sleep(REFRESH_S if self._keys else RETRY_S)

    async def identity(self, token: str) -> Identity:
        """Whom a token names; raises `InvalidIdentity`."""
        try:
            header = get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise InvalidIdentity("it is not signed in a way that only the provider can")
            claims = self._claims(token, await self._key(header.get("kid")))
        except InvalidTokenError as error:
            raise InvalidIdentity(f"{type(error).__name__}: {error}") from None
        return self._identity(claims)

    def _claims(self, token: str, key: PyJWK) -> dict[str, Any]:
        claims: dict[str, Any] = decode(
            token,
            key,
            algorithms=ALGORITHMS,
            audience=self._trusted.audiences,
            issuer=self._trusted.issuer,
            leeway=LEEWAY_S,
            options={"require": ["iss", "aud", "exp", "iat", "sub"]},
        )
        others = set(claims["aud"] if isinstance(claims["aud"], list) else ()) - set(self._trusted.audiences)
        if others and claims.get("azp") not in self._trusted.audiences:
            raise InvalidIdentity("it was made for somebody else too, and not by way of us")
        return claims

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        trusted, value = self._trusted, claims.get(self._trusted.claim)
        if not isinstance(value, str) or not value:
            raise InvalidIdentity(f"it has no {trusted.claim}")
        if trusted.claim == EMAIL and claims.get("email_verified") is not True:
            raise InvalidIdentity("the provider did not verify its e-mail address")
        tenant = claims.get(trusted.tenant_claim) if trusted.tenant_claim else trusted.tenant
        if not isinstance(tenant, str):
            raise InvalidIdentity(f"it has no {trusted.tenant_claim}")
        return Identity(tenant, value, int(claims["exp"]) + LEEWAY_S)

    async def _key(self, name: str | None) -> PyJWK:
        if name not in self._keys:
            await self._refresh()
        if name not in self._keys:
            raise InvalidIdentity("it is signed with a key that the provider does not have")
        return self._keys[name]

    async def _refresh(self) -> None:
        """Read the keys, unless that was tried a moment ago; one who comes with any key does not make us call."""
        async with self._one_at_a_time:
            if self._clock() - self._asked_at < REFRESH_AT_MOST_EVERY_S:
                return
            self._asked_at = self._clock()
            try:
                self._keys = await asyncio.to_thread(_keys_of, self._trusted.issuer)
            except (OSError, ValueError, KeyError, TypeError, PyJWTError) as error:
                get_logger().warning("provider_keys_unreadable", issuer=self._trusted.issuer, error=error)


def _keys_of(issuer: str) -> Mapping[str | None, PyJWK]:
    about = _fetched(issuer.rstrip("/") + DISCOVERY)
    if about["issuer"] != issuer:
        raise ValueError("the provider calls itself otherwise")
    return {key.key_id: key for key in PyJWKSet.from_dict(_fetched(about["jwks_uri"])).keys}


def _fetched(address: str) -> dict[str, Any]:
    if not is_private(address):
        raise ValueError("an address without https")
    asked = Request(address, headers={"Accept": "application/json"})  # noqa: S310 (looked at above)
    with urlopen(asked, timeout=FETCH_WITHIN_S) as answer:  # noqa: S310
        return dict(json.loads(answer.read(MOST_BYTES)))
