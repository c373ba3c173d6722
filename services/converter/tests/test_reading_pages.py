"""PDF, slides and images: what is told of pages without text, of locked and damaged ones; drawings are harmless."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import noto_cjk_sans_jp_regular  # type: ignore[import-untyped]
import pytest
import typst
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from pypdf import PdfReader, PdfWriter
from reading_scores import CORPUS, cells
from stemma_converter.app import ConverterSettings, file_limits
from stemma_converter.reading import Limits, Unreadable, read_input
from stemma_converter.reading.pdf_drawing import ACROSS, LONGEST, Drawing, Word, drawn_pages
from stemma_converter.reading.pdf_page import Run
from stemma_converter.reading.pdf_seen import differs, not_read
from stemma_converter.reading.pictures import SeenWord, svg_to_png

from .reading_files import bare_pdf, line, read, refusal, strict

pytestmark = pytest.mark.req("I1", "I2")

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def pdf(source: str) -> bytes:
    return bytes(typst.compile(source.encode()))


def japanese_pdf(source: str) -> bytes:
    head, folder = '#set text(font: "Noto Sans CJK JP", lang: "ja")\n', Path(noto_cjk_sans_jp_regular.FONT_PATH).parent
    return bytes(typst.compile((head + source).encode(), font_paths=[folder]))  # type: ignore[misc]


def written(writer: PdfWriter) -> bytes:
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(("title", "read_as"), [("Ten clinics", "Ten clinics"), ("Microsoft Word - rfp.docx", "")])
def test_the_title_among_the_properties_is_told_unless_it_is_the_name_of_a_file(title: str, read_as: str) -> None:
    content = pdf(f"#set document(title: [{title}])\nA van visits each clinic twice a week.\n")
    assert read("a.pdf", content).title == read_as


LAYER: dict[str, Any] = {
    "catalog": "/OCProperties<</OCGs[4 0 R]/D<</OFF[4 0 R]/Order[4 0 R]>>>>",
    "resources": "/Properties<</Off 4 0 R>>",
    "more": ("<</Type/OCG/Name(Draft)>>",),
}
SECRET = "Our ceiling is 900,000."


@pytest.mark.req("B9")
@pytest.mark.parametrize(("hidden", "why"), [
    (f"/OC /Off BDC {line(SECRET, 200)} EMC", "switched off"),
    (line(SECRET, 200, before="1 g") + "0 g", "white on white"),
    (line(SECRET, 200, before="3 Tr"), "invisibly"),
    (line(SECRET, 400), "outside"),
    (f"{line(SECRET, 200)} 0 g 10 190 300 30 re f", "covered"),
])  # fmt: skip
def test_words_that_nobody_sees_are_left_out_and_told_by_page_and_why(hidden: str, why: str) -> None:
    pages = [line("Page one."), line("Offers shall be sealed.") + hidden, hidden, line("Page four."), hidden]
    reading = read("a.pdf", bare_pdf(*pages, **LAYER))
    assert reading.markdown == "Page one.\n\nOffers shall be sealed.\n\nPage four.\n"
    [hidden_text] = [warning for warning in reading.warnings if warning.code == "hidden_text"]
    assert hidden_text.place == "p. 2 to p. 3, p. 5"
    assert why in hidden_text.detail
    assert "words: 12" in hidden_text.detail


@pytest.mark.req("B9")
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_white_words_on_a_color_and_words_of_turned_pages_are_seen(degrees: int) -> None:
    shown = "0 0 0.5 rg 10 190 300 30 re f " + line("All of this is seen on blue.", 200, before="1 g")
    same_grey = "1 0 0 rg 10 90 300 30 re f " + line("And this in green on red.", 100, before="0 0.51 0 rg")
    reading = read("a.pdf", bare_pdf(shown + same_grey, page=f"/Rotate {degrees}"), recognised_pages=1)
    assert (reading.markdown, reading.warnings) == ("All of this is seen on blue.\n\nAnd this in green on red.\n", ())


@pytest.mark.req("B9")
def test_japanese_words_are_read_whose_font_is_not_in_the_file() -> None:
    """PDFium has no such font; programs of the buyer have, and show the words."""
    font = (
        "<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/UniJIS-UCS2-H/DescendantFonts[5 0 R]>>",
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)"
        "/Supplement 2>>/FontDescriptor 6 0 R>>",
        "<</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800"
        "/Descent -200/CapHeight 700/StemV 80>>",
    )
    content = f"BT /F2 12 Tf 20 250 Td <{'提出期限は三月三日である。'.encode('utf-16-be').hex()}> Tj ET"
    page = bare_pdf(content, page="/Resources<</Font<</F2 4 0 R>>>>", more=font)
    assert (
        read("a.pdf", page.replace(b"/Resources<</Font<</F1 3 0 R>>>>", b"", 1)).markdown
        == "提出期限は三月三日である。\n"
    )


@pytest.mark.req("B9")
def test_small_words_on_a_sheet_as_large_as_a_wall_are_seen() -> None:
    sheet = bare_pdf(line("Small grey words of the plan.", before="0.9 g").replace("12 Tf", "4 Tf"))
    assert "Small grey words" in read("a.pdf", sheet.replace(b"[0 0 400 300]", b"[0 0 14000 14000]")).markdown


PICTURE: dict[str, Any] = {
    "resources": "/XObject<</I 4 0 R>>",
    "more": (
        "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
        "stream\nx\nendstream",
    ),
}


@pytest.mark.req("B9")
def test_text_that_was_recognised_below_a_picture_is_told_to_be_a_guess() -> None:
    content = "q 400 0 0 300 0 0 cm /I Do Q " + line("The c0ntractor sha11 m0ve it.", before="3 Tr")
    reading = read("a.pdf", bare_pdf(content, **PICTURE))
    assert "sha11" in reading.markdown
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_recognition", "p. 1")]


@pytest.mark.req("B9")
@pytest.mark.parametrize(("drawn", "code"), [
    ("q 200 0 0 200 100 20 cm /I Do Q ", "picture_unread"),
    ("10 10 m " + "60 90 120 180 200 10 c 9 9 l " * 100 + "S ", "picture_unread"),
    ("q 400 0 0 300 0 0 cm /I Do Q ", "page_not_recognised"),
    ("q 20 0 0 20 360 270 cm /I Do Q ", ""),
])  # fmt: skip
def test_what_fills_a_page_beside_its_text_is_told_by_page_where_nothing_recognises_it(drawn: str, code: str) -> None:
    content = drawn + line("Stamped by the port authority on 3 March 2026.")
    reading = read("a.pdf", bare_pdf(line("A page of text alone."), content, **PICTURE))
    assert "Stamped by the port authority" in reading.markdown
    assert [(w.code, w.place) for w in reading.warnings] == ([(code, "p. 2")] if code else [])


def beside(text: str, left: int = 0) -> Run:
    return Run(text, left, 0, left + 10 * len(text), 10, 10, bold=False)


@pytest.mark.req("B9")
def test_words_that_are_seen_are_held_against_those_that_were_read_at_their_place() -> None:
    read_words = [beside("The ferry shall run daily")]
    seen = [SeenWord("ferry", 80, 0, 100, 20), SeenWord("Table", 80, 400, 100, 20), SeenWord("of", 200, 400, 9, 20)]
    assert not_read(seen, read_words, scale=2) == ["Table"]
    words = [SeenWord(word, 40, 0, 9, 20) for word in ("ferry", "shall", "daily")]
    others = [SeenWord(word, 40, 0, 9, 20) for word in ("crane", "quays", "ropes", "piles")]
    assert not differs(words * 6 + others * 3, read_words, scale=2)
    assert differs(words * 3 + others * 3, read_words, scale=2)
    assert not differs(others, read_words, scale=2)


@pytest.mark.req("B9")
@pytest.mark.full
def test_words_in_a_picture_on_a_page_are_told_with_examples(tmp_path: Path) -> None:
    words = typst.compile(b"#set page(width: 12cm, height: 3cm)\nThe crane shall be painted yellow.", format="png")
    (tmp_path / "words.png").write_bytes(words)
    (tmp_path / "a.typ").write_text('Before the picture of a demand.\n\n#image("words.png", width: 100%)')
    reading = read("a.pdf", bytes(typst.compile(str(tmp_path / "a.typ"))), recognised_pages=1)
    [told] = reading.warnings
    assert (told.code, told.place) == ("seen_not_read", "p. 1")
    assert "crane" in told.detail


@pytest.mark.req("B9")
def test_a_page_whose_fonts_tell_wrong_letters_is_told_and_never_given_out() -> None:
    garbled = "cYV T`_ecRTe`c dYR]] VVa eYV \\_RgZXReZ`_ TYR__V] Re R UVaeY `W _Z_V ^VecVd "
    sound = "The ferry shall run on each day of the year."
    content = "".join(line(garbled, 280 - 20 * at) for at in range(6))
    reading = read("a.pdf", bare_pdf(line(sound), content))
    assert reading.markdown == f"{sound}\n"
    assert ("page_garbled", "p. 2") in [(w.code, w.place) for w in reading.warnings]
    assert "name other letters" in refusal("a.pdf", bare_pdf(content)).words


def test_names_in_programs_are_not_taken_for_garbled() -> None:
    content = "".join(line(f"userName{at} account_id getOfferPriceById items[index]", 280 - 20 * at) for at in range(8))
    assert "getOfferPriceById" in read("a.pdf", bare_pdf(content)).markdown


def test_a_form_of_xfa_gives_its_texts_and_is_named() -> None:
    form = (
        "<xdp><template><draw><value><text>State your turnover.</text></value></draw><field presence='hidden'><value>"
        "<text>Internal</text></value></field></template><datasets><data><turnover>12</turnover></data></datasets></xdp>"
    )
    acro, packet = "<</XFA 5 0 R/Fields[]>>", f"<</Length {len(form)}>>stream\n{form}\nendstream"
    more: dict[str, Any] = {"catalog": "/AcroForm 4 0 R/NeedsRendering true", "more": (acro, packet)}
    reading = read("a.pdf", bare_pdf(line("Please wait..."), **more))
    assert reading.markdown == "State your turnover.\n\nturnover: 12\n"
    assert [warning.code for warning in reading.warnings] == ["xfa"]


def test_values_of_a_form_stand_in_their_fields_and_hidden_ones_are_told() -> None:
    fields = [
        "/FT/Tx/T(a)/V(Brightwater plc)/Rect[120 245 300 265]",
        "/FT/Btn/T(b)/V/Yes/AS/Yes/AP<</N<</Yes 3 0 R>>>>/Rect[120 205 135 220]",
        "/FT/Btn/T(c)/AS/Off/AP<</N<</Yes 3 0 R>>>>/Rect[120 165 135 180]",
        "/FT/Tx/T(d)/V(Our ceiling)/F 2/Rect[120 125 300 140]",
    ]
    numbers = " ".join(f"{number} 0 R" for number in range(4, 8))
    widgets = tuple(f"<</Type/Annot/Subtype/Widget{field}>>" for field in fields)
    content = line("Company:") + line("Certified:", 210) + line("Insured:", 170)
    form = bare_pdf(content, catalog=f"/AcroForm<</Fields[{numbers}]>>", page=f"/Annots[{numbers}]", more=widgets)
    reading = read("a.pdf", form)
    assert reading.markdown == "Company: Brightwater plc\n\nCertified: ☒\n\nInsured: ☐\n"
    [drawing] = drawn_pages(form, 1)
    assert ink_in(drawing, Word("", 121, 36, 299, 54)) > 20
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_text", "p. 1")]


def test_notes_on_a_page_are_read_and_what_is_struck_out_by_a_note_or_a_line_is_marked() -> None:
    annotations = (
        "<</Type/Annot/Subtype/Text/Rect[9 9 20 20]/T(Ada)/Contents(For how long?)>>",
        "<</Type/Annot/Subtype/FreeText/Rect[20 100 200 115]/Contents(Fees are net.)/DA(/F1 9 Tf)>>",
        "<</Type/Annot/Subtype/StrikeOut/Rect[20 200 300 212]/QuadPoints[20 212 64 212 20 200 64 200]>>",
    )
    content = (
        line("Twelve printed copies shall be sent.") + "20 253.5 m 240 253.5 l S " + line("Ninety thirty days.", 202)
    )
    reading = read("a.pdf", bare_pdf(content, page="/Annots[4 0 R 5 0 R 6 0 R]", more=annotations))
    assert reading.markdown == (
        "~~Twelve printed copies shall be sent.~~\n\n~~Ninety t~~hirty days.\n\nFees are net.\n\n"
        "Comment of Ada: For how long?\n"
    )


def test_lines_of_japanese_are_joined_without_a_space_also_behind_the_end_of_a_page() -> None:
    source = (
        "#set page(width: 8cm, height: 4cm, margin: 1cm)\n"
        "受注者は、本業務の実施に当たり、関係法令を遵守しなければならない。また、発注者の指示に従い、速やかに必要な措置を講じるものとする。\n\n"
        "（１）提出部数は三部とする。"
    )
    reading = read("a.pdf", japanese_pdf(source))
    assert reading.figures.pages > 1
    assert reading.markdown == source.partition("\n")[2] + "\n"


def test_items_that_kana_count_are_whole_and_no_table() -> None:
    items = [
        ("ア", "受託者は、関係法令を遵守し、発注者の指示に従うこと。"),
        ("イ", "報告すること。"),
        ("ウ", "保管すること。"),
    ]
    cells = ", ".join(f"[{mark}], [{text}]" for mark, text in items)
    source = f"#set page(width: 8cm, margin: 1cm)\n#grid(columns: (8mm, 1fr), row-gutter: 8pt, {cells})"
    assert read("a.pdf", japanese_pdf(source)).markdown == "\n\n".join(map(" ".join, items)) + "\n"


@pytest.mark.parametrize(("labels", "places"), [
    ("/PageLabels<</Nums[0<</S/D/P(A-)/St 11>>]>>", ["p. A-11", "p. A-12"]),
    ("/PageLabels<</Nums[0<</S/D>>1<</S/D>>]>>", ["p. 1", "p. 2"]),
])  # fmt: skip
def test_pages_are_cited_as_they_are_printed_where_no_two_are_alike(labels: str, places: list[str]) -> None:
    content = bare_pdf(line("First."), line("Second."), catalog=labels)
    assert [anchor.label for anchor in read("a.pdf", content).anchors] == places
    assert [drawing.label for drawing in drawn_pages(content, 2)] == places


def test_text_on_its_side_is_read_behind_the_page_and_once() -> None:
    side = "BT /F1 12 Tf 0 1 -1 0 390 20 Tm (Bids of 2026 only) Tj ET "
    reading = read("a.pdf", bare_pdf(*(side + line(f"The text of page {word}.") for word in ("one", "two"))))
    assert reading.markdown == "The text of page one.\n\nBids of 2026 only\n\nThe text of page two.\n"


def test_a_table_with_lines_keeps_its_cells_and_running_lines_are_read_once() -> None:
    source = (
        '#set page(header: [Our running title], numbering: "1 of 1")\n= Prices\n'
        "#table(columns: 3, [Item], [Price], [Note], [A longer bolt \\ of steel], [1.20 €], [],\n"
        "  [Nut], [0.10 €], [zinc])\n"
        "After the table.\n#pagebreak()\nSecond page.\n#pagebreak()\nThird page.\n#pagebreak()\nLast page.\n"
    )
    reading = read("a.pdf", pdf(source))
    assert cells(reading.markdown) == [
        ["Item", "Price", "Note"],
        ["A longer bolt<br>of steel", "1.20 €", ""],
        ["Nut", "0.10 €", "zinc"],
    ]
    assert reading.markdown.startswith("Our running title\n\n# Prices\n\n| Item")
    assert reading.markdown.count("running title") == 1
    assert "1 of 4" not in reading.markdown
    assert [a.label for a in reading.anchors] == ["p. 1", "Prices", "p. 2", "p. 3", "p. 4"]


@pytest.mark.parametrize("head", ["[No], [Item],", "table.header([No], [Item]),"])
def test_a_table_that_goes_on_behind_its_page_is_one_with_its_head_once(head: str) -> None:
    rows = "".join(f"[{number}], [Bolt {number}]," for number in range(1, 31))
    reading = read("a.pdf", pdf(f"#set page(height: 9cm)\n#table(columns: 2, {head} {rows})"))
    assert cells(reading.markdown) == [["No", "Item"], *([str(at), f"Bolt {at}"] for at in range(1, 31))]
    assert reading.figures.tables == 1
    assert reading.markdown[reading.anchors[1].offset :].startswith("| ")


def test_the_box_of_a_shaded_cell_is_no_column() -> None:
    heads = ", ".join(f"box(width: 100%, stroke: 0.5pt)[{text}]" for text in ("Item", "Price"))
    source = f"#table(columns: (4cm, 4cm), {heads}, [Nut], [1 €], [Bolt], [2 €])"
    assert cells(read("a.pdf", pdf(source)).markdown) == [["Item", "Price"], ["Nut", "1 €"], ["Bolt", "2 €"]]


@pytest.mark.req("L1")
def test_a_demand_on_a_line_of_its_own_is_no_heading_where_an_appendix_in_small_print_is_longer() -> None:
    demand = "Offers must be submitted by 3:30 p.m. on the date above"
    body = f"*7. Due date*\n\n{demand}\n\n#lorem(60)\n\n#text(weight: 700)[{demand} in full and in ink.]\n\n#lorem(60)"
    read_as = read("a.pdf", pdf(f"#set text(11pt)\n{body}\n\n#text(9pt)[#lorem(500)]")).markdown
    assert f"# 7. Due date\n\n{demand}\n\nLorem" in read_as
    assert f"\n\n{demand} in full and in ink.\n\n" in read_as


@pytest.mark.req("L1")
def test_items_behind_circles_are_items_and_headers_and_page_numbers_in_wide_margins_stand_in_none() -> None:
    def page(number: int, *items: str) -> str:
        marked = (line("o", 200 - 20 * at) + line(item, 200 - 20 * at, 60) for at, item in enumerate(items))
        header = line("Town of Harbour", 280) + line("Ferries", 265)
        return header + "".join(marked) + line(f"Page {number} sur 4", 45, 300)

    pages = (page(at, f"Train {at} users;", "Keep all records;", "Answer calls;") for at in range(1, 5))
    items = "".join(f"- Train {at} users;\n- Keep all records;\n- Answer calls;\n" for at in range(1, 5))
    assert read("a.pdf", bare_pdf(*pages)).markdown == f"Town of Harbour\n\nPage 1 sur 4\n\nFerries\n\n{items}"


def test_a_label_of_a_drawn_table_that_reaches_down_counts_for_its_rows() -> None:
    source = (
        "#table(columns: (2cm, 5cm), [Lot], [Work], table.cell(rowspan: 2)[Lot 1 Ferries], [Crew shall be trained.],\n"
        "  [Fuel shall be clean.], [Lot 2],\n"
        "  [EUR 4,250#super[1] or 9#super(typographic: false)[2)] a pile])"
    )
    assert cells(read("a.pdf", pdf(source)).markdown) == [
        ["Lot", "Work"],
        ["Lot 1<br>Ferries", "Crew shall be trained."],
        ["Lot 1<br>Ferries", "Fuel shall be clean."],
        ["Lot 2", "EUR 4,250¹ or 9²⁾ a pile"],
    ]


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_whose_text_is_turned_is_read_and_drawn_upright(degrees: int) -> None:
    said = "The contractor shall train ten users."
    content = pdf(f"#set page(width: 12cm, height: 12cm)\n#rotate({degrees}deg, reflow: true)[{said}]")
    assert read("a.pdf", content).markdown == f"{said}\n"
    [upright] = drawn_pages(pdf(f"#set page(width: 12cm, height: 12cm)\n{said}"), 1)
    [turned] = drawn_pages(content, 1)
    assert " ".join(word.text for word in turned.words) == said
    assert [width_of(word) for word in turned.words] == [width_of(word) for word in upright.words]
    assert ink_in(turned, turned.words[0]) == pytest.approx(ink_in(upright, upright.words[0]), rel=0.1)


@pytest.mark.parametrize("degrees", [90, 270])
def test_a_page_that_is_shown_turned_is_drawn_as_it_is_read(degrees: int) -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("#set page(width: 12cm, height: 9cm)\nTen users."))))
    writer.pages[0].rotate(degrees)
    [drawing] = drawn_pages(written(writer), 1)
    assert (round(drawing.width), round(drawing.height)) == (340, 255)
    assert ink_in(drawing, drawing.words[0]) > 20


def width_of(word: Word) -> int:
    return round(word.right - word.left)


def ink_in(drawing: Drawing, word: Word) -> int:
    """How dark a picture is where a word is said to stand."""
    with Image.open(BytesIO(drawing.png)) as picture:
        scale = picture.width / drawing.width
        left, top, right, bottom = (round(edge * scale) for edge in word[1:])
        return sum(picture.crop((left, top, right, bottom)).histogram()[:128])


def test_an_image_of_a_pdf_stands_between_its_paragraphs(tmp_path: Path, make_picture: Callable[..., bytes]) -> None:
    (tmp_path / "plan.png").write_bytes(make_picture())
    (tmp_path / "a.typ").write_text('Before it.\n\n#image("plan.png", width: 60%)\n\nBehind it.')
    reading = read("a.pdf", bytes(typst.compile(str(tmp_path / "a.typ"))))
    assert reading.markdown == f"Before it.\n\n![]({reading.images[0].name})\n\nBehind it.\n"
    assert reading.images[0].offset == reading.markdown.index("![")


def test_pages_without_text_are_told_one_by_one_where_nothing_recognises_them() -> None:
    writer = PdfWriter()
    for part in (pdf("A page of text that is long enough."), scan(), pdf("And another page of text.")):
        writer.append(PdfReader(BytesIO(part)))
    reading = read("a.pdf", written(writer))
    assert [(w.code, w.place) for w in reading.warnings] == [("page_not_recognised", "p. 2")]
    assert reading.figures.pages == 3
    assert "another page" in reading.markdown


def scan() -> bytes:
    buffer = BytesIO()
    Image.effect_noise((600, 800), 40).save(buffer, "PDF")
    return buffer.getvalue()


def test_a_scan_that_nothing_recognises_is_refused_with_what_to_do() -> None:
    refused = refusal("a.pdf", scan())
    assert refused.reason == "no_text"
    assert "tesseract" in refused.words


def test_a_word_that_is_divided_between_lines_is_whole_unless_its_rest_is_a_word_of_the_file() -> None:
    lines = ("The bidder has to demon-", "strate that all is self-", "made: all is made EU-", "wide.")
    content = "".join(line(text, 250 - 14 * number) for number, text in enumerate(lines))
    assert "demonstrate that all is self-made: all is made EU-wide" in read("a.pdf", bare_pdf(content)).markdown


def test_locked_and_damaged_pdfs_are_told() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("Secret"))))
    writer.encrypt("user", "owner", algorithm="RC4-128")
    assert refusal("a.pdf", written(writer)).reason == "password"
    assert refusal("a.pdf", b"%PDF-1.7\nnothing").reason == "damaged"


def test_files_in_a_pdf_are_files_of_their_own() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("See the attached prices."))))
    writer.add_attachment("prices.csv", b"a,b\n1,2\n")
    [child] = read("a.pdf", written(writer)).children
    assert (child.name, child.data) == ("prices.csv", b"a,b\n1,2\n")


@pytest.mark.full
def test_an_image_is_recognised_in_the_language_that_is_set() -> None:
    source = "#set page(width: 15cm, height: 5cm)\n#set text(size: 16pt)\nThe offeror shall submit three references."
    picture = bytes(typst.compile(source.encode(), format="png", ppi=200))
    reading = read("a.png", picture, recognised_pages=1)
    assert reading.markdown.endswith("\n\nThe offeror shall submit three references.\n")
    assert (reading.figures.recognised, reading.warnings) == (1, ())
    unknown = read_input("a.png", None, picture, Limits(languages=("xyz",)))
    assert [warning.code for warning in unknown.warnings] == ["page_not_recognised"]


@pytest.mark.full
def test_recognition_ends_in_time_and_says_which_pages_it_left() -> None:
    content = (CORPUS / "rfq-scan.pdf").read_bytes()
    reading = read_input("a.pdf", None, content + b"\n", Limits(recognised_pages=1))
    assert [(w.code, w.place) for w in reading.warnings] == [
        ("page_not_recognised", "p. 2"),
        ("page_not_recognised", "p. 3"),
    ]
    assert refusal_in_no_time(content).reason == "no_text"


def refusal_in_no_time(content: bytes) -> Unreadable:
    with pytest.raises(Unreadable) as refused:
        read_input("a.pdf", None, content, Limits(recognition_seconds=0))
    return refused.value


def test_settings_say_how_much_is_read() -> None:
    limits = file_limits(
        ConverterSettings(max_reading_mb=3, max_unpacked_mb=5, recognised_languages="deu+eng", reading_limit_s=100)
    )
    assert (limits.file_bytes, limits.unpacked_bytes) == (3 * 1024 * 1024, 5 * 1024 * 1024)
    assert (limits.languages, limits.recognition_seconds) == (("deu", "eng"), 60)


def test_slides_have_their_notes_tables_charts_and_images(make_picture: Callable[..., bytes]) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Figures"
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    texts = {(0, 0): "Item", (0, 1): "Price", (1, 0): "A | B", (1, 1): "1", (2, 1): "2"}
    for (row, column), text in texts.items():
        table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["2025", "2026"]
    data.add_series("Sales", (10, 12.5))  # type: ignore[no-untyped-call]
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(3), Inches(4), Inches(2), data)
    slide.shapes.add_picture(BytesIO(make_picture()), Inches(1), Inches(6))
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    hidden = deck.slides.add_slide(deck.slide_layouts[6])
    hidden.element.set("show", "0")
    buffer = BytesIO()
    deck.save(buffer)
    reading = read("deck.pptx", buffer.getvalue())
    assert read("deck.pptx", strict(buffer.getvalue())) == reading
    assert cells(reading.markdown) == [
        ["Item", "Price"],
        ["A | B", "1"],
        ["A | B", "2"],
        ["", "Sales"],
        ["2025", "10"],
        ["2026", "12.5"],
    ]
    assert reading.markdown.startswith("## Figures\n")
    assert "![" in reading.markdown
    assert "Notes: Say it slowly.\n" in reading.markdown
    assert [a.label for a in reading.anchors if a.kind == "slide"] == ["slide 1"]
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_slide", "slide 2")]


@pytest.mark.req("B9")
def test_shapes_that_nobody_sees_are_left_out_and_what_is_struck_out_on_a_slide_is_marked() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    seen, hidden, beside = (slide.shapes.add_textbox(at, Inches(1), Inches(2), Inches(1)) for at in (9, 9, Inches(20)))
    hidden.element.nvSpPr.cNvPr.set("hidden", "1")
    for shape in (hidden, beside):
        shape.text_frame.text = "Our ceiling."
    for text, look, value in (("Old", "strike", "sngStrike"), (" EUR 4,250", "b", "0"), ("1", "baseline", "30000")):
        run = seen.text_frame.paragraphs[0].add_run()
        run.text = text
        run.font.bold = False
        list(seen.element.iter(f"{{{DRAWING}}}rPr"))[-1].set(look, value)
    buffer = BytesIO()
    deck.save(buffer)
    reading = read("deck.pptx", buffer.getvalue())
    assert reading.markdown == "## Slide 1\n\n~~Old~~ EUR 4,250¹\n"
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_text", "slide 1")]


@pytest.mark.req("B9")
def test_shapes_of_a_group_have_places_of_its_own_measure_and_are_hidden_with_it() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for words in ("Bids close on 3 March.", "Our ceiling."):
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = words
        for name in ("off", "chOff"):
            next(group.element.grpSpPr.iter(f"{{{DRAWING}}}{name}")).set("x", "49000000" if name == "chOff" else "9")
        group.shapes[0].left = 50_000_000
    group.element.nvGrpSpPr.cNvPr.set("hidden", "1")
    buffer = BytesIO()
    deck.save(buffer)
    assert read("deck.pptx", buffer.getvalue()).markdown == "## Slide 1\n\nBids close on 3 March.\n"


@pytest.mark.req("S6")
def test_slides_with_a_damaged_image_are_refused_as_damaged(make_picture: Callable[..., bytes]) -> None:
    deck, buffer = Presentation(), BytesIO()
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_picture(BytesIO(make_picture()), 0, 0)
    deck.save(buffer)
    image = next(part for part in ZipFile(buffer).infolist() if "media" in part.filename)
    at, content = image.header_offset + 30 + len(image.filename), bytearray(buffer.getvalue())
    content[at : at + image.compress_size] = b"\xff" * image.compress_size
    assert refusal("deck.pptx", bytes(content)).reason == "damaged"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"])
def test_an_image_is_shown(kind: str, make_picture: Callable[..., bytes]) -> None:
    reading = read("Site plan.img", make_picture(format=kind))
    assert reading.markdown.startswith("![Site plan](site-plan-image-")
    assert [warning.code for warning in reading.warnings] == ["page_not_recognised"]
    assert Image.open(BytesIO(reading.images[0].data)).size == (320, 180)


def test_an_image_of_too_many_pixels_is_refused(make_picture: Callable[..., bytes]) -> None:
    assert refusal("a.png", make_picture(2000, 1500), image_pixels=1_000_000).reason == "too_many_pixels"


SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
SVG = f'<svg {SPACES} width="60" height="30">{{}}</svg>'


def drawn(inside: str) -> Image.Image:
    return Image.open(BytesIO(svg_to_png(SVG.format(inside).encode())))


def test_a_drawing_is_drawn_with_its_text() -> None:
    image = drawn('<rect width="60" height="30" fill="white"/><text x="5" y="20" font-family="Arial">Plan</text>')
    assert image.size == (1200, 600)
    assert min(image.convert("L").tobytes()) < 50
    reading = read("plan.svg", SVG.format('<circle r="20"/>').encode())
    assert reading.markdown == f"![plan]({reading.images[0].name})\n"


@pytest.mark.req("S6")
@pytest.mark.parametrize("address", ["{path}", "file://{path}", "http://127.0.0.1:9/x.png"])
def test_a_drawing_shows_no_file_of_the_machine(
    address: str, tmp_path: Path, make_picture: Callable[..., bytes]
) -> None:
    (tmp_path / "x.png").write_bytes(make_picture())
    image = f'<image width="60" height="30" {{}}="{address.format(path=tmp_path / "x.png")}"/>'
    for attribute in ("href", "xlink:href"):
        assert drawn(image.format(attribute)).getextrema() == ((0, 0),) * 4


@pytest.mark.req("S6")
def test_a_drawing_with_entities_or_without_a_size_is_refused() -> None:
    for content in (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format("&a;").encode(), b'<svg viewBox="0 0 1 99999"/>'):
        with pytest.raises(Unreadable):
            svg_to_png(content)


def test_pages_are_drawn_small_whatever_size_they_have_and_bands_and_damaged_files_are_not() -> None:
    huge = pdf("#set page(width: 500cm, height: 400cm)\n#set text(size: 200pt)\nTen users.")
    band = pdf(f"#set page(width: 20cm, height: {20 * LONGEST + 1}cm)\nTen users.")
    [drawing] = drawn_pages(huge, 9)
    with Image.open(BytesIO(drawing.png)) as picture:
        assert picture.size[0] <= ACROSS + 1
        assert picture.mode == "L"
    assert [word.text for word in drawing.words] == ["Ten", "users."]
    assert list(drawn_pages(band, 9)) == []
    assert list(drawn_pages(b"%PDF-1.7\nnothing", 9)) == []
