"""The checkpoints of paused graphs to files and back, each database by its own means, while it is written to."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from stemma_cli.exit_codes import CliError, ExitCode

SQLITE_FILE = "checkpoints.sqlite"
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_KNOWS = "SELECT 1 FROM checkpoints WHERE thread_id = {0} AND checkpoint_ns = '' AND checkpoint_id = {0}"
_COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_name = %s AND table_schema = ANY(current_schemas(false)) ORDER BY ordinal_position
"""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")
    size: int
    digest: str

    @classmethod
    def of(cls, path: Path) -> Part:
        return cls(file=path.name, size=path.stat().st_size, digest=digest_of(path))


class CheckpointPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["sqlite", "postgres"]
    tables: dict[str, tuple[str, ...]] = {}
    """With the names of their columns, of PostgreSQL."""
    files: tuple[Part, ...] = ()


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Taken(Protocol):
    part: CheckpointPart

    def knows(self, thread_id: str, checkpoint_id: str) -> bool: ...


class CheckpointPlace(ABC):
    @abstractmethod
    @contextmanager
    def taken(self, folder: Path) -> Iterator[Taken]:
        """Copy them as of one moment; in the block it can be asked what they are."""

    @abstractmethod
    def require_empty(self) -> None: ...

    @abstractmethod
    def bring_back(self, part: CheckpointPart, folder: Path) -> None:
        """Put the copies there, all of them or none."""


def place_of(where: str | Path) -> CheckpointPlace:
    return SqlitePlace(where) if isinstance(where, Path) else PostgresPlace(where)


class SqliteCopy:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.part = CheckpointPart(kind="sqlite", files=(Part.of(path),))

    def knows(self, thread_id: str, checkpoint_id: str) -> bool:
        with closing(sqlite3.connect(self._path)) as copy:
            return copy.execute(_KNOWS.format("?"), (thread_id, checkpoint_id)).fetchone() is not None


class SqlitePlace(CheckpointPlace):
    """A file, copied by SQLite's own backup, in one step: others may go on writing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def taken(self, folder: Path) -> Iterator[Taken]:
        if not self._path.exists():
            hint = "name the file by --checkpoints, or set STEMMA_CHECKPOINT_DSN as generation-graph has it"
            raise CliError(ExitCode.USAGE, f"there are no checkpoints at {self._path}", hint)
        target = folder / SQLITE_FILE
        _make_private(target)
        with closing(sqlite3.connect(self._path)) as live, closing(sqlite3.connect(target)) as copy:
            live.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        yield SqliteCopy(target)

    def require_empty(self) -> None:
        if not self._path.exists():
            return
        with closing(sqlite3.connect(self._path)) as there:
            tables = there.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone()
            if tables and there.execute("SELECT 1 FROM checkpoints").fetchone():
                raise _not_empty(str(self._path))

    def bring_back(self, part: CheckpointPart, folder: Path) -> None:
        _require_kind(part, "sqlite")
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = self._path.with_name(f".{self._path.name}.new")
        target.unlink(missing_ok=True)
        _make_private(target)
        target.write_bytes((folder / SQLITE_FILE).read_bytes())
        for left in ("-wal", "-shm"):
            self._path.with_name(f"{self._path.name}{left}").unlink(missing_ok=True)
        target.replace(self._path)


class PostgresCopy:
    def __init__(self, connection: Any, part: CheckpointPart) -> None:
        self._connection = connection
        self.part = part

    def knows(self, thread_id: str, checkpoint_id: str) -> bool:
        found = self._connection.execute(_KNOWS.format("%s"), (thread_id, checkpoint_id))
        return found.fetchone() is not None


class PostgresPlace(CheckpointPlace):
    """Tables, copied in one transaction that reads the database as of one moment: others may go on writing."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    @contextmanager
    def taken(self, folder: Path) -> Iterator[Taken]:
        with self._connected() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            tables = {table: _columns(connection, table) for table in TABLES}
            files = [_copied(connection, table, columns, folder) for table, columns in tables.items()]
            yield PostgresCopy(connection, CheckpointPart(kind="postgres", tables=tables, files=tuple(files)))

    def require_empty(self) -> None:
        with self._connected() as connection:
            for table in TABLES:
                if not _columns(connection, table):
                    raise CliError(
                        ExitCode.FAILED, f"there is no table {table}", "run stemma-generation-graph --setup first"
                    )
                if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():  # noqa: S608 - our own names
                    raise _not_empty("the database of STEMMA_CHECKPOINT_DSN")

    def bring_back(self, part: CheckpointPart, folder: Path) -> None:
        _require_kind(part, "postgres")
        with self._connected() as connection:
            for table, columns in part.tables.items():
                names = ", ".join(f'"{column}"' for column in columns)
                with connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as copy:
                    copy.write((folder / f"{table}.copy").read_bytes())

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        import psycopg

        try:
            with psycopg.connect(self._dsn, connect_timeout=10) as connection:
                yield connection
        except psycopg.OperationalError as error:
            why = error.diag.message_primary or type(error).__name__
            raise CliError(ExitCode.FAILED, f"the database of checkpoints: {why}") from None


def _columns(connection: Any, table: str) -> tuple[str, ...]:
    return tuple(row[0] for row in connection.execute(_COLUMNS, (table,)).fetchall())


def _copied(connection: Any, table: str, columns: tuple[str, ...], folder: Path) -> Part:
    target = folder / f"{table}.copy"
    names = ", ".join(f'"{column}"' for column in columns)
    with (
        target.open("xb") as file,
        connection.cursor().copy(f"COPY {table} ({names}) TO STDOUT (FORMAT binary)") as copy,
    ):
        for data in copy:
            file.write(data)
    return Part.of(target)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _require_kind(part: CheckpointPart, kind: str) -> None:
    if part.kind != kind:
        words = f"the checkpoints of the backup are of {part.kind}, and they are to be restored to {kind}"
        raise CliError(ExitCode.USAGE, words, "set STEMMA_CHECKPOINT_DSN for PostgreSQL, and not for SQLite")


def _not_empty(where: str) -> CliError:
    return CliError(ExitCode.FAILED, f"there are checkpoints in {where}: restore into an empty system")
