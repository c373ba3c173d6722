"""A text that somebody made of an earlier version of a section, and what came meanwhile: both as one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stemma_contracts.v1.views import DocumentView, SectionView, VersionView

from .client import Client
from .differences import Change, differences
from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_markdown import Conflict


@dataclass(frozen=True)
class Meanwhile:
    """A version that came meanwhile, and ``text``, which has what it changed merged into the other text.

    ``changes`` are its own; where both changed the same, ``conflicts`` say so, and the other text stays.
    """

    version: VersionView
    text: str
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


async def meanwhile(
    client: Client, document: DocumentView, section: SectionView, text: str, version: int
) -> Meanwhile | None:
    """What came since the version that a text was made of; None if that one is current.

    Line ends are those of Unix. Raises `InvalidInputError` for a version that never was.
    """
    # Most verbs merge nothing, and what reads Markdown takes long to load.
    from stemma_markdown import merge

    newest = section.current
    if newest is None or version == newest.number:
        return None
    base = await _text(client, document, _version_of(section, version)) if version else ""
    theirs = await _text(client, document, newest)
    found = await client.compute(merge, base, text, theirs, document.language)
    changes = await client.compute(differences, base, theirs, document.language)
    return Meanwhile(newest, found.text, changes, found.conflicts)


def _version_of(section: SectionView, number: int) -> VersionView:
    if (version := section.numbered(number)) is None:
        raise InvalidInputError.of("version_unknown", "version", section_id=section.section_id, version=number)
    return version


async def _text(client: Client, document: DocumentView, version: VersionView) -> str:
    """The text of a version; nothing where it is not stored any more."""
    text = await client.stored_text(document.document_id, version.draft)
    return (text or "").replace("\r\n", "\n")
