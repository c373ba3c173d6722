"""Sections that take more pages of an export than their outline allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from stemma_contracts.v1.exports import ExportSection, OverlongSection

from .pages import Pages, SectionPages

TOLERANCE = 0.05
"""Of a page: the space above the next heading is no text."""


def too_long(sections: Sequence[ExportSection], pages: Pages | None) -> tuple[OverlongSection, ...]:
    """The sections beyond their limit, by the pages of our PDF; none where no pages were set."""
    found = pages.of_sections() if pages is not None else ()
    return tuple(_beyond(sections, found)) if len(found) == len(sections) else ()


def _beyond(sections: Sequence[ExportSection], found: Sequence[SectionPages]) -> Iterator[OverlongSection]:
    for section, stands in zip(sections, found, strict=True):
        if section.max_pages is not None and stands.length > section.max_pages + TOLERANCE:
            pages = max(ceil(stands.length - TOLERANCE), section.max_pages + 1)
            yield OverlongSection(section_id=section.section_id, pages=pages, max_pages=section.max_pages)
