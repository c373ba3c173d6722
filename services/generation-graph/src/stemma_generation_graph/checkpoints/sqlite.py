"""The checkpointer in a SQLite file, for all processes of one machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from sqlite3 import Error as SqliteError
from sqlite3 import IntegrityError
from typing import Final

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stemma_messaging.errors import TakenOver

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


class OneSuccessorSaver(AsyncSqliteSaver):
    """LangGraph's saver, in which a second successor is another process's work and no failure of the database."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; raises `TakenOver` if the one before it has another successor."""
        try:
            return await super().aput(config, checkpoint, metadata, new_versions)
        except IntegrityError as refused:
            if "has a successor" not in str(refused):
                raise
            raise TakenOver(str(refused)) from None


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
async def open_saver(path: Path) -> AsyncIterator[OneSuccessorSaver]:
    """The saver; raises `CheckpointsUnusable` if the file or something in it is missing."""
    if not await asyncio.to_thread(path.is_file):
        raise CheckpointsUnusable(f"the checkpointer's database is missing: {SETUP}")
    async with aiosqlite.connect(str(path)) as connection:
        require(NAMES, await _names(connection))
        yield OneSuccessorSaver(connection)


async def _names(connection: aiosqlite.Connection) -> set[str]:
    async with connection.execute("SELECT name FROM sqlite_master") as rows:
        return {name async for (name,) in rows}
