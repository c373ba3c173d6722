"""Where paused graphs wait: the LangGraph checkpointer on SQLite. This file is the only one that opens it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde import _msgpack
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

TABLES = frozenset({"checkpoints", "writes"})


class CheckpointsUnusable(RuntimeError):
    """The checkpointer cannot be used as it is; refuses the start."""


async def set_up(path: Path) -> None:
    """Make the checkpointer's tables; harmless if they are there."""
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        await saver.setup()


@asynccontextmanager
async def open_checkpointer(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The checkpointer; raises `CheckpointsUnusable` without its tables or the strict decoder."""
    require_strict_decoder()
    if not await asyncio.to_thread(path.is_file):
        raise CheckpointsUnusable("the checkpointer's database is missing: run stemma-generation-graph --setup")
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        await _require_tables(saver.conn)
        yield saver


def require_strict_decoder() -> None:
    """Refuses LangGraph's permissive decoder, which executes what a crafted checkpoint names."""
    if not _msgpack.STRICT_MSGPACK_ENABLED:
        raise CheckpointsUnusable("LANGGRAPH_STRICT_MSGPACK must be true before LangGraph is imported")


async def _require_tables(connection: aiosqlite.Connection) -> None:
    async with connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'") as rows:
        found = {name async for (name,) in rows}
    if missing := sorted(TABLES - found):
        tables = ", ".join(missing)
        raise CheckpointsUnusable(f"checkpointer tables are missing ({tables}): run stemma-generation-graph --setup")
