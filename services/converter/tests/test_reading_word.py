"""DOCX: what Word shows with all changes accepted, and where it stands."""

import re
from collections.abc import Callable

import pytest

from .reading_files import paragraph, read, strict, table, word

pytestmark = pytest.mark.req("I1", "I2")

STYLES = (
    '<w:style w:styleId="Ueberschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Eigene"><w:name w:val="Eigene"/><w:basedOn w:val="Ueberschrift2"/></w:style>'
    '<w:style w:styleId="Ueberschrift2"><w:name w:val="heading 2"/></w:style>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="7">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl>'
    "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
)


def in_list(list_id: int, level: int) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'


def styled(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


def markdown(body: str, **more: str) -> str:
    return read("a.docx", word(body, **more)).markdown


def test_headings_are_those_of_styles_and_their_bases_and_of_outlines() -> None:
    body = (
        paragraph("One", styled("Ueberschrift1"))
        + paragraph("Text")
        + paragraph("Two", styled("Eigene"))
        + paragraph("Three", '<w:outlineLvl w:val="2"/>')
        + paragraph("No more", styled("Ueberschrift1") + '<w:outlineLvl w:val="9"/>')
    )
    reading = read("a.docx", word(body, styles=STYLES))
    assert reading.markdown == "# One\n\nText\n\n## Two\n\n### Three\n\nNo more\n"
    assert [anchor.label for anchor in reading.anchors] == ["One", "One > Two", "One > Two > Three"]


def test_numbers_that_word_counts_are_part_of_the_text() -> None:
    body = (
        paragraph("Scope", styled("Ueberschrift1") + in_list(1, 0))
        + paragraph("Term", styled("Ueberschrift2") + in_list(1, 1))
        + paragraph("First", in_list(1, 2))
        + paragraph("Second", in_list(1, 2))
        + paragraph("Price", styled("Ueberschrift1") + in_list(1, 0))
    )
    reading = read("a.docx", word(body, styles=STYLES, numbering=NUMBERING))
    assert reading.markdown == "# 1. Scope\n\n## 1.1 Term\n\n- (a) First\n- (b) Second\n\n# 2. Price\n"
    assert reading.anchors[1].label == "1. Scope > 1.1 Term"


def test_lists_nest() -> None:
    body = paragraph("one", in_list(2, 0)) + paragraph("deep", in_list(2, 1)) + paragraph("two", in_list(2, 0))
    assert markdown(body, numbering=NUMBERING) == "- one\n    - deep\n- two\n"


def test_changes_are_accepted() -> None:
    body = (
        f"<w:p>{run('Pay in ')}<w:del>{run('60').replace('w:t', 'w:delText')}</w:del>"
        f"<w:ins>{run('30')}</w:ins>{run(' days')}</w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('Joined ')}</w:p><w:p>{run('lines')}</w:p>"
        f"<w:p><w:moveFrom>{run('moved')}</w:moveFrom></w:p><w:p><w:moveTo>{run('moved')}</w:moveTo></w:p>"
        f"<w:tbl>{row(paragraph('a'), paragraph('b'))}"
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('gone')}</w:tc></w:tr></w:tbl>"
    )
    assert markdown(body) == "Pay in 30 days\n\nJoined lines\n\nmoved\n\n| a | b |\n| --- | --- |\n"


def test_comments_and_footnotes_are_notes() -> None:
    body = (
        f'<w:p>{run("Price")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(" is fixed")}'
        '<w:r><w:commentReference w:id="0"/></w:r></w:p>'
    )
    notes = f'<w:footnote w:id="2">{paragraph("Without VAT")}</w:footnote>'
    comments = f'<w:comment w:id="0" w:author="Ada">{paragraph("For how long?")}</w:comment>'
    assert markdown(body, footnotes=notes, comments=comments) == (
        "Price[^2] is fixed[^comment-0]\n\n[^2]: Without VAT\n\n[^comment-0]: Comment of Ada: For how long?\n"
    )


def test_tables_keep_their_cells_and_a_frame_of_one_cell_is_none() -> None:
    merged = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    goes_on = "<w:tcPr><w:vMerge/></w:tcPr>"
    begins = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
    body = (
        f"<w:tbl>{row(paragraph('Item'), merged + paragraph('Price'))}"
        f"{row(begins + paragraph('bolt | nut'), paragraph('net'), paragraph('1') + paragraph('2'))}"
        f"{row(goes_on + paragraph(''), paragraph('gross'), paragraph('3'))}</w:tbl>"
        f"<w:tbl>{row(paragraph('Framed'))}</w:tbl>"
    )
    reading = read("a.docx", word(body))
    assert table(reading.markdown) == [
        ["Item", "Price", ""],
        ["bolt | nut", "net", "1<br>2"],
        ["bolt | nut", "gross", "3"],
    ]
    assert reading.markdown.endswith("\n\nFramed\n")
    assert reading.figures.tables == 1


