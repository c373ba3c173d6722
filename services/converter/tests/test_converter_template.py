"""A house has a Word template of its own; what cannot be a template refuses the start by its name."""

import shutil
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from docx.oxml.ns import qn
from docx.shared import Cm, Pt
from stemma_converter.app import ConverterSettings, converter, service
from stemma_messaging import BadSettings

from .conftest import CONFIG, Exporter


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A template as Word saves one in another language: the ids of its styles are translated."""
    document = Document(str(CONFIG / "template.docx"))
    for name, style_id in (("Heading 1", "berschrift1"), ("Heading 2", "berschrift2"), ("toc 1", "Verzeichnis1")):
        document.styles[name].element.set(qn("w:styleId"), style_id)
    document.styles["Heading 1"].font.size = Pt(33)
    document.sections[0].page_width = Cm(18)
    document.sections[0].header.paragraphs[0].text = "ACME: {title}"
    document.sections[0].first_page_footer.is_linked_to_previous = True
    file = tmp_path / "house.docx"
    document.save(str(file))
    return file


@pytest.mark.req("G13")
async def test_a_house_template_gives_styles_page_and_header(
    monkeypatch: pytest.MonkeyPatch, house: Path, rich: str, plan: Any
) -> None:
    monkeypatch.chdir(house.parent)
    monkeypatch.setenv("STEMMA_CONVERTER_TEMPLATE", house.name)
    settings = service.load_settings()
    assert isinstance(settings, ConverterSettings)
    exporter = Exporter(converter(settings))
    data, _ = await exporter.export("docx", rich, title="The plan", assets=plan)
    document = Document(BytesIO(data))
    heading = next(p for p in document.paragraphs if p.text == "Solution architecture" and p.style)
    assert heading.style
    assert (heading.style.style_id, heading.style.font.size) == ("berschrift1", Pt(33))
    entries = [p.style.style_id for p in document.paragraphs if p.style and p.style.name == "toc 1"]
    assert entries == ["Verzeichnis1"]
    assert document.sections[0].page_width == pytest.approx(Cm(18), rel=0.001)
    assert document.sections[0].header.paragraphs[0].text == "ACME: The plan"


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
        converter(ConverterSettings())


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
        converter(ConverterSettings(template=file))


@pytest.mark.req("P16")
def test_another_package_is_no_word_template(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "house.docx", "w") as package:
        package.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(BadSettings, match="not a Word document"):
        converter(ConverterSettings(template=tmp_path / "house.docx"))
