"""Changing any section at any time."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from stemma_client.client import Client
from stemma_client.errors import RequestRejectedError
from stemma_contracts.v1.answers import RequestAccepted
from stemma_document.views import SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section, text_of, version_to_decide, words_or_stdin
from stemma_cli.output import clean_line, note
from stemma_cli.prompt import ask, text_in
from stemma_cli.report import tell_answer
from stemma_cli.wording import origin_words

from .meanwhile import merge_into
from .several import Choice, chosen, seen_versions
from .texteditor import edited_in_file, kept_unless_sent


async def instruct(
    client: Client, *, document: str, section: str, message: str, version: int | None, as_json: bool
) -> None:
    """Ask the editor agent for a change."""
    view, found = await find_section(client, document, section)
    version = version_to_decide(found, version)
    accepted = await client.edit(view.document_id, section, version, instruction=await words_or_stdin(message))
    tell_answer(accepted, f"asked the editor to change {section} version {version}", as_json=as_json, version=version)
    note(f"see what comes of it with `stemma watch {view.document_id[:8]}`")


async def write(client: Client, *, document: str, section: str, file: str, version: int | None, as_json: bool) -> None:
    """Put a text in the place of what is written."""
    text = await text_in(file)
    view, found = await find_section(client, document, section)
    await _write(client, view.document_id, section, text, found.version if version is None else version, as_json)


async def write_in_editor(client: Client, *, document: str, section: str, as_json: bool) -> None:
    """Open the current text in the person's editor and send what comes of it, if it is another.

    It is a decision about the version that was opened: if another came meanwhile, nothing is replaced, and what
    it changed is merged into the person's text, which stays in its file.
    """
    view, found = await find_section(client, document, section)
    before = await text_of(client, view.document_id, found.draft)
    file = await edited_in_file(section, before)
    text = await text_in(str(file))
    if text == before or not text.strip():
        file.unlink()
        note("nothing was changed, so nothing is sent" if text == before else "the text is empty, so nothing is sent")
        return
    with kept_unless_sent(file, f"stemma edit {view.document_id[:8]} {section} --file {file}"):
        try:
            await _write(client, view.document_id, section, text, found.version, as_json)
        except RequestRejectedError:
            await merge_into(file, client, view.document_id, found, before)
            raise


async def _write(client: Client, document_id: str, section: str, text: str, version: int, as_json: bool) -> None:
    accepted = await client.edit(document_id, section, version, text=text)
    view = await client.document(document_id)
    now = view.sections[section].version
    stale = [s.section_id for s in view.stale]
    tell_answer(accepted, f"wrote {section} version {now}", as_json=as_json, version=now, stale=stale)
    if view.stale:
        note(f"stale now: {', '.join(s.section_id for s in view.stale)}; see `stemma stale {document_id[:8]}`")


async def keep(client: Client, *, document: str, choice: Choice, as_json: bool) -> None:
    """Keep stale sections as they are."""
    view, sections = await chosen(client, document, choice, _is_stale)
    if not sections:
        note("nothing is stale")
        return
    versions = await seen_versions(client, view, sections, choice, "keep")
    if len(versions) == 1:
        [(section, version)] = versions.items()
        accepted = await client.keep(view.document_id, section, version)
        tell_answer(accepted, f"kept {section} version {version}", as_json=as_json, version=version)
    else:
        accepted = await client.keep_sections(view.document_id, versions)
        tell_answer(accepted, f"kept {_versions_words(accepted, versions)}", as_json=as_json, versions=versions)


async def regenerate(
    client: Client,
    *,
    document: str,
    choice: Choice,
    stale: bool,
    message: str | None,
    replace_edited: bool,
    as_json: bool,
) -> None:
    """Have sections written anew; a text that a person made is replaced only if a person says so."""
    view, sections = await chosen(client, document, choice, _is_stale if stale else _can_be_regenerated)
    if not sections:
        note("there is nothing to regenerate")
        return
    versions = await seen_versions(client, view, sections, choice, "regenerate")
    if not replace_edited:
        replace_edited = any([await _may_replace(section) for section in sections])
    guidance = await words_or_stdin(message) if message else None
    given: Any = {"guidance": guidance, "replace_edited": replace_edited}
    if len(versions) == 1:
        [(section, version)] = versions.items()
        accepted = await client.regenerate(view.document_id, section, version, **given)
        words = f"regenerating {section}, in place of version {version}"
        tell_answer(accepted, words, as_json=as_json, version=version)
    else:
        accepted = await client.regenerate_sections(view.document_id, versions, **given)
        words = f"regenerating {_versions_words(accepted, versions)}"
        tell_answer(accepted, words, as_json=as_json, versions=versions)


def _is_stale(section: SectionView) -> bool:
    return section.is_to_be_kept_or_regenerated


def _can_be_regenerated(section: SectionView) -> bool:
    return section.can_be_regenerated


def _versions_words(accepted: RequestAccepted, versions: Mapping[str, int]) -> str:
    """The sections in the order in which they were taken; an orchestrator of before names none of them."""
    names = accepted.section_ids or tuple(versions)
    return ", ".join(f"{name} version {versions[name]}" for name in names)


async def _may_replace(section: SectionView) -> bool:
    current = section.current
    if current is None or not current.is_a_persons:
        return False
    words = (
        f"version {current.number} of {section.section_id} holds a person's words: {clean_line(origin_words(current))}"
    )
    if not sys.stdin.isatty():
        hint = "say --replace-edited if it may be replaced; `stemma restore` brings it back"
        raise CliError(ExitCode.REJECTED, words, hint)
    if not await ask(f"{words}. Replace it?", otherwise=f"{section.section_id} stays as it is"):
        raise CliError(ExitCode.FAILED, f"{section.section_id} stays as it is")
    return True


async def restore(client: Client, *, document: str, section: str, earlier: int, as_json: bool) -> None:
    """Bring back the text of an earlier version."""
    view, found = await find_section(client, document, section)
    version = version_to_decide(found, None)
    accepted = await client.restore(view.document_id, section, version, restore_version=earlier)
    now = (await client.document(view.document_id)).sections[section].version
    tell_answer(accepted, f"restored {section} version {earlier} as version {now}", as_json=as_json, version=now)
