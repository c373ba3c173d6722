"""Three templates as companies have them: with a cover of controls, a letterhead, and an old one of another program."""

from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

from docx import Document
from docx.document import Document as DocumentType
from docx.enum.section import WD_SECTION
from docx.enum.text import WD_BREAK
from docx.opc.constants import CONTENT_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Inches, Pt, RGBColor
from PIL import Image, ImageDraw

_TEMPLATE = "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"
_OUTLINE = (
    '<w:abstractNum {ns} w:abstractNumId="40"><w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>',
    '<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:pStyle w:val="Heading{n}"/>'
    '<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="567" w:hanging="567"/></w:pPr></w:lvl>',
)


def with_type(document: bytes, kind: str) -> bytes:
    """The file with another media type for its main part."""
    buffer, types = BytesIO(), CONTENT_TYPE.WML_DOCUMENT_MAIN.encode()
    with ZipFile(BytesIO(document)) as old, ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(types, kind.encode()))
    return buffer.getvalue()


def _saved(document: DocumentType) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _logo(color: str) -> BytesIO:
    image = Image.new("RGB", (480, 160), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((8, 8, 152, 152), fill=color)
    draw.ellipse((170, 40, 250, 120), fill=color)
    draw.rectangle((270, 60, 470, 100), fill=color)
    buffer = BytesIO()
    image.save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def _control(tag: str, shown: str, binding: str = "") -> str:
    bound = f'<w:dataBinding w:xpath="{binding}" w:storeItemID="{{6C3C8BC8-F283-45AE-878A-BAB7291924A1}}"/>'
    return (
        f'<w:sdt {nsdecls("w")}><w:sdtPr><w:alias w:val="{tag}"/><w:tag w:val="{tag}"/><w:showingPlcHdr/>'
        f"{bound if binding else ''}<w:text/></w:sdtPr>"
        f"<w:sdtContent><w:r><w:t>{shown}</w:t></w:r></w:sdtContent></w:sdt>"
    )


def _with_control(document: DocumentType, label: str, control: str, style: str) -> None:
    paragraph = document.add_paragraph(label, style=style)
    paragraph._p.append(parse_xml(control))


def cover() -> bytes:
    """A DOTX: a cover with a logo, controls and a table; words before and after; contents of Word's gallery."""
    document = Document()
    document.styles["Normal"].font.name, document.styles["Normal"].font.size = "Arial", Pt(10)
    for name, size in (("Title", 32), ("Heading 1", 18), ("Heading 2", 14), ("Heading 3", 12)):
        style = document.styles[name]
        style.font.color.rgb, style.font.name, style.font.size = RGBColor(0x8A, 0x1C, 0x3C), "Georgia", Pt(size)
        for fonts in style.element.iter(qn("w:rFonts")):
            for key in [key for key in fonts.attrib if "Theme" in str(key)]:
                del fonts.attrib[key]
    document.add_picture(_logo("#8a1c3c"), width=Cm(6))
    _with_control(document, "", _control("Title", "[Title]", "/ns1:coreProperties[1]/ns0:title[1]"), "Title")
    document.add_paragraph("Offer of {company}", style="Subtitle")
    table = document.add_table(rows=0, cols=2, style="Table Grid")
    for label, mark in (("Client", "{client}"), ("Offer number", "{number}"), ("Date", "{date}"), ("By", "{author}")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = label, mark
    document.add_section(WD_SECTION.NEW_PAGE)
    document.add_paragraph("Confidential", style="Heading 1")
    document.add_paragraph("This offer holds for 90 days from {date}.")
    _own_contents(document)
    document.add_paragraph("{text}")
    document.add_paragraph("General terms", style="Heading 1")
    document.add_paragraph("Our general terms of business apply. Place of jurisdiction is Hamburg.")
    first, last = document.sections[0], document.sections[-1]
    first.header.paragraphs[0].text = ""
    last.header.is_linked_to_previous = last.footer.is_linked_to_previous = False
    last.header.paragraphs[0].add_run().add_picture(_logo("#8a1c3c"), width=Cm(2.4))
    last.header.paragraphs[0].add_run("\t{ti")
    last.header.paragraphs[0].add_run("tle}").bold = True
    last.footer.paragraphs[0].text = "{company}\t{number}\t{page_of}"
    for section in (first, last):
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = Cm(2.5)
    return with_type(_saved(document), _TEMPLATE)


def _own_contents(document: DocumentType) -> None:
    place = document.add_paragraph()
    place._p.addprevious(
        parse_xml(
            f'<w:sdt {nsdecls("w")}><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/>'
            "<w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>"
            "<w:p><w:r><w:t>No entries found.</w:t></w:r></w:p>"
            "</w:sdtContent></w:sdt>"
        )
    )
    place.add_run().add_break(WD_BREAK.PAGE)


def letterhead() -> bytes:
    """A small paper, a first page with an address, headings numbered ``A``, ``A.1``; no text of its own."""
    document = Document()
    section = document.sections[0]
    section.page_width, section.page_height = Inches(5.83), Inches(8.27)
    section.left_margin = section.right_margin = Inches(0.8)
    section.different_first_page_header_footer = True
    document.styles["Normal"].font.name, document.styles["Normal"].font.size = "Calibri", Pt(9)
    table = section.first_page_header.add_table(1, 2, Inches(4.2))
    table.cell(0, 0).paragraphs[0].add_run().add_picture(_logo("#0b6e4f"), width=Inches(1.4))
    table.cell(0, 1).text = "{company}\n12 Mill Lane, Springfield\nOffer {number} to {client}"
    section.header.paragraphs[0].text = "{title}"
    section.footer.paragraphs[0].text = "Page {page} of {pages}"
    numbering = document.part.numbering_part.element
    levels = "".join(
        _OUTLINE[1].format(i=i, n=i + 1, kind="upperLetter" if not i else "decimal", text=text)
        for i, text in enumerate(("%1", "%1.%2", "%1.%2.%3", "%1.%2.%3.%4"))
    )
    numbering.insert(0, parse_xml(_OUTLINE[0].format(ns=nsdecls("w"), levels=levels)))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="40"><w:abstractNumId w:val="40"/></w:num>'))
    for level in (1, 2, 3):
        style = document.styles[f"Heading {level}"]
        style.font.color.rgb, style.font.size = RGBColor(0x0B, 0x6E, 0x4F), Pt(15 - 2 * level)
        properties = style.element.get_or_add_pPr()
        numbered = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level - 1}"/><w:numId w:val="40"/></w:numPr>'
        properties.insert_element_before(parse_xml(numbered), "w:spacing", "w:outlineLvl")
    for style in [
        s
        for s in document.styles
        if s.name and s.name.startswith(("Heading", "Caption", "TOC")) and s.name[-1] in "456789"
    ]:
        style.delete()
    return _saved(document)


_GERMAN = {
    "Normal": ("Standard", "Standard"),
    "Heading 1": ("Überschrift 1", "berschrift1"),
    "Heading 2": ("Überschrift 2", "berschrift2"),
    "Title": ("Titel", "Titel"),
    "Header": ("Kopfzeile", "Kopfzeile"),
    "Footer": ("Fußzeile", "Fuzeile"),
}


def old() -> bytes:
    """German names and ids of six styles, and no others; no defaults, no numbering; a sentence before and after."""
    document = Document()
    ids = {document.styles[name].style_id: identifier for name, (_, identifier) in _GERMAN.items()}
    root = document.styles.element
    for style in list(root.iterfind(qn("w:style"))):
        if style.get(qn("w:styleId")) not in ids and style.get(qn("w:default")) is None:
            root.remove(style)
    for name, (german, identifier) in _GERMAN.items():
        style = document.styles[name]
        for reference in style.element.iterfind(qn("w:link")):
            style.element.remove(reference)
        style.element.find(qn("w:name")).set(qn("w:val"), german)
        style.element.set(qn("w:styleId"), identifier)
    for reference in list(root.iter(qn("w:basedOn"), qn("w:next"))):
        reference.set(qn("w:val"), ids.get(reference.get(qn("w:val")), "Standard"))
    root.remove(root.find(qn("w:docDefaults")))
    relations = document.part.rels
    del relations[next(name for name, one in relations.items() if one.reltype.endswith("/numbering"))]
    for text in (
        "Muster AG, Postfach 12, 20099 Hamburg",
        "Ihr Zeichen: {number}",
        "{text}",
        "Muster AG, Vorstand: E. Muster",
    ):
        document.add_paragraph(text)
    return _saved(document)


HOUSES: dict[str, Callable[[], bytes]] = {"cover": cover, "letterhead": letterhead, "old": old}
