"""Which files of a folder become inputs of a document, and under which names."""

from __future__ import annotations

import mimetypes
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stemma_contracts.tokens import check_file_name

from .errors import InvalidInputError

MAX_FILES = 200
MAX_FILE_BYTES = 20 * 1024 * 1024
_MEDIA_TYPES = {".md": "text/markdown", ".markdown": "text/markdown"}


@dataclass(frozen=True)
class InputPath:
    """A file to send: its name among the inputs, and where it lies."""

    name: str
    path: Path


def media_type_of(name: str) -> str:
    """The media type that the ending of a file name stands for."""
    suffix = Path(name).suffix.lower()
    return _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def collect(paths: Iterable[str | Path]) -> list[InputPath]:
    """Files by name: a file under its own name, the files of a folder under their path inside it.

    Hidden files and folders are left out, and so is what is no regular file. Raises
    `InvalidInputError` for a path that does not exist, a link that leads out of its folder, a name
    that is not allowed or is there twice, a file above 20 MiB, and more than 200 files.
    """
    found: dict[str, InputPath] = {}
    for path in map(Path, paths):
        for item in _files_of(path):
            _check(item)
            if item.name in found:
                raise InvalidInputError(f"two inputs are called {item.name!r}: {found[item.name].path} and {item.path}")
            found[item.name] = item
            if len(found) > MAX_FILES:
                raise InvalidInputError(f"more than {MAX_FILES} input files")
    return [found[name] for name in sorted(found)]


def _files_of(path: Path) -> Iterator[InputPath]:
    if path.is_dir():
        yield from _walk(path)
    elif path.is_file():
        yield InputPath(path.name, path)
    else:
        raise InvalidInputError(f"no such file or folder: {path}")


def _walk(root: Path) -> Iterator[InputPath]:
    inside = root.resolve()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in (*folders, *files):
            target = (Path(folder) / name).resolve()
            if not name.startswith(".") and not target.is_relative_to(inside):
                raise InvalidInputError(f"{Path(folder) / name} is a link that leads out of {root}")
        for name in sorted(files):
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file():
                yield InputPath(path.relative_to(root).as_posix(), path)


def _check(item: InputPath) -> None:
    try:
        check_file_name(item.name)
    except ValueError as error:
        raise InvalidInputError(str(error)) from None
    if item.path.stat().st_size > MAX_FILE_BYTES:
        raise InvalidInputError(f"{item.path} is larger than {MAX_FILE_BYTES // 1024**2} MiB")


def read(path: Path) -> bytes:
    """The content of a file; raises `InvalidInputError` if it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidInputError(f"{path} is not a file")
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInputError(f"{path} is larger than {MAX_FILE_BYTES // 1024**2} MiB")
    return data
