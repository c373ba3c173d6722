"""Values of a person on the server that nobody else may write: what was viewed, and the sessions that were ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from nats.js.api import Header
from nats.js.errors import APIError, NotFoundError
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.viewed import MOST_VIEWED, ViewedSections

from .connection import Connection
from .errors import InvalidInputError, ServerUnreachableError, StemmaError

MOST_SESSIONS = 200
"""Sessions that are remembered; of more, those that would end last."""


SESSIONS_AGAIN_AFTER_S = 5.0


class SignedOutSessions(BaseModel):
    """When each session that was ended would have ended by itself, in seconds since 1970."""

    ends_at: dict[str, float] = Field(default={}, max_length=MOST_SESSIONS)


class SignedOut:
    """The sessions of a person, or of the programs of a tenant; nobody else writes or reads them."""

    def __init__(self, connection: Connection) -> None:
        login, tenant = connection.address.login, connection.address.tenant
        self._connection = connection
        self._key = subjects.signed_out_key(tenant, login.person if login else subjects.PROGRAMS)
        self._not_before = 0.0

    async def add(self, session: str, ends_at: float) -> None:
        """A session was ended: no gateway accepts a copy of its cookie any more."""
        for _ in range(TRIES):
            known, sequence = await self._read()
            ahead = {name: end for name, end in known.ends_at.items() if end > time.time()} | {session: ends_at}
            kept = dict(sorted(ahead.items(), key=lambda item: item[1])[-MOST_SESSIONS:])
            data = SignedOutSessions(ends_at=kept).model_dump_json().encode()
            if await write_value(self._connection, subjects.VIEWED_BUCKET, self._key, data, sequence):
                return
        raise InvalidInputError("many sessions of this person are ended at the same time: try again")

    async def has(self, session: str) -> bool:
        """Whether a session was ended; not where the server does not tell it, as one that is not set up for it."""
        if time.monotonic() < self._not_before:
            return False
        try:
            async with asyncio.timeout(PATIENCE_S):
                known, _ = await self._read()
        except (TimeoutError, StemmaError):
            self._not_before = time.monotonic() + SESSIONS_AGAIN_AFTER_S
            return False
        return session in known.ends_at

    async def _read(self) -> tuple[SignedOutSessions, int]:
        data, sequence = await read_value(self._connection, subjects.VIEWED_BUCKET, self._key)
        try:
            return SignedOutSessions.model_validate_json(data), sequence
        except ValidationError:
            return SignedOutSessions(), sequence


_CONFLICTS = (10071, 10164)


async def read_value(connection: Connection, bucket: str, key: str) -> tuple[bytes, int]:
    """A value and the sequence where it lies; an empty object at 0 if there is none."""
    read = connection.jetstream.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{key}", direct=True)
    try:
        found = await connection.call(read)
    except ServerUnreachableError as error:
        if isinstance(error.__cause__, NotFoundError):
            return b"{}", 0
        raise
    return found.data or b"{}", found.seq or 0


async def write_value(connection: Connection, bucket: str, key: str, data: bytes, sequence: int) -> bool:
    """Write a value in the place of the one at a sequence; whether that was still there."""
    headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(sequence)}
    jetstream = await connection.asking()
    try:
        await connection.call(jetstream.publish(f"$KV.{bucket}.{key}", data, headers=headers))
    except APIError as error:
        if error.err_code not in _CONFLICTS:
            raise
        return False
    return True


TRIES = 5
PATIENCE_S = 2.0
SESSIONS_AGAIN_AFTER_S = 60.0


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
            self._not_before = time.monotonic() + SESSIONS_AGAIN_AFTER_S
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
