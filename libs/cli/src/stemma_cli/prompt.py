"""Questions at the terminal, and texts from files and from stdin.

Waiting for a person leaves the event loop running: the connection stays alive, and Ctrl-C ends the wait at once.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import typer
from stemma_client.errors import InvalidInputError
from stemma_client.inputs import read

from .exit_codes import ExitCode
from .output import note

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
