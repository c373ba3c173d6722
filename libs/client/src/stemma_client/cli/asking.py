"""Questions at the terminal and texts from stdin.

Waiting for a person leaves the event loop running: the connection stays alive, and Ctrl-C ends the wait at once.
"""

from __future__ import annotations

import asyncio
import os
import sys

import typer

from .exits import ExitCode
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


async def read_stdin() -> bytes:
    """All of stdin, to its end."""
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