def test_content_controls_fields_boxes_and_symbols_are_text() -> None:
    field = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    body = (
        f"<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{paragraph('In a control')}</w:sdtContent></w:sdt>"
        f"<w:p>{run('See ')}<w:sdt><w:sdtContent>{run('annex')}</w:sdtContent></w:sdt>{field.format('begin')}"
        f"<w:r><w:instrText> PAGEREF x </w:instrText></w:r>{field.format('separate')}{run(' 12')}"
        f"{field.format('end')}</w:p>"
        '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>'
        f"</w:fldChar></w:r>{field.format('end')}{run(' yes')}</w:p>"
        f'<w:p>{run("Before")}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>'
        f"<w:txbxContent>{paragraph('In a box')}</w:txbxContent></wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback>{run('twice')}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert markdown(body) == "In a control\n\nSee annex 12\n\n☒ yes\n\nBefore\n\nIn a box\n"


def test_emphasis_is_kept_where_markdown_has_it_and_text_means_nothing_more() -> None:
    body = (
        f"<w:p>{run('The offeror ')}{run('shall', '<w:b/>')}{run(' sign', '<w:i/>')}{run('.')}</w:p>"
        + paragraph("# 5 * 3 &lt;b&gt; [x](y) a_b_c")
        + paragraph("1. not a list")
    )
    assert markdown(body) == ("The offeror **shall** *sign*.\n\n\\# 5 * 3 \\<b> [x\\](y) a_b_c\n\n1\\. not a list\n")


def test_an_image_stands_at_its_place(make_picture: Callable[..., bytes]) -> None:
    drawing = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="The plan"/><a:blip r:embed="image1"/>'
        "</wp:inline></w:drawing></w:r>"
    )
    body = f"<w:p>{run('Before ')}{drawing}{run(' after')}</w:p>"
    content = word(body, image1=make_picture())
    reading = read("Our RFQ.docx", content)
    assert read("Our RFQ.docx", strict(content)) == reading
    [image] = reading.images
    assert reading.markdown == f"Before ![The plan]({image.name}) after\n"
    assert re.fullmatch(r"our-rfq-image-[0-9a-f]{10}\.png", image.name)
    assert (image.media_type, image.offset) == ("image/png", 7)
    assert image.data.startswith(b"\x89PNG")


@pytest.mark.req("I5")
def test_two_files_of_one_name_and_two_versions_of_a_file_have_images_of_their_own_names(
    make_picture: Callable[..., bytes],
) -> None:
    body = '<w:p><w:r><w:drawing><a:blip r:embed="image1"/></w:drawing></w:r></w:p>'
    here, there = make_picture(), make_picture(width=90)
    one, other, again = (read("rfq.docx", word(body, image1=picture)).images[0].name for picture in (here, there, here))
    assert one != other
    assert one == again


def test_what_is_left_out_is_told_once(make_picture: Callable[..., bytes]) -> None:
    body = (
        f"<w:p>{run('Seen')}{run(' hidden', '<w:vanish/>')}"
        '<w:r><w:drawing><a:blip r:embed="image1"/></w:drawing></w:r></w:p>'
    )
    reading = read("a.docx", word(body + body, image1=b"\1\0\0\0 EMF"))
    assert reading.markdown == "Seen\n\nSeen\n"
    assert sorted(warning.code for warning in reading.warnings) == ["hidden_text", "image_unread"]


SECRET = '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>'
SHADED = '<w:style w:type="table" w:styleId="Dark"><w:tcPr><w:shd w:fill="000080"/></w:tcPr></w:style>'
WHITE, BLUE = '<w:color w:val="FFFFFF"/>', '<w:shd w:fill="000080"/>'
DARK = '<w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr>'


@pytest.mark.parametrize("look", ['<w:rStyle w:val="Secret"/>', WHITE, '<w:sz w:val="2"/>'])
def test_words_that_nobody_sees_are_left_out_and_told_with_their_place(look: str) -> None:
    body = paragraph("Price", styled("Ueberschrift1")) + f"<w:p>{run('Seen.')}{run(' Our ceiling is ten.', look)}</w:p>"
    reading = read("a.docx", word(body, styles=STYLES + SECRET))
    assert reading.markdown == "# Price\n\nSeen.\n"
    assert [(w.code, w.place) for w in reading.warnings] == [("hidden_text", "Price")]
    assert "words: 4" in reading.warnings[0].detail


@pytest.mark.parametrize("body", [
    f"<w:p>{run('Seen', WHITE + BLUE)}</w:p>",
    f"<w:tbl>{row(f'<w:tcPr>{BLUE}</w:tcPr><w:p>' + run('Seen', WHITE) + '</w:p>')}</w:tbl>",
    f"<w:tbl>{DARK}{row('<w:p>' + run('Seen', WHITE) + '</w:p>')}</w:tbl>",
    f"<w:p><w:r><w:drawing><wp:anchor behindDoc='1'/></w:drawing></w:r>{run('Seen', WHITE)}</w:p>",
    f"<w:p>{run('Seen', WHITE + '<w:emboss/>')}</w:p>",
])  # fmt: skip
def test_white_words_on_a_color_are_seen(body: str) -> None:
    assert markdown(body, styles=SHADED) == "Seen\n"


