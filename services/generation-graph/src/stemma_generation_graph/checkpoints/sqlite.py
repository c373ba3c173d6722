"""The checkpointer in a SQLite file, for all processes of one machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from sqlite3 import Error as SqliteError
from typing import Final

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .errors import ONE_SUCCESSOR, SETUP, CheckpointsUnusable, cannot_set_up, require

NAMES: Final = frozenset({"checkpoints", "writes", ONE_SUCCESSOR})
# The saver writes by INSERT OR REPLACE, which would answer a unique index by deleting the first successor.
# ROLLBACK, because ABORT leaves the transaction and with it the database locked.
TRIGGER: Final = """
CREATE TRIGGER IF NOT EXISTS stemma_one_successor BEFORE INSERT ON checkpoints WHEN NEW.checkpoint_ns = '' AND EXISTS (
    SELECT 1 FROM checkpoints WHERE thread_id = NEW.thread_id AND checkpoint_ns = ''
    AND parent_checkpoint_id IS NEW.parent_checkpoint_id AND checkpoint_id <> NEW.checkpoint_id
) BEGIN SELECT RAISE(ROLLBACK, 'the checkpoint has a successor'); END
"""


async def set_up(path: Path) -> None:
    """Make file, tables and trigger; raises `CheckpointsUnusable`."""
    try:
        await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.setup()
            await saver.conn.execute(TRIGGER)
    except (SqliteError, OSError) as error:
        raise cannot_set_up(error, "STEMMA_DATA_DIR or checkpoint_path") from None


@asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The saver; raises `CheckpointsUnusable` if the file or something in it is missing."""
    if not await asyncio.to_thread(path.is_file):
        raise CheckpointsUnusable(f"the checkpointer's database is missing: {SETUP}")
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        require(NAMES, await _names(saver.conn))
        yield saver


async def _names(connection: aiosqlite.Connection) -> set[str]:
    async with connection.execute("SELECT name FROM sqlite_master") as rows:
        return {name async for (name,) in rows}
