import asyncio
import os
import pty
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from stemma_testkit.backstage import *  # noqa: F403
from typer.testing import CliRunner, Result


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
def on_a_terminal(environment: dict[str, str]) -> Callable[..., Any]:
    """Run a command with a terminal: what a person sees of it, and its exit code."""

    async def run(*arguments: str, typed: str = "", columns: int = 120) -> tuple[str, int]:
        env = environment | {"COLUMNS": str(columns), "LINES": "40", "TERM": "xterm"}
        return await asyncio.to_thread(_at_a_terminal, env, arguments, typed)

    return run


def _at_a_terminal(environment: dict[str, str], arguments: Sequence[str], typed: str) -> tuple[str, int]:
    from stemma_cli.main import app

    parent, child = pty.openpty()
    os.write(parent, typed.encode())
    with ThreadPoolExecutor(1) as reading, patch.dict(os.environ, environment):
        seen = reading.submit(lambda: b"".join(iter(lambda: _read(parent), b"")))
        with (
            open(child) as stdin,
            open(os.dup(child), "w") as shown,
            pytest.raises(SystemExit) as ended,
            patch.multiple(sys, stdin=stdin, stdout=shown, stderr=shown),
        ):
            app(arguments, prog_name="stemma")
        told = seen.result(20).decode()
    os.close(parent)
    return told, int(ended.value.code or 0)


def _read(terminal: int) -> bytes:
    """What comes from a terminal; nothing once its other end is closed, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
