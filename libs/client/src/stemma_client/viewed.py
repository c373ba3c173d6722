"""What somebody has viewed of a document, section by section, each in the version that was shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.viewed import MOST_VIEWED, ViewedSections

from .connection import Connection
from .errors import InvalidInputError, StemmaError
from .own_values import read_value, write_value

TRIES = 5
PATIENCE_S, AGAIN_AFTER_S = 2.0, 60.0


class Viewed:
    """What a person that is logged in has viewed, else the programs of the tenant together; nobody else reads it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        login = connection.address.login
        self._tenant = connection.address.tenant
        self._owner = login.person if login else subjects.PROGRAMS
        self._not_before = 0.0

    async def of(self, document_id: str) -> Mapping[str, int]:
        """The version in which each section of a document was viewed; nothing where the server does not tell it.

        A server whose configuration is older refuses without an answer: it is asked again after a while.
        """
        if time.monotonic() < self._not_before:
            return {}
        try:
            async with asyncio.timeout(PATIENCE_S):
                known, _ = await self._read(document_id)
        except (TimeoutError, StemmaError):
            self._not_before = time.monotonic() + AGAIN_AFTER_S
            return {}
        return known.versions

    async def mark(self, document_id: str, section_id: str, version: int) -> None:
        """A section was viewed in a version; 0 takes that back. Raises `InvalidInputError` for too many at a time."""
        for _ in range(TRIES):
            known, sequence = await self._read(document_id)
            versions = {name: seen for name, seen in known.versions.items() if name != section_id}
            if version and len(versions) >= MOST_VIEWED:
                raise InvalidInputError(f"{MOST_VIEWED} sections of the document are marked, and no more can be")
            versions |= {section_id: version} if version else {}
            data = ViewedSections(versions=versions).model_dump_json().encode()
            if await write_value(self._connection, subjects.VIEWED_BUCKET, self._key(document_id), data, sequence):
                return
        raise InvalidInputError("what was viewed is changed in another window all the time")

    async def _read(self, document_id: str) -> tuple[ViewedSections, int]:
        data, sequence = await read_value(self._connection, subjects.VIEWED_BUCKET, self._key(document_id))
        try:
            return ViewedSections.model_validate_json(data), sequence
        except ValidationError:
            return ViewedSections(), sequence

    def _key(self, document_id: str) -> str:
        return subjects.viewed_key(self._tenant, self._owner, document_id)
