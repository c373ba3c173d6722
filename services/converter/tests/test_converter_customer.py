"""What a customer sees: a cover, numbered contents, captions, one language, and nothing of the machine."""

import re
import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from docx.oxml.ns import qn
from openxml_audit import OpenXmlValidator  # type: ignore[import-untyped]
from pypdf import PdfReader
from stemma_converter.app import ConverterSettings, service
from stemma_converter.app import converter as composed
from stemma_languages import language, shipped

from .conftest import CONFIG, MODEL, Exporter

LONG = "# One\n\n" + "Words and more words. " * 600 + "\n\n## Inner\n\nText.\n\n### Deep\n\nText.\n"


def body_text(data: bytes) -> str:
    """All that a reader sees of a Word document: its text, headers and footers."""
    with ZipFile(BytesIO(data)) as package:
        parts = [
            name for name in package.namelist() if re.match(r"word/(document|header|footer|footnotes)\d*\.xml", name)
        ]
        return "".join(package.read(name).decode() for name in parts)


def pdf_text(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(data)).pages)


def html_text(data: bytes) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", data.decode().partition("<body>")[2]).split())


SEEN = {"docx": body_text, "pdf": pdf_text, "html": html_text}


@pytest.mark.req("W5")
def test_nothing_of_the_machine_is_on_a_page_and_the_cover_names_title_company_author_and_day(whole: Any) -> None:
    for kind, seen in SEEN.items():
        page = seen(whole[kind][0])
        assert [word for word in (MODEL, "Stemma", "stemma", "proposal", "Proposal") if word in page] == []
    cover = [(p.style.name, p.text) for p in Document(BytesIO(whole["docx"][0])).paragraphs if p.style][:4]
    assert cover == [
        ("Title", "The plan"), ("Subtitle", "Analytical Engines"), ("Author", "Ada Lovelace"), ("Date", "4 March 2025"),
    ]  # fmt: skip
    header = re.search(r"<header>(.*?)</header>", whole["html"][0].decode(), re.DOTALL)
    assert header
    assert re.findall(r">([^<>\n]+)<", header[1]) == ["The plan", "Analytical Engines", "Ada Lovelace", "4 March 2025"]


@pytest.mark.req("W5")
async def test_author_and_company_come_from_the_settings_and_may_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = await Exporter(composed(ConverterSettings())).export("html", "# A\n", title="The plan")
    assert b"Stemma" not in data
    monkeypatch.setenv("STEMMA_CONVERTER_AUTHOR", "Grace Hopper")
    monkeypatch.setenv("STEMMA_CONVERTER_COMPANY", "Eckert & Mauchly")
    settings = service.load_settings()
    assert isinstance(settings, ConverterSettings)
    exporter = Exporter(composed(settings))
    for kind, seen in SEEN.items():
        text = seen((await exporter.export(kind, "# A\n", title="The plan"))[0])
        assert "Grace Hopper" in text
        assert re.search(r"Eckert (&|&amp;) Mauchly", text)


def entries(data: bytes) -> list[list[str]]:
    paragraphs = Document(BytesIO(data)).paragraphs
    return [p.text.split("\t") for p in paragraphs if p.style and str(p.style.name).startswith("toc ")]


@pytest.mark.req("W5")
async def test_the_contents_of_a_docx_have_the_pages_of_the_pdf_as_fields_that_word_can_refresh(exporter: Any) -> None:
    word, outcome = await exporter.export("docx", LONG, "# Two\n", LONG)
    pdf, _ = await exporter.export("pdf", LONG, "# Two\n", LONG)
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages][2:]
    for words, number in entries(word):
        heading = " ".join(words.split())
        assert heading in pages[int(number) - 3], heading
    assert outcome.remarks == ()
    assert len(entries(word)) == 5
    body = Document(BytesIO(word)).element.body
    codes = [str(code.text).split()[:2] for code in body.iter(qn("w:instrText"))]
    names = {mark.get(qn("w:name")) for mark in body.iter(qn("w:bookmarkStart"))}
    assert codes[0] == ["TOC", "\\o"]
    assert {code for code, _ in codes[1:]} == {"PAGEREF"}
    assert {name for _, name in codes[1:]} <= names
    kinds = [mark.get(qn("w:fldCharType")) for mark in body.iter(qn("w:fldChar"))]
    assert kinds.count("begin") == kinds.count("separate") == kinds.count("end") == len(codes)


@pytest.mark.req("W5")
async def test_contents_without_numbers_leave_and_say_so_when_the_pages_cannot_be_set(
    exporter: Any, tmp_path: Path
) -> None:
    shutil.copytree(CONFIG, tmp_path / "config")
    (tmp_path / "config" / "document.typ").write_text('#panic("no pages")')
    broken = Exporter(replace(exporter.converter, config=tmp_path / "config"))
    data, outcome = await broken.export("docx", LONG)
    assert [remark.code for remark in outcome.remarks] == ["no_page_numbers"]
    assert [len(entry) for entry in entries(data)] == [1, 1]


GROUP = """# A

![First](one.png)
![Second](two.png)

| left | right |
|---|---|
| ![Third](one.png) | ![Figure 9: Fourth](two.png) |

[![Fifth](one.png)](https://example.org) ![Sixth](two.png)

Words and ![an icon](icon.png) in a line.

![tiny](icon.png) ![tiny](icon.png)
"""


