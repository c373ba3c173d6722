"""Files that are not read: each has its reason, and words that say what to do. Hostile ones are refused unread."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from stemma_converter.reading import Limits
from stemma_converter.reading.composing import Composer

from .reading_files import paragraph, read, refusal, relations, word

pytestmark = pytest.mark.req("I1")

MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def zipped(*parts: tuple[str, bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_macros_are_not_let_in_whatever_the_name_says() -> None:
    for name in ("a.docm", "a.docx"):
        refused = refusal(name, word(paragraph("x"), main_type=MACROS))
        assert (refused.reason, "without macros" in refused.words, "DOCX" in refused.words) == ("macros", True, True)


def test_an_archive_is_told_to_be_unpacked() -> None:
    assert refusal("a.7z", b"7z\xbc\xaf\x27\x1c\0\4").reason == "archive"
    assert refusal("a.gz", b"\x1f\x8b\x08\0" + bytes(50)).reason == "archive"


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped(
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", relations(("r", "officeDocument", "word/document.xml")).encode()),
        ("word/document.xml", b" " * 50_000_000),
    )
    assert len(bomb) < 100_000
    assert refusal("a.docx", bomb, unpacked_bytes=10_000_000).reason == "bomb"


def test_entities_are_refused() -> None:
    laughs = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    for content in (laughs, laughs.decode().encode("utf-16")):
        parts = ZipFile(BytesIO(word(paragraph("x"))))
        files = [(name, parts.read(name)) for name in parts.namelist()]
        assert refusal("a.docx", zipped(*files, ("word/styles.xml", content))).reason == "entities"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_package_that_readers_could_take_for_different_ones_is_damaged() -> None:
    parts = ZipFile(BytesIO(word(paragraph("x"))))
    files = [(name, parts.read(name)) for name in parts.namelist()]
    other = ZipFile(BytesIO(word(paragraph("y")))).read("word/document.xml")
    assert refusal("a.docx", zipped(*files, ("word/document.xml", other))).reason == "damaged"
    assert refusal("a.docx", zipped(*files, ("../outside.xml", b"<x/>"))).reason == "damaged"


def test_too_large_is_told_with_the_sizes() -> None:
    refused = refusal("a.txt", b"x" * 3_000_000, file_bytes=2_000_000)
    assert refused.reason == "too_large"
    assert "2 MB" in refused.words


@pytest.mark.parametrize("content", [b"PK\x03\x04 cut off", OLE + bytes(600), word(paragraph("x"))[:400]])
def test_damaged_files_are_told(content: bytes) -> None:
    assert refusal("a.docx", content).reason == "damaged"


def test_a_document_whose_main_part_is_missing_is_damaged() -> None:
    parts = ZipFile(BytesIO(word(paragraph("x"))))
    files = [(name, parts.read(name)) for name in parts.namelist() if name != "word/document.xml"]
    assert refusal("a.docx", zipped(*files)).reason == "damaged"


def test_a_document_without_text_is_told() -> None:
    assert refusal("a.docx", word(paragraph(""))).reason == "no_text"


def test_a_wrong_suffix_is_told_and_the_file_read_as_what_it_is() -> None:
    reading = read("prices.xlsx", word(paragraph("Hello")))
    assert reading.markdown == "Hello\n"
    [warning] = reading.warnings
    assert warning.code == "wrong_suffix"
    assert ".xlsx" in warning.detail
    assert "DOCX" in warning.detail


def test_each_kind_of_warning_is_told_before_more_of_one_kind() -> None:
    composer = Composer("a.pdf", Limits())
    for number in range(30):
        composer.warn("page_not_recognised", f"p. {number}", "A picture.")
    composer.warn("hidden_text", "p. 31", "Left out.")
    warnings = composer.reading().warnings
    assert [warning.code for warning in warnings[:2]] == ["page_not_recognised", "hidden_text"]
    assert "10 more" in warnings[-1].detail
