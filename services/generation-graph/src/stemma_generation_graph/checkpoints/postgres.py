"""The checkpointer in PostgreSQL, for every replica."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, OperationalError
from psycopg import Error as PostgresError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import UniqueViolation
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool
from stemma_messaging.errors import Outage, TakenOver

from .saving import ONE_SUCCESSOR, SETUP, CheckpointsUnusable, OneSuccessor, cannot_set_up, require

TABLES = frozenset({"checkpoint_migrations", "checkpoints", "checkpoint_blobs", "checkpoint_writes"})
INDEX: Final = """
CREATE UNIQUE INDEX IF NOT EXISTS stemma_one_successor
ON checkpoints (thread_id, coalesce(parent_checkpoint_id, '')) WHERE checkpoint_ns = ''
"""
LAST: Final = """
SELECT checkpoint_id FROM checkpoints AS one WHERE thread_id = %s AND checkpoint_ns = %s AND NOT EXISTS (
    SELECT FROM checkpoints WHERE thread_id = one.thread_id AND checkpoint_ns = one.checkpoint_ns
    AND coalesce(parent_checkpoint_id, '') = one.checkpoint_id
) ORDER BY checkpoint_id DESC LIMIT 1
"""
HELD: Final = """
SELECT DISTINCT thread_id, metadata->>'tenant' AS tenant FROM checkpoints
WHERE checkpoint_ns = '' AND metadata->>'tenant' IS NOT NULL
"""
OF_DOCUMENT: Final = "SELECT DISTINCT thread_id FROM checkpoints WHERE starts_with(thread_id, %s)"
VACUUM: Final = "VACUUM checkpoints, checkpoint_blobs, checkpoint_writes"
VISIBLE: Final = "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND pg_table_is_visible(oid)"
NEWEST: Final = "SELECT coalesce(max(v), -1) AS version FROM checkpoint_migrations"
# A connection idles while a model answers: what lies between must not drop it, nor hide that it did.
DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
MAX_IDLE_S = 300.0
MAX_LIFETIME_S = 1800.0

Pool = AsyncConnectionPool[AsyncConnection[DictRow]]


class OneSuccessorSaver(OneSuccessor, AsyncPostgresSaver):
    """LangGraph's saver; a second successor is another process's work, and an absent server nobody's fault."""

    @contextmanager
    def outages(self) -> Iterator[None]:
        try:
            yield
        except UniqueViolation as refused:
            if refused.diag.constraint_name != ONE_SUCCESSOR:
                raise
            raise TakenOver("the checkpoint has a successor") from None
        except OperationalError as error:
            raise Outage(
                f"the database of checkpoints: {error.diag.message_primary or type(error).__name__}"
            ) from error

    async def last_id(self, thread_id: str, namespace: str) -> str | None:
        async with self._cursor() as cursor:
            await cursor.execute(LAST, (thread_id, namespace))
            found = await cursor.fetchone()
        return found["checkpoint_id"] if found else None

    async def held(self) -> list[tuple[str, str]]:
        async with self._cursor() as cursor:
            await cursor.execute(HELD)
            return [(row["thread_id"], row["tenant"]) for row in await cursor.fetchall()]

    async def threads_of(self, document_id: str) -> list[str]:
        async with self._cursor() as cursor:
            await cursor.execute(OF_DOCUMENT, (f"{document_id}.",))
            return [row["thread_id"] for row in await cursor.fetchall()]

    async def forget_deleted(self) -> None:
        """Pages and the write-ahead log keep what was deleted until they are used again: that is the operator's."""
        with self.outages():
            async with self._cursor() as cursor:
                await cursor.execute(VACUUM)


async def set_up(dsn: str) -> None:
    """Make the tables, or bring them to the newest version, and the index; raises `CheckpointsUnusable`."""
    try:
        async with AsyncPostgresSaver.from_conn_string(_with_defaults(dsn)) as saver:
            await saver.setup()
        async with await AsyncConnection.connect(_with_defaults(dsn)) as connection:
            await connection.execute(INDEX)
    except PostgresError as error:
        raise cannot_set_up(error, "STEMMA_CHECKPOINT_DSN") from None


@asynccontextmanager
async def open_saver(dsn: str) -> AsyncIterator[OneSuccessorSaver]:
    """The saver on a pool of its own; raises `CheckpointsUnusable`."""
    await _require_tables(await _first_connection(dsn))
    async with _pool(dsn) as pool:
        yield OneSuccessorSaver(pool)


def _with_defaults(dsn: str) -> str:
    return make_conninfo(**(DEFAULTS | conninfo_to_dict(dsn)))


def _pool(dsn: str) -> Pool:
    """Two connections at most: the saver uses one at a time, the other is there while that one is replaced."""
    return AsyncConnectionPool(
        _with_defaults(dsn),
        connection_class=AsyncConnection[DictRow],
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
        min_size=1,
        max_size=2,
        open=False,
        check=AsyncConnectionPool.check_connection,
        max_idle=MAX_IDLE_S,
        max_lifetime=MAX_LIFETIME_S,
        name="checkpoints",
    )


async def _first_connection(dsn: str) -> AsyncConnection[DictRow]:
    try:
        return await AsyncConnection.connect(_with_defaults(dsn), row_factory=dict_row)
    except OperationalError:
        raise CheckpointsUnusable("the checkpointer's PostgreSQL does not answer, or lets nobody in") from None


async def _require_tables(connection: AsyncConnection[DictRow]) -> None:
    names = TABLES | {ONE_SUCCESSOR}
    async with connection:
        found = await (await connection.execute(VISIBLE, (sorted(names),))).fetchall()
        require(names, {row["relname"] for row in found})
        versions = await (await connection.execute(NEWEST)).fetchall()
    if versions[0]["version"] < len(AsyncPostgresSaver.MIGRATIONS) - 1:
        raise CheckpointsUnusable(f"the checkpointer's tables are of an older version: {SETUP}")
