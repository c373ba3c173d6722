"""Forms made for tests, as Office writes them: the parts and the attributes that matter, and nothing else."""

from collections.abc import Mapping
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TEXT = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as package:
        for number, (name, content) in enumerate(parts.items()):
            entry = ZipInfo(name, (2021, 3, 4, 5, 6, 2 * number))
            entry.compress_type = ZIP_DEFLATED
            package.writestr(entry, content)
    return buffer.getvalue()


def parts_of(content: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(content)) as package:
        return {name: package.read(name) for name in package.namelist()}


def relations(*targets: tuple[str, str]) -> str:
    inside = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}">{inside}</Relationships>'


def types(main: str, kind: str) -> str:
    return (
        f'{_HEAD}<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="bin" ContentType="application/octet-stream"/>'
        f'<Override PartName="/{main}" ContentType="{kind}"/></Types>'
    )


# Styles by number: 0 plain, 1 unlocked, 2 a date, 3 with a frame, 4 a heading's fill, 5 unlocked number.
STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_S}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/></numFmts>'
    '<cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="0" applyProtection="1"><protection locked="0"/></xf>'
    '<xf numFmtId="164"/><xf numFmtId="0" borderId="1"/><xf numFmtId="0" fillId="2"/>'
    '<xf numFmtId="4"><protection locked="0"/></xf></cellXfs></styleSheet>'
)


def text(place: str, words: str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{words}</t></is></c>'


def empty(place: str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"/>'


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}" spans="1:6">{"".join(cells)}</row>'


def rows(*lines: str, first: int = 1) -> str:
    """Rows from their words, as ``1 | Who? | ``: nothing between bars is an empty cell, ``-`` none, digits a number."""
    return "".join(
        row(number, *(_cell(f"{chr(65 + at)}{number}", words.strip()) for at, words in enumerate(line.split("|"))))
        for number, line in enumerate(lines, first)
    )


def _cell(place: str, words: str) -> str:
    if words.isdecimal():
        return f'<c r="{place}"><v>{words}</v></c>'
    return "" if words == "-" else text(place, words.removeprefix("'")) if words else empty(place)


def sheet(*rows: str, before: str = "", after: str = "") -> str:
    data = f"{before}<sheetData>{''.join(rows)}</sheetData>{after}"
    return f'{_HEAD}<worksheet xmlns="{_S}" xmlns:r="{_OFFICE}">{data}</worksheet>'


def workbook(
    sheets: Mapping[str, str],
    *,
    hidden: tuple[str, ...] = (),
    inside: str = "",
    properties: str = "",
    others: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """An XLSX with the sheets, whose parts are ``xl/worksheets/sheet1.xml`` and so on."""
    states = [' state="hidden"' if name in hidden else "" for name in sheets]
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}"{state} r:id="rId{n}"/>'
        for n, (name, state) in enumerate(zip(sheets, states, strict=True), 1)
    )
    related = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    return packed({
        "[Content_Types].xml": types("xl/workbook.xml", f"{_SPREADSHEET}.sheet.main+xml"),
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_S}" xmlns:r="{_OFFICE}"><workbookPr{properties}/>'
        f"<sheets>{listed}</sheets>{inside}</workbook>",
        "xl/_rels/workbook.xml.rels": relations(*related, ("styles", "styles.xml")),
        "xl/styles.xml": STYLES,
        **{f"xl/worksheets/sheet{n}.xml": content for n, content in enumerate(sheets.values(), 1)},
        **(others or {}),
    })  # fmt: skip


def paragraph(words: str = "", *, inside: str = "", style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r>' if words else ""
    return f"<w:p>{properties}{run}{inside}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table; a cell is its words, or its content if that begins with a tag."""
    cells = [[c if c.startswith("<") else paragraph(c) for c in each] for each in rows]
    inside = "".join(f"<w:tr>{''.join(f'<w:tc><w:tcPr/>{c}</w:tc>' for c in each)}</w:tr>" for each in cells)
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{inside}</w:tbl>"


def control(properties: str, words: str) -> str:
    """A content control inside a paragraph."""
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent><w:r><w:t>{words}</w:t></w:r></w:sdtContent></w:sdt>"


def form_field(data: str, words: str = "") -> str:
    """A form field of the older kind."""
    result = f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>' if words else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
        '<w:r><w:instrText xml:space="preserve"> FORM </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def document(*blocks: str, others: Mapping[str, str | bytes] | None = None, kind: str = "document.main+xml") -> bytes:
    """A DOCX with the blocks in its body."""
    styles = f'<w:styles xmlns:w="{W}"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>'
    return packed({
        "[Content_Types].xml": types("word/document.xml", f"{_TEXT}.{kind}"),
        "_rels/.rels": relations(("officeDocument", "/word/document.xml")),
        "word/_rels/document.xml.rels": relations(("styles", "styles.xml")),
        "word/document.xml": f'{_HEAD}<w:document xmlns:w="{W}" '
        'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">'
        f"<w:body>{''.join(blocks)}<w:sectPr/></w:body></w:document>",
        "word/styles.xml": _HEAD + styles,
        "customXml/item1.xml": "<kept/>",
        **(others or {}),
    })  # fmt: skip


def pdf(*objects: str, words: Mapping[tuple[int, int], str], form: str = "") -> bytes:
    """A PDF of one page with words at places; the objects are the fields of its form, from 10 on."""
    shown = "\n".join(f"BT /F 10 Tf {x} {y} Td ({text}) Tj ET" for (x, y), text in words.items())
    fields = " ".join(f"{number} 0 R" for number in range(10, 10 + len(objects)))
    numbered = {
        1: f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] /DR << /Font << /F 4 0 R >> >> "
        f"/DA (/F 10 Tf 0 g) {form} >> >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 4 0 R >> >> "
        f"/Contents 5 0 R /Annots [{fields}] >>",
        4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        5: f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        6: "<< /Type /XObject /Subtype /Form /BBox [0 0 10 10] /Length 0 >>\nstream\n\nendstream",
        **dict(enumerate(objects, 10)),
    }
    data, places = b"%PDF-1.7\n", dict[int, int]()
    for number, body in numbered.items():
        places[number] = len(data)
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    rows = "".join(f"{n} 1\n{place:010} 00000 n \n" for n, place in places.items())
    tail = f"trailer\n<< /Size {max(numbered) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 1\n0000000000 65535 f \n{rows}{tail}".encode()


def pdf_field(kind: str, name: str, y: int, more: str = "", x: int = 200, width: int = 200) -> str:
    """A field of one line, which is also where it is shown."""
    box = f"/Rect [{x} {y} {x + width} {y + 14}]"
    return f"<< /Type /Annot /Subtype /Widget /FT /{kind} /T ({name}) {box} /F 4 /P 3 0 R {more} >>"
