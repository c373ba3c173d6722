"""Decisions of people about documents and sections."""

from __future__ import annotations

from stemma_client.client import Client

from stemma_cli.lookup import find_document, find_section, words_or_stdin
from stemma_cli.output import note
from stemma_cli.report import tell_answer

from .seeing import seen_version
from .several import Choice, chosen, seen_versions


async def approve(client: Client, *, document: str, section: str, version: int | None, as_json: bool) -> None:
    """Approve one section in the version that was seen."""
    view, found = await find_section(client, document, section)
    seen = await seen_version(client, view, found, version, "approve")
    await _approve(client, view.document_id, section, seen, as_json)


async def _approve(client: Client, document_id: str, section: str, version: int, as_json: bool) -> None:
    accepted = await client.approve(document_id, section, version)
    tell_answer(accepted, f"approved {section} version {version}", as_json=as_json, version=version)


async def approve_all(client: Client, *, document: str, as_json: bool) -> None:
    """Approve all sections that wait for review now, in the versions that are printed."""
    choice = Choice((), every=True)
    view, waiting = await chosen(client, document, choice, lambda section: section.waits_for_review)
    if not waiting:
        note("no section waits for review")
        return
    versions = await seen_versions(client, view, waiting, choice, "approve")
    for name, version in versions.items():
        await _approve(client, view.document_id, name, version, as_json)


async def revise(
    client: Client,
    *,
    document: str,
    section: str,
    message: str,
    version: int | None,
    cycle: bool,
    replace_edited: bool,
    as_json: bool,
) -> None:
    """Send a section to the editor, or everything back to its authors."""
    view, found = await find_section(client, document, section)
    version = await seen_version(client, view, found, version, "revise")
    feedback = await words_or_stdin(message)
    accepted = await client.revise(
        view.document_id, section, version, feedback, cycle=cycle, replace_edited=replace_edited
    )
    words = "every section is written again" if cycle else f"sent {section} version {version} to the editor"
    tell_answer(accepted, words, as_json=as_json, version=version)


async def retry(client: Client, *, document: str, section: str, as_json: bool) -> None:
    """Try a failed section again."""
    view, _ = await find_section(client, document, section)
    tell_answer(await client.retry(view.document_id, section), f"trying {section} again", as_json=as_json)


async def pause(client: Client, *, document: str, as_json: bool) -> None:
    """Start no new work."""
    document_id = await find_document(client, document)
    tell_answer(await client.pause(document_id), f"paused {document_id}", as_json=as_json)


async def resume(client: Client, *, document: str, as_json: bool) -> None:
    """Go on."""
    document_id = await find_document(client, document)
    tell_answer(await client.resume(document_id), f"resumed {document_id}", as_json=as_json)


async def cancel(client: Client, *, document: str, as_json: bool) -> None:
    """End it for good."""
    document_id = await find_document(client, document)
    tell_answer(await client.cancel(document_id), f"cancelled {document_id}", as_json=as_json)
