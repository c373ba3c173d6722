"""What a person wrote, and what came meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stemma_client.client import Client
from stemma_contracts.v1.views import SectionView

from stemma_cli.lookup import find_section
from stemma_cli.output import clean_line, note

if TYPE_CHECKING:
    from stemma_markdown import Conflict


async def merge_into(file: Path, client: Client, document_id: str, opened: SectionView, before: str) -> int:
    """Merge what a newer version changed into the text of a person, which stays wherever both changed the same.

    ``before`` is the text of the version that the person opened. The result is the version that is now in the text.
    """
    view, current = await find_section(client, document_id, opened.section_id)
    if current.version == opened.version:
        return opened.version
    theirs = await client.text(document_id, current.draft)
    conflicts = _merged(file, before, theirs, view.language)
    note(f"what version {current.version} changed is merged into your text")
    for conflict in conflicts:
        note(f"both changed: {_quoted(conflict.base)}; yours stays: {_quoted(conflict.ours)}")
        note(f"version {current.version} has: {_quoted(conflict.theirs)}")
    return current.version


def _merged(file: Path, before: str, theirs: str, language: str) -> tuple[Conflict, ...]:
    # What reads Markdown takes longer to load than most verbs.
    from stemma_markdown import merge

    merged = merge(before, file.read_bytes().decode(), theirs, language)
    file.write_bytes(merged.text.encode())
    return merged.conflicts


def _quoted(text: str) -> str:
    return f'"{clean_line(text)}"' if text.strip() else "(nothing)"
