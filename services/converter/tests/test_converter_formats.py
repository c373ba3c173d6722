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
from stemma_converter.markdown import source_of

FORMATS = ("docx", "pdf", "html", "json", "md")


@pytest.mark.req("G13")
async def test_docx_is_valid_by_two_judges(exporter: Any, rich: str, plan: Any, tmp_path: Path) -> None:
    data, _ = await exporter.export("docx", rich, rich, None, assets=plan, generator="a model")
    path = tmp_path / "out.docx"
    path.write_bytes(data)
    assert OpenXmlValidator().validate(path).errors == []
    assert [finding for finding in check(path) if finding.severity.name != "INFO"] == []


@pytest.mark.req("G13")
async def test_docx_has_the_image_the_contents_and_numbered_headings(exporter: Any, rich: str, plan: Any) -> None:
    data, outcome = await exporter.export("docx", rich, rich, assets=plan)
    document = Document(BytesIO(data))
    lines = [(p.style.name, p.text.split("\t")[0].strip()) for p in document.paragraphs if p.style]
    assert [text for style, text in lines if style.startswith("toc")] == [
        "1  Solution architecture", "1.1  Work packages",
        "2  Solution architecture", "2.1  Work packages",
    ]  # fmt: skip
    assert ("Image Caption", "Figure 2: The plan of the site") in lines
    assert ("Table Caption", "Table 1: Costs by year") in lines
    assert document.styles["Heading 1"].element.find(".//{*}numPr/{*}numId") is not None
    with ZipFile(BytesIO(data)) as package:
        images = [name for name in package.namelist() if name.startswith("word/media/")]
        assert all(package.read(name).startswith(b"\x89PNG") for name in images)
        assert len(images) == 1
    assert outcome.warnings == ()


@pytest.mark.req("G13")
async def test_docx_names_its_origin_and_its_date(exporter: Any, rich: str, plan: Any) -> None:
    data, _ = await exporter.export("docx", rich, title="The plan", assets=plan, generator="offline-writer 1")
    document = Document(BytesIO(data))
    properties = document.core_properties
    assert (properties.title, properties.author, properties.language) == ("The plan", "Ada Lovelace", "en")
    assert properties.comments == "Written with offline-writer 1"
    assert properties.created.isoformat() == properties.modified.isoformat() == "2025-03-04T05:06:07+00:00"
    section = document.sections[0]
    assert section.footer.paragraphs[0].text == "Analytical Engines\tPage  of "
    assert section.first_page_footer.paragraphs[0].text == ""
    assert section.header.paragraphs[0].text == "The plan"
    with ZipFile(BytesIO(data)) as package:
        assert {info.date_time for info in package.infolist()} == {(2025, 3, 4, 5, 6, 6)}


@pytest.mark.req("G13")
async def test_pdf_has_contents_numbers_image_and_properties(exporter: Any, rich: str, plan: Any) -> None:
    data, _ = await exporter.export("pdf", rich, rich, title="The plan", assets=plan, generator="a model")
    reader = PdfReader(BytesIO(data))
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
    assert reader.metadata.subject == "Written with a model"
    assert reader.metadata.creation_date
    assert reader.metadata.creation_date.isoformat() == "2025-03-04T05:06:07+00:00"


@pytest.mark.req("G13")
async def test_html_needs_nothing_from_outside(exporter: Any, rich: str, plan: Any) -> None:
    page = await exporter.text("html", rich, rich, title="The plan", assets=plan, generator="a model")
    assert 'src="data:image/png;base64,' in page
    assert re.findall(r'(?:src|href)="(?!data:|#|https://example\.org/)[^"]*"', page) == []
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "<title>The plan</title>" in page
    assert '<meta name="generator" content="Written with a model">' in page
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page
    assert "1.1.1</span> Code" in page


@pytest.mark.req("G12")
async def test_markdown_keeps_what_the_draft_carries(exporter: Any, rich: str, plan: Any) -> None:
    text = await exporter.text("md", rich, title="The plan", assets=plan)
    assert text.startswith("# The plan\n\n## Solution **architecture**\n")
    for piece in (
        "[link](https://example.org/a?b=1)", "~~gone~~", "$a^2 + b^2 = c^2$", "[the work](#work-packages)",
        "- [ ] open task", "- [x] done task", "![The plan of the site](media/plan.png)", "``` python\ndef greet",
        "> [!WARNING]", "\\frac{1}{3}", "A note with `code` and **bold**.", "Work \\| pipe", "#### Code",
    ):  # fmt: skip
        assert piece in text


