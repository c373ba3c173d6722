"""Values that somebody keeps on the server under keys of their own, which nobody else may write."""

from __future__ import annotations

from nats.js.api import Header
from nats.js.errors import APIError, NotFoundError

from .connection import Connection
from .errors import ServerUnreachableError

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
