"""The checkpointer in a SQLite file, for all processes of one machine."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from sqlite3 import Error as SqliteError
from sqlite3 import IntegrityError, OperationalError
from typing import Final

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stemma_messaging.errors import Outage, TakenOver

from .saving import ONE_SUCCESSOR, SETUP, CheckpointsUnusable, OneSuccessor, cannot_set_up, require

NAMES: Final = frozenset({"checkpoints", "writes", ONE_SUCCESSOR})
# The saver writes by INSERT OR REPLACE, which would answer a unique index by deleting the first successor.
# ROLLBACK, because ABORT leaves the transaction and with it the database locked.
TRIGGER: Final = """
CREATE TRIGGER IF NOT EXISTS stemma_one_successor BEFORE INSERT ON checkpoints WHEN NEW.checkpoint_ns = '' AND EXISTS (
    SELECT 1 FROM checkpoints WHERE thread_id = NEW.thread_id AND checkpoint_ns = ''
    AND parent_checkpoint_id IS NEW.parent_checkpoint_id AND checkpoint_id <> NEW.checkpoint_id
) BEGIN SELECT RAISE(ROLLBACK, 'the checkpoint has a successor'); END
"""
LAST: Final = """
SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id NOT IN (
    SELECT parent_checkpoint_id FROM checkpoints
    WHERE thread_id = ? AND checkpoint_ns = ? AND parent_checkpoint_id IS NOT NULL
) ORDER BY checkpoint_id DESC LIMIT 1
"""
HELD: Final = """
SELECT DISTINCT thread_id, json_extract(CAST(metadata AS TEXT), '$.tenant') AS tenant FROM checkpoints
WHERE checkpoint_ns = '' AND tenant IS NOT NULL
"""
OF_DOCUMENT: Final = "SELECT DISTINCT thread_id FROM checkpoints WHERE substr(thread_id, 1, ?) = ?"
SECURE: Final = "PRAGMA secure_delete=ON"
PRIMARY: Final = 0xFF
NOBODYS_FAULT: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
    }
)  # fmt: skip
"""The file is locked, or the disk full or away. A missing table, say, stays missing however long one waits."""


class OneSuccessorSaver(OneSuccessor, AsyncSqliteSaver):
    """LangGraph's saver; a second successor is another process's work, and a locked or full file nobody's fault."""

    @contextmanager
    def outages(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as refused:
            if "has a successor" not in str(refused):
                raise
            raise TakenOver(str(refused)) from None
        except OperationalError as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY not in NOBODYS_FAULT:
                raise
            raise Outage(f"the database of checkpoints: {error}") from error

    async def last_id(self, thread_id: str, namespace: str) -> str | None:
        async with self.lock, self.conn.execute(LAST, (thread_id, namespace) * 2) as rows:
            found = await rows.fetchone()
        return found[0] if found else None

    async def held(self) -> list[tuple[str, str]]:
        async with self.lock, self.conn.execute(HELD) as rows:
            return [(thread_id, tenant) async for thread_id, tenant in rows]

    async def threads_of(self, document_id: str) -> list[str]:
        prefix = f"{document_id}."
        async with self.lock, self.conn.execute(OF_DOCUMENT, (len(prefix), prefix)) as rows:
            return [thread_id async for (thread_id,) in rows]

    async def forget_deleted(self) -> None:
        """What is deleted is overwritten (``SECURE``); the file beside the database has what was there before."""
        with self.outages():
            async with self.lock, self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)") as rows:
                await rows.fetchall()


async def set_up(path: Path) -> None:
    """Make file, tables and trigger; raises `CheckpointsUnusable`."""
    try:
        await asyncio.to_thread(_make_private, path)
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.setup()
            await saver.conn.execute(TRIGGER)
    except (SqliteError, OSError) as error:
        raise cannot_set_up(error, "STEMMA_DATA_DIR or checkpoint_path") from None


@asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[OneSuccessorSaver]:
    """The saver; raises `CheckpointsUnusable` if the file or something in it is missing."""
    if not await asyncio.to_thread(path.is_file):
        raise CheckpointsUnusable(f"the checkpointer's database is missing: {SETUP}")
    await asyncio.to_thread(_close_to_others, path)
    async with aiosqlite.connect(str(path)) as connection:
        require(NAMES, await _names(connection))
        async with connection.execute(SECURE) as rows:
            await rows.fetchall()
        yield OneSuccessorSaver(connection)


def _make_private(path: Path) -> None:
    """A file for its owner alone in whatever folder; SQLite gives those that it makes beside it the same rights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    _close_to_others(path)


def _close_to_others(path: Path) -> None:
    """A file that was made by an earlier version may be open; whoever may use it and does not own it leaves it so."""
    with suppress(PermissionError):
        path.chmod(0o600)


async def _names(connection: aiosqlite.Connection) -> set[str]:
    async with connection.execute("SELECT name FROM sqlite_master") as rows:
        return {name async for (name,) in rows}
