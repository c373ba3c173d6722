"""Decisions of people about documents and sections."""

from __future__ import annotations

from stemma_contracts.v1.values import DocumentSummary, SectionStatus, SectionSummary

from stemma_client.cli.exits import CliError, ExitCode
from stemma_client.cli.output import note, say, say_json, say_table
from stemma_client.cli.wording import issues, score_words, version_words
from stemma_client.client import Client
from stemma_client.views import SectionView

from .finding import find_document, find_section, text_of, title_of, words_or_stdin


async def inbox(client: Client, *, as_json: bool) -> None:
    """All that waits for a person, across documents."""
    rows = [
        await _inbox_entry(client, document, section)
        for document in await client.documents()
        for section in document.sections
        if section.status is SectionStatus.AWAITING_REVIEW or section.need_id
    ]
    if as_json:
        say_json(rows)
        return
    columns = ("DOCUMENT", "SECTION", "TITLE", "VERSION", "SCORE", "LINT", "WAITS FOR")
    say_table(columns, [_inbox_row(row) for row in rows])
    note("read one with `stemma show DOC SECTION`" if rows else "nothing waits for you")


async def _inbox_entry(client: Client, document: DocumentSummary, section: SectionSummary) -> dict[str, object]:
    question = await _question(client, document.document_id, section) if section.need_id else ""
    return {
        "document_id": document.document_id,
        "document_title": await title_of(client, document.document_id, document.title),
        "section_id": section.section_id,
        "title": section.title,
        "version": section.version,
        "score": section.score,
        "issue_count": section.issue_count,
        "need_id": section.need_id,
        "question": question,
    }


async def _question(client: Client, document_id: str, section: SectionSummary) -> str:
    need = (await client.document(document_id)).sections[section.section_id].need
    return await text_of(client, document_id, need.question) if need else ""


def _inbox_row(entry: dict[str, object]) -> tuple[str, ...]:
    score, version, count = entry["score"], entry["version"], entry["issue_count"]
    assert isinstance(version, int)
    assert isinstance(count, int)
    return (
        str(entry["document_id"]),
        str(entry["section_id"]),
        str(entry["title"]),
        version_words(version),
        score_words(score if isinstance(score, float) else None),
        issues(count) if version else "",
        f"answer {entry['need_id']}: {entry['question']}" if entry["need_id"] else "review",
    )


async def approve(client: Client, *, document: str, section: str, version: int | None) -> None:
    """Approve one section, by default in its current version."""
    view, found = await find_section(client, document, section)
    await _approve(client, view.document_id, found, version)


async def _approve(client: Client, document_id: str, section: SectionView, version: int | None) -> None:
    version = version or _written(section)
    await client.approve(document_id, section.section_id, version)
    say(f"approved {section.section_id} version {version}")


def _written(section: SectionView) -> int:
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    return section.version


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
    version = version or _written(found)
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
