"""Values of a person on the server that nobody else may write: what was viewed, named filters, and ended sessions."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Generic, TypeVar

from nats.js.api import Header
from nats.js.errors import APIError, NotFoundError
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.section import MOST_VIEWED, ViewedSections

from .connection import Connection
from .errors import InvalidInputError, ServerUnreachableError, StemmaError

MOST_SESSIONS = 200
"""Sessions that are remembered; of more, those that would end last."""
MOST_FILTERS = 20
TRIES = 5
PATIENCE_S = 2.0
VIEWED_AGAIN_AFTER_S, SESSIONS_AGAIN_AFTER_S = 60.0, 5.0
"""How long a server that refuses without an answer, as one whose configuration is older does, is not asked again."""
_CONFLICTS = (10071, 10164)

V = TypeVar("V", bound=BaseModel)


class SignedOutSessions(BaseModel):
    """When each session that was ended would have ended by itself, in seconds since 1970."""

    ends_at: dict[str, float] = Field(default={}, max_length=MOST_SESSIONS)


class NamedFilters(BaseModel):
    """Filters of a list by their names, each as the query of its address."""

    queries: dict[Annotated[str, Field(max_length=60)], Annotated[str, Field(max_length=2000)]] = Field(
        default={}, max_length=MOST_FILTERS
    )


class OwnValues(Generic[V]):
    """Values of one model in a bucket; of a person that is logged in, else of the programs of the tenant together."""

    def __init__(self, connection: Connection, bucket: str, model: type[V], again_after_s: float = 0.0) -> None:
        login = connection.address.login
        self._connection, self._bucket, self._model = connection, bucket, model
        self._tenant, self._owner = connection.address.tenant, login.person if login else subjects.PROGRAMS
        self._again_after_s, self._not_before = again_after_s, 0.0

    async def _read(self, key: str) -> tuple[V, int]:
        """The value and the sequence where it lies; what nobody can read is as good as none."""
        data, sequence = await read_value(self._connection, self._bucket, key)
        try:
            return self._model.model_validate_json(data), sequence
        except ValidationError:
            return self._model(), sequence

    async def _read_soon(self, key: str) -> V | None:
        """The value; None where the server does not tell it, which is asked again after a while."""
        if time.monotonic() < self._not_before:
            return None
        try:
            async with asyncio.timeout(PATIENCE_S):
                return (await self._read(key))[0]
        except (TimeoutError, StemmaError):
            self._not_before = time.monotonic() + self._again_after_s
            return None

    async def _change(self, key: str, change: Callable[[V], V], otherwise: str) -> None:
        """Write what ``change`` makes of a value; what another session of the owner wrote meanwhile is kept."""
        for _ in range(TRIES):
            known, sequence = await self._read(key)
            data = change(known).model_dump_json(exclude_defaults=True).encode()
            if await write_value(self._connection, self._bucket, key, data, sequence):
                return
        raise InvalidInputError(otherwise)


class SignedOut(OwnValues[SignedOutSessions]):
    """The sessions that were ended; nobody else writes or reads them."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, subjects.VIEWED_BUCKET, SignedOutSessions, SESSIONS_AGAIN_AFTER_S)
        self._key = subjects.signed_out_key(self._tenant, self._owner)

    async def add(self, session: str, ends_at: float) -> None:
        """A session was ended: no gateway accepts a copy of its cookie any more."""

        def added(known: SignedOutSessions) -> SignedOutSessions:
            ahead = {name: end for name, end in known.ends_at.items() if end > time.time()} | {session: ends_at}
            return SignedOutSessions(ends_at=dict(sorted(ahead.items(), key=lambda item: item[1])[-MOST_SESSIONS:]))

        await self._change(self._key, added, "many sessions of this person are ended at the same time: try again")

    async def has(self, session: str) -> bool:
        """Whether a session was ended; not where the server does not tell it."""
        known = await self._read_soon(self._key)
        return known is not None and session in known.ends_at


class Viewed(OwnValues[ViewedSections]):
    """What was viewed; nobody else reads it."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, subjects.VIEWED_BUCKET, ViewedSections, VIEWED_AGAIN_AFTER_S)

    async def of(self, document_id: str) -> Mapping[str, int]:
        """The version in which each section of a document was viewed; nothing where the server does not tell it."""
        known = await self._read_soon(self._key(document_id))
        return known.versions if known else {}

    async def mark(self, document_id: str, section_id: str, version: int) -> None:
        """A section was viewed in a version; 0 takes that back. Raises `InvalidInputError` for too many at a time."""

        def marked(known: ViewedSections) -> ViewedSections:
            versions = {name: seen for name, seen in known.versions.items() if name != section_id}
            if version and len(versions) >= MOST_VIEWED:
                raise InvalidInputError(f"{MOST_VIEWED} sections of the document are marked, and no more can be")
            return ViewedSections(versions=versions | ({section_id: version} if version else {}))

        await self._change(
            self._key(document_id), marked, "what was viewed is changed in another window all the time: try again"
        )

    def _key(self, document_id: str) -> str:
        return subjects.viewed_key(self._tenant, self._owner, document_id)


class Filters(OwnValues[NamedFilters]):
    """The filters that were named; nobody else reads them."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, subjects.VIEWED_BUCKET, NamedFilters, VIEWED_AGAIN_AFTER_S)
        self._key = subjects.filters_key(self._tenant, self._owner)

    async def all(self) -> Mapping[str, str]:
        """The query of each filter by its name; nothing where the server does not tell it."""
        known = await self._read_soon(self._key)
        return known.queries if known else {}

    async def keep(self, name: str, query: str) -> None:
        """Keep a filter under a name; an empty query drops it. Raises `InvalidInputError` for too many."""

        def kept(known: NamedFilters) -> NamedFilters:
            queries = {other: its for other, its in known.queries.items() if other != name}
            if query and len(queries) >= MOST_FILTERS:
                raise InvalidInputError(f"{MOST_FILTERS} filters are kept, and no more can be: drop one first")
            return NamedFilters(queries=queries | ({name: query} if query else {}))

        await self._change(self._key, kept, "filters are changed in another window all the time: try again")


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
