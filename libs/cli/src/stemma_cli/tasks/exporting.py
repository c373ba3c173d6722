"""Taking a document out, into a file."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stemma_client.client import Client
from stemma_contracts.v1.events import DocumentExported
from stemma_contracts.v1.exports import ExportFormat, ExportRemark, ExportWarning

from stemma_cli.coverage import export_lines, lacks_inputs
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import console, note, say, say_json
from stemma_cli.wording import overlong_words

from .redlines import pairs

STDOUT = Path("-")
UNFINISHED = ("not_written", "not_approved", "stale")


@dataclass(frozen=True)
class Asked:
    """What a person wants to take out, and where to; ``redline`` names what is compared."""

    document: str
    format: str | None
    output: Path | None
    redline: tuple[str, str] | None
    section: str | None


async def export(client: Client, *, asked: Asked, as_json: bool) -> ExitCode:
    """Ask for a format, wait for it, write it, and say what a person should know of it."""
    chosen = _format(asked.format, asked.output)
    _check(asked, chosen, as_json)
    document_id = await find_document(client, asked.document)
    path = _target(asked.output, f"{document_id}{'-changes' if asked.redline else ''}.{chosen}")
    compared = await pairs(client, document_id, asked.section, asked.redline) if asked.redline else ()
    with console(stderr=True).status(f"exporting {chosen}"):
        done = await client.export(document_id, chosen, redline=compared)
        content = await client.artifact(document_id, done.artifact)
    if path == STDOUT:
        sys.stdout.buffer.write(content)
    else:
        write_atomically(path, content)
    if as_json:
        say_json(done.model_dump(mode="json") | {"path": str(path), "finished": not _is_unfinished(done)})
    else:
        _tell(path, done)
    return ExitCode.UNFINISHED if _is_unfinished(done) else ExitCode.OK


def _check(asked: Asked, chosen: ExportFormat, as_json: bool) -> None:
    if asked.output == STDOUT and as_json:
        raise CliError(ExitCode.USAGE, "stdout takes the document or --json, not both")
    if asked.output == STDOUT and sys.stdout.isatty():
        raise CliError(
            ExitCode.USAGE, "a terminal shows no document", "send stdout to a file or a pipe, or name a file"
        )
    if asked.redline and chosen is not ExportFormat.DOCX:
        raise CliError(ExitCode.USAGE, f"a redline is a docx, not a {chosen}")
    if asked.section and not asked.redline:
        raise CliError(
            ExitCode.USAGE, "--section goes with --redline A B", "`stemma show DOC SECTION` prints a section"
        )


def _tell(path: Path, done: DocumentExported) -> None:
    if path != STDOUT:
        say(str(path))
    note(f"exported as {done.export_id}")
    for warning in done.warnings:
        note(f"warning: {_warning_words(warning)}")
    for line in export_lines(done.not_covered):
        note(f"warning: {line}")
    for remark in done.remarks:
        note(f"warning: {_remark_words(remark)}")
    for section in done.too_long:
        note(f"warning: {overlong_words(section)}")


def _format(wanted: str | None, output: Path | None) -> ExportFormat:
    """What was asked for, else what the ending of the file says; the two never contradict each other."""
    ending = "" if output is None or output.is_dir() else output.suffix.lstrip(".").lower()
    known = ending in {*ExportFormat}
    if wanted and known and ending != wanted:
        raise CliError(ExitCode.USAGE, f"{output} ends as {ending}, and --format says {wanted}", "say one of the two")
    if ending and not (wanted or known):
        endings = ", ".join(f".{known_format}" for known_format in ExportFormat)
        raise CliError(ExitCode.USAGE, f"no format has the ending of {output}", f"use {endings}, or say --format")
    return ExportFormat(wanted or ending or ExportFormat.DOCX)


def _target(output: Path | None, name: str) -> Path:
    if output == STDOUT:
        return STDOUT
    path = Path(name) if output is None else output / name if output.is_dir() else output
    if not path.parent.is_dir():
        raise CliError(ExitCode.USAGE, f"no such folder: {path.parent}")
    return path


def _is_unfinished(done: DocumentExported) -> bool:
    return any(warning.code in UNFINISHED for warning in done.warnings) or lacks_inputs(done.not_covered)


def _warning_words(warning: ExportWarning) -> str:
    about = f"{warning.section_id}: " if warning.section_id else ""
    times = f" ({warning.count} times)" if warning.count > 1 else ""
    return f"{about}{warning.code.replace('_', ' ')}{times}"


def _remark_words(remark: ExportRemark) -> str:
    about = f"{remark.section_id}: " if remark.section_id else ""
    detail = f": {remark.detail}" if remark.detail else ""
    return f"{about}{remark.code.replace('_', ' ')}{detail}"


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
