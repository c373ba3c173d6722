"""The base of every contract model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A message body or a value inside one: immutable, and tolerant of fields that it does not know.

    Readers ignore unknown fields, so that a contract can grow inside its version.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
