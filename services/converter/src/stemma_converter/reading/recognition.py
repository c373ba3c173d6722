"""Text in pictures, by tesseract where the machine has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from io import BytesIO
from itertools import groupby
from math import ceil

from PIL import Image

from .result import Limits

# More than one thread of it for a page costs more time than it saves.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/local/bin", "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
# Its CPU time is limited, and it has no clock of its own: a busy machine leaves no page unread.
_LIMITED = ("/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"')
_TO_LIST_S = 10
_WORD, _FIELDS = "5", 12
_LEAST_CONFIDENCE = 20.0
_HYPHENS = ("-", "‐", "¬")


@cache
def program() -> str | None:
    return shutil.which("tesseract", path=_ENVIRONMENT["PATH"])


@cache
def _installed() -> frozenset[str]:
    told = _run([program() or "", "--list-langs"], b"", _TO_LIST_S)
    return frozenset(told.decode("utf-8", "replace").split("\n")[1:]) - {"", "osd"}


class Recogniser:
    def __init__(self, limits: Limits) -> None:
        self._languages = "+".join(language for language in limits.languages if program() and language in _installed())
        self._pages = limits.recognised_pages if self._languages else 0
        self._until = _spent() + limits.recognition_seconds

    def may(self) -> bool:
        """Whether there is a tesseract here that knows one of the languages, and a page and time are left."""
        return self._pages > 0 and _spent() < self._until

    def paragraphs(self, picture: Image.Image, dpi: int) -> list[str]:
        self._pages -= 1
        buffer = BytesIO()
        picture.convert("L").save(buffer, "PNG", compress_level=1)
        command = [program() or "", "-", "-", "-l", self._languages, "--dpi", str(dpi), "tsv"]
        told = _run(command, buffer.getvalue(), self._until - _spent())
        return _paragraphs(told.decode("utf-8", "replace"))


def _spent() -> float:
    """CPU seconds of this process and of what it waited for."""
    return sum(os.times()[:4])


def _run(command: list[str], data: bytes, seconds: float) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - a program of the system, told nothing that comes from outside
            [*_LIMITED, str(max(1, ceil(seconds))), *command],
            input=data,
            capture_output=True,
            env=_ENVIRONMENT,
            check=False,
        )
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""


def _paragraphs(table: str) -> list[str]:
    """The words of tesseract's table, paragraph by paragraph; what it is not sure of at all are specks."""
    rows = (line.split("\t") for line in table.splitlines())
    words = [row for row in rows if len(row) == _FIELDS and row[0] == _WORD and _is_word(row)]
    found = []
    for _, paragraph in groupby(words, key=lambda row: row[2:4]):
        lines = [" ".join(row[11] for row in line) for _, line in groupby(paragraph, key=lambda row: row[4])]
        found.append(_joined(lines))
    return found


def _is_word(row: list[str]) -> bool:
    return bool(row[11].strip()) and float(row[10]) >= _LEAST_CONFIDENCE


def _joined(lines: list[str]) -> str:
    text = ""
    for line in lines:
        divided = text.endswith(_HYPHENS) and line[:1].islower()
        text = text[:-1] + line if divided else f"{text} {line}".strip()
    return text
