"""What a person typed in, and what came meanwhile: both as one text, beside which stands all that is not in it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from stemma_client import Client, DocumentView, SectionView
from stemma_client.differences import Change, differences
from stemma_contracts.v1.references import UploadRef
from stemma_document.views import VersionView
from stemma_markdown import Conflict, merge

from stemma_gateway.problems import Invalid

from .section import stored


@dataclass(frozen=True)
class Work:
    """A text that somebody is at, the version that it was made of, and the images that came with it."""

    text: str
    version: int
    images: tuple[UploadRef, ...] = ()


@dataclass(frozen=True)
class Meanwhile:
    """A version that came meanwhile: what it changed, and where both changed the same, so that ours stays."""

    version: VersionView
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


async def merged(
    client: Client, document: DocumentView, section: SectionView, work: Work
) -> tuple[Work, Meanwhile | None]:
    """The work as one made of the current version; raises `Invalid` if it was made of one that never was."""
    newest = section.current
    if newest is None or work.version == newest.number:
        return work, None
    base, theirs = await _text(client, document, section, work.version), await _text(client, document, section)
    found = await asyncio.to_thread(merge, base, work.text, theirs, document.language)
    changes = await asyncio.to_thread(differences, base, theirs, document.language)
    return Work(found.text, newest.number, work.images), Meanwhile(newest, changes, found.conflicts)


async def _text(client: Client, document: DocumentView, section: SectionView, number: int | None = None) -> str:
    """The text of a version, the current one if no other is named, with line ends as a form sends them."""
    if number == 0:
        return ""
    version = section.current if number is None else next((v for v in section.versions if v.number == number), None)
    if version is None:
        raise Invalid(f"version: the section has no version {number}")
    return (await stored(client, document.document_id, version)).replace("\r\n", "\n")
