"""What a person sees in an Office file is held against what was read, and each difference is told by place and kind."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from stemma_testkit.counting import calls

from .reading_files import package, paragraph, read, word

pytestmark = pytest.mark.req("B9")
CHART = (
    '<c:chart xmlns:c="urn:c" xmlns:a="urn:a"><a:p><a:r><a:t>Growth</a:t></a:r></a:p>'
    "<c:v>Price</c:v><c:v>4</c:v></c:chart>"
)
WATERMARK = '<w:r><w:pict><v:shape xmlns:v="urn:v"><v:textpath string="VERTRAULICH"/></v:shape></w:pict></w:r>'
HEADING = '<w:outlineLvl w:val="0"/>'


def saved(book: Workbook, **changed: str) -> bytes:
    buffer = BytesIO()
    book.save(buffer)
    with ZipFile(buffer) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return package({**parts, **changed})


def told(name: str, content: bytes) -> list[tuple[str, str]]:
    return [(w.place, w.detail) for w in read(name, content).warnings if w.code == "seen_not_read"]


def test_words_that_a_reader_leaves_out_are_told_by_the_heading_above_and_their_kind() -> None:
    cell = "<w:tc><w:unknown><w:p><w:r><w:t>Twelve weeks</w:t></w:r></w:p></w:unknown></w:tc>"
    body = (
        paragraph("Term", HEADING)
        + f"<w:tbl><w:tr><w:tc>{paragraph('Months')}</w:tc>{cell}</w:tr></w:tbl>"
        + f"<w:p>{WATERMARK}</w:p>"
    )
    assert told("a.docx", word(body)) == [
        ("Term", "Words are seen in a table that were not read (2): “twelve”, “weeks”."),
        ("Term", "Words are seen in a drawing that were not read (1): “vertraulich”."),
    ]


def test_words_of_notes_and_of_the_edges_of_pages_are_told_and_none_of_a_row_that_was_removed() -> None:
    row = f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('Gone')}</w:tc></w:tr>"
    body = (
        "<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id='1'/></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc>{paragraph('Stays')}</w:tc></w:tr>{row}</w:tbl>"
        "<w:sectPr><w:headerReference r:id='header'/></w:sectPr>"
    )
    note = f"<w:footnote w:id='1'>{paragraph('Read')}<w:unknown>{paragraph('Unread')}</w:unknown></w:footnote>"
    assert told("a.docx", word(body, footnotes=note, header=f"<w:p>{WATERMARK}</w:p>")) == [
        ("", "Words are seen in a footnote that were not read (1): “unread”."),
        ("", "Words are seen in a header that were not read (1): “vertraulich”."),
    ]


def charted(chart: str) -> bytes:
    with ZipFile(BytesIO(word(paragraph("Price")))) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    parts["word/chart.xml"], parts["word/offer.xlsx"] = chart, b"PK"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts["word/_rels/document.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="{kinds}/chart" Target="chart.xml"/>'
        f'<Relationship Id="b" Type="{kinds}/package" Target="offer.xlsx"/></Relationships>'
    )
    return package(parts)


def test_words_of_charts_and_files_in_a_document_are_told_unless_they_stand_in_its_text() -> None:
    assert told("a.docx", charted(CHART)) == [
        ("", "A file is embedded that was not read: offer.xlsx. Attach it by itself."),
        ("", "Words are seen in a chart that were not read (1): “growth”."),
    ]


def test_a_damaged_chart_costs_nothing_but_itself() -> None:
    assert ("", "A chart could not be read: it is damaged.") in told("a.docx", charted("<c:chart"))
    assert read("a.docx", charted("<c:chart")).markdown == "Price\n"


def test_words_on_both_sides_of_the_end_of_a_page_are_two() -> None:
    reading = read("a.docx", word("<w:p><w:r><w:t>Half</w:t><w:br w:type='page'/><w:t>way</w:t></w:r></w:p>"))
    assert (reading.markdown, reading.warnings) == ("Half way\n", ())


def test_what_nobody_sees_is_no_difference() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    box = f"<w:txbxContent>{paragraph('Boxed')}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    body = (
        f"<w:p>{hidden}<w:del><w:r><w:delText>was gone</w:delText></w:r></w:del><w:r>{both}</w:r></w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>Half</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>way up</w:t></w:r>"
        "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>2</w:t></w:r></w:p>"
        + paragraph("snake_case [x] *y* 1. | a\\b")
    )
    assert told("a.docx", word(body)) == []
    assert [w.detail for w in read("a.docx", word(body)).warnings] == [
        "Text that is formatted as hidden was left out (words: 1).",
        "Text that was deleted as a tracked change was left out (words: 2).",
    ]


def test_cells_charts_and_page_edges_of_a_workbook_are_accounted_for() -> None:
    book = Workbook()
    sheet = book.active
    for row in (["Item", "Price"], ["Alpha", 12.5], ["Beta", 3]):
        sheet.append(row)
    sheet["A5"], sheet["B5"] = "Shown", "covered"
    sheet.oddHeader.center.text = "Offer of the first lot, page &P"
    chart = BarChart()
    chart.title = "Growth of prices"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D1")
    reading = read("a.xlsx", merged(book, "A5:B5"))
    details = {w.code: w.detail for w in reading.warnings}
    assert "Offer of the first lot, page" in reading.markdown
    assert "covered" not in reading.markdown
    assert details["hidden_cells"] == "Cells that nobody sees (below merged cells) were left out: 1."
    assert details["seen_not_read"] == "Words are seen in a chart that were not read (2): “growth”, “prices”."


def test_words_of_cells_that_a_reader_leaves_out_are_told_by_their_sheet() -> None:
    book = Workbook()
    book.active["A5"] = "Five"
    with ZipFile(BytesIO(saved(book))) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
    late = '<row r="3"><c r="A3" t="inlineStr"><is><t>Three</t></is></c></row></sheetData>'
    content = saved(book, **{"xl/worksheets/sheet1.xml": xml.replace("</sheetData>", late)})
    assert told("a.xlsx", content) == [("Sheet", "Words are seen in cells that were not read (1): “three”.")]


def merged(book: Workbook, *ranges: str) -> bytes:
    content = saved(book)
    with ZipFile(BytesIO(content)) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
    cells = "".join(f'<mergeCell ref="{one}"/>' for one in ranges)
    changed = xml.replace("</sheetData>", f"</sheetData><mergeCells>{cells}</mergeCells>")
    return saved(book, **{"xl/worksheets/sheet1.xml": changed})


def test_cells_below_merged_ones_are_left_out_wherever_those_begin_and_end() -> None:
    book = Workbook()
    for row in range(1, 5):
        book.active.append([f"{letter}{row}" for letter in "ABCD"])
    reading = read("a.xlsx", merged(book, "C1:C2", "A2:B3", "D1:D1"))
    assert [line for line in reading.markdown.splitlines() if line.startswith("| A")] == [
        "| A1 | B1 | C1 | D1 |",
        "| A2 |  | C1 | D2 |",
        "| A2 |  | C3 | D3 |",
        "| A4 | B4 | C4 | D4 |",
    ]


@pytest.mark.req("S6")
def test_four_times_the_merged_cells_are_four_times_the_work() -> None:
    def work(size: int) -> int:
        book = Workbook()
        for row in range(size):
            book.active.append([None, None, row])
        content = merged(book, *(f"A{row}:B{size + 9}" for row in range(1, size)))
        return calls(lambda: read("a.xlsx", content))

    work(10)  # what is made once is there
    assert work(400) < 5.5 * work(100)
