"""A rich document comes out whole in every format."""

import hashlib
import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from ooxml_integrity import check
from openxml_audit import OpenXmlValidator  # type: ignore[import-untyped]
from pypdf import PdfReader
from stemma_contracts.media import SHOWN
from stemma_contracts.v1.outcomes import DocumentConverted
from stemma_converter.markdown import source_of

from .conftest import MODEL, WHOLE

Whole = dict[str, tuple[bytes, DocumentConverted]]
FORMATS = ("docx", "pdf", "html", "json", "md")


@pytest.mark.req("G13")
def test_docx_is_valid_by_two_judges(whole: Whole, tmp_path: Path) -> None:
    (path := tmp_path / "out.docx").write_bytes(whole["docx"][0])
    assert OpenXmlValidator().validate(path).errors == []
    assert [finding for finding in check(path) if finding.severity.name != "INFO"] == []


@pytest.mark.req("G13")
def test_docx_has_image_contents_numbered_headings_origin_and_date(whole: Whole) -> None:
    data, outcome = whole["docx"]
    document = Document(BytesIO(data))
    lines = [(p.style.name, p.text.split("\t")[0].strip()) for p in document.paragraphs if p.style]
    assert [text for style, text in lines if style.startswith("toc")] == [
        "1  Solution architecture", "1.1  Work packages",
        "2  Solution architecture", "2.1  Work packages",
        "3  Section 2",
    ]  # fmt: skip
    assert ("Image Caption", "Figure 2: The plan of the site") in lines
    assert ("Table Caption", "Table 1: Costs by year") in lines
    assert document.styles["Heading 1"].element.find(".//{*}numPr/{*}numId") is not None
    with ZipFile(BytesIO(data)) as package:
        images = [name for name in package.namelist() if name.startswith("word/media/")]
        assert all(package.read(name).startswith(b"\x89PNG") for name in images)
        assert len(images) == 1
        assert {info.date_time for info in package.infolist()} == {(2025, 3, 4, 5, 6, 6)}
    assert [(one.code, one.section_id) for one in outcome.warnings] == [("not_written", "s2")]
    properties = document.core_properties
    assert (properties.title, properties.author, properties.language) == ("The plan", "Ada Lovelace", "en")
    assert properties.comments == f"Written with {MODEL}"
    assert properties.created.isoformat() == properties.modified.isoformat() == "2025-03-04T05:06:07+00:00"
    section = document.sections[0]
    assert section.footer.paragraphs[0].text == "Analytical Engines\tPage  of "
    assert section.first_page_footer.paragraphs[0].text == ""
    assert section.header.paragraphs[0].text == "The plan"


@pytest.mark.req("G13")
def test_pdf_has_contents_numbers_image_and_properties(whole: Whole) -> None:
    reader = PdfReader(BytesIO(whole["pdf"][0]))
    text = "\n".join(page.extract_text() for page in reader.pages)
    assert reader.pages[0].extract_text().split("\n") == [
        "The plan", "Analytical Engines", "Ada Lovelace", "4 March 2025",
    ]  # fmt: skip
    assert re.search(r"1\.1 +Work packages *[ .]+3", reader.pages[1].extract_text())
    assert re.search(r"2\.1\.1 +Code", text)
    assert "Figure 2: The plan of the site" in text
    assert "Table 1: Costs by year" in text
    assert f"Page 2 of {len(reader.pages)}" in text
    assert [image.image and image.image.size for page in reader.pages for image in page.images][:1] == [(320, 180)]
    assert reader.metadata
    assert (reader.metadata.title, reader.metadata.author) == ("The plan", "Ada Lovelace")
    assert reader.metadata.subject == f"Written with {MODEL}"
    assert reader.metadata.creation_date
    assert reader.metadata.creation_date.isoformat() == "2025-03-04T05:06:07+00:00"


@pytest.mark.req("G13")
def test_html_needs_nothing_from_outside(whole: Whole) -> None:
    page = whole["html"][0].decode()
    assert 'src="data:image/png;base64,' in page
    assert re.findall(r'(?:src|href)="(?!data:|#|https://example\.org/)[^"]*"', page) == []
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "<title>The plan</title>" in page
    assert f'<meta name="generator" content="Written with {MODEL}">' in page
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page
    assert "1.1.1</span> Code" in page


@pytest.mark.req("G12")
def test_markdown_keeps_what_the_draft_carries(whole: Whole) -> None:
    text = whole["md"][0].decode()
    assert text.startswith("# The plan\n\n## Solution **architecture**\n")
    for piece in (
        "[link](https://example.org/a?b=1)", "~~gone~~", "$a^2 + b^2 = c^2$", "[the work](#work-packages)",
        "- [ ] open task", "- [x] done task", "![The plan of the site](media/plan.png)", "``` python\ndef greet",
        "> [!WARNING]", "\\frac{1}{3}", "A note with `code` and **bold**.", "Work \\| pipe", "#### Code",
    ):  # fmt: skip
        assert piece in text


