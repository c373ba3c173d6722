"""The verbs that start all of Stemma on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from stemma_client.cli.arguments import AsJson


def up(
    data: Annotated[
        Path, typer.Option("--data", envvar="STEMMA_DATA_DIR", help="Folder for all data, logs and passwords.")
    ] = Path(".stemma"),
    in_process: Annotated[bool, typer.Option("--in-process", help="Run all services in one process.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port of NATS; else a free one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start NATS and every service here, and keep them running until Ctrl-C.

    The other verbs, run in the same folder, find the server by themselves.

    Example: stemma up
    """
    from .foreground import run_in_foreground

    raise typer.Exit(run_in_foreground(data, in_process=in_process, port=port, as_json=as_json))


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("demo-output"),
    kind: Annotated[str, typer.Option("--kind", help="Whose sample to write.")] = "proposal",
    as_json: AsJson = False,
) -> None:
    """Write the shipped sample from brief to DOCX: start everything, review, export, stop.

    Needs no key and no network.

    Example: stemma demo --output demo-output
    """
    from .foreground import run_demo

    raise typer.Exit(run_demo(output, kind, as_json=as_json))
