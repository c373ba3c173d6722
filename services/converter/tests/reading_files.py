"""Office files for tests, part by part."""

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from stemma_converter.reading import Limits, Reading, Unreadable, read_input

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
WORD_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def package(parts: dict[str, str | bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def strict(content: bytes) -> bytes:
    """An Office file in the strict form of ISO 29500."""
    old, new = (
        re.compile(rb"http://schemas\.openxmlformats\.org/((?!package)\w+)/2006/"),
        rb"http://purl.oclc.org/ooxml/\1/",
    )
    with ZipFile(BytesIO(content)) as archive:
        return package({name: old.sub(new, archive.read(name)) for name in archive.namelist()})


def relations(*items: tuple[str, str, str]) -> str:
    inside = "".join(
        f'<Relationship Id="{name}" Type="{_KINDS}/{kind}" Target="{target}"/>' for name, kind, target in items
    )
    return f'<Relationships xmlns="{_RELATIONS}">{inside}</Relationships>'


def word(body: str, /, main_type: str = WORD_MAIN, **more: str | bytes) -> bytes:
    """A DOCX with a body; ``styles``, ``numbering``, ``footnotes``, ``comments``, or ``image1`` (PNG) beside it."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>',
        "_rels/.rels": relations(("rId1", "officeDocument", "word/document.xml")),
        "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>",
    }
    related = []
    for name, content in more.items():
        target = f"media/{name}.png" if name.startswith("image") else f"{name}.xml"
        related.append((name, "image" if name.startswith("image") else name, target))
        parts[f"word/{target}"] = content if isinstance(content, bytes) else f"<w:{name} {NAMES}>{content}</w:{name}>"
    return package({**parts, "word/_rels/document.xml.rels": relations(*related)})


def bare_pdf(
    *contents: str, catalog: str = "", page: str = "", resources: str = "", more: tuple[str, ...] = ()
) -> bytes:
    """A PDF with a page for each content stream, in Helvetica as F1; objects ``more`` are numbered from 4."""
    first = 4 + len(more)
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R {catalog}>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    ]
    for at, content in enumerate(contents):
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents {first + 2 * at + 1} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>{resources}>>{page}>>",
            f"<</Length {len(content.encode('latin-1'))}>>stream\n{content}\nendstream",
        ]
    body, places = "%PDF-1.7\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj{item}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>startxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def line(text: str, down: int = 250, left: int = 20, before: str = "") -> str:
    """A line of text in a content stream."""
    return f"BT {before} /F1 12 Tf {left} {down} Td ({text}) Tj ET\n"


def paragraph(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def read(name: str, content: bytes, *, recognised_pages: int = 0, **limits: int) -> Reading:
    """Without a number of pages to recognise as if there was no tesseract: it takes a second of CPU for each."""
    return read_input(name, None, content, Limits(recognised_pages=recognised_pages, **limits))  # type: ignore[arg-type]


def refusal(name: str, content: bytes, **limits: int) -> Unreadable:
    try:
        read(name, content, **limits)
    except Unreadable as refused:
        return refused
    raise AssertionError(f"{name} was read")


def table(markdown: str) -> list[list[str]]:
    """The cells of all rows of tables in a text, in their order, without the lines below headers."""
    rows = [line for line in markdown.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    return [[cell.strip().replace("\\", "") for cell in _BETWEEN_CELLS.split(row)[1:-1]] for row in rows]
