"""A text in the editor of a person, who must never lose what was written there."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stemma_client.client import Client
from stemma_contracts.v1.views import SectionView

from .exit_codes import CliError, ExitCode
from .lookup import find_section
from .output import clean_line, note


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


if TYPE_CHECKING:
    from stemma_markdown import Conflict


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
