"""Tokens as a NATS server writes and reads them: JSON that is signed with an nkey."""

import hashlib
import json
import secrets
import time
from base64 import b32decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import nkeys

_HEADER = {"typ": "JWT", "alg": "ed25519-nkey"}
_KEY_BYTES = slice(1, 33)


class Signer:
    """A key pair that is made of a secret: the same secret gives the same keys."""

    def __init__(self, secret: str, purpose: str, prefix: int) -> None:
        raw = hashlib.sha256(f"{purpose} {secret}".encode()).digest()
        self.seed = bytes(nkeys.encode_seed(raw, prefix)).decode()
        self._pair = nkeys.from_seed(bytearray(self.seed.encode()))
        self.public = bytes(self._pair.public_key).decode()

    def token(self, subject: str, audience: str, nats: Mapping[str, Any], **more: Any) -> str:
        """A signed token, with ``more`` claims."""
        claims = {
            "iss": self.public,
            "sub": subject,
            "aud": audience,
            "iat": int(time.time()),
            "jti": secrets.token_hex(16),
            **more,
            "nats": {**nats, "version": 2},
        }
        signed = f"{_encoded(_HEADER)}.{_encoded(claims)}"
        return f"{signed}.{_base64(self._pair.sign(signed.encode()))}"


def claims_of(token: bytes) -> dict[str, Any]:
    """What a token says; its signature is not looked at. Raises `ValueError`."""
    try:
        _, claims, _ = token.decode().split(".")
        return dict(json.loads(_from_base64(claims)))
    except TypeError as error:
        raise ValueError("no token") from error


def has_signed(key: str, signature: str, text: str) -> bool:
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    try:
        raw = b32decode(key + "=" * (-len(key) % 8))
        VerifyKey(raw[_KEY_BYTES]).verify(text.encode(), _from_base64(signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def _encoded(value: Mapping[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _from_base64(text: str) -> bytes:
    """Libraries of clients send either alphabet."""
    text = text.rstrip("=").replace("+", "-").replace("/", "_")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
