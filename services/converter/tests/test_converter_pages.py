"""Where headings and sections stand, told by the typesetter itself."""

from __future__ import annotations

import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from stemma_confinement import Limits
from stemma_contracts.v1.exports import OverlongSection
from stemma_converter.converter import Converter
from stemma_converter.pdf import Pages, set_pages

from .conftest import Exporter

LINE = "Words that fill a line of the page so that it holds what it can, and a few more of them.\n\n"


async def pages_of(folder: Path, source: str) -> Pages:
    (folder / "main.typ").write_text(source)
    return await set_pages(folder, Limits(seconds=20), 0)


@pytest.mark.req("W5", "P19")
async def test_headings_are_on_the_pages_that_the_pdf_has_them_on(tmp_path: Path) -> None:
    source = f"= First\n\n{LINE * 40}== Inner\n\n{LINE * 40}= Second\n\n{LINE}"
    pages = await pages_of(tmp_path, source)
    texts = [page.extract_text() for page in PdfReader(BytesIO(pages.pdf)).pages]
    for words, number in zip(("First", "Inner", "Second"), pages.of_headings(), strict=True):
        assert [words in text for text in texts].index(True) + 1 == number


@pytest.mark.req("W5", "P19")
async def test_a_section_is_as_long_as_from_its_heading_to_the_next(tmp_path: Path) -> None:
    source = "= First\n\n#pagebreak()\n#pagebreak()\n#v(50%)\n= Second\n\nShort.\n"
    first, second = (await pages_of(tmp_path, source)).lengths()
    assert 2.2 < first < 2.8
    assert 0 < second < 0.2


@pytest.mark.req("W5")
async def test_a_document_without_headings_has_no_sections(tmp_path: Path) -> None:
    pages = await pages_of(tmp_path, "Only words.\n")
    assert (pages.of_headings(), pages.lengths()) == ((), ())


@pytest.mark.req("W5")
async def test_asking_for_the_pages_adds_none(tmp_path: Path) -> None:
    source = "#set page(height: 5cm, margin: 1cm)\n= Full\n" + "#block(height: 3cm)[x]\n" * 3
    pages = await pages_of(tmp_path, source)
    assert len(PdfReader(BytesIO(pages.pdf)).pages) == pages.places.end.page == 4


@pytest.mark.req("W5")
async def test_what_stands_in_for_the_contents_takes_as_many_pages_as_they_do(
    converter: Converter, tmp_path: Path
) -> None:
    """Else the text would move once more, which costs time alone."""
    lines = [f"## {'A heading and what it is about ' * (1 + n % 5)}" if n % 9 else "# A part" for n in range(90)]
    template = shutil.copytree(converter.config, tmp_path / "config") / "document.typ"
    known = "query(heading.where(outlined: true)).len() > 0"
    source = template.read_text("utf-8")
    assert known in source
    template.write_text(source.replace(known, "false"), encoding="utf-8")
    begins = []
    for config in (converter.config, template.parent):
        pdf, _ = await Exporter(replace(converter, config=config)).export("pdf", "\n\n".join(lines))
        reader = PdfReader(BytesIO(pdf))
        begins.append(reader.get_destination_page_number(reader.outline[0]))  # type: ignore[arg-type]
    assert begins[0] == begins[1]
    assert (begins[0] or 0) > 1


LONG, SHORT = f"# Long\n\n{LINE * 70}", f"# Short\n\n{LINE}"


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
