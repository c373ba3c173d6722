"""Where headings and sections stand, told by the typesetter itself."""

from __future__ import annotations

import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from stemma_confinement import Limits
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_converter.assembly import key_of
from stemma_converter.converter import Converter, KeptPages
from stemma_converter.handlers import on_convert_document
from stemma_converter.pages import Pages, Place, Places, set_pages

from .conftest import Exporter

KEPT = b"%PDF-kept"
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
    first, second = (await pages_of(tmp_path, source)).of_sections()
    assert (first.first, first.last) == (1, 3)
    assert 2.2 < first.length < 2.8
    assert (second.first, second.last) == (3, 3)
    assert 0 < second.length < 0.2


@pytest.mark.req("P19")
async def test_a_section_that_the_next_page_follows_ends_on_its_own(tmp_path: Path) -> None:
    first, second = (await pages_of(tmp_path, "= First\n\nShort.\n#pagebreak()\n= Second\n")).of_sections()
    assert (first.first, first.last, second.first) == (1, 1, 2)


@pytest.mark.req("W5")
async def test_a_document_without_headings_has_no_sections(tmp_path: Path) -> None:
    pages = await pages_of(tmp_path, "Only words.\n")
    assert (pages.of_headings(), pages.of_sections()) == ((), ())


@pytest.mark.req("W5")
async def test_asking_for_the_pages_adds_none(tmp_path: Path) -> None:
    source = "#set page(height: 5cm, margin: 1cm)\n= Full\n" + "#block(height: 3cm)[x]\n" * 3
    pages = await pages_of(tmp_path, source)
    assert len(PdfReader(BytesIO(pages.pdf)).pages) == pages.places.end.page == 4


@pytest.mark.req("W5")
async def test_the_pages_of_a_docx_are_those_that_its_pdf_leaves_with(converter: Converter) -> None:
    exporter = Exporter(replace(converter))
    word, _ = await exporter.export("docx", "# A\n", "# B\n")
    mark_kept(exporter, await exporter.job("pdf", "# A\n", "# B\n"))
    pdf, _ = await exporter.export("pdf", "# A\n", "# B\n")
    again, _ = await exporter.export("docx", "# A\n", "# B\n")
    assert (pdf, again) == (KEPT, word)


@pytest.mark.req("W5")
async def test_a_word_document_is_written_once_only_the_typesetter_is_at_work(
    converter: Converter, tmp_path: Path
) -> None:
    """Else what the pages wait for would share two cores with what waits for the pages."""
    log, noting = tmp_path / "log", tmp_path / "noting"
    script = ("#!/bin/sh", f'echo "begins $*" >> {log}', f'{converter.pandoc.program} "$@"', f'echo "ends $*" >> {log}')
    noting.write_text("\n".join(script))
    noting.chmod(0o755)
    pandoc = replace(converter.pandoc, program=noting)
    await Exporter(replace(converter, pandoc=pandoc)).export("docx", "# A\n")
    steps = [(line.split()[0], line.partition("--to ")[2].split()[0]) for line in log.read_text().splitlines()]
    assert steps.index(("ends", "typst")) < steps.index(("begins", "docx"))


@pytest.mark.req("W5")
@pytest.mark.parametrize(
    "other", [{"title": "Another"}, {"language": "de"}, {"generator": "m"}, {"states": {0: {"stale": True}}}]
)
async def test_pages_are_set_anew_for_whatever_would_look_another_way(
    converter: Converter, other: dict[str, Any]
) -> None:
    exporter = Exporter(replace(converter))
    await exporter.export("pdf", "# A\n")
    mark_kept(exporter, await exporter.job("pdf", "# A\n"))
    second, _ = await exporter.export("pdf", "# A\n", **other)
    assert (second[:5], second != KEPT) == (b"%PDF-", True)


@pytest.mark.req("W5")
async def test_what_stands_in_for_the_contents_takes_as_many_pages_as_they_do(
    converter: Converter, tmp_path: Path
) -> None:
    """Else the text would move once more, which costs time alone."""
    lines = (f"## {'A heading and what it is about ' * (1 + n % 5)}" if n % 9 else "# A part" for n in range(90))
    job = await (exporter := Exporter(converter)).job("pdf", "\n\n".join(lines))
    template = shutil.copytree(converter.config, tmp_path / "config") / "document.typ"
    known = "query(heading.where(outlined: true)).len() > 0"
    source = template.read_text("utf-8")
    assert known in source
    template.write_text(source.replace(known, "false"), encoding="utf-8")
    begins = []
    for config in (converter.config, template.parent):
        exporter.converter = replace(converter, config=config)
        await on_convert_document(job, tools=exporter.tools)
        pages = exporter.converter.kept.known(key_of(job))
        assert pages is not None
        begins.append(pages.of_headings()[0])
    assert begins[0] == begins[1] > 2


async def test_pages_that_are_larger_than_all_that_may_be_kept_are_set_each_time() -> None:
    made: list[None] = []
    kept = KeptPages(max_bytes=1)

    async def make() -> Pages:
        made.append(None)
        return Pages(b"%PDF-", Places(headings=(), end=Place(page=1, height=0), page_height=1))

    assert await kept.get("key", make) == await kept.get("key", make)
    assert len(made) == 2


def mark_kept(exporter: Exporter, job: ConvertDocument) -> None:
    """Make the pages that are kept of a job known from others."""
    pages = exporter.converter.kept.known(key_of(job))
    assert pages is not None
    exporter.converter.kept.put(key_of(job), replace(pages, pdf=KEPT))
