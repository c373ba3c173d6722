"""Questions at the terminal, and texts from files and from stdin.

Waiting for a person leaves the event loop running: the connection stays alive, and Ctrl-C ends the wait at once.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from stemma_client.client import Client
from stemma_client.errors import InvalidInputError
from stemma_client.inputs import read
from stemma_contracts.v1.views import SectionView

from .exit_codes import CliError, ExitCode
from .lookup import find_section
from .output import clean_line, note

if TYPE_CHECKING:
    from stemma_markdown import Conflict


CHUNK = 65_536


async def ask(question: str, *, otherwise: str) -> bool:
    """Whether a person at the terminal agrees; an interrupt ends the command and tells ``otherwise``."""
    typer.echo(f"{question} [y/N]: ", nl=False, err=True)
    try:
        await _something_typed()
    except asyncio.CancelledError:
        typer.echo(err=True)
        note(f"interrupted; {otherwise}")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def text_in(file: str) -> str:
    """The text of a file, or of stdin for ``-``; raises `InvalidInputError`."""
    data = await _read_stdin() if file == "-" else read(Path(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{'stdin' if file == '-' else file} is not UTF-8 text") from None


async def _read_stdin() -> bytes:
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read()
    typed = bytearray()
    while True:
        await _something_typed()
        if not (line := os.read(sys.stdin.fileno(), CHUNK)):
            return bytes(typed)
        typed += line


async def _something_typed() -> None:
    loop, typed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(sys.stdin)


async def edited_in_file(name: str, text: str) -> Path:
    """Let a person edit a text; the file that holds what came of it. The file stays if the editor fails."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command or shutil.which(command[0]) is None:
        what = f"the editor {command[0]} is not installed" if command else "no editor is set"
        raise CliError(ExitCode.USAGE, what, "set EDITOR, or give --file FILE")
    file = _written(name, text)
    with _ignore_interrupts():
        code = await (await asyncio.create_subprocess_exec(*command, str(file))).wait()
    if code != 0:
        raise CliError(ExitCode.FAILED, f"{command[0]} ended with {code}; nothing is sent", f"the text is in {file}")
    return file


def _written(name: str, text: str) -> Path:
    handle, path = tempfile.mkstemp(prefix=f"stemma-{name}-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return Path(path)


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Ctrl-C is a key of many editors; the terminal sends it to both processes."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def kept_unless_sent(file: Path, again: Callable[[], str]) -> Iterator[None]:
    """Remove the file if its text was taken; otherwise say where it is and how to send it."""
    sent = False
    try:
        yield
        sent = True
    finally:
        if sent:
            file.unlink()
        else:
            note(f"your text is kept in {file}")
            note(f"see with `stemma diff` what came meanwhile; then send it with `{again()}`")


async def merge_into(file: Path, client: Client, document_id: str, opened: SectionView, before: str) -> int:
    """Merge what a newer version changed into the text of a person, which stays wherever both changed the same.

    ``before`` is the text of the version that the person opened. The result is the version that is now in the text.
    """
    view, current = await find_section(client, document_id, opened.section_id)
    if current.version == opened.version:
        return opened.version
    theirs = await client.text(document_id, current.draft)
    conflicts = _merged(file, before, theirs, view.language)
    note(f"what version {current.version} changed is merged into your text")
    for conflict in conflicts:
        note(f"both changed: {_quoted(conflict.base)}; yours stays: {_quoted(conflict.ours)}")
        note(f"version {current.version} has: {_quoted(conflict.theirs)}")
    return current.version


def _merged(file: Path, before: str, theirs: str, language: str) -> tuple[Conflict, ...]:
    # What reads Markdown takes longer to load than most verbs.
    from stemma_markdown import merge

    merged = merge(before, file.read_bytes().decode(), theirs, language)
    file.write_bytes(merged.text.encode())
    return merged.conflicts


def _quoted(text: str) -> str:
    return f'"{clean_line(text)}"' if text.strip() else "(nothing)"