@pytest.mark.req("G12")
async def test_structure_is_a_tree_with_metadata(exporter: Any, rich: str, plan: Any) -> None:
    structure = json.loads(await exporter.text("json", rich, None, title="The plan", assets=plan))
    assert structure["metadata"] == {
        "title": "The plan", "author": "Ada Lovelace", "company": "Analytical Engines", "language": "en",
        "created": "2025-03-04T05:06:07+00:00",
    }  # fmt: skip
    first, second = structure["sections"]
    assert (first["title"], second["title"]) == ("Solution architecture", "Section 1")
    packages = first["sections"][0]
    kinds = [block["type"] for block in packages["blocks"]]
    assert kinds == ["list", "list", "paragraph", "table", "paragraph"]
    assert packages["blocks"][3]["rows"][0] == ["Item", "Year 1", "Description"]
    assert packages["blocks"][4]["images"] == [{"source": "media/plan.png", "alt": "The plan of the site"}]
    assert packages["sections"][0]["blocks"][0]["language"] == "python"
    source = source_of([], structure["sections"])
    assert source.startswith("# Solution **architecture**\n")
    assert source.count("A note with `code` and **bold**.") == 1


@pytest.mark.req("G13")
@pytest.mark.parametrize("format", FORMATS)
async def test_the_same_job_gives_the_same_bytes(exporter: Any, rich: str, plan: Any, format: str) -> None:
    first, _ = await exporter.export(format, rich, None, assets=plan, generator="m")
    second, outcome = await exporter.export(format, rich, None, assets=plan, generator="m")
    assert first == second
    assert outcome.artifact.digest == hashlib.sha256(first).hexdigest()


@pytest.mark.req("G13")
async def test_a_caption_stands_on_the_page_where_its_table_begins(exporter: Any) -> None:
    rows, line = "| x | y |\n" * 14, "Words.\n\n"
    tables = [f"{line * (n % 5)}Table: Cost{n}.\n\n| Head{n}. | b |\n|---|---|\n{rows}\n" for n in range(40)]
    pdf, _ = await exporter.export("pdf", "# A\n\n" + "".join(tables))
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
    assert any(f"Head{n}." in page for page in pages for n in range(40))
    assert [n for n in range(40) for page in pages if f"Cost{n}." in page and f"Head{n}." not in page] == []


@pytest.mark.parametrize("format", FORMATS)
async def test_an_empty_document_can_leave(exporter: Any, format: str) -> None:
    data, outcome = await exporter.export(format, title=None)
    assert data
    assert outcome.warnings == ()


async def test_a_word_behind_a_point_is_no_field_to_typst(exporter: Any) -> None:
    draft = "**a**.Tests\n\n[l](https://x.org).foo\n\n~~s~~.at(1)\n\n**a**._b_\n\nx[^1].no\n\n[^1]: n"
    pdf, _ = await exporter.export("pdf", draft)
    text = "".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    assert [word for word in (".Tests", ".foo", ".at(1)", ".b", ".no") if word not in text] == []


@pytest.mark.req("G13")
async def test_shows_images_of_every_kind_that_may_be_sent(exporter: Any, make_picture: Callable[..., bytes]) -> None:
    kinds = sorted(media_type.removeprefix("image/") for media_type in SHOWN)
    assert kinds == ["gif", "jpeg", "png", "webp"]
    assets = {f"a.{kind}": make_picture(format=kind.upper()) for kind in kinds}
    draft = "# A\n\n" + "".join(f"![{name}]({name})\n\n" for name in assets)
    _, outcome = await exporter.export("docx", draft, assets=assets)
    assert outcome.warnings == ()


@pytest.mark.req("G13")
async def test_hyphens_before_other_signs_are_in_a_pdf_as_they_were_written(exporter: Any) -> None:
    hyphens = "so--and why-?not or all--?there"
    data, _ = await exporter.export("pdf", f"# A\n\nWords of a plain line {hyphens} with more of them.\n")
    assert any(hyphens in page.extract_text() for page in PdfReader(BytesIO(data)).pages)


SCRIPTS = "# A\n\nH~2~O and **x^2^** are not ~5 and 2^10, 10:00~12:00、13:00~17:00 or `y^3^`.\n"
NUMBERS = (
    "1. One\n   - a\n\n     | a |\n     | - |\n     | 1 |\n2. Two\n\n   ```\n   9. code\n   ```\n\n"
    "7. Seven\n8. Eight\n\nText.\n\n"
)
LAZY = "1. One\n1. Two\n1. Three\n"


@pytest.mark.req("G13")
async def test_subscripts_and_superscripts_are_set_as_such(exporter: Any) -> None:
    page = await exporter.text("html", SCRIPTS)
    assert "H<sub>2</sub>O" in page
    assert "<strong>x<sup>2</sup></strong> are not ~5 and 2^10, 10:00~12:00、13:00~17:00 or <code>y^3^</code>." in page


@pytest.mark.req("G13")
async def test_an_item_whose_number_skips_others_keeps_its_number(exporter: Any) -> None:
    page = await exporter.text("html", f"# A\n\n{NUMBERS}{LAZY}")
    assert re.findall(r"<ol[^>]*>", page) == ['<ol type="1">', '<ol start="7" type="1">', '<ol type="1">']
    assert page.count("<table") == 1
    assert "9. code" in page
