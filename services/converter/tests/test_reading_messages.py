"""Messages, web pages, ODT and RTF: their text, and what they bring."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from struct import pack

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7
from cryptography.x509.oid import NameOID
from reading_scores import CORPUS, cells

from .reading_files import package, read

pytestmark = pytest.mark.req("I1", "I2")


def mail(text: str = "", **fields: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Ada <ada@example.com>", "Subject": "Price list", **fields}.items():
        message[name] = value
    if text:
        message.set_content(text)
    return message


def test_attachments_are_files_of_their_own_and_so_is_a_message_in_the_message() -> None:
    inner = mail("An answer.", Subject="Your question")
    outer = mail("See the attachments.\n\n* not a list\n")
    outer.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="prices.csv")
    outer.add_attachment(inner)
    reading = read("a.eml", outer.as_bytes())
    assert reading.markdown == "See the attachments.\n\n\\* not a list\n"
    assert [(c.name, c.media_type) for c in reading.children] == [
        ("prices.csv", "text/csv"),
        ("Your question.eml", "message/rfc822"),
    ]
    assert reading.children[0].data == b"a;b\n1;2\n"
    assert "An answer." in read("b.eml", reading.children[1].data).markdown
    assert (reading.anchors[0].kind, reading.anchors[0].label) == (
        "part",
        "message from Ada <ada@example.com>, Price list",
    )
    assert reading.title == "Price list"


def test_a_page_with_a_table_is_read_and_its_images_stand_in_it(make_picture: Callable[..., bytes]) -> None:
    message = mail("Your client shows no pages.")
    table = "<table><tr><th>Item</th><th>Net</th></tr><tr><td>bolt</td><td>1</td></tr></table>"
    page = f"<p>Prices:</p>{table}<img src='cid:x'>"
    message.add_alternative(page, subtype="html")
    html = message.get_body(("html",))
    assert html is not None
    html.add_related(make_picture(), "image", "png", cid="<x>")
    reading = read("a.eml", message.as_bytes())
    assert cells(reading.markdown) == [["Item", "Net"], ["bolt", "1"]]
    assert f"![]({reading.images[0].name})" in reading.markdown
    assert reading.children == ()


@pytest.mark.parametrize("name", ["letter.eml", "letter.msg"])
def test_a_real_message_says_from_whom_it_is_and_its_attachment_can_be_read(name: str) -> None:
    reading = read(name, (CORPUS / name).read_bytes())
    assert reading.markdown.startswith("Request for Quotation (RFQ)\n\nMarch 30th")
    assert "example.com" not in reading.markdown
    assert "ada@example.com>, " in reading.anchors[0].label
    assert reading.anchors[0].label.endswith(", Request for Quotation")
    [child] = reading.children
    assert child.name == "prices.xlsx"
    assert "Schrauben für Gehäuse" in read(child.name, child.data).markdown


QUOTED = {
    "plain": "We accept.\n\n-----Original Message-----\nFrom: Ada <ada@example.com>\nSent: 3 March 2026 10:00\n"
    "To: Bo <bo@example.com>\nSubject: Lot 3\n\nThe pier is 40 m long.\n\n"
    "On 2 March 2026, Bo <bo@example.com> wrote:\n> How long is it?",
    "html": "<p>We accept.</p><table><tr><td>1</td><td>2</td></tr></table>"
    "<p><b>Von:</b> Ada &lt;ada@example.com&gt;<br><b>Gesendet:</b> 3 March 2026 10:00<br>"
    "<b>An:</b> bo@example.com<br><b>Betreff:</b> Lot 3</p>"
    "<p>The pier is 40 m long.</p><p>On 2 March 2026, Bo wrote:</p><p>How long is it?</p>",
}


@pytest.mark.parametrize("subtype", ["plain", "html"])
def test_headers_of_a_message_that_is_quoted_are_no_text_and_say_whose_words_follow(subtype: str) -> None:
    message = mail()
    message.set_content(QUOTED[subtype], subtype=subtype)
    reading = read("a.eml", message.as_bytes())
    for said in ("We accept.", "The pier is 40 m long.", "How long is it?"):
        assert said in reading.markdown
    for header in ("example.com", "3 March", "2 March", "Lot 3", "Original", "wrote"):
        assert header not in reading.markdown
    quoted = reading.anchors[-1]
    assert quoted.label == "message from Ada <ada@example.com>, 3 March 2026 10:00, Lot 3"
    assert reading.markdown[quoted.offset :].startswith("The pier")


def test_a_mail_that_was_saved_as_text_is_read_as_one_in_any_language() -> None:
    saved = "Von: Ada <ada@example.com>\nGesendet: 3. März 2026\nAn: Bo\nBetreff: Los 3\n\nDer Pier ist 40 m lang.\n"
    reading = read("note.txt", saved.encode())
    assert reading.markdown == "Der Pier ist 40 m lang.\n"
    assert reading.is_message
    assert reading.anchors[0].label == "message from Ada <ada@example.com>, 3. März 2026, Los 3"


def test_a_period_in_a_message_is_not_taken_for_headers() -> None:
    message = mail("From: 1 March\nTo: 31 March\n\nThe fee for 2026 is as follows:\n")
    assert read("a.eml", message.as_bytes()).markdown == (
        "From: 1 March\\\nTo: 31 March\n\nThe fee for 2026 is as follows:\n"
    )


def test_a_journey_in_a_message_is_not_taken_for_headers() -> None:
    message = mail("From: Lyon\nTo: Paris\nDate: 12 June 2027\n")
    assert read("a.eml", message.as_bytes()).markdown == "From: Lyon\\\nTo: Paris\\\nDate: 12 June 2027\n"


@pytest.mark.req("S6")
def test_a_line_of_many_brackets_is_looked_at_once() -> None:
    """For each bracket, each sign behind it and each end of an address, it took minutes."""
    message, text = mail(), "1" + "<" * 9000 + "@" * 9000
    message.set_content(text)
    assert "@" * 9000 in read("a.eml", message.as_bytes()).markdown


def test_an_image_that_the_page_does_not_show_is_an_attachment(make_picture: Callable[..., bytes]) -> None:
    message = mail("Please find the scan attached.")
    message.add_attachment(make_picture(), maintype="image", subtype="png", filename="scan.png", cid="<f_1>")
    assert [child.name for child in read("a.eml", message.as_bytes()).children] == ["scan.png"]


def test_a_page_is_read_where_the_text_beside_it_only_says_that_it_is_there() -> None:
    message = mail("Your program does not show HTML.")
    message.add_alternative("<p>Bids close on 3 March 2027; send two copies to the office in Lyon.</p>", subtype="html")
    assert read("a.eml", message.as_bytes()).markdown.startswith("Bids close on 3 March 2027")


@pytest.mark.req("S6")
@pytest.mark.parametrize("rest", [b"\1", b"\1\0\2\5\x90\6\0\xff\xff\0\0" + bytes(range(200, 250))])
def test_a_damaged_winmail_dat_is_told_and_the_message_is_read(rest: bytes) -> None:
    message = mail("Please find it attached.")
    message.add_attachment(b"\x78\x9f\x3e\x22" + rest, maintype="application", subtype="ms-tnef")
    reading = read("a.eml", message.as_bytes())
    assert (reading.markdown, reading.warnings[0].code) == ("Please find it attached.\n", "attachment_unread")


def test_text_behind_an_attachment_belongs_to_the_message() -> None:
    message = mail("Before the plan.")
    message.add_attachment(b"x", maintype="text", subtype="csv", filename="a.csv")
    more = EmailMessage()
    more.set_content("Behind the plan.")
    message.attach(more)
    assert read("a.eml", message.as_bytes()).markdown == "Before the plan.\n\nBehind the plan.\n"


INVITATION = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Visit of the site\r\nDTSTART:20260303T100000Z\r\n"
    "LOCATION:Pier 4\r\nDESCRIPTION:Bidders shall bring boots.\r\nATTENDEE:mailto:bo@example.com\r\n"
    "END:VEVENT\r\nEND:VCALENDAR\r\n"
)


def test_an_invitation_is_a_file_of_its_own_and_says_what_when_and_where() -> None:
    message = mail("You are invited.")
    message.add_alternative(INVITATION, subtype="calendar")
    message.add_attachment(INVITATION.encode(), maintype="text", subtype="calendar", filename="invite.ics")
    reading = read("a.eml", message.as_bytes())
    assert reading.markdown == "You are invited.\n"
    assert read(reading.children[0].name, reading.children[0].data).markdown == (
        "Visit of the site\\\nFrom: 2026-03-03 10:00:00+00:00\\\nPlace: Pier 4\n\nBidders shall bring boots.\n"
    )


@pytest.mark.req("S6")
def test_an_invitation_whose_time_is_none_is_read_with_the_words_that_it_has() -> None:
    text = read("a.ics", INVITATION.replace("20260303T100000Z", "after lunch").encode()).markdown
    assert text.startswith("Visit of the site\\\nFrom: after lunch\\\nPlace: Pier 4\n")


def tnef(name: str, data: bytes) -> bytes:
    def attribute(level: int, identity: int, value: bytes) -> bytes:
        return pack("<BII", level, identity, len(value)) + value + pack("<H", sum(value) & 0xFFFF)

    begins = attribute(2, 0x00069002, bytes(14))
    titled = attribute(2, 0x00018010, name.encode() + b"\0")
    return pack("<IH", 0x223E9F78, 1) + begins + titled + attribute(2, 0x0006800F, data)


def test_files_in_a_winmail_dat_are_attachments_of_the_message() -> None:
    packed = tnef("lot3.txt", b"The bollards shall be yellow.")
    message = mail("The terms are attached.")
    message.add_attachment(packed, maintype="application", subtype="ms-tnef", filename="winmail.dat")
    for reading in (read("a.eml", message.as_bytes()), read("winmail.dat", packed)):
        assert [(c.name, c.data) for c in reading.children] == [("lot3.txt", b"The bollards shall be yellow.")]


def signed(content: bytes) -> bytes:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime(2026, 1, 1, tzinfo=UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Ada")])
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(1))
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content)
    builder = builder.add_signer(built.sign(key, hashes.SHA256()), key, hashes.SHA256())
    return builder.sign(Encoding.DER, [pkcs7.PKCS7Options.Binary])


def test_a_signed_message_is_the_one_inside_and_a_signed_file_is_that_file() -> None:
    inner = EmailMessage()
    inner.set_content("The lighthouse shall be white.")
    inner.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="prices.csv")
    outer = mail()
    whole = signed(b"MIME-Version: 1.0\r\n" + inner.as_bytes())
    outer.set_content(whole, maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    reading = read("a.eml", outer.as_bytes())
    assert (reading.markdown, reading.children[0].name) == ("The lighthouse shall be white.\n", "prices.csv")
    [child] = read("offer.txt.p7m", signed(b"The lighthouse is white.")).children
    assert (child.name, child.data) == ("offer.txt", b"The lighthouse is white.")


def test_a_signed_file_that_was_written_in_pieces_is_read() -> None:
    oid = bytes.fromhex("06092a864886f70d0107")
    pieces = b"".join(bytes([4, len(piece)]) + piece for piece in (b"Bids close ", b"on 3 March."))
    inside = b"\x30\x80" + oid + b"\1\xa0\x80\x24\x80" + pieces + bytes(6)
    content = b"\x30\x80" + oid + b"\2\xa0\x80\x30\x80\2\1\1\x31\0" + inside + b"\x31\0" + bytes(6)
    [file] = read("note.txt.p7m", content).children
    assert (file.name, file.data) == ("note.txt", b"Bids close on 3 March.")


def test_files_of_an_archive_are_inputs_and_those_of_the_system_are_none() -> None:
    content = package({"rfp/terms.txt": "Text", "prices.csv": "a;b", "__MACOSX/._terms.txt": "x", "rfp/Thumbs.db": "x"})
    reading = read("tender.zip", content)
    assert [child.name for child in reading.children] == ["prices.csv", "rfp/terms.txt"]
    assert (reading.markdown, reading.warnings) == ("", ())


def test_names_in_an_archive_of_a_japanese_machine_are_read() -> None:
    name = "見積書一.txt"
    content = package({"x" * 8 + ".txt": "Text"}).replace(b"x" * 8, name.encode("cp932")[:8])
    assert [child.name for child in read("tender.zip", content).children] == [name]


def test_a_web_page_runs_nothing_and_fetches_nothing() -> None:
    page = (
        "<!doctype html><script>alert(1)</script><h1>Plan</h1><p>Text <img src='http://127.0.0.1:9/x.png' alt='plan'>"
        "<img src='/etc/hostname' alt='name'> <a href='javascript:x'>a</a> <a href='https://example.com'>b</a></p>"
    )
    reading = read("a.html", page.encode())
    assert reading.markdown == "# Plan\n\nText planname a [b](https://example.com)\n"
    assert [warning.code for warning in reading.warnings] == ["image_elsewhere"]


def test_a_cell_that_reaches_down_keeps_the_columns_of_the_rows_below() -> None:
    page = "<html><table><tr><th>Lot</th><th>Work</th></tr><tr><td rowspan=2>Lot 1</td><td>Crew</td></tr>"
    more = "<tr><td>Fuel</td></tr><tr><td>Lot 2</td><td>EUR 4,250<sup>1</sup></td></tr></table></html>"
    assert cells(read("a.html", (page + more).encode()).markdown) == [
        ["Lot", "Work"],
        ["Lot 1", "Crew"],
        ["Lot 1", "Fuel"],
        ["Lot 2", "EUR 4,250¹"],
    ]


@pytest.mark.req("B9")
@pytest.mark.parametrize("look", [
    "style='display: none'", "hidden", "style='visibility:hidden'", "style='font-size:0'", "style='color:#FFFFFF'",
])  # fmt: skip
def test_words_of_a_page_that_nobody_sees_are_left_out_and_told(look: str) -> None:
    page = (
        f"<html><p>Seen <span {look}>our ceiling</span> and <span style='text-decoration:line-through'>old</span></p>"
    )
    page += "<ruby>東京<rt>とうきょう</rt></ruby><p bgcolor=navy><b style='color:#fff'>white on blue</b></p></html>"
    reading = read("a.html", page.encode())
    assert reading.markdown == "Seen and ~~old~~\n\n東京\n\n**white on blue**\n"
    assert [warning.code for warning in reading.warnings] == ["hidden_text"]
    assert "words: 2" in reading.warnings[0].detail


@pytest.mark.req("B9")
@pytest.mark.parametrize("page", [
    "<table><td style='font-size:0px'><div style='font-size:14px'>Bids close on 3 March.</div></td></table>",
    "<div style='visibility: hidden'><p style='visibility: visible'>Bids close on 3 March.</p></div>",
    "<table background='navy.png'><td style='color:#fff'>Bids close on 3 March.</td></table>",
    "<link rel='stylesheet' href='navy.css'><p style='color:#fff'>Bids close on 3 March.</p>",
    "<p hidden>x</p>" + "<div>" * 300 + "Bids close on 3 March." + "</div>" * 300,
])  # fmt: skip
def test_words_of_a_page_that_are_seen_all_the_same_are_read(page: str) -> None:
    assert "Bids close on 3 March." in read("a.html", f"<html><p>Terms</p>{page}</html>".encode()).markdown


ODT = (
    '<office:{0} xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">{1}</office:{0}>'
)


@pytest.mark.req("B9")
def test_an_odt_is_read_with_its_headers_and_without_what_nobody_sees() -> None:
    hiding = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    body = (
        '<text:p>Seen<text:span text:style-name="T1"> our ceiling</text:span> in '
        "<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby></text:p>"
        '<text:section text:display="none"><text:p>and more</text:p></text:section>'
    )
    parts = f"<office:automatic-styles>{hiding}</office:automatic-styles><office:body><office:text>{body}"
    header = "<office:master-styles><style:header><text:p>Bids shall quote LW-77.</text:p></style:header>"
    content = package({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": ODT.format("document-content", f"{parts}</office:text></office:body>"),
        "styles.xml": ODT.format("document-styles", f"{header}</office:master-styles>"),
        "META-INF/manifest.xml": "<manifest/>",
    })  # fmt: skip
    reading = read("a.odt", content)
    assert reading.markdown == "Bids shall quote LW-77.\n\nSeen in 東京\n"
    assert [warning.code for warning in reading.warnings] == ["hidden_text"]
    assert "words: 4" in reading.warnings[0].detail


@pytest.mark.req("B9")
@pytest.mark.parametrize(("more", "styles"), [
    ('<style:style style:name="G"><style:graphic-properties draw:fill="solid"/></style:style>', ""),
    ('<style:style style:name="R"><style:table-row-properties fo:background-color="#000080"/></style:style>', ""),
    ("", '<style:style style:name="P1"><style:text-properties text:display="none"/></style:style>'),
])  # fmt: skip
def test_words_of_an_odt_are_seen_on_a_color_and_have_the_looks_of_their_own_part(more: str, styles: str) -> None:
    names = ' xmlns:fo="fo" xmlns:draw="draw"'
    white = '<style:style style:name="P1"><style:text-properties fo:color="#ffffff"/></style:style>' if more else ""
    body = '<office:body><office:text><text:p text:style-name="P1">Seen</text:p></office:text></office:body>'
    content = package({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": ODT.format(
            "document-content", f"<office:automatic-styles{names}>{white}{more}</office:automatic-styles>{body}"
        ),
        "styles.xml": ODT.format(
            "document-styles", f"<office:automatic-styles>{styles}</office:automatic-styles>"
        ),
        "META-INF/manifest.xml": "<manifest/>",
    })  # fmt: skip
    assert read("a.odt", content).markdown == "Seen\n"


def test_ends_of_lines_of_a_page_are_spaces_but_between_japanese_characters() -> None:
    page = "<html><p>受注者は、関係法令を\n遵守する。</p><p>The crew\nshall sail.</p></html>"
    assert read("a.html", page.encode()).markdown == "受注者は、関係法令を遵守する。\n\nThe crew shall sail.\n"


def test_code_stays_code_whatever_is_in_it() -> None:
    page = "<html><pre><code>a ``` b ````\n# c</code></pre></html>"
    assert read("a.html", page.encode()).markdown == "`````\na ``` b ````\n# c\n`````\n"


def test_rtf_as_word_writes_it() -> None:
    hidden = read("a.rtf", rb"{\rtf1\ansi Seen{\v our ceiling}.\par}")
    assert (hidden.markdown, [warning.code for warning in hidden.warnings]) == ("Seen.\n", ["hidden_text"])
    content = rb"{\rtf1\ansi\ansicpg1252 GSA\rquote s price, f\'fcr \u8364\'80 5\par\pard\outlinelevel0 Terms\par}"
    assert read("a.rtf", content).markdown == "GSA’s price, für € 5\n\n# Terms\n"
