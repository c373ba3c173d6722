"""Sections that take more pages than their outline allows."""

from __future__ import annotations

import pytest
from stemma_contracts.v1.exports import OverlongSection

from .conftest import Exporter

LINES = "Words that fill a line of the page so that it holds what it can, and a few more of them.\n\n"
LONG, SHORT = f"# Long\n\n{LINES * 70}", f"# Short\n\n{LINES}"


@pytest.mark.req("P19")
@pytest.mark.parametrize("format", ["pdf", "docx"])
async def test_tells_the_sections_that_take_more_pages_than_they_may(exporter: Exporter, format: str) -> None:
    limits = {0: {"max_pages": 1}, 1: {"max_pages": 1}}
    _, done = await exporter.export(format, LONG, SHORT, states=limits)
    (section,) = done.too_long
    assert isinstance(section, OverlongSection)
    assert (section.section_id, section.max_pages) == ("s0", 1)
    assert section.pages in (2, 3)


@pytest.mark.req("P19")
async def test_stays_quiet_within_the_limit_and_without_one(exporter: Exporter) -> None:
    _, done = await exporter.export("pdf", LONG, SHORT, states={0: {"max_pages": 3}})
    assert done.too_long == ()
