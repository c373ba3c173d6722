"""Which versions a comparison of a whole document is of: those of an earlier export, and those of now."""

from __future__ import annotations

from collections.abc import Sequence

from stemma_contracts.v1 import events
from stemma_contracts.v1.exports import VersionPair
from stemma_contracts.v1.views import DocumentView

from .recorded import RecordedEvent

MOST_PAIRS = 100
"""Sections that one comparison may be of."""


def at_export(history: Sequence[RecordedEvent], export_id: str) -> Sequence[RecordedEvent] | None:
    """The events up to the request of an export; None if there was no such export."""
    for position, event in enumerate(history):
        if isinstance(event.contract, events.ExportRequested) and event.contract.export_id == export_id:
            return history[:position]
    return None


def version_pairs(before: DocumentView, after: DocumentView) -> list[VersionPair]:
    """The versions of each section at two times; where those are too many, of the sections that have another one."""
    had = {name: section.version for name, section in before.sections.items()}
    pairs = [
        VersionPair(section_id=name, from_version=had.get(name, 0), to_version=section.version)
        for name, section in after.sections.items()
    ]
    return pairs if len(pairs) <= MOST_PAIRS else [pair for pair in pairs if pair.from_version != pair.to_version]
