"""How one connects to the NATS servers: their addresses, certificates, and who one is by the token of a provider."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stemma_contracts.tokens import check_person, check_token

SCHEMES = ("nats", "tls", "ws", "wss")
_HOST = re.compile(r"[\w.:%-]+")


class InvalidServers(ValueError):
    """What is no list of addresses; the message does not quote it, for a password may stand in it."""


def servers_in(text: str) -> list[str]:
    """The addresses, each ``host[:port]`` with or without a scheme; raises `InvalidServers`."""
    servers = text.split(",")
    if not all(map(_is_server, servers)):
        raise InvalidServers("must be an address of a NATS server, as in nats://127.0.0.1:4222")
    return servers


def check_servers(text: str) -> str:
    """Return ``text`` if it is a list of addresses; raises `InvalidServers`."""
    servers_in(text)
    return text


def without_credentials(text: str) -> str:
    """The addresses of a valid list as people may see them."""
    return ",".join(map(_without_credentials, text.split(",")))


def _without_credentials(server: str) -> str:
    scheme, separator, rest = server.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


def _is_server(server: str) -> bool:
    scheme, has_scheme, rest = server.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        named = _HOST.fullmatch(parts.hostname or "") is not None and parts.port != 0
    except ValueError:
        return False
    return named and (scheme in SCHEMES or not has_scheme)


CA_VARIABLE = "STEMMA_NATS_CA_FILE"
CERTIFICATE_VARIABLE = "STEMMA_NATS_CERT_FILE"
KEY_VARIABLE = "STEMMA_NATS_KEY_FILE"


class BadCertificates(ValueError):
    """Files that cannot be used; the message names the variables that name them, and quotes nothing of them."""


def tls_options(ca: Path | None, certificate: Path | None = None, key: Path | None = None) -> dict[str, Any]:
    """What a connection of nats-py is told; without files it is encrypted if the server says so, and not held to it.

    With them the handshake comes first: who is no server with a certificate that is trusted hears nothing, no password
    either. Raises `BadCertificates`.
    """
    if not (ca or certificate or key):
        return {}
    import ssl

    if key and not certificate:
        raise BadCertificates(f"{KEY_VARIABLE} is nothing without {CERTIFICATE_VARIABLE}")
    try:
        context = ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise BadCertificates(f"{CA_VARIABLE} names no file of certificates: {error.strerror}") from None
    try:
        if certificate:
            context.load_cert_chain(certificate, key)
    except OSError as error:
        words = f"{CERTIFICATE_VARIABLE} and {KEY_VARIABLE} name no certificate with its key"
        raise BadCertificates(f"{words}: {error.strerror}") from None
    return {"tls": context, "tls_handshake_first": True}


def tls_of(environ: Mapping[str, str]) -> dict[str, Any]:
    """The same by the variables of the environment."""
    ca, certificate, key = (environ.get(name) for name in (CA_VARIABLE, CERTIFICATE_VARIABLE, KEY_VARIABLE))
    return tls_options(*(Path(given) if given else None for given in (ca, certificate, key)))


READS, ASKS = "identity-reads", "identity-asks"
_MARK = 16


def asks_who(token: str) -> str:
    """The user that connects to learn whom a token stands for; nobody else's answers come to its inbox."""
    return f"identity.{sha256(token.encode()).hexdigest()[:32]}"


@dataclass(frozen=True)
class KnownAs:
    """The name by which the server calls a connection of such a person."""

    tenant: str
    person: str
    role: str
    mark: str

    @classmethod
    def of(cls, tenant: str, person: str, role: str, identity: str) -> KnownAs:
        """The name of a person with an identity: with another identity, it is another name."""
        return cls(tenant, person, role, sha256(identity.encode()).hexdigest()[:_MARK])

    @classmethod
    def read(cls, name: str) -> KnownAs:
        """The name in its written form; raises `ValueError`."""
        tenant, person, role, mark = name.split("/")
        return cls(check_token(tenant, "tenant"), check_person(person), role, mark)

    def __str__(self) -> str:
        return "/".join((self.tenant, self.person, self.role, self.mark))