@pytest.mark.req("W5")
async def test_each_figure_of_a_group_has_a_caption_of_its_own_and_is_no_wider_than_its_cell(
    exporter: Any, make_picture: Any, tmp_path: Path
) -> None:
    assets = {"one.png": make_picture(2000, 180), "two.png": make_picture(200, 200), "icon.png": make_picture(16, 16)}
    for kind, seen in SEEN.items():
        data, _ = await exporter.export(kind, GROUP, assets=assets)
        found = re.findall(r"Figure \d+: \w+", " ".join(re.sub("<[^>]*>", " ", seen(data)).split()))
        assert found == [
            "Figure 1: First", "Figure 2: Second", "Figure 3: Third", "Figure 4: Fourth", "Figure 5: Fifth",
            "Figure 6: Sixth",
        ]  # fmt: skip
        (tmp_path / f"out.{kind}").write_bytes(data)
    file = tmp_path / "out.docx"
    assert OpenXmlValidator().validate(file).errors == []
    table = Document(str(file)).tables[0]
    widths = [int(str(extent.get("cx"))) / 914400 for extent in table._tbl.iter(qn("wp:extent"))]
    assert max(widths) < 6.3 / 2


@pytest.mark.req("W5")
async def test_figures_in_cells_can_be_compared(exporter: Any, make_picture: Any) -> None:
    assets = {"one.png": make_picture(), "two.png": make_picture(), "icon.png": make_picture(16, 16)}
    previous = GROUP.replace("Third", "Other").replace("Sixth", "Last")
    _, outcome = await exporter.export("docx", GROUP, previous=[previous], assets=assets)
    assert outcome.warnings == ()


@pytest.mark.req("T5")
@pytest.mark.parametrize(
    "tag", ["de", *(pytest.param(tag, marks=pytest.mark.full) for tag in shipped() if tag != "de")]
)
async def test_the_words_around_the_text_are_in_its_language(exporter: Any, plan: Any, tag: str) -> None:
    spoken = language(tag)
    draft = f"# A\n\n{spoken.words.table}: Costs\n\n| a |\n|---|\n| b |\n\n![Plan](media/plan.png)\n"
    table, figure = (spoken.numbered(word, 1) for word in (spoken.words.table, spoken.words.figure))
    captions = (spoken.captioned(table, "Costs"), spoken.captioned(figure, "Plan"))
    wanted = [spoken.words.contents, spoken.words.not_written, *captions]
    word, _ = await exporter.export("docx", draft, None, assets=plan, language=tag)
    document = Document(BytesIO(word))
    lines = [paragraph.text for paragraph in document.paragraphs]
    assert [words for words in wanted if words not in lines] == []
    assert document.core_properties.language == tag
    checked = document.styles.element.find(f".//{qn('w:rPrDefault')}//{qn('w:lang')}").get(qn("w:val"))
    assert tag != "de" or checked == "de-DE"
    page = await exporter.text("html", draft, None, assets=plan, language=tag)
    assert f'<html lang="{tag}">' in page
    assert [words for words in wanted if words not in page] == []


@pytest.mark.req("T5")
async def test_pages_and_quotation_marks_are_those_of_the_language(exporter: Any) -> None:
    data, _ = await exporter.export("pdf", '# A\n\nEr sagte: "Ja", und `"so"`.\n', language="de")
    reader = PdfReader(BytesIO(data))
    text = pdf_text(data)
    assert "„Ja“" in text
    assert '"so"' in text
    assert "Seite 2 von 3" in text
    assert "4. März 2025" in text
    assert str(reader.root_object["/Lang"]) == "de"


@pytest.mark.req("T5")
@pytest.mark.parametrize(
    ("tag", "draft", "font", "locale"),
    [
        ("ja", "# 概要\n", "Yu Mincho", "ja-JP"),
        ("zh", "# 概要\n", "SimSun", "zh-CN"),
        ("en", "# ひらがな\n", "Yu Mincho", "ja-JP"),
    ],
)
async def test_word_is_told_the_font_of_east_asian_text(
    exporter: Any, tag: str, draft: str, font: str, locale: str
) -> None:
    data, _ = await exporter.export("docx", draft, language=tag)
    defaults = Document(BytesIO(data)).styles.element.find(f".//{qn('w:rPrDefault')}/{qn('w:rPr')}")
    assert defaults.find(qn("w:rFonts")).get(qn("w:eastAsia")) == font
    assert defaults.find(qn("w:lang")).get(qn("w:eastAsia")) == locale


@pytest.mark.req("T5", "W5")
async def test_a_script_without_a_font_is_named_with_its_characters(exporter: Any) -> None:
    _, outcome = await exporter.export("pdf", "# A\n\nไท and \U0001f600, `ไ`.\n", title="日本語 ย")
    assert [(remark.code, remark.detail) for remark in outcome.remarks] == [
        ("missing_font", "Thai: ทยไ"), ("missing_font", "symbols: \U0001f600"),
    ]  # fmt: skip
    _, outcome = await exporter.export("docx", "# A\n\nไทย \U0001f600\n")
    assert outcome.remarks == (), "who reads it in Word has fonts of its own"


@pytest.mark.req("T5", "W5")
async def test_the_shipped_languages_and_text_from_right_to_left_have_their_fonts(exporter: Any) -> None:
    draft = "# 検索\n\n統一します。骨 简体中文 繁體 한국어 Ελληνικά Кириллица Łódź ☐ → “a” … – € ½\n\n"
    data, outcome = await exporter.export("pdf", f"{draft}مرحبا بالعالم\n\nשלום עולם\n", title="提案書", language="ja")
    assert outcome.remarks == ()
    text = pdf_text(data)
    assert "統一します" in text
    assert set("مرحبابالعالمשלוםעולם") <= set(text)
    assert "\x00" not in text
