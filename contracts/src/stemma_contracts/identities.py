"""Connections of people who show what an OpenID provider signed: by which names they connect, and what they are told.

Such a person has no keys. The token of the provider is the password, and the user says what the connection is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from .tokens import check_person, check_token

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
