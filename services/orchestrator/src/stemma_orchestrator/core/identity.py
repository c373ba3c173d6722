"""Ids that are derived, so that the same request names the same document."""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha256

_LENGTH = 16
_GIVEN = "seq-"


def document_id_for(tenant: str, request_id: str) -> str:
    """The id of the document that a request asks for: 16 characters of the hash of tenant and request id."""
    digest = sha256(f"{tenant}/{request_id}".encode()).digest()
    return b32encode(digest).decode().lower()[:_LENGTH]


def request_id_for(sequence: int) -> str:
    """The id of a request whose caller chose none: made of its stream sequence."""
    return f"{_GIVEN}{sequence}"


def is_given(request_id: str) -> bool:
    """Whether an id looks like one of `request_id_for`, which callers may not take from each other."""
    return request_id.startswith(_GIVEN)
