"""What a person typed in, as one text with what came meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stemma_client import Client, DocumentView, SectionView
from stemma_client.meanwhile import Meanwhile, meanwhile
from stemma_contracts.v1.references import UploadRef


@dataclass(frozen=True)
class Work:
    """A text that somebody is at, the version that it was made of, and the images that came with it."""

    text: str
    version: int
    images: tuple[UploadRef, ...] = ()


async def merged(
    client: Client, document: DocumentView, section: SectionView, work: Work
) -> tuple[Work, Meanwhile | None]:
    """The work as one made of the current version; raises `InvalidInputError` if it was made of one that never was."""
    newer = await meanwhile(client, document, section, work.text, work.version)
    return (replace(work, text=newer.text, version=newer.version.number), newer) if newer else (work, None)
