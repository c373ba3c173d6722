"""Decisions of people about documents and sections."""

from __future__ import annotations

from stemma_contracts.v1.values import SectionStatus

from stemma_client.cli.output import note
from stemma_client.client import Client

from .finding import find_document, find_section, version_to_decide, words_or_stdin
from .telling import tell_answer


async def approve(client: Client, *, document: str, section: str, version: int | None, as_json: bool) -> None:
    """Approve one section, by default in its current version."""
    view, found = await find_section(client, document, section)
    await _approve(client, view.document_id, section, version_to_decide(found, version), as_json)


async def _approve(client: Client, document_id: str, section: str, version: int, as_json: bool) -> None:
    accepted = await client.approve(document_id, section, version)
    tell_answer(accepted, f"approved {section} version {version}", as_json=as_json, version=version)


async def approve_all(client: Client, *, document: str, as_json: bool) -> None:
    """Approve all sections that wait for review now."""
    view = await client.document(await find_document(client, document))
    waiting = [s for s in view.sections.values() if s.status is SectionStatus.AWAITING_REVIEW]
    for section in waiting:
        await _approve(client, view.document_id, section.section_id, section.version, as_json)
    if not waiting:
        note("no section waits for review")


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
    version = version_to_decide(found, version)
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