@pytest.mark.req("G12")
def test_structure_is_a_tree_with_metadata(whole: Whole) -> None:
    structure = json.loads(whole["json"][0])
    assert structure["metadata"] == {
        "title": "The plan", "author": "Ada Lovelace", "company": "Analytical Engines", "language": "en",
        "created": "2025-03-04T05:06:07+00:00",
    }  # fmt: skip
    first, _, last = structure["sections"]
    assert (first["title"], last["title"]) == ("Solution architecture", "Section 2")
    packages = first["sections"][0]
    kinds = [block["type"] for block in packages["blocks"]]
    assert kinds == ["list", "list", "paragraph", "table", "paragraph"]
    assert packages["blocks"][3]["rows"][0] == ["Item", "Year 1", "Description"]
    assert packages["blocks"][4]["images"] == [{"source": "media/plan.png", "alt": "The plan of the site"}]
    assert packages["sections"][0]["blocks"][0]["language"] == "python"
    source = source_of([], structure["sections"])
    assert source.startswith("# Solution **architecture**\n")
    assert source.count("A note with `code` and **bold**.") == 2


@pytest.mark.req("G13")
@pytest.mark.parametrize("format", FORMATS)
async def test_the_same_job_gives_the_same_bytes(
    exporter: Any, whole: Whole, rich: str, plan: Any, format: str
) -> None:
    data, outcome = await exporter.export(format, rich, rich, None, **WHOLE, assets=plan)
    assert data == whole[format][0]
    assert outcome.artifact.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.req("G13")
async def test_a_caption_stands_on_the_page_where_its_table_begins(exporter: Any) -> None:
    rows, line = "| x | y |\n" * 14, "Words.\n\n"
    tables = [f"{line * (n % 5)}Table: Cost{n}.\n\n| Head{n}. | b |\n|---|---|\n{rows}\n" for n in range(20)]
    pdf, _ = await exporter.export("pdf", "# A\n\n" + "".join(tables))
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
    assert any(f"Head{n}." in page for page in pages for n in range(20))
    assert [n for n in range(20) for page in pages if f"Cost{n}." in page and f"Head{n}." not in page] == []


@pytest.mark.req("W5")
async def test_an_empty_document_can_leave_and_says_that_it_has_no_title(exporter: Any) -> None:
    for kind in FORMATS:
        data, outcome = await exporter.export(kind, title=None)
        assert data
        assert outcome.warnings == ()
        assert [remark.code for remark in outcome.remarks] == ["no_title"]


@pytest.mark.req("G13")
async def test_a_word_behind_a_point_is_no_field_to_typst_and_hyphens_stay_as_they_were_written(exporter: Any) -> None:
    hyphens = "so--and why-?not or all--?there"
    draft = "**a**.Tests\n\n[l](https://x.org).foo\n\n~~s~~.at(1)\n\n**a**._b_\n\nx[^1].no\n\n[^1]: n\n\n"
    pdf, _ = await exporter.export("pdf", f"{draft}Words of a plain line {hyphens} with more of them.\n")
    text = "".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    assert [word for word in (".Tests", ".foo", ".at(1)", ".b", ".no", hyphens) if word not in text] == []


@pytest.mark.req("G13")
async def test_shows_images_of_every_kind_that_may_be_sent(exporter: Any, make_picture: Callable[..., bytes]) -> None:
    kinds = sorted(media_type.removeprefix("image/") for media_type in SHOWN)
    assert kinds == ["gif", "jpeg", "png", "webp"]
    assets = {f"a.{kind}": make_picture(format=kind.upper()) for kind in kinds}
    draft = "# A\n\n" + "".join(f"![{name}]({name})\n\n" for name in assets)
    _, outcome = await exporter.export("docx", draft, assets=assets)
    assert outcome.warnings == ()


SCRIPTS = "# A\n\nH~2~O and **x^2^** are not ~5 and 2^10, 10:00~12:00、13:00~17:00 or `y^3^`.\n"
NUMBERS = (
    "1. One\n   - a\n\n     | a |\n     | - |\n     | 1 |\n2. Two\n\n   ```\n   9. code\n   ```\n\n"
    "7. Seven\n8. Eight\n\nText.\n\n"
)
LAZY = "1. One\n1. Two\n1. Three\n"


@pytest.mark.req("G13")
async def test_scripts_are_set_as_such_and_an_item_whose_number_skips_others_keeps_it(exporter: Any) -> None:
    page = await exporter.text("html", f"{SCRIPTS}\n{NUMBERS}{LAZY}")
    assert "H<sub>2</sub>O" in page
    assert "<strong>x<sup>2</sup></strong> are not ~5 and 2^10, 10:00~12:00、13:00~17:00 or <code>y^3^</code>." in page
    assert re.findall(r"<ol[^>]*>", page) == ['<ol type="1">', '<ol start="7" type="1">', '<ol type="1">']
    assert page.count("<table") == 1
    assert "9. code" in page
