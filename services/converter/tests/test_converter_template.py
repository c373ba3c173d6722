"""A house has a Word template of its own; what cannot be a template refuses the start by its name."""

import asyncio
import hashlib
import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from docx.oxml.ns import qn
from docx.shared import Cm, Inches
from ooxml_integrity import check
from openxml_audit import OpenXmlValidator  # type: ignore[import-untyped]
from stemma_contracts.v1.exports import Cover
from stemma_converter.app import ConverterSettings, service
from stemma_converter.app import converter as converter_of
from stemma_converter.converter import Converter
from stemma_converter.placing import Draft
from stemma_converter.returned import changes_in, drafts_shown
from stemma_messaging import BadSettings

from .conftest import CONFIG, Exporter
from .house_templates import HOUSES, with_type


@pytest.fixture(scope="module")
def made(converter: Converter, rich: str, plan: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A document in the template of each house."""
    return {name: asyncio.run(_made(name, converter, rich, plan, tmp_path_factory.mktemp(name))) for name in HOUSES}


async def _made(name: str, converter: Converter, rich: str, plan: Any, folder: Path) -> bytes:
    (folder / "house.dotx").write_bytes(HOUSES[name]())
    exporter = Exporter(replace(converter, template=folder / "house.dotx"))
    job = await exporter.job("docx", rich, None, title="The {client} plan", assets=plan)
    cover = Cover(client="Harbour Office", number="2026-17") if name == "letterhead" else None
    data, outcome = await exporter.converted(job, cover=cover)
    assert outcome.remarks == ()
    return data


def lines(data: bytes) -> list[tuple[str, str]]:
    """The style and the words of each line that Word shows, also of those in controls and tables."""
    body, styles = Document(BytesIO(data)).element.body, Document(BytesIO(data)).styles
    names = {style.style_id: str(style.name) for style in styles}
    said = []
    for one in body.iter(qn("w:p")):
        style, words = (
            one.find(f"{qn('w:pPr')}/{qn('w:pStyle')}"),
            "".join(text.text or "" for text in one.iter(qn("w:t"))),
        )
        said += [("Normal" if style is None else names[style.get(qn("w:val"))], words)] if words else []
    return said


def texts_of(data: bytes, *styles: str) -> list[str]:
    return [one.text for one in Document(BytesIO(data)).paragraphs if one.style and one.style.name in styles]


def running(part: Any) -> str:
    return "".join(text.text or "" for text in part._element.iter(qn("w:t")))


@pytest.mark.req("W4")
@pytest.mark.parametrize("name", HOUSES)
def test_a_document_in_the_template_of_a_house_is_valid_by_two_judges(
    made: dict[str, bytes], tmp_path: Path, name: str
) -> None:
    (file := tmp_path / "out.docx").write_bytes(made[name])
    assert OpenXmlValidator().validate(file).errors == []
    assert [finding for finding in check(file) if finding.severity.name != "INFO"] == []


@pytest.mark.req("W2", "W4")
@pytest.mark.parametrize("name", HOUSES)
def test_a_document_in_the_template_of_a_house_comes_back_as_it_left(
    made: dict[str, bytes], rich: str, name: str
) -> None:
    digest = hashlib.sha256(rich.encode()).hexdigest()
    [shown] = drafts_shown(made[name], "doc-1", [Draft("s0", 1, digest, "")])
    back = changes_in(made[name], [shown._replace(text=rich)])
    assert (back.sections[0].edits, back.around, back.certainty) == ((), (), 1.0)


@pytest.mark.req("W4")
def test_cover_and_terms_of_a_house_stand_around_the_text(made: dict[str, bytes]) -> None:
    said = lines(made["cover"])
    assert said[:9] == [
        ("Title", "The {client} plan"),
        ("Subtitle", "Offer of Analytical Engines"),
        ("Normal", "Date"),
        ("Normal", "4 March 2025"),
        ("Normal", "By"),
        ("Normal", "Ada Lovelace"),
        ("Heading 1", "Confidential"),
        ("Normal", "This offer holds for 90 days from 4 March 2025."),
        ("TOC Heading", "Contents"),
    ]
    assert [words for style, words in said if style == "Heading 1"] == [
        "Confidential", "Solution architecture", "Section 1", "General terms",
    ]  # fmt: skip
    assert said[-1] == ("Normal", "Our general terms of business apply. Place of jurisdiction is Hamburg.")
    # The text begins behind the cover, the terms and the contents, and each of them on a page of its own.
    assert "Solution architecture\t4" in texts_of(made["cover"], "toc 1")
    document = Document(BytesIO(made["cover"]))
    assert list(document.element.body.iter(qn("w:dataBinding"), qn("w:showingPlcHdr"))) == []
    assert running(document.sections[-1].header) == "The {client} plan"
    assert running(document.sections[-1].footer) == "Analytical EnginesPage 1 of 1"
    assert document.sections[0].header.paragraphs[0].text == ""
    pictures = [shape.width for shape in document.inline_shapes]
    assert pictures[0] == Cm(6)


@pytest.mark.req("W4")
def test_paper_numbers_and_first_page_are_those_of_the_house(made: dict[str, bytes]) -> None:
    data, document = made["letterhead"], Document(BytesIO(made["letterhead"]))
    section = document.sections[0]
    assert section.page_width == pytest.approx(Inches(5.83), abs=999)
    assert running(section.first_page_header) == (
        "Analytical Engines12 Mill Lane, SpringfieldOffer 2026-17 to Harbour Office"
    )
    assert running(section.footer) == "Page 1 of 1"
    entries = [text.split("\t") for text in texts_of(data, "toc 1", "toc 2")]
    assert [words.split("  ")[0] for words, _ in entries] == ["A", "A.1", "B"]
    assert entries[0][1] == "3", "behind a cover and the contents, as in our PDF"
    assert document.styles["TOC Heading"].element.find(f".//{qn('w:numId')}").get(qn("w:val")) == "0"
    deep = document.styles["Heading 4"]
    assert (deep.base_style.name, deep.element.find(f".//{qn('w:ilvl')}").get(qn("w:val"))) == ("Heading 3", "3")
    assert all(shape.width < Inches(5.83 - 2 * 0.8) for shape in document.inline_shapes)


@pytest.mark.req("W4")
def test_an_old_template_in_another_language_gets_what_it_lacks_in_its_own_look(made: dict[str, bytes]) -> None:
    said, styles = lines(made["old"]), Document(BytesIO(made["old"])).styles
    assert said[:3] == [
        ("Normal", "Muster AG, Postfach 12, 20099 Hamburg"),
        ("Title", "The {client} plan"),
        ("Subtitle", "Analytical Engines"),
    ]
    assert said[-1] == ("Normal", "Muster AG, Vorstand: E. Muster")
    assert styles["Heading 1"].style_id == "berschrift1"
    assert styles["Heading 3"].base_style.style_id == "berschrift2"
    cell = styles["Table Text"]
    assert (cell.base_style.style_id, cell.font.name, cell.font.color.rgb) == ("Standard", None, None)


@pytest.mark.req("G13")
async def test_the_template_of_a_house_comes_from_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "house.docx").write_bytes(HOUSES["old"]())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STEMMA_CONVERTER_TEMPLATE", "house.docx")
    settings = service.load_settings()
    assert isinstance(settings, ConverterSettings)
    data, _ = await Exporter(converter_of(settings)).export("docx", "# A\n\nText.\n")
    assert lines(data)[0] == ("Normal", "Muster AG, Postfach 12, 20099 Hamburg")


@pytest.mark.req("W4")
async def test_a_comparison_stands_in_the_template_without_contents(converter: Converter, tmp_path: Path) -> None:
    (tmp_path / "house.docx").write_bytes(HOUSES["cover"]())
    exporter = Exporter(replace(converter, template=tmp_path / "house.docx"))
    data, _ = await exporter.export("docx", "# A\n\nNew.\n", previous=["# A\n\nOld.\n"])
    styles = [style for style, _ in lines(data)]
    assert styles.count("Title") == 1
    assert "TOC Heading" not in styles
    (file := tmp_path / "out.docx").write_bytes(data)
    assert OpenXmlValidator().validate(file).errors == []


@pytest.mark.req("P16")
@pytest.mark.parametrize("name", ["template.docx", "document.typ", "document.html", "media.lua"])
def test_a_file_that_is_missing_refuses_start_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    config = tmp_path / "config"
    shutil.copytree(CONFIG, config)
    (config / name).unlink()
    monkeypatch.setenv("STEMMA_CONVERTER_CONFIG_DIR", str(config))
    with pytest.raises(BadSettings, match=rf"^{name}: file is missing$"):
        converter_of(ConverterSettings())


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, r"^template: there is no file house\.docx$"),
        (b"%PDF-1.7", r"^house\.docx: not a Word document$"),
        (b"PK\x03\x04", r"^house\.docx: not a Word document$"),
    ],
)
def test_a_template_that_is_none_refuses_start_by_name(tmp_path: Path, content: bytes | None, problem: str) -> None:
    file = tmp_path / "house.docx"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadSettings, match=problem):
        converter_of(ConverterSettings(template=file))


@pytest.mark.req("P16")
def test_another_package_is_no_word_template(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "house.docx", "w") as package:
        package.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(BadSettings, match="not a Word document"):
        converter_of(ConverterSettings(template=tmp_path / "house.docx"))


@pytest.mark.req("P16")
def test_a_template_with_macros_is_none(tmp_path: Path) -> None:
    kind = "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"
    (tmp_path / "house.dotm").write_bytes(with_type(HOUSES["old"](), kind))
    with pytest.raises(BadSettings, match="not a Word document"):
        converter_of(ConverterSettings(template=tmp_path / "house.dotm"))
