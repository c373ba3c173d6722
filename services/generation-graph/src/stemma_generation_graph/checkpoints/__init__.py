"""Where paused graphs wait: the LangGraph checkpointer, in a SQLite file or in PostgreSQL.

A checkpoint of a thread has at most one successor; the database refuses a second one. Of two processes that
resume the same thread at the same time one wins, and the other fails and finds out when its job is redelivered.
What PostgreSQL needs is imported only where it is used.
"""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde import _msgpack

from .saving import CheckpointsUnusable


async def set_up(place: Path | str) -> None:
    """Make the tables in a SQLite file or in the PostgreSQL that a DSN names; harmless if they are there.

    Raises `CheckpointsUnusable`, with the setting to see to and without any secret.
    """
    match place:
        case Path():
            from . import sqlite

            await sqlite.set_up(place)
        case str():
            from . import postgres

            await postgres.set_up(place)


def open_checkpointer(place: Path | str) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
    """The checkpointer in a SQLite file or at a DSN; entering raises `CheckpointsUnusable` without its tables."""
    require_strict_decoder()
    match place:
        case Path():
            from . import sqlite

            return sqlite.open_saver(place)
        case str():
            from . import postgres

            return postgres.open_saver(place)


def require_strict_decoder() -> None:
    """Refuses LangGraph's permissive decoder, which executes what a crafted checkpoint names."""
    if not _msgpack.STRICT_MSGPACK_ENABLED:
        raise CheckpointsUnusable("LANGGRAPH_STRICT_MSGPACK must be true before LangGraph is imported")


def check_dsn(dsn: str) -> None:
    """Raises `ValueError`, which does not quote it, for what is no connection string of PostgreSQL."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(dsn)
    except ProgrammingError:
        parts = {}
    if not parts:
        raise ValueError("not a connection string of PostgreSQL")
