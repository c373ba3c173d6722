"""Build ``config/template.docx`` from pandoc's own reference document: run it after changing the look."""

import subprocess
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
from docx import Document
from docx.document import Document as DocumentType
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from stemma_converter.word import with_fixed_dates

TARGET = Path(__file__).parents[1] / "config" / "template.docx"
FONT, CODE_FONT = "Cambria", "Consolas"
ACCENT, SOFT, INK = RGBColor(0x1F, 0x4E, 0x79), RGBColor(0x5B, 0x66, 0x75), RGBColor(0x1C, 0x24, 0x30)
HEADINGS = {1: (17, 24, 10), 2: (13.5, 16, 6), 3: (11.5, 12, 4), 4: (11, 10, 4), 5: (11, 10, 4), 6: (11, 10, 4)}
HEADING_NUMBERING = 77
# The font of East Asian text depends on its language: the converter sets it.
SCRIPTS = ("ascii", "hAnsi", "cs")
IDS = {"toc 1": "TOC1", "toc 2": "TOC2", "toc 3": "TOC3", "header": "Header", "footer": "Footer",
       "annotation text": "CommentText"}  # fmt: skip
DATE = datetime(2025, 1, 1, tzinfo=UTC)


def main() -> None:
    reference = subprocess.run(  # noqa: S603
        [pypandoc.get_pandoc_path(), "--print-default-data-file", "reference.docx"], capture_output=True, check=True
    )
    document = Document(BytesIO(reference.stdout))
    page(document)
    text_styles(document)
    heading_styles(document)
    contents_styles(document)
    table_style(document)
    running_parts(document)
    without_samples(document)
    buffer = BytesIO()
    document.save(buffer)
    TARGET.write_bytes(with_fixed_dates(buffer.getvalue(), DATE))


def paragraph_style(document: DocumentType, name: str, based_on: str = "Normal") -> ParagraphStyle:
    found = next((style for style in document.styles if style.name == name), None)
    style = found or document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    assert isinstance(style, ParagraphStyle)
    if found is None:
        style.base_style = document.styles[based_on]
        style.element.set(qn("w:styleId"), IDS.get(name, style.style_id))
    style.hidden = False
    style.quick_style = True
    return style


def shape(
    style: ParagraphStyle, size: float, before: float, after: float, *, color: RGBColor = INK, bold: bool = False
) -> None:
    """Set font and distances; sizes are points."""
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for key in list(fonts.attrib):
        del fonts.attrib[key]
    for script in SCRIPTS:
        fonts.set(f"{{{fonts.nsmap['w']}}}{script}", FONT)
    style.font.size, style.font.color.rgb, style.font.italic = Pt(size), color, False
    style.font.bold = bold or None
    style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)


def page(document: DocumentType) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.4)
    section.top_margin, section.bottom_margin = Cm(2.6), Cm(2.4)
    section.header_distance = section.footer_distance = Cm(1.2)
    section.different_first_page_header_footer = True


def text_styles(document: DocumentType) -> None:
    defaults(document)
    for name in ("Body Text", "First Paragraph"):
        style = paragraph_style(document, name)
        shape(style, 11, 4, 6)
        style.paragraph_format.line_spacing = 1.15
    cover(document)
    shape(paragraph_style(document, "Block Text"), 11, 4, 4, color=SOFT)
    border(paragraph_style(document, "Block Text"), "left", 16, RGBColor(0xC9, 0xD1, 0xDB), 8)
    cell = paragraph_style(document, "Table Text")
    cell.font.size = Pt(9.5)
    cell.paragraph_format.space_before = cell.paragraph_format.space_after = Pt(2)
    notice = paragraph_style(document, "Notice", "Body Text")
    notice.paragraph_format.keep_with_next = True
    shape(notice, 10.5, 3, 3)
    border(notice, "left", 18, RGBColor(0xC9, 0x8A, 0x00), 8)
    shade(notice, "FFF7E6")
    code = paragraph_style(document, "Source Code")
    shape(code, 9, 4, 8)
    code.font.name = CODE_FONT
    shade(code, "F3F6F9")
    verbatim = document.styles["Verbatim Char"]
    verbatim.font.name, verbatim.font.size = CODE_FONT, Pt(9.5)
    document.styles["Hyperlink"].font.color.rgb = RGBColor(0x1F, 0x5F, 0xA8)
    shape(paragraph_style(document, "Footnote Text"), 9, 0, 2)
    for name in ("Caption", "Table Caption", "Image Caption"):
        shape(paragraph_style(document, name), 9.5, 4, 6, color=SOFT)
    table_caption, figure = paragraph_style(document, "Table Caption"), paragraph_style(document, "Captioned Figure")
    table_caption.paragraph_format.keep_with_next = True
    table_caption.paragraph_format.space_before = figure.paragraph_format.space_before = Pt(12)
    figure.paragraph_format.alignment = 1
    paragraph_style(document, "Image Caption").paragraph_format.alignment = 1


