"""Decisions of people about documents and sections."""

from __future__ import annotations

from stemma_contracts.v1.values import SectionStatus

from stemma_client.cli.exits import CliError, ExitCode
from stemma_client.cli.output import note, say
from stemma_client.client import Client
from stemma_client.views import SectionView

from .finding import find_document, find_section, version_to_decide, words_or_stdin


async def approve(client: Client, *, document: str, section: str, version: int | None) -> None:
    """Approve one section, by default in its current version."""
    view, found = await find_section(client, document, section)
    await _approve(client, view.document_id, found, version)


async def _approve(client: Client, document_id: str, section: SectionView, version: int | None) -> None:
    version = version_to_decide(section, version)
    await client.approve(document_id, section.section_id, version)
    say(f"approved {section.section_id} version {version}")


async def approve_all(client: Client, *, document: str) -> None:
    """Approve all sections that wait for review now."""
    view = await client.document(await find_document(client, document))
    waiting = [s for s in view.sections.values() if s.status is SectionStatus.AWAITING_REVIEW]
    for section in waiting:
        await _approve(client, view.document_id, section, None)
    if not waiting:
        note("no section waits for review")


async def revise(client: Client, *, document: str, section: str, message: str, version: int | None) -> None:
    """Send a section to the editor."""
    view, found = await find_section(client, document, section)
    version = version_to_decide(found, version)
    await client.revise(view.document_id, section, version, words_or_stdin(message))
    say(f"sent {section} version {version} to the editor")


async def answer(client: Client, *, document: str, section: str, need: str | None, message: str) -> None:
    """Answer an open need, by default the one that the section has."""
    view, found = await find_section(client, document, section)
    need = need or (found.need.need_id if found.need else None)
    if need is None:
        raise CliError(ExitCode.FAILED, f"{section} asks for nothing", "see `stemma inbox` for what waits")
    await client.answer_need(view.document_id, section, need, words_or_stdin(message))
    say(f"answered {need} of {section}")


async def retry(client: Client, *, document: str, section: str) -> None:
    """Try a failed section again."""
    view, _ = await find_section(client, document, section)
    await client.retry(view.document_id, section)
    say(f"trying {section} again")


async def pause(client: Client, *, document: str) -> None:
    """Start no new work."""
    document_id = await find_document(client, document)
    await client.pause(document_id)
    say(f"paused {document_id}")


async def resume(client: Client, *, document: str) -> None:
    """Go on."""
    document_id = await find_document(client, document)
    await client.resume(document_id)
    say(f"resumed {document_id}")


async def cancel(client: Client, *, document: str) -> None:
    """End it for good."""
    document_id = await find_document(client, document)
    await client.cancel(document_id)
    say(f"cancelled {document_id}")
