"""Plain text, Markdown, CSV and lines of PDF: in any encoding, with any separator, and with places to cite."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_converter.reading.kinds import Kind, kind_of
from stemma_converter.reading.pdf import item_of
from stemma_converter.reading.pdf_lines import Table, rows_behind
from stemma_converter.reading.pictures import svg_to_png
from stemma_converter.reading.result import Limits, Unreadable
from stemma_markdown import Document, escaping

from .reading_files import bare_pdf, line, read, refusal, table

pytestmark = pytest.mark.req("I1")

GERMAN = "Position;Menge;Größe;Preis\nSchrauben für Gehäuse;12;groß;1,50 €\nÖl;3;mäßig;2,00 €\n"
FRENCH = "Désignation;Quantité\nÉtude préliminaire;1\nMaîtrise d’œuvre;3\n"
POLISH = "Opis;Ilość\nŚruba do obudowy;12\nPłatność w złotych;Łódź\n"
CZECH = "Popis;Množství\nŠroub do skříně;12\npříliš žluťoučký kůň;1\n"
RUSSIAN = "Описание;Количество\nБолт корпуса;12\nОплата;1\n"
GREEK = "Περιγραφή;Ποσότητα\nΒίδα κουτιού;12\n"
TURKISH = "Açıklama;Miktar\nGövde için şaft;12\n"
JAPANESE = "品名;数量\nネジ;12\n支払い条件;1\n"
CHINESE = "名称;数量\n螺丝;12\n付款条件;1\n"
KOREAN = "품명;수량\n나사;12\n결제 조건;1\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((GERMAN, name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252")),
        (GERMAN, "iso-8859-15"),
        (GERMAN.replace("€", "EUR"), "latin-1"),
        (FRENCH, "cp1252"),
        *((text, encoding) for text in (POLISH, CZECH) for encoding in ("cp1250", "iso-8859-2")),
        *((RUSSIAN, encoding) for encoding in ("cp1251", "koi8-r")),
        (GREEK, "cp1253"),
        (TURKISH, "cp1254"),
        *((JAPANESE, encoding) for encoding in ("shift_jis", "euc_jp")),
        (CHINESE, "gb18030"),
        (CHINESE.translate(str.maketrans("称数螺丝条", "稱數螺絲條")), "big5"),
        (KOREAN, "euc_kr"),
    ],
)
def test_a_table_is_read_in_whatever_encoding_it_was_saved(text: str, encoding: str) -> None:
    reading = read("prices.csv", text.encode(encoding))
    assert table(reading.markdown) == [line.split(";") for line in text.splitlines()]
    assert bool(reading.warnings) is not encoding.startswith("utf")


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_the_separator_is_found(separator: str) -> None:
    rows = [["Item", "Note", "Price"], ["bolt", "a, b; c\td | e", "1"], ["nut", "", "2"]]
    text = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    assert table(read("a.csv", text.encode()).markdown) == [[c.replace("\t", " ") for c in row] for row in rows]


def test_a_line_that_names_the_separator_is_no_row() -> None:
    assert table(read("a.csv", b"sep=;\r\nItem;Price, net\r\nbolt;1\r\n").markdown) == [
        ["Item", "Price, net"],
        ["bolt", "1"],
    ]


def test_a_value_of_several_lines_stays_one_cell_and_the_range_of_cells_is_told() -> None:
    reading = read("a.csv", b'Item,Price\n"a bolt\nof steel",1\n')
    assert table(reading.markdown) == [["Item", "Price"], ["a bolt<br>of steel", "1"]]
    assert [(anchor.kind, anchor.label) for anchor in reading.anchors] == [("sheet", "A1:B2")]
    assert reading.figures.tables == 1


def test_a_long_table_can_be_cited_in_parts() -> None:
    text = "n,square\n" + "".join(f"{n},{n * n}\n" for n in range(1, 120))
    reading = read("a.csv", text.encode())
    assert [anchor.label for anchor in reading.anchors] == ["A1:B50", "A51:B100", "A101:B120"]
    assert reading.markdown[reading.anchors[1].offset :].startswith("| 50 | 2500 |")


def test_markdown_stays_as_it_is_and_its_headings_are_places() -> None:
    text = "# Plan\n\nText *here*.\n\n## Scope\n\n- one\n"
    reading = read("plan.md", text.encode())
    assert reading.markdown == text
    assert [(a.label, text[a.offset :].split("\n")[0]) for a in reading.anchors] == [
        ("Plan", "# Plan"),
        ("Plan > Scope", "## Scope"),
    ]


def test_plain_text_has_numbered_paragraphs() -> None:
    reading = read("note.txt", "Erste Zeile\nzweite\r\n\r\n\r\nÄnderung".encode("cp1252"))
    assert reading.markdown == "Erste Zeile\nzweite\n\nÄnderung\n"
    assert [(a.kind, a.label) for a in reading.anchors] == [("paragraph", "para. 1"), ("paragraph", "para. 2")]
    assert [warning.code for warning in reading.warnings] == ["encoding"]


def test_a_text_that_begins_as_a_bitmap_does_is_a_text() -> None:
    assert read("a.txt", b"BMW quotes 500 EUR a day.").markdown == "BMW quotes 500 EUR a day.\n"


def test_only_so_many_characters_are_read_and_that_is_told() -> None:
    reading = read("a.txt", b"one two three\n\nfour five six\n\nseven\n", characters=30)
    assert "four" in reading.markdown
    assert "seven" not in reading.markdown
    assert [warning.code for warning in reading.warnings] == ["cut"]


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\0\0\0\0"])
def test_an_empty_file_is_told(content: bytes) -> None:
    refused = refusal("a.txt", content)
    assert refused.reason == "empty"
    assert "empty" in refused.words


def test_bytes_that_are_nothing_are_told() -> None:
    junk = bytes(range(256)) * 8
    assert refusal("a.bin", junk).reason == "unknown"
    assert refusal("a.pdf", junk).reason == "wrong_suffix"
    assert ".pdf" in refusal("a.pdf", junk).words


@given(st.text(alphabet="ab1 *_[]()<>&#-+=~`\\|!:./\"'é", min_size=1, max_size=12))
def test_text_of_a_document_means_nothing_in_markdown(text: str) -> None:
    line = escaping.one_line(text)
    markdown = escaping.line(escaping.inline(line))
    assert " ".join(Document(markdown).plain.split()) == " ".join(line.split())


@pytest.mark.req("S6")
@pytest.mark.parametrize("name", ["page.html", "drawing.svg", "notes.txt"])
def test_comments_without_end_at_the_beginning_are_looked_at_once(name: str) -> None:
    """Each of them doubled the time: thirty took minutes."""
    kind = kind_of(name, None, b"<!-- a -->\n" * 300 + b"<p>Words.</p>", Limits())
    assert kind == (Kind.HTML if name == "page.html" else Kind.TEXT)


@pytest.mark.req("S6")
def test_a_width_that_is_no_number_is_looked_at_once() -> None:
    """Spaces were looked at from each of them on: so many took minutes."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="1{" " * 200_000}x" height="20" viewBox="0 0 20 20"/>'
    with suppress(Unreadable):
        assert svg_to_png(svg.encode())


