"""Sessions in browsers that a person ended, known to every gateway that the same person calls."""

from __future__ import annotations

import asyncio
import time

from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects

from .connection import Connection
from .errors import InvalidInputError, StemmaError
from .own_values import read_value, write_value

MOST = 200
"""Sessions that are remembered; of more, those that would end last."""
TRIES, PATIENCE_S, AGAIN_AFTER_S = 5, 2.0, 5.0


class SignedOutSessions(BaseModel):
    """When each session that was ended would have ended by itself, in seconds since 1970."""

    ends_at: dict[str, float] = Field(default={}, max_length=MOST)


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
            kept = dict(sorted(ahead.items(), key=lambda item: item[1])[-MOST:])
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
            self._not_before = time.monotonic() + AGAIN_AFTER_S
            return False
        return session in known.ends_at

    async def _read(self) -> tuple[SignedOutSessions, int]:
        data, sequence = await read_value(self._connection, subjects.VIEWED_BUCKET, self._key)
        try:
            return SignedOutSessions.model_validate_json(data), sequence
        except ValidationError:
            return SignedOutSessions(), sequence
