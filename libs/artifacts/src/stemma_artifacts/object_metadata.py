"""The description of an object as client libraries of any language store it; whoever writes it may write anything."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

CHUNK_BYTES = 128 * 1024


class BadObject(ValueError):
    """The description of an object cannot be read."""


class Description(BaseModel):
    """What is needed of it: the subject token of its chunks, how many they are, and what makes it no content."""

    model_config = ConfigDict(strict=True, frozen=True)

    nuid: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,64}$")]
    chunks: int = Field(default=0, ge=0)
    deleted: bool = False
    options: dict[str, Any] | None = None

    @property
    def has_content(self) -> bool:
        """Whether it describes an object itself; a link could lead into the bucket of another tenant."""
        return not self.deleted and not (self.options and self.options.get("link"))


def subject_of(bucket: str, name: str) -> str:
    """Where the description of an object lies."""
    return f"$O.{bucket}.M.{urlsafe_b64encode(name.encode()).decode()}"


def read(data: bytes) -> Description:
    """A description; raises `BadObject`."""
    try:
        return Description.model_validate_json(data)
    except ValidationError as error:
        raise BadObject(f"{error.error_count()} fields do not fit") from None


class Described:
    """Gathers the description of an object while its chunks are written."""

    def __init__(self, bucket: str, name: str, nuid: str) -> None:
        self._about = {"name": name, "bucket": bucket, "nuid": nuid, "options": {"max_chunk_size": CHUNK_BYTES}}
        self._hash, self._size, self._chunks = sha256(), 0, 0

    def add(self, chunk: bytes) -> None:
        """Count a chunk."""
        self._hash.update(chunk)
        self._size, self._chunks = self._size + len(chunk), self._chunks + 1

    def as_json(self, mtime: str) -> dict[str, Any]:
        """The whole description, as of a time."""
        digest = urlsafe_b64encode(self._hash.digest()).decode()
        counts = {"size": self._size, "chunks": self._chunks, "digest": f"SHA-256={digest}"}
        return {**self._about, **counts, "mtime": mtime}