@pytest.mark.req("L1")
@pytest.mark.parametrize(
    "text", ["\uf06c 規定を守ること。", "\uf0fc規定を守ること。", "➢規定を守ること。", "-規定を守ること。"]
)
def test_the_marks_of_symbol_fonts_and_a_dash_before_japanese_begin_an_item_of_a_pdf(text: str) -> None:
    assert (item_of(text), item_of("-5 °C")) == (("-", "規定を守ること。"), None)


@pytest.mark.req("L1")
def test_heads_of_tables_and_sums_at_the_edges_of_pages_are_content() -> None:
    def page(number: int) -> str:
        cells = [("No", "Item"), (str(10 * number), "Bolts"), (str(10 * number + 1), "Nuts")]
        rows = "".join(line(a, 262 - 14 * at) + line(b, 262 - 14 * at, 90) for at, (a, b) in enumerate(cells))
        return rows + line(f"Lot {chr(64 + number)} is complete.", 200) + line(f"Sum {number * 137}", 120)

    markdown = read("a.pdf", bare_pdf(*map(page, range(1, 5)))).markdown
    assert [f"Sum {number * 137}" in markdown for number in range(1, 5)] == [True] * 4
    assert "| No | Item |\n| --- | --- |\n| 10 | Bolts |" in markdown


@pytest.mark.req("L1")
def test_a_table_of_a_pdf_goes_on_behind_no_words_that_stand_between() -> None:
    def page(first: int, more: str = "") -> str:
        rows = [(str(number), f"Bolt {number}", "5 EUR") for number in range(first, first + 4)]
        cells = [line(cell, 220 - 14 * at, 20 + 90 * n) for at, row in enumerate(rows) for n, cell in enumerate(row)]
        return "".join(cells) + more

    turned = "BT /F1 12 Tf 0 1 -1 0 380 100 Tm (Draft) Tj ET"
    assert "| 4 | Bolt 4 | 5 EUR |\n| 5 | Bolt 5 |" in read("a.pdf", bare_pdf(page(1), page(5))).markdown
    assert (
        "| 4 | Bolt 4 | 5 EUR |\n\nDraft\n\n| 5 | Bolt 5 |"
        in read("a.pdf", bare_pdf(page(1, turned), page(5))).markdown
    )


@pytest.mark.req("S6")
def test_a_number_of_a_row_may_have_any_length() -> None:
    one, two = (Table(((digit * 4400, "Bolt"), ("2", "Nut")), 0, 0, 9, 9) for digit in "12")
    assert rows_behind(one, two) is None
