"""Footnotes that say on which places of the inputs sentences rest, in every format."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pypdfium2
import pytest
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_converter.source import without_places

pytestmark = pytest.mark.req("I3")

DRAFT = """# One

The quay is old. It closes at **noon**. See <https://example.org/quay>.

> It is listed, too.

| Item | Cost |
|---|---|
| Van | 41,300 |
| Fridge | `2,750` |

- Ten clinics.
  - Two vans.
"""
PAGES = {"The quay is old.": "1", "It closes at **noon**.": "1", "See <https://example.org/quay>.": "2"}
PAGES |= {"It is listed, too.": "3", "Ten clinics.": "4", "Two vans.": "5"}


def report(draft: str, digest: str) -> GroundingReport:
    """What rests on pages of a request, and two rows on cells of a sheet."""
    cited = [_cited(draft, words, "rfq_[1].pdf", "page", f"p. {page}") for words, page in PAGES.items()]
    rows = ("Van | 41,300", "Fridge | `2,750")
    cited += [_cited(draft, row, "prices.xlsx", "sheet", "Prices!A1:B3") for row in rows]
    return GroundingReport(cited=tuple(cited), draft=digest)


def _cited(draft: str, words: str, name: str, kind: str, label: str) -> CitedText:
    start = draft.index(words)
    place = CitedPlace(input_id="input-1", name=name, kind=kind, label=label, line=1)
    return CitedText(start=start, end=start + len(words), line_number=1, text=words, places=(place,))


async def exported(exporter: Any, format: str, draft: str = DRAFT, *, citations: bool = True, **more: Any) -> bytes:
    about = more.pop("about", None)
    job = await exporter.job(format, draft, **more)
    (section,) = job.sections
    ref = await exporter.stored(report(DRAFT, about or section.draft.digest))
    section = section.model_copy(update={"grounding": ref})
    data: bytes = (await exporter.converted(job, sections=(section,), citations=citations))[0]
    return data


TOLD = [f"rfq_[1].pdf, p. {n}" for n in (1, 2, 3)] + ["prices.xlsx, Prices!A1:B3"]
TOLD += [f"rfq_[1].pdf, p. {n}" for n in (4, 5)]


async def test_markdown_has_a_footnote_behind_each_row_of_sentences_with_one_place(exporter: Any) -> None:
    text = (await exported(exporter, "md")).decode()
    assert "It closes at **noon**.[^1] See <https://example.org/quay>.[^2]" in " ".join(text.split())
    assert re.search(r"Fridge\s*\|\s*`2,750`\[\^4\]", text)
    assert re.search(r"Van\s*\|\s*41,300\s*\|", text), "two rows of one place have one footnote"
    notes = re.findall(r"^\[\^\d\]: (.*)$", text, re.MULTILINE)
    assert [note.replace("\\", "") for note in notes] == TOLD


async def test_word_has_real_footnotes(exporter: Any) -> None:
    data = await exported(exporter, "docx")
    with ZipFile(BytesIO(data)) as package:
        notes = re.sub(r"</w:p>", "\n", package.read("word/footnotes.xml").decode())
        body = package.read("word/document.xml").decode()
    told = [" ".join(line.split()) for line in re.sub(r"<[^>]*>", "", notes).splitlines() if line.strip()]
    assert told == TOLD
    assert len(re.findall("<w:footnoteReference ", body)) == len(TOLD)


async def test_pdf_has_them_at_the_foot_of_the_page(exporter: Any) -> None:
    data = await exported(exporter, "pdf", language="de")
    pages = pypdfium2.PdfDocument(data)
    text = "\n".join(page.get_textpage().get_text_range() for page in pages)
    assert all(f"rfq_[1].pdf, S. {n}" in text for n in range(1, 6))
    assert text.index("Two vans.") < text.index("rfq_[1].pdf, S. 1")


async def test_html_has_them_at_its_end_and_an_export_that_does_not_ask_has_none(exporter: Any) -> None:
    page = (await exported(exporter, "html")).decode()
    assert page.count('class="footnote-ref"') == len(TOLD)
    assert page.index("Two vans.") < page.index("rfq_[1].pdf, p. 1")
    text = (await exported(exporter, "html", citations=False)).decode()
    assert "rfq" not in text
    assert "footnote-ref" not in text


@pytest.mark.req("B1")
@pytest.mark.parametrize("citations", [False, True])
async def test_a_place_in_brackets_that_names_a_file_of_ours_does_not_leave(exporter: Any, *, citations: bool) -> None:
    named = "noon** (rfq\\_\\[1\\].pdf, Quay (north)). See (prices.xlsx) and (other.md)"
    text = (
        await exported(exporter, "md", DRAFT.replace("noon**. See", named), citations=citations, about="0" * 64)
    ).decode()
    assert "noon**. See and (other.md) <https" in " ".join(text.split())


@pytest.mark.req("B1")
def test_of_the_places_in_brackets_pictures_and_links_stay_and_headings_may_begin_with_a_mark() -> None:
    text = "![Quay](quay.png) is ours (rfq.pdf, a) Quay (north)), and so is [it](rfq.pdf)."
    assert without_places(text, {"quay.png", "rfq.pdf"}) == "![Quay](quay.png) is ours, and so is [it](rfq.pdf)."


@pytest.mark.req("S6")
def test_spaces_of_a_draft_are_looked_at_once() -> None:
    """They were looked at from each of them on: so many took minutes."""
    assert len(without_places(" " * 200_000, {"rfq.pdf"})) == 200_000


async def test_a_report_about_another_text_is_not_cited(exporter: Any) -> None:
    assert "rfq" not in (await exported(exporter, "md", f"{DRAFT}\nMore.\n", about="0" * 64)).decode()