@pytest.mark.req("B9")
@pytest.mark.parametrize("look", [WHITE, '<w:sz w:val="2"/>'])
def test_a_text_box_is_seen_whatever_the_letters_look_like_that_it_stands_between(look: str) -> None:
    box = f"<w:drawing><wps:txbx><w:txbxContent>{paragraph('Bids close on 3 March.')}</w:txbxContent></wps:txbx>"
    body = f"<w:p><w:r><w:rPr>{look}</w:rPr>{box}</w:drawing></w:r>{run('Seen.')}</w:p>"
    assert markdown(body) == "Seen.\n\nBids close on 3 March.\n"


@pytest.mark.req("B9")
def test_white_words_are_seen_where_the_usual_paragraph_has_a_background() -> None:
    usual = f'<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:pPr>{BLUE}</w:pPr></w:style>'
    assert markdown(f"<w:p>{run('Seen', WHITE)}</w:p>", styles=usual) == "Seen\n"


def test_superscript_figures_do_not_run_into_the_number_before_them() -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    body = f"<w:p>{run('EUR 4,250')}{run('1', raised)}{run(' for 10')}{run('6', raised)}{run(' l, the 2')}"
    assert markdown(f"{body}{run('nd', raised)}{run(' year')}</w:p>") == "EUR 4,250¹ for 10⁶ l, the 2nd year\n"


def test_what_is_struck_out_is_marked_also_inside_a_word_and_by_a_style() -> None:
    old = '<w:style w:type="character" w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>'
    body = f"<w:p>{run('EUR ')}{run('9,100', '<w:strike/>')}{run('9,500')}</w:p>"
    body += "<w:p>" + run("Void.", '<w:rStyle w:val="Old"/>') + "</w:p>"
    assert markdown(body, styles=old) == "EUR ~~9,100~~9,500\n\n~~Void.~~\n"


def test_a_placeholder_of_an_empty_control_is_no_text_and_a_chosen_entry_is() -> None:
    empty = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('Click here')}</w:sdtContent></w:sdt>"
    choice = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="South"/>'
        '<w:listEntry w:val="North"/></w:ddList></w:ffData></w:fldChar></w:r>'
    )
    assert (
        markdown(f"<w:p>{run('Name: ')}{empty}</w:p><w:p>{run('Region: ')}{choice}</w:p>") == "Name:\n\nRegion: North\n"
    )


def test_a_list_begins_again_where_it_is_told_to() -> None:
    again = '<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
    numbering = f"{NUMBERING}{again}</w:lvlOverride></w:num>"
    body = paragraph("Scope", in_list(1, 0)) + paragraph("Annex", in_list(3, 0)) + paragraph("Seal", in_list(3, 1))
    assert markdown(body, numbering=numbering) == "1. Scope\n7. Annex\n    - 7.1 Seal\n"


def test_headers_and_footers_are_read_once_and_numbers_of_pages_are_not() -> None:
    related = '<w:sectPr><w:headerReference r:id="header"/><w:footerReference r:id="footer"/></w:sectPr>'
    body = paragraph("Body", related) + related
    edges = {"header": paragraph("Bids shall quote LW-77."), "footer": paragraph("Page 1 of 9")}
    assert markdown(body, **edges) == "Bids shall quote LW-77.\n\nBody\n"


def test_ruby_is_read_without_how_it_is_spoken() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{run('とうきょう')}</w:rt><w:rubyBase>{run('東京')}</w:rubyBase></w:ruby></w:r>"
    assert markdown(f"<w:p>{ruby}{run('都')}</w:p>") == "東京都\n"


def test_a_part_in_another_format_is_read_at_its_place() -> None:
    body = paragraph("Before") + '<w:altChunk r:id="image1"/>' + paragraph("After")
    page = b"<html><h1>Part B</h1><p>Spare parts for ten years.</p></html>"
    assert read("a.docx", word(body, image1=page)).markdown == (
        "Before\n\n# Part B\n\nSpare parts for ten years.\n\nAfter\n"
    )


@pytest.mark.req("S6")
def test_a_damaged_part_in_another_format_is_told_and_the_rest_is_read() -> None:
    body = paragraph("Before") + '<w:altChunk r:id="image1"/>' + paragraph("After")
    reading = read("a.docx", word(body, image1=b"{\\rtf1 {{{{"))
    assert (reading.markdown, reading.warnings[0].code) == ("Before\n\nAfter\n", "altchunk_unread")


def test_without_headings_paragraphs_are_places() -> None:
    reading = read("a.docx", word(paragraph("One") + paragraph("Two")))
    assert [(a.kind, a.label, a.offset) for a in reading.anchors] == [
        ("paragraph", "para. 1", 0),
        ("paragraph", "para. 2", 5),
    ]
