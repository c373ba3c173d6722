"""What a backup says of itself, written last: what has none is no backup."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_contracts.misfits import misfits

from stemma_cli.exit_codes import CliError, ExitCode

MANIFEST = "manifest.json"
FORMAT: Final = 1
_CHUNK = 1024 * 1024


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")
    size: int
    digest: str

    @classmethod
    def of(cls, path: Path) -> Part:
        """A file as it lies there."""
        return cls(file=path.name, size=path.stat().st_size, digest=digest_of(path))


class StreamPart(Part):
    """A stream as the server gave it away; ``config`` and ``state`` are the server's words, and go back to it."""

    name: str
    config: dict[str, Any]
    state: dict[str, Any]

    @property
    def messages(self) -> int:
        return int(self.state.get("messages", 0))


class CheckpointPart(BaseModel):
    """The tables of the checkpointer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["sqlite", "postgres"]
    tables: dict[str, tuple[str, ...]] = {}
    """With the names of their columns, of PostgreSQL."""
    files: tuple[Part, ...] = ()


class Manifest(BaseModel):
    """A backup as of a ``sequence`` of the log; ``dropped`` are places of answers about later events.

    ``requests`` is the last place of a request that anything in it may know.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    made_at: datetime
    release: str
    server: str
    tenants: tuple[str, ...]
    sequence: int
    dropped: tuple[int, ...] = ()
    requests: int
    streams: tuple[StreamPart, ...]
    checkpoints: CheckpointPart

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.streams, *self.checkpoints.files)


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verified(folder: Path) -> Manifest:
    """The manifest of a backup of which every file is as it was written; raises `CliError` that names what is not."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise CliError(ExitCode.USAGE, f"{folder.name} is no backup, or one that was not finished") from None
    except ValidationError as error:
        wrong = f"the manifest is of another release, or damaged: {misfits(error)[0]}"
        raise CliError(ExitCode.USAGE, wrong) from None
    for part in manifest.parts:
        path = folder / part.file
        if not path.is_file() or path.stat().st_size != part.size or digest_of(path) != part.digest:
            raise CliError(ExitCode.FAILED, f"{part.file} is damaged or missing: nothing was restored")
    return manifest
