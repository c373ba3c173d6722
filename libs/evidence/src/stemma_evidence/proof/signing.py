"""The keys of tenants, and the statements that they sign."""

import hmac
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey
from pydantic import ValidationError
from stemma_contracts.v1.proofs import ProvenDemand, ProvenName, ProvenSource, Statement

_SIGNED = b"stemma proof 1\n"
_MOST_BYTES = 64 << 20
_SALT_BYTES = 16


@dataclass(frozen=True)
class TenantKey:
    """The key of a tenant, derived from the secret of an installation: who has that can sign for all of them."""

    _secret: bytes

    @classmethod
    def of(cls, secret: str, tenant: str) -> "TenantKey":
        return cls(hmac.digest(secret.encode(), f"stemma proof key {tenant}".encode(), "sha256"))

    @property
    def public(self) -> str:
        return bytes(SigningKey(self._secret).verify_key).hex()

    def sign(self, statement: bytes) -> str:
        """The signature in hex: the same for the same statement."""
        return SigningKey(self._secret).sign(_SIGNED + statement).signature.hex()

    def salt(self, *about: str) -> str:
        """What nobody without the secret can guess, the same each time."""
        return hmac.digest(self._secret, "\n".join(("salt", *about)).encode(), "sha256")[:_SALT_BYTES].hex()


def is_signed(key: str, signature: str, statement: bytes) -> bool:
    try:
        VerifyKey(bytes.fromhex(key)).verify(_SIGNED + statement, bytes.fromhex(signature))
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


def seal_of(salt: str, *words: str) -> str:
    return sha256("\n".join((salt, *words)).encode()).hexdigest()


def for_readers(statement: Statement) -> Statement:
    """The statement as it leaves: of what is sealed without words and salts."""
    sections = (one.model_copy(update={"settled": tuple(map(_sealed, one.settled))}) for one in statement.sections)
    return statement.model_copy(
        update={
            "sections": tuple(sections),
            "sources": tuple(map(_sealed, statement.sources)),
            "demands": tuple(map(_sealed_demand, statement.demands)),
        }
    )


def _sealed(one: ProvenName) -> ProvenName:
    if one.seal is None:
        return one
    hidden = {"name": "", "salt": ""} | ({"digest": None, "place": ""} if isinstance(one, ProvenSource) else {})
    return one.model_copy(update=hidden)


def _sealed_demand(one: ProvenDemand) -> ProvenDemand:
    """Short words of ours could be guessed by their digest alone."""
    if one.source.seal is None:
        return one
    quote = seal_of(one.source.salt, one.quote)
    return one.model_copy(update={"source": _sealed(one.source), "place": "", "quote": quote})


def encoded(statement: Statement) -> bytes:
    """What is signed."""
    return statement.model_dump_json(exclude_defaults=True).encode()


def decoded(content: bytes) -> Statement | None:
    try:
        return Statement.model_validate_json(content)
    except ValidationError:
        return None


def packed(statement: bytes) -> str:
    return b64encode(zlib.compress(statement, 9)).decode()


def unpacked(text: str) -> bytes | None:
    """What was packed; None if it is damaged, or larger than any statement."""
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(b64decode("".join(text.split()), validate=True), _MOST_BYTES)
    except (ValueError, zlib.error):
        return None
    return found if unpacking.eof else None
