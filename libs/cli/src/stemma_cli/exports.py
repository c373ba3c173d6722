"""Exports: the format and the file that a person means, and what to know of what came."""

import os
import sys
import tempfile
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from stemma_client.client import Client
from stemma_client.reading import at_export, read_document, version_pairs
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1 import events
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.events import DocumentExported
from stemma_contracts.v1.exports import OPEN, ExportFormat, ExportRemark, ExportWarning, VersionPair

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section
from stemma_cli.wording import check_lines, contradiction_words, export_lines, lacks_inputs, overlong_words

STDOUT = Path("-")
UNFINISHED = ("not_written", "not_approved", "stale")
MOST_OPEN = 20
"""Requirements that a warning names."""


def check_output(output: Path | None, *, as_json: bool) -> None:
    if output == STDOUT and as_json:
        raise CliError(ExitCode.USAGE, "stdout takes the document or --json, not both")
    if output == STDOUT and sys.stdout.isatty():
        hint = "send stdout to a file or a pipe, or name a file"
        raise CliError(ExitCode.USAGE, "a terminal shows no document", hint)


def check_redline(
    chosen: ExportFormat, redline: tuple[str, str] | None, section: str | None, *, added: Sequence[str]
) -> None:
    if redline and added:
        raise CliError(ExitCode.USAGE, f"a redline has no {added[0]}", f"say one of --redline and --{added[0]}")
    if redline and chosen is not ExportFormat.DOCX:
        raise CliError(ExitCode.USAGE, f"a redline is a docx, not a {chosen}")
    if section and not redline:
        hint = "`stemma show DOC SECTION` prints a section"
        raise CliError(ExitCode.USAGE, "--section goes with --redline A B", hint)


def warning_lines(done: DocumentExported, path: Path) -> Iterator[str]:
    warnings = (
        *map(_warning_words, done.warnings),
        *export_lines(done.not_covered),
        *_open_words(done, path),
        *map(_remark_words, done.remarks),
        *map(overlong_words, done.too_long),
        *map(contradiction_words, done.contradictions),
    )
    yield from (f"warning: {words}" for words in warnings)
    yield from check_lines(done.rules)
    yield from _missing_formats(done)


def held_together(exports: Sequence[DocumentExported]) -> list[DocumentExported]:
    """Files that leave together: a format that one of them has is missing in none of the others."""
    there = {check.rule_id for done in exports for check in done.rules if _is_format(check) and check.state == "kept"}
    return [done.model_copy(update={"rules": tuple(_beside(check, there) for check in done.rules)}) for done in exports]


def _is_format(check: RuleCheck) -> bool:
    return check.kind == "file_format"


def _beside(check: RuleCheck, there: Container[str]) -> RuleCheck:
    is_there = check.state == "broken" and _is_format(check) and check.rule_id in there
    return check.model_copy(update={"state": "to_see"}) if is_there else check


def _missing_formats(done: DocumentExported) -> Iterator[str]:
    for check in done.rules:
        wanted = check.wanted.split(", ")
        if check.state != "broken" or not _is_format(check) or done.format in wanted:
            continue
        ours = next((one for one in wanted if one in {*ExportFormat}), None)
        how = f"export both with `--format {done.format} --format {ours}`" if ours else "convert the file"
        yield f"the request demands {check.wanted}, which is missing: {how}"


def formats_of(wanted: Sequence[str], output: Path | None) -> list[ExportFormat]:
    """The formats that were asked for, each once; several go into a folder."""
    if len(wanted) > 1 and output is not None and not output.is_dir():
        raise CliError(ExitCode.USAGE, f"several formats need a folder, and {output} is none", "name one with --output")
    return list(dict.fromkeys(format_of(one, output) for one in (wanted or (None,))))


