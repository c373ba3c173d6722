from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from stemma_testkit.backstage import *  # noqa: F403
from typer.testing import CliRunner, Result


class Finished(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def cli(environment: dict[str, str]) -> Callable[..., Any]:
    async def invoke(*arguments: str, stdin: str | None = None) -> Result:
        from stemma_cli.main import app

        runner = CliRunner()
        return await asyncio.to_thread(runner.invoke, app, list(arguments), input=stdin, env=environment)

    return invoke


@pytest.fixture(scope="session")
def stemma() -> str:
    """The installed command."""
    return str(Path(sys.executable).with_name("stemma"))


@pytest.fixture
def command(environment: dict[str, str], stemma: str) -> Callable[..., Any]:
    """Run a command as a process of its own, without a terminal."""

    async def run(*arguments: str) -> Finished:
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            stemma, *arguments, env=os.environ | environment, stdin=nothing, stdout=pipe, stderr=pipe
        )
        stdout, stderr = await asyncio.wait_for(process.communicate(), 20)
        return Finished(process.returncode or 0, stdout.decode(), stderr.decode())

    return run


@pytest.fixture
def on_a_terminal(environment: dict[str, str], stemma: str) -> Callable[..., Any]:
    """Run a command at a terminal: what a person sees of it, and its exit code."""

    async def run(*arguments: str, typed: str = "", columns: int = 120) -> tuple[str, int]:
        env = os.environ | environment | {"COLUMNS": str(columns)}
        return await asyncio.to_thread(_at_a_terminal, env, [stemma, *arguments], typed)

    return run


def _at_a_terminal(environment: dict[str, str], command: Sequence[str], typed: str) -> tuple[str, int]:
    parent, child = pty.openpty()
    env = environment | {"TERM": "xterm", "LINES": "40"}
    process = subprocess.Popen(command, env=env, stdin=child, stdout=child, stderr=child)
    os.close(child)
    os.write(parent, typed.encode())
    seen = b"".join(iter(lambda: _read(parent), b""))
    os.close(parent)
    return seen.decode(), process.wait(20)


def _read(terminal: int) -> bytes:
    """What comes from a terminal; nothing once its other end is closed, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
