"""Messages, web pages, ODT and RTF: their text, and what they bring."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage

import pytest
from reading_scores import CORPUS, cells

from .reading_files import read

pytestmark = pytest.mark.req("I1", "I2")


def mail(**fields: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Ada <ada@example.com>", "Subject": "Price list", **fields}.items():
        message[name] = value
    return message


def test_attachments_are_files_of_their_own_and_so_is_a_message_in_the_message() -> None:
    inner = mail(Subject="Your question")
    inner.set_content("An answer.")
    outer = mail()
    outer.set_content("See the attachments.\n\n* not a list\n")
    outer.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="prices.csv")
    outer.add_attachment(inner)
    reading = read("a.eml", outer.as_bytes())
    assert reading.markdown == (
        "# Price list\n\nFrom: Ada \\<ada@example.com>\n\nSee the attachments.\n\n\\* not a list\n"
    )
    assert [(c.name, c.media_type) for c in reading.children] == [
        ("prices.csv", "text/csv"),
        ("Your question.eml", "message/rfc822"),
    ]
    assert reading.children[0].data == b"a;b\n1;2\n"
    assert "An answer." in read("b.eml", reading.children[1].data).markdown
    assert (reading.anchors[0].kind, reading.anchors[0].label) == ("part", "message from Ada <ada@example.com>")


def test_a_page_with_a_table_is_read_and_its_images_stand_in_it(make_picture: Callable[..., bytes]) -> None:
    message = mail()
    message.set_content("Your client shows no pages.")
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
    assert reading.markdown.startswith("# Request for Quotation\n\nFrom: ")
    assert "Renee \\<renee@example.com>" in reading.markdown
    [child] = reading.children
    assert child.name == "prices.xlsx"
    assert "Schrauben für Gehäuse" in read(child.name, child.data).markdown


def test_a_web_page_runs_nothing_and_fetches_nothing() -> None:
    page = (
        "<!doctype html><script>alert(1)</script><h1>Plan</h1><p>Text <img src='http://127.0.0.1:9/x.png' alt='plan'>"
        "<img src='/etc/hostname' alt='name'> <a href='javascript:x'>a</a> <a href='https://example.com'>b</a></p>"
    )
    reading = read("a.html", page.encode())
    assert reading.markdown == "# Plan\n\nText planname a [b](https://example.com)\n"
    assert [warning.code for warning in reading.warnings] == ["image_elsewhere"]


def test_code_stays_code_whatever_is_in_it() -> None:
    page = "<html><pre><code>a ``` b ````\n# c</code></pre></html>"
    assert read("a.html", page.encode()).markdown == "`````\na ``` b ````\n# c\n`````\n"


def test_rtf_as_word_writes_it() -> None:
    content = rb"{\rtf1\ansi\ansicpg1252 GSA\rquote s price, f\'fcr \u8364\'80 5\par\pard\outlinelevel0 Terms\par}"
    assert read("a.rtf", content).markdown == "GSA’s price, für € 5\n\n# Terms\n"