def format_of(wanted: str | None, output: Path | None) -> ExportFormat:
    """What was asked for, else what the ending of the file says; the two never contradict each other."""
    ending = "" if output is None or output.is_dir() else output.suffix.lstrip(".").lower()
    known = ending in {*ExportFormat}
    if wanted and known and ending != wanted:
        raise CliError(ExitCode.USAGE, f"{output} ends as {ending}, and --format says {wanted}", "say one of the two")
    if ending and not (wanted or known):
        endings = ", ".join(f".{known_format}" for known_format in ExportFormat)
        raise CliError(ExitCode.USAGE, f"no format has the ending of {output}", f"use {endings}, or say --format")
    return ExportFormat(wanted or ending or ExportFormat.DOCX)


def path_of(output: Path | None, name: str) -> Path:
    """Where the document goes to; ``name`` is that of its file unless another is given."""
    if output == STDOUT:
        return STDOUT
    path = Path(name) if output is None else output / name if output.is_dir() else output
    if not path.parent.is_dir():
        raise CliError(ExitCode.USAGE, f"no such folder: {path.parent}")
    return path


def is_unfinished(done: DocumentExported) -> bool:
    lacks = lacks_inputs(done.not_covered) or bool(done.open_requirements)
    lacks |= any(check.state == "broken" for check in done.rules)
    lacks |= any(remark.code == OPEN for remark in done.remarks)
    return lacks or any(warning.code in UNFINISHED for warning in done.warnings)


def list_path(done: DocumentExported, path: Path) -> Path | None:
    """Where the list of open requirements goes to: beside the document."""
    return path.with_name(f"{path.stem}-{done.open_list.name}") if done.open_list and path != STDOUT else None


def _open_words(done: DocumentExported, path: Path) -> Iterator[str]:
    if names := done.open_requirements:
        more = f" and {len(names) - MOST_OPEN} more" if len(names) > MOST_OPEN else ""
        at = list_path(done, path) or "`stemma ledger`"
        yield f"mandatory requirements without a sure answer: {', '.join(names[:MOST_OPEN])}{more}; {at} says which"


def _warning_words(warning: ExportWarning) -> str:
    about = f"{warning.section_id}: " if warning.section_id else ""
    times = f" ({warning.count} times)" if warning.count > 1 else ""
    return f"{about}{warning.code.replace('_', ' ')}{times}"


def _remark_words(remark: ExportRemark) -> str:
    about = f"{remark.section_id}: " if remark.section_id else ""
    detail = f": {remark.detail}" if remark.detail else ""
    times = f" ({remark.count} times)" if remark.count > 1 else ""
    return f"{about}{remark.code.replace('_', ' ')}{times}{detail}"


def write(path: Path, data: bytes) -> None:
    if path == STDOUT:
        sys.stdout.buffer.write(data)
    else:
        write_atomically(path, data)


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


NOW = "now"


async def pairs(client: Client, document_id: str, section: str | None, names: tuple[str, str]) -> list[VersionPair]:
    """Two versions of a section; without one, all sections as they were at two exports, or are now."""
    if section is not None:
        known = [version.number for version in (await find_section(client, document_id, section))[1].versions]
        old, new = (_version(section, known, name) for name in names)
        return [VersionPair(section_id=section, from_version=old, to_version=new)]
    history = await client.history(document_id)
    before, after = (read_document(document_id, _until(history, name)) for name in names)
    return version_pairs(before, after)


def _version(section: str, known: Sequence[int], name: str) -> int:
    number = int(name) if name.isdecimal() else 0
    if number not in known:
        has = f"it has {', '.join(map(str, known)) or 'none'}"
        raise CliError(ExitCode.USAGE, f"{section} has no version {name}", has)
    return number


def _until(history: Sequence[RecordedEvent], name: str) -> Sequence[RecordedEvent]:
    if name == NOW:
        return history
    if (found := at_export(history, name)) is None:
        times = (
            f"{event.contract.export_id} ({event.envelope.time.astimezone():%Y-%m-%d %H:%M})"
            for event in history
            if isinstance(event.contract, events.ExportRequested)
        )
        raise CliError(ExitCode.USAGE, f"the document has no export {name}", f"it has {', '.join((*times, NOW))}")
    return found
