"""Answers of a person to what a section asks, in words or image by image."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from stemma_client.client import Client
from stemma_contracts.v1.needs import SKIP
from stemma_contracts.v1.references import UploadRef
from stemma_document.views import SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section, words_or_stdin
from stemma_cli.report import tell_answer


async def answer(
    client: Client,
    *,
    document: str,
    section: str,
    need: str | None,
    message: str,
    skip: Iterable[str],
    supply: Iterable[str],
    use: Iterable[str],
    as_json: bool,
) -> None:
    """Answer an open need, by default the one that the section has."""
    view, found = await find_section(client, document, section)
    need = need or (found.need.need_id if found.need else None)
    if need is None:
        raise CliError(ExitCode.FAILED, f"{section} asks for nothing", "see `stemma inbox` for what waits")
    chosen = dict.fromkeys(skip, SKIP) | dict(map(_pair, use))
    files = dict(map(_pair, supply))
    _check_names(found, {*chosen, *files})
    uploads: dict[str, UploadRef] = {name: await client.upload(Path(file)) for name, file in files.items()}
    words = await words_or_stdin(message) if message else ""
    accepted = await client.answer_need(view.document_id, section, need, words, decisions={**chosen, **uploads})
    tell_answer(accepted, f"answered {need} of {section}", as_json=as_json, need_id=need)


def _pair(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise CliError(ExitCode.USAGE, f"{given!r} does not look like IMAGE=FILE", "see `stemma answer --help`")
    return name, value


def _check_names(section: SectionView, named: set[str]) -> None:
    """A misspelt image would be asked for again, with no word why."""
    asked = {entry.reference for entry in section.need.references} if section.need else set()
    if unknown := sorted(named - asked):
        words = f"{section.section_id} does not ask for {unknown[0]!r}"
        raise CliError(ExitCode.USAGE, words, f"it asks for {', '.join(sorted(asked)) or 'words'}")
