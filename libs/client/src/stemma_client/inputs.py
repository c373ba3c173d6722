"""Which files of a folder become inputs of a document, and under which names."""

from __future__ import annotations

import mimetypes
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from stemma_contracts.media import READ
from stemma_contracts.shown import check_upload_name, shown

from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_contracts.v1.references import UploadRef, UploadRole

MAX_TITLE = 300
MAX_FILES = 200
MAX_FILE_BYTES = 50 * 1024 * 1024
_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    **dict.fromkeys((".txt", ".text", ".rst", ".adoc", ".org", ".tex", ".log", ".yaml", ".yml"), "text/plain"),
    ".csv": "text/csv",
    ".json": "application/json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".rtf": "application/rtf",
    ".html": "text/html",
    ".htm": "text/html",
    ".tsv": "text/tab-separated-values",
    ".eml": "message/rfc822",
    ".msg": "application/vnd.ms-outlook",
}
_ANYTHING = "application/octet-stream"


@dataclass(frozen=True)
class InputPath:
    """A file to send: its name among the inputs, and where it lies."""

    name: str
    path: Path


def media_type_of(name: str) -> str:
    """The media type that the ending of a file name stands for; what is read or shown is the same on every machine.

    An image that no document can show is not sent as one, so that it is an attachment.
    """
    if (known := _MEDIA_TYPES.get(Path(name).suffix.lower())) is not None:
        return known
    guessed = (mimetypes.guess_type(name)[0] or _ANYTHING).lower()
    return _ANYTHING if guessed.startswith("image/") or guessed in READ else guessed


def collect(paths: Iterable[str | Path]) -> list[InputPath]:
    """Files by name: a file under its own name, the files of a folder under their path inside it.

    Hidden files and folders are left out. Raises `InvalidInputError` for a path that does not exist,
    a folder without a file, a link that leads nowhere or out of its folder, what is neither a file
    nor a folder, a folder that cannot be read, a name that is not UTF-8, not allowed or there twice,
    a file above 50 MiB, and more than 200 files.
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


def collect_by_role(
    evidence: Iterable[str | Path], roles: Mapping[UploadRole, Iterable[str | Path]]
) -> list[tuple[UploadRole, InputPath]]:
    """Files with what they are for, by name; raises as `collect` does, also for one name under two roles."""
    given: dict[UploadRole, list[str | Path]] = {role: list(paths) for role, paths in roles.items()}
    given["evidence"] = [*evidence, *given.get("evidence", ())]
    found = [(role, file) for role, paths in given.items() for file in collect(paths)]
    seen: dict[str, InputPath] = {}
    for _, file in found:
        if file.name in seen:
            raise InvalidInputError(f"two inputs are called {file.name!r}: {seen[file.name].path} and {file.path}")
        seen[file.name] = file
    if len(found) > MAX_FILES:
        raise InvalidInputError(f"more than {MAX_FILES} input files")
    return sorted(found, key=lambda one: one[1].name)


def _files_of(path: Path) -> Iterator[InputPath]:
    if path.is_dir():
        found = list(islice(_walk(path), MAX_FILES + 1))
        if not found:
            raise InvalidInputError(f"there is no file in {_shown(path)}, or only hidden ones")
        yield from found
    else:
        yield InputPath(path.name, _regular(path))


def _regular(path: Path) -> Path:
    if path.is_file():
        return path
    if path.exists():
        raise InvalidInputError(f"{_shown(path)} is neither a file nor a folder")
    if path.is_symlink():
        raise InvalidInputError(f"{_shown(path)} is a link that leads nowhere")
    raise InvalidInputError(f"no such file or folder: {_shown(path)}")


def _walk(root: Path) -> Iterator[InputPath]:
    inside = Path(os.path.realpath(root))
    for folder, folders, files in os.walk(root, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in (*folders, *files):
            # Unlike `Path.resolve` it bears a link to itself, which is refused as one that leads nowhere.
            target = Path(os.path.realpath(Path(folder) / name))
            if not name.startswith(".") and not target.is_relative_to(inside):
                raise InvalidInputError(f"{_shown(Path(folder) / name)} is a link that leads out of {_shown(root)}")
        for name in sorted(files):
            path = Path(folder) / name
            if not name.startswith("."):
                yield InputPath(path.relative_to(root).as_posix(), _regular(path))


def _refuse_folder(error: OSError) -> None:
    raise InvalidInputError(f"cannot read {_shown(error.filename)}: {error.strerror}")


def _shown(path: str | Path) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")


def _check(item: InputPath) -> None:
    try:
        check_upload_name(item.name)
    except UnicodeEncodeError:
        raise InvalidInputError(f"the name of {_shown(item.path)} is not UTF-8: rename it") from None
    except ValueError as error:
        raise InvalidInputError(str(error)) from None
    _check_size(item.path, item.path.stat().st_size)


def _check_size(path: Path, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise InvalidInputError(f"{path} is larger than {MAX_FILE_BYTES // 1024**2} MiB")


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A file to read; raises `InvalidInputError` if it cannot be opened, is no file or is too large."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror}") from None
    with file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInputError(f"{path} is not a file")
        _check_size(path, status.st_size)
        yield file


def read(path: Path) -> bytes:
    """The content of a file; raises `InvalidInputError` if it cannot be read or is too large."""
    with opened(path) as file:
        return file.read(MAX_FILE_BYTES + 1)


def title_of(brief: str | Path | UploadRef) -> str:
    """What the brief calls itself; of a file that is told once it is read.

    Markdown is loaded by those alone who ask for a document.
    """
    from stemma_markdown import Document as Markdown

    if not isinstance(brief, str):
        return ""
    return " ".join(shown(Markdown(brief).title).split())[:MAX_TITLE]
