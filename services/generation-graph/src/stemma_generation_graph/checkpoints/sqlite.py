"""The checkpointer in a SQLite file, for all processes of one machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from sqlite3 import Error as SqliteError
from sqlite3 import IntegrityError, OperationalError
from typing import Any, Final

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stemma_messaging.errors import Outage, TakenOver

from .errors import ONE_SUCCESSOR, SETUP, CheckpointsUnusable, cannot_set_up, require
from .pinning import named

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


class OneSuccessorSaver(AsyncSqliteSaver):
    """LangGraph's saver; a second successor is another process's work, and an absent database nobody's fault."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint, without an id the last of its thread; raises `Outage`."""
        with _outages():
            return await super().aget_tuple(config if get_checkpoint_id(config) else await self._last(config))

    async def held(self) -> list[tuple[str, str]]:
        """See `HoldsThreads.held`."""
        async with self.lock, self.conn.execute(HELD) as rows:
            return [(thread_id, tenant) async for thread_id, tenant in rows]

    async def _last(self, config: RunnableConfig) -> RunnableConfig:
        place = config["configurable"]
        keys = (str(place["thread_id"]), place.get("checkpoint_ns", ""))
        async with self.lock, self.conn.execute(LAST, keys * 2) as rows:
            found = await rows.fetchone()
        return named(config, found[0]) if found else config

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; raises `TakenOver` if the one before it has another successor, and `Outage`."""
        with _outages():
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote; raises `Outage`."""
        with _outages():
            await super().aput_writes(config, writes, task_id, task_path)


@contextmanager
def _outages() -> Iterator[None]:
    """A second successor is `TakenOver`; a file that is locked, or a full disk, an `Outage`."""
    try:
        yield
    except IntegrityError as refused:
        if "has a successor" not in str(refused):
            raise
        raise TakenOver(str(refused)) from None
    except OperationalError as error:
        raise Outage(f"the database of checkpoints: {error}") from error


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
