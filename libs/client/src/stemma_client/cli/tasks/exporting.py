"""Taking a document out, into a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from stemma_contracts.v1.values import ExportFormat, ExportWarning

from stemma_client.cli.exits import CliError, ExitCode
from stemma_client.cli.output import console, note, say
from stemma_client.client import Client

from .finding import find_document

UNFINISHED = ("not_written", "not_approved", "stale")


async def export(client: Client, *, document: str, wanted: str | None, output: Path | None) -> ExitCode:
    """Ask for a format, wait for it, write it, and say what a person should know of it."""
    chosen = _format(wanted, output)
    document_id = await find_document(client, document)
    path = _target(output, f"{document_id}.{chosen}")
    with console(stderr=True).status(f"exporting {chosen}"):
        done = await client.export(document_id, chosen)
        write_atomically(path, await client.artifact(document_id, done.artifact))
    say(str(path))
    for warning in done.warnings:
        note(f"warning: {_warning_words(warning)}")
    return ExitCode.UNFINISHED if _is_unfinished(done.warnings) else ExitCode.OK


def _format(wanted: str | None, output: Path | None) -> ExportFormat:
    ending = output.suffix.lstrip(".").lower() if output else ""
    if wanted:
        return ExportFormat(wanted)
    return ExportFormat(ending) if ending in {*ExportFormat} else ExportFormat.DOCX


def _target(output: Path | None, name: str) -> Path:
    path = Path(name) if output is None else output / name if output.is_dir() else output
    if not path.parent.is_dir():
        raise CliError(ExitCode.USAGE, f"no such folder: {path.parent}")
    return path


def _is_unfinished(warnings: Sequence[ExportWarning]) -> bool:
    return any(warning.code in UNFINISHED for warning in warnings)


def _warning_words(warning: ExportWarning) -> str:
    about = f"{warning.section_id}: " if warning.section_id else ""
    times = f" ({warning.count} times)" if warning.count > 1 else ""
    return f"{about}{warning.code.replace('_', ' ')}{times}"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            temporary.chmod(0o666 & ~_umask())
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