def cover(document: DocumentType) -> None:
    """The page before the contents: the title a third down, and below a line who sends it and when."""
    shape(paragraph_style(document, "Title"), 30, 220, 14, color=ACCENT, bold=True)
    border(paragraph_style(document, "Title"), "bottom", 12, ACCENT, 10)
    for name in ("Subtitle", "Author", "Date"):
        shape(paragraph_style(document, name), 13, 6, 6, color=SOFT)
    for name in ("Title", "Subtitle", "Author", "Date"):
        style = paragraph_style(document, name)
        style.base_style = document.styles["Normal"]
        for spacing in style.element.get_or_add_rPr().findall(qn("w:spacing")):
            style.element.get_or_add_rPr().remove(spacing)
        style.paragraph_format.alignment = 0


def defaults(document: DocumentType) -> None:
    """Font and size of all text; where a style sets none, a table may set its own."""
    properties = document.styles.element.find(".//" + qn("w:rPrDefault"))
    assert properties is not None
    fonts = " ".join(f'w:{script}="{FONT}"' for script in SCRIPTS)
    for old in list(properties):
        properties.remove(old)
    language = '<w:lang w:val="en-US" w:eastAsia="en-US" w:bidi="ar-SA"/>'
    size = '<w:sz w:val="22"/><w:szCs w:val="22"/>'
    properties.append(parse_xml(f"<w:rPr {nsdecls('w')}><w:rFonts {fonts}/>{size}{language}</w:rPr>"))
    normal, compact = paragraph_style(document, "Normal"), paragraph_style(document, "Compact")
    normal.font.size = compact.font.size = None
    normal.font.color.rgb = INK
    normal.paragraph_format.space_before, normal.paragraph_format.space_after = Pt(0), Pt(6)
    compact.paragraph_format.space_before = compact.paragraph_format.space_after = Pt(2)


def border(style: ParagraphStyle, side: str, eighths: int, color: RGBColor, space: int) -> None:
    properties = style.element.get_or_add_pPr()
    for old in properties.findall(f"{{{properties.nsmap['w']}}}pBdr"):
        properties.remove(old)
    line = f'<w:{side} w:val="single" w:sz="{eighths}" w:space="{space}" w:color="{color}"/>'
    insert_property(style, parse_xml(f"<w:pBdr {nsdecls('w')}>{line}</w:pBdr>"))


def shade(style: ParagraphStyle, fill: str) -> None:
    insert_property(style, parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="{fill}"/>'))


def insert_property(style: ParagraphStyle, element: object) -> None:
    later = ("w:shd", "w:tabs", "w:suppressAutoHyphens", "w:kinsoku", "w:wordWrap", "w:spacing", "w:ind",
             "w:contextualSpacing", "w:jc", "w:outlineLvl", "w:rPr")  # fmt: skip
    after = later[1:] if element.tag.endswith("}shd") else later  # type: ignore[attr-defined]
    style.element.get_or_add_pPr().insert_element_before(element, *after)


def heading_styles(document: DocumentType) -> None:
    for level, (size, before, after) in HEADINGS.items():
        style = paragraph_style(document, f"Heading {level}")
        shape(style, size, before, after, color=ACCENT, bold=True)
        style.paragraph_format.keep_with_next = True
        number_with(style, level - 1, HEADING_NUMBERING)
    numbering = document.part.numbering_part.element
    first_number = numbering.find(f"{{{numbering.nsmap['w']}}}num")
    outline = parse_xml(heading_numbering())
    if first_number is None:
        numbering.append(outline)
    else:
        first_number.addprevious(outline)
    number = (
        f'<w:num {nsdecls("w")} w:numId="{HEADING_NUMBERING}"><w:abstractNumId w:val="{HEADING_NUMBERING}"/></w:num>'
    )
    numbering.append(parse_xml(number))


def number_with(style: ParagraphStyle, level: int, numbering: int) -> None:
    """Take part in a numbering; number 0 means none."""
    numbered = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{numbering}"/></w:numPr>'
    style.element.get_or_add_pPr().insert_element_before(
        parse_xml(numbered), "w:suppressLineNumbers", "w:pBdr", "w:shd", "w:tabs", "w:spacing", "w:ind", "w:jc",
        "w:outlineLvl",
    )  # fmt: skip


def heading_numbering() -> str:
    levels = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading{i + 1}"/>'
        f'<w:suff w:val="{"tab" if width else "space"}"/>'
        f'<w:lvlText w:val="{".".join(f"%{n}" for n in range(1, i + 2))}"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:ind w:left="{width}" w:hanging="{width}"/></w:pPr></w:lvl>'
        for i, width in enumerate((560, 680, 840, 0, 0, 0))
    )
    return (
        f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{HEADING_NUMBERING}"><w:nsid w:val="5A1F0E77"/>'
        f'<w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'
    )


