"""A backup as a folder, or as one file: a tar of that folder."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stemma_cli.exit_codes import CliError, ExitCode


def is_file(path: Path) -> bool:
    """Whether a backup of this name is one file."""
    return path.suffix == ".tar"


@contextmanager
def being_written(target: Path) -> Iterator[Path]:
    """An empty private folder that becomes the backup when the block ends well, and is gone otherwise."""
    if target.exists():
        raise CliError(ExitCode.USAGE, f"{target} is there already", "name another file or folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield folder
        if is_file(target):
            _pack(folder, target)
        else:
            folder.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pack(folder: Path, target: Path) -> None:
    made = target.with_name(f".{target.name}.new")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name)
    made.replace(target)


@contextmanager
def being_read(source: Path) -> Iterator[Path]:
    """The folder of a backup."""
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="stemma-restore-", dir=source.parent) as folder:
        try:
            with tarfile.open(source) as tar:
                tar.extractall(folder, filter="data")
        except (tarfile.TarError, FileNotFoundError) as error:
            raise CliError(ExitCode.USAGE, f"{source} is no backup: {error}") from None
        yield Path(folder)
