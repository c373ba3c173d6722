"""Where headings and sections stand, told by the typesetter itself."""

from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from stemma_confinement import Limits
from stemma_contracts.v1.exports import OverlongSection
from stemma_converter.pdf import Pages, set_pages

from .conftest import Exporter

LINE = "Words that fill a line of the page so that it holds what it can, and a few more of them.\n\n"


async def pages_of(folder: Path, source: str) -> Pages:
    (folder / "main.typ").write_text(source)
    return await set_pages(folder, Limits(seconds=20), 0)


@pytest.mark.req("W5", "P19")
async def test_a_section_is_as_long_as_from_its_heading_to_the_next(tmp_path: Path) -> None:
    source = "= First\n\n#pagebreak()\n#pagebreak()\n#v(50%)\n= Second\n\nShort.\n"
    first, second = (await pages_of(tmp_path, source)).lengths()
    assert 2.2 < first < 2.8
    assert 0 < second < 0.2


@pytest.mark.req("W5")
async def test_a_document_without_headings_has_no_sections_and_asking_for_the_pages_adds_none(tmp_path: Path) -> None:
    pages = await pages_of(tmp_path, "Only words.\n")
    assert (pages.of_headings(), pages.lengths()) == ((), ())
    source = "#set page(height: 5cm, margin: 1cm)\n= Full\n" + "#block(height: 3cm)[x]\n" * 3
    pages = await pages_of(tmp_path, source)
    assert len(PdfReader(BytesIO(pages.pdf)).pages) == pages.places.end.page == 4


LONG, SHORT = f"# Long\n\n{LINE * 70}", f"# Short\n\n{LINE}"


@pytest.mark.req("P19")
@pytest.mark.parametrize("format", ["pdf", "docx"])
async def test_tells_the_sections_that_take_more_pages_than_they_may_and_no_others(
    exporter: Exporter, format: str
) -> None:
    limits = {0: {"max_pages": 1}, 1: {"max_pages": 1}, 2: {"max_pages": 3}}
    _, done = await exporter.export(format, LONG, SHORT, LONG, LONG, states=limits)
    (section,) = done.too_long
    assert isinstance(section, OverlongSection)
    assert (section.section_id, section.max_pages) == ("s0", 1)
    assert section.pages in (2, 3)