def contents_styles(document: DocumentType) -> None:
    heading = paragraph_style(document, "TOC Heading")
    shape(heading, 14, 6, 6, color=ACCENT, bold=True)
    number_with(heading, 0, 0)
    for level in (1, 2, 3):
        style = paragraph_style(document, f"toc {level}")
        shape(style, 11 if level == 1 else 10.5, 4 if level == 1 else 0, 2, bold=level == 1)
        style.paragraph_format.left_indent = Cm(0.6 * (level - 1))
        style.paragraph_format.tab_stops.add_tab_stop(Cm(16.2), 2, 1)
    for name in ("header", "footer", "annotation text"):
        shape(paragraph_style(document, name), 9, 0, 0, color=SOFT)
    reference = document.styles.add_style("annotation reference", WD_STYLE_TYPE.CHARACTER)
    reference.element.set(qn("w:styleId"), "CommentReference")
    reference.font.size = Pt(8)


def table_style(document: DocumentType) -> None:
    styles = document.styles.element
    for old in styles.findall(f"{{{styles.nsmap['w']}}}style[@{{{styles.nsmap['w']}}}styleId='Table']"):
        styles.remove(old)
    styles.append(
        parse_xml(f"""
      <w:style {nsdecls("w")} w:type="table" w:default="1" w:styleId="TableNormal">
        <w:name w:val="Normal Table"/><w:uiPriority w:val="99"/><w:semiHidden/><w:unhideWhenUsed/>
        <w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/>
        <w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar>
        </w:tblPr></w:style>""")
    )
    styles.append(
        parse_xml(f"""
      <w:style {nsdecls("w")} w:type="table" w:customStyle="1" w:styleId="Table">
        <w:name w:val="Table"/><w:basedOn w:val="TableNormal"/><w:qFormat/>
        <w:pPr><w:spacing w:before="40" w:after="40"/></w:pPr><w:rPr><w:sz w:val="19"/><w:szCs w:val="19"/></w:rPr>
        <w:tblPr><w:tblBorders><w:bottom w:val="single" w:sz="4" w:space="0" w:color="C9D1DB"/>
        <w:insideH w:val="single" w:sz="4" w:space="0" w:color="C9D1DB"/></w:tblBorders></w:tblPr>
        <w:tblStylePr w:type="firstRow"><w:rPr><w:b/><w:bCs/></w:rPr><w:tblPr/>
        <w:tcPr><w:tcBorders><w:bottom w:val="single" w:sz="8" w:space="0" w:color="{ACCENT}"/></w:tcBorders>
        <w:shd w:val="clear" w:color="auto" w:fill="E8EEF5"/><w:vAlign w:val="bottom"/></w:tcPr></w:tblStylePr>
      </w:style>""")
    )


def running_parts(document: DocumentType) -> None:
    """Header and footer, whose marks the converter fills in; the cover has none."""
    section = document.sections[0]
    section.header.paragraphs[0].text = "{title}"
    section.header.paragraphs[0].style = document.styles["header"]
    section.first_page_header.paragraphs[0].style = document.styles["header"]
    section.first_page_footer.paragraphs[0].style = document.styles["footer"]
    paragraph = section.footer.paragraphs[0]
    paragraph.style = document.styles["footer"]
    paragraph.paragraph_format.tab_stops.add_tab_stop(Cm(16.2), 2)
    paragraph.add_run("{company}\t{page_of}")


def without_samples(document: DocumentType) -> None:
    body = document.element.body
    for element in list(body)[:-1]:
        body.remove(element)


if __name__ == "__main__":
    main()
