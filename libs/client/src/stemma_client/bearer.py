"""A login, or a program's password, as one word that is sent along: a bearer token (RFC 6750).

``stemma_`` and, in base64url, a byte for the kind, the fields with their lengths, and a checksum. Whoever has it is who
it stands for: it holds the secret keys themselves, so that nobody has to keep what it means.
"""

from base64 import b32decode, b32encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from stemma_contracts.tokens import InvalidToken, check_person, check_token

from .errors import StemmaError
from .logins import IdentityLogin, Login, public_key
from .settings import ServerAddress

PREFIX = "stemma_"
MAX_LENGTH = 1024
_PERSON, _PASSWORD, _SEED = b"p", b"w", b"s"
_CHECKSUM_BYTES = 4
_SEED_CHARACTERS = 58


class InvalidBearerError(StemmaError):
    """A word that is no token, was cut, or has a wrong letter; the message quotes nothing of it."""


def bearer_of(address: ServerAddress) -> str:
    """The token of whoever an address is for; raises `InvalidBearerError` for one without credentials."""
    login = address.login
    if isinstance(login, IdentityLogin):
        return login.token
    if login:
        kind, fields = _PERSON, [login.tenant, login.person, login.role]
        return _written(kind, [*map(str.encode, fields), *map(_packed, (login.reading_seed, login.asking_seed))])
    about = [address.tenant.encode(), (address.user or "").encode()]
    if address.seed:
        return _written(_SEED, [*about, _packed(address.seed)])
    if address.user and address.password:
        return _written(_PASSWORD, [*about, address.password.encode()])
    raise InvalidBearerError("there is neither a login nor a password that a token could stand for")


def address_of(token: str, url: str, tls: Mapping[str, Any]) -> ServerAddress:
    """Who a token stands for, at a server; raises `InvalidBearerError`. Whether it is admitted says the server."""
    try:
        kind, fields = _read(token)
        address = _address(kind, fields, url, tls)
        check_token(address.tenant, "tenant")
    except (ValueError, InvalidToken):
        raise InvalidBearerError.of("token_unreadable") from None
    return address


def _address(kind: bytes, fields: Sequence[bytes], url: str, tls: Mapping[str, Any]) -> ServerAddress:
    if kind == _PERSON:
        tenant, person, role = (field.decode() for field in fields[:3])
        reading, asking = map(_unpacked, fields[3:])
        login = Login(url, tenant, check_person(person), role, reading, asking)
        return ServerAddress(url, tenant, person, login=login, tls=tls)
    tenant, user = (field.decode() for field in fields[:2])
    (secret,) = fields[2:]
    check_token(user, "user")
    if kind == _SEED:
        return ServerAddress(url, tenant, user, seed=_unpacked(secret), tls=tls)
    if kind == _PASSWORD:
        return ServerAddress(url, tenant, user, secret.decode(), tls=tls)
    raise ValueError("a kind that this release does not know")


def _written(kind: bytes, fields: Sequence[bytes]) -> str:
    if any(len(field) > 255 for field in fields):
        raise InvalidBearerError("a name or a password is longer than 255 bytes")
    content = kind + b"".join(bytes([len(field)]) + field for field in fields)
    return PREFIX + urlsafe_b64encode(content + _checksum(content)).decode().rstrip("=")


def _read(token: str) -> tuple[bytes, list[bytes]]:
    if not token.startswith(PREFIX) or len(token) > MAX_LENGTH:
        raise ValueError("no token")
    text = token.removeprefix(PREFIX)
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    content, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if not content or checksum != _checksum(content):
        raise ValueError("cut, or mistyped")
    return content[:1], [*_fields(content[1:])]


def _fields(content: bytes) -> Iterator[bytes]:
    while content:
        length = content[0]
        yield content[1 : 1 + length]
        content = content[1 + length :]


def _checksum(content: bytes) -> bytes:
    return crc32(content).to_bytes(_CHECKSUM_BYTES, "big")


def _packed(seed: str) -> bytes:
    return b32decode(seed + "=" * (-len(seed) % 8))


def _unpacked(packed: bytes) -> str:
    seed = b32encode(packed).decode()[:_SEED_CHARACTERS]
    public_key(seed)
    return seed
