"""Build the files beside this one from the texts there: the same words in every format that is read.

Run it after changing a text. ``rfq.md``, ``rfq.docx``, ``rfq.pdf``, ``rfq-scan.pdf``, ``three-columns.pdf`` and
``letter.msg`` are originals (see `README.md`) and are not built.
"""

import csv
import io
import subprocess
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
import typst
from openpyxl import Workbook

CORPUS = Path(__file__).parent
PAGES = {
    "work-two-columns": '#set page(paper: "us-letter", columns: 2, margin: 2cm)\n#set text(size: 9.5pt)\n'
    "#set par(justify: true)\n",
    "letter": '#set page(paper: "a4", numbering: "1 / 1", header: [Request for Quotation ID09160019])\n'
    "#set text(size: 10.5pt)\n",
}
PRICES = [
    ["Position", "Bezeichnung", "Menge", "Einzelpreis (€)", "Ab"],
    ["1", "Schrauben für Gehäuse, groß", "1200", "0.35", "2026-03-01"],
    ["2", "Öl; säurefrei", "12", "18.5", "2026-03-01"],
    ["3", "Wartung | jährlich", "4", "950", "2026-07-15"],
    ["4", "Prüfung nach DIN\nmit Protokoll", "1", "2400", "2026-12-31"],
]


def pandoc(source: str, to: str, *options: str) -> bytes:
    command = [pypandoc.get_pandoc_path(), "-f", "gfm+fenced_divs", "-t", to, "-s", "--wrap=none", *options, "-o", "-"]
    return subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout


def pages(name: str, source: str) -> bytes:
    body = pandoc(source, "typst", "--template", str(CORPUS / "bare.typ")).decode()
    return bytes(typst.compile((PAGES[name] + body).encode()))


def workbook() -> bytes:
    book = Workbook()
    sheet = book.active
    sheet.title = "Preise"
    sheet.append(PRICES[0])
    for number, item, amount, price, day in PRICES[1:]:
        sheet.append([int(number), item, int(amount), float(price), date.fromisoformat(day)])
    rates = book.create_sheet("Day rates")
    rates.append(["Role", "Rate", "Share"])
    for role, rate, share in (("Developer", 900, 0.5), ("Designer", 850, 0.125)):
        rates.append([role, rate, share])
        rates.cell(rates.max_row, 3).number_format = "0.0%"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def delimited(separator: str, encoding: str) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=separator).writerows(PRICES)
    return buffer.getvalue().encode(encoding)


def mail(body: str, attachment: bytes) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Ada <ada@example.com>", "Renee <renee@example.com>"
    message["Subject"], message["Date"] = "Request for Quotation", "Wed, 30 Mar 2016 10:00:00 -0700"
    message.set_content(body)
    message.add_attachment(attachment, maintype="application", subtype="octet-stream", filename="prices.xlsx")
    message.set_boundary("=-=-corpus-=-=")
    return message.as_bytes()


def build() -> None:
    text = {name: (CORPUS / f"{name}.md").read_text(encoding="utf-8") for name in ("rfq", "letter", "work", "slides")}
    plain = pandoc(text["letter"], "plain").decode()
    made = {
        "letter.pdf": pages("letter", text["letter"]),
        "work-two-columns.pdf": pages("work-two-columns", text["work"]),
        **{
            f"{name}.{kind}": pandoc(text[name], kind) for name in ("work", "letter") for kind in ("docx", "odt", "rtf")
        },
        "rfq.odt": pandoc(text["rfq"], "odt"),
        "rfq.html": pandoc(text["rfq"], "html", "--metadata", "title=Request"),
        "work-latin1.html": pandoc(text["work"], "html", "--metadata", "title=Work")
        .replace(b'charset="utf-8"', b'charset="windows-1252"')
        .decode()
        .encode("cp1252", "xmlcharrefreplace"),
        "slides.pptx": pandoc(text["slides"], "pptx", "--slide-level=2"),
        "prices.xlsx": workbook(),
        "prices-utf8.csv": delimited(",", "utf-8-sig"),
        "prices-cp1252.csv": delimited(";", "cp1252"),
        "prices-utf16.tsv": delimited("\t", "utf-16"),
        "letter.txt": plain.encode("cp1252", "replace"),
        "letter.eml": mail(plain, workbook()),
    }
    for name, content in made.items():
        (CORPUS / name).write_bytes(content)


if __name__ == "__main__":
    build()
