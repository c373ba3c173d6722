"""XLSX: the values of every sheet, with the ranges they stand in."""

import datetime as dt
from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from openpyxl.styles import Color, Font, PatternFill

from .reading_files import package, read, refusal, strict, table

pytestmark = pytest.mark.req("I1", "I2")


def saved(book: Any) -> bytes:
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def calculated(content: bytes, formula: str, value: str) -> bytes:
    """The workbook as Excel leaves it: with the value of a formula beside it."""
    with ZipFile(BytesIO(content)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    assert isinstance(sheet, bytes)
    old = f"<f>{formula}</f><v></v>".encode()
    assert old in sheet or old.replace(b"<v></v>", b"<v />") in sheet
    new = f"<f>{formula}</f><v>{value}</v>".encode()
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(old, new).replace(old.replace(b"<v></v>", b"<v />"), new)
    return package(parts)


def test_values_are_written_as_they_are_meant() -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "Prices"
    sheet.append(["Item", "Value", "From"])
    sheet.append(["a | b", 1200, dt.date(2026, 3, 1)])
    sheet.append(["share", 0.125, dt.datetime(2026, 3, 1, 14, 30)])
    sheet.append(["rate", 95.5, dt.time(9, 0)])
    sheet.append(["sum", 0.1 + 0.2, True])
    sheet["B3"].number_format = "0.0%"
    sheet["B4"].number_format = '#,##0.00 "€"'
    sheet["B2"].number_format = "$#,##0"
    reading = read("prices.xlsx", saved(book))
    assert table(reading.markdown) == [
        ["Item", "Value", "From"],
        ["a | b", "$1200", "2026-03-01"],
        ["share", "12.5%", "2026-03-01 14:30"],
        ["rate", "95.5 €", "09:00:00"],
        ["sum", "0.3", "TRUE"],
    ]
    assert [(a.kind, a.label) for a in reading.anchors] == [("heading", "Prices"), ("sheet", "Prices!A1:C5")]


def test_formulas_have_the_value_that_was_stored_and_one_without_is_told() -> None:
    book = Workbook()
    book.active.append(["net", "gross", "left"])
    book.active.append([100, "=A2*1.19", "=A2-1"])
    reading = read("a.xlsx", calculated(saved(book), "A2*1.19", "119"))
    assert table(reading.markdown) == [["net", "gross", "left"], ["100", "119", "=A2-1"]]
    assert [(w.code, w.place) for w in reading.warnings] == [("formula_without_value", "Sheet!C2")]


def test_tables_of_one_sheet_stand_apart_with_their_titles() -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "Our prices"
    for row in (
        ["Licences"],
        ["Item", "Price"],
        ["A", 1],
        [],
        ["B", 2],
        [],
        [],
        [None, "Role", "Day"],
        [None, "Dev", 900],
    ):
        sheet.append(row)
    reading = read("a.xlsx", saved(book))
    assert reading.markdown == (
        "## Our prices\n\nLicences\n\n| Item | Price |\n| --- | --- |\n| A | 1 |\n| B | 2 |\n\n"
        "| Role | Day |\n| --- | --- |\n| Dev | 900 |\n"
    )
    labels = [anchor.label for anchor in reading.anchors if anchor.kind == "sheet"]
    assert labels == ["'Our prices'!A1", "'Our prices'!A2:B5", "'Our prices'!B8:C9"]


def test_hidden_sheets_merged_cells_comments_and_images_are_told(make_picture: Callable[..., bytes]) -> None:
    book = Workbook()
    book.active.append(["Item", "Price", ""])
    book.active.append(["A", 1, 2])
    book.active.merge_cells("B1:C1")
    book.active["A2"].comment = Comment("Which size?", "Ada")
    book.active.add_image(SheetImage(BytesIO(make_picture())), "E1")
    hidden = book.create_sheet("Rates")
    hidden.append(["Role", "Rate"])
    hidden.append(["Dev", 900])
    hidden.sheet_state = "hidden"
    reading = read("a.xlsx", saved(book))
    assert "Comment on A2: Which size?" in reading.markdown
    assert f"![Sheet]({reading.images[0].name})" in reading.markdown
    assert "Dev" not in reading.markdown
    assert [(w.code, w.place) for w in reading.warnings] == [("merged_cells", "Sheet"), ("hidden_sheet", "Rates")]
    assert "B1:C1" in reading.warnings[0].detail


@pytest.mark.req("B9")
def test_words_in_a_text_box_above_the_cells_are_read(make_picture: Callable[..., bytes]) -> None:
    book = Workbook()
    book.active.append(["Item", "Price"])
    book.active.add_image(SheetImage(BytesIO(make_picture())), "E1")
    with ZipFile(BytesIO(saved(book))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    drawing = "xl/drawings/drawing1.xml"
    hidden = b'<sp><nvSpPr><cNvPr hidden="1"/></nvSpPr><txBody><p><r><t>Our ceiling.</t></r></p></txBody></sp>'
    box = hidden + b"<txBody><p><r><t>Bids close </t></r><r><t>on 3 March.</t></r></p></txBody></oneCellAnchor>"
    parts[drawing] = parts[drawing].replace(b"</oneCellAnchor>", box)
    read_as = read("a.xlsx", package(dict(parts))).markdown
    assert ("Bids close on 3 March.\n" in read_as, "ceiling" in read_as) == (True, False)


@pytest.mark.req("B9")
def test_grey_cells_and_words_in_a_format_without_numbers_are_seen() -> None:
    book = Workbook()
    book.active.append(["Grey", "Words", 7])
    book.active["A1"].font = Font(color=Color(theme=0, tint=-0.5))
    book.active["B1"].number_format = book.active["C1"].number_format = ";;"
    assert table(read("a.xlsx", saved(book)).markdown) == [["Grey", "Words"]]


@pytest.mark.req("B9")
def test_cells_that_nobody_sees_are_left_out_and_told_by_sheet_and_why() -> None:
    book = Workbook()
    sheet = book.active
    for row in (["Item", "Cost", "Price"], ["A", 1, 2], ["B", 3, 4], ["C", 5, 6], ["D", 7, 8]):
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    sheet["C4"].font = Font(color="FFFFFF")
    sheet["C5"].number_format = ";;;"
    sheet["C1"].font, sheet["C1"].fill = Font(color="FFFFFF"), PatternFill("solid", fgColor="000080")
    reading = read("a.xlsx", saved(book))
    assert table(reading.markdown) == [["Item", "", "Price"], ["A", "", "2"], ["C", "", ""], ["D", "", ""]]
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_cells", "Sheet")] * 4
    told = " ".join(warning.detail for warning in reading.warnings)
    assert all(why in told for why in ("hidden rows", "hidden columns", "white on white", "shows nothing"))


def test_a_label_that_reaches_down_counts_for_its_rows_and_what_is_struck_out_is_marked() -> None:
    book = Workbook()
    for row in (["Lot", "Work"], ["Lot 1", "Crew"], [None, "Fuel"], ["Lot 2", "Piles"]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active["B4"].font = Font(strike=True)
    assert table(read("a.xlsx", saved(book)).markdown) == [
        ["Lot", "Work"],
        ["Lot 1", "Crew"],
        ["Lot 1", "Fuel"],
        ["Lot 2", "~~Piles~~"],
    ]


def test_superscripts_and_struck_parts_inside_a_cell_are_kept_apart() -> None:
    book = Workbook()
    book.active.append([0, 1])
    with ZipFile(BytesIO(saved(book))) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    looks = ('<vertAlign val="superscript"/>', "EUR 4,250", "1"), ("<strike/>", "ten ", "nine")
    strings = "".join(
        f"<si><r><t xml:space='preserve'>{before}</t></r><r><rPr>{look}</rPr><t>{text}</t></r></si>"
        for look, before, text in looks
    )
    spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{spreadsheet}">{strings}</sst>'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", override)
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace('t="n"', 't="s"')
    assert table(read("a.xlsx", package(dict(parts))).markdown) == [["EUR 4,250¹", "ten ~~nine~~"]]


def test_a_workbook_in_the_strict_form_is_read_like_any_other(make_picture: Callable[..., bytes]) -> None:
    book = Workbook()
    book.active.append(["Item", "Price", "From"])
    book.active.append(["Hosting", 1200, dt.date(2026, 3, 1)])
    book.active.add_image(SheetImage(BytesIO(make_picture())), "E1")
    content = saved(book)
    usual = read("a.xlsx", content)
    assert (table(usual.markdown)[1], len(usual.images)) == (["Hosting", "1200", "2026-03-01"], 1)
    assert read("a.xlsx", strict(content)) == usual


def test_only_so_many_cells_are_read_and_that_is_told() -> None:
    book = Workbook()
    for n in range(50):
        book.active.append([n, n * n])
    reading = read("a.xlsx", saved(book), cells=20)
    assert len(table(reading.markdown)) == 10
    assert [warning.code for warning in reading.warnings] == ["cells_left_out"]


def test_empty_sheets_are_no_text() -> None:
    refused = refusal("a.xlsx", saved(Workbook()))
    assert (refused.reason, "sheets are empty" in refused.words) == ("no_text", True)


@pytest.mark.req("S6")
def test_a_currency_that_does_not_end_is_looked_for_once() -> None:
    """From each bracket on, and from each character behind it, it took minutes."""
    book = Workbook()
    book.active.append(["Item", "Value"])
    book.active.append(["a", 7])
    book.active["B2"].number_format = "[$a" * 5000
    assert table(read("prices.xlsx", saved(book)).markdown) == [["Item", "Value"], ["a", "7 $"]]
