"""Forms are files of strangers."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest
from forms_made import document, empty, packed, paragraph, parts_of, row, sheet, table, text, workbook
from stemma_forms import UnreadableForm, fill, find_fields
from stemma_testkit.counting import calls

ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def with_part(content: bytes, **changed: str | bytes) -> bytes:
    return packed(
        {**parts_of(content), **{name.replace("__", "/").replace("_", "."): c for name, c in changed.items()}}
    )


def with_entry(name: str, data: bytes = b"x") -> bytes:
    buffer = BytesIO(document(paragraph("Name: ____")))
    with ZipFile(buffer, "a", ZIP_DEFLATED) as package:
        package.writestr(name, data)
    return buffer.getvalue()


def packed_otherwise(content: bytes) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_LZMA) as package:
        for name, data in parts_of(content).items():
            package.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "neither a DOCX nor an XLSX"),
        (b"%PDF-1.7", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", "protected by a password"),
        (document(paragraph("a"))[:-60], "damaged"),
        (packed({"a.txt": "no form"}), "no main part"),
        (document(paragraph("a"), kind="document.macroEnabled.main+xml"), "has macros"),
        (document(others={"word/vbaProject.bin": b"x"}), "has macros"),
        (with_entry("../outside.xml"), "leads outside"),
        (with_entry("C:\\outside.xml"), "leads outside"),
        (with_entry("customXml/item1.xml"), "holds a part twice"),
        (packed_otherwise(document()), "in a way that Office does not use"),
        (with_part(document(), word__document_xml="<w:document"), "cannot be read as XML"),
        (with_part(document(), word__document_xml=f"{ENTITIES}<x>&b;</x>"), "declares a document type"),
        (with_part(document(), word__document_xml="<x>" * 400 + "</x>" * 400), "cannot be read as XML"),
        (with_part(document(), word__document_xml="<document/>"), "not in the usual form"),
        (with_part(workbook({"S": sheet()}), xl__workbook_xml="<workbook/>"), "not in the usual form"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_no_form_is_refused_with_words(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableForm, match=words):
        find_fields(content)


@pytest.mark.req("L7")
def test_bombs_are_refused_before_they_are_unpacked() -> None:
    small = with_entry("word/media/a.bin", b"\0" * (201 << 20))
    assert len(small) < 1 << 20
    with pytest.raises(UnreadableForm, match="unpacks to more than 200 MiB"):
        find_fields(small)


@pytest.mark.req("L7")
def test_a_part_of_great_size_is_refused() -> None:
    large = "<x>" + " " * (33 << 20) + "</x>"
    with pytest.raises(UnreadableForm, match="larger than 32 MiB"):
        find_fields(with_part(document(), word__document_xml=large))


def test_a_signed_form_is_not_filled() -> None:
    content = with_entry("_xmlsignatures/sig1.xml")
    [field] = find_fields(content)
    with pytest.raises(UnreadableForm, match="is signed"):
        fill(content, {field.id: "Acme"})


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    "form",
    [
        lambda n: document(*(paragraph("Name: ____ [insert date] <Bidder>") for _ in range(n))),
        lambda n: document(table((":",) * n)),
        lambda n: document(paragraph("_ " * n + "[" * n + "<" * n + "." * n)),
        lambda n: workbook({"S": sheet(*(row(i, text(f"A{i}", "Response to question:")) for i in range(1, n + 1)))}),
        lambda n: workbook({"S": sheet(row(1, text("A1", "Question?" + " max 5 5" * n)))}),
    ],
)
def test_twice_the_form_is_twice_the_work(form: object) -> None:
    small, large = (form(n) for n in (200, 400))  # type: ignore[operator]
    find_fields(small)
    assert calls(lambda: find_fields(large)) <= 2.5 * calls(lambda: find_fields(small))


@pytest.mark.req("L7")
def test_cells_without_words_cost_next_to_nothing() -> None:
    def form(rows: int) -> bytes:
        cells = (row(i, *(empty(f"{letter}{i}", 1) for letter in "ABCDEFGHIJ")) for i in range(2, rows + 2))
        return workbook({"S": sheet(row(1, text("A1", "Name of the bidder:")), *cells)})

    find_fields(form(1))
    more = calls(lambda: find_fields(form(201))) - calls(lambda: find_fields(form(1)))
    assert more / 2_000 < 200
