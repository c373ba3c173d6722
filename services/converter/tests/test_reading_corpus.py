"""Files of ten formats and more, measured against the text that they were made from."""

from functools import cache

import pytest
from reading_scores import CORPUS, SAMPLES, TABLES, Sample, cells, headings, score, words
from stemma_converter.reading import Reading

from .reading_files import read

pytestmark = pytest.mark.req("I1", "I2")

PRICES = [
    ["Position", "Bezeichnung", "Menge", "Einzelpreis (€)", "Ab"],
    ["1", "Schrauben für Gehäuse, groß", "1200", "0.35", "2026-03-01"],
    ["2", "Öl; säurefrei", "12", "18.5", "2026-03-01"],
    ["3", "Wartung | jährlich", "4", "950", "2026-07-15"],
    ["4", "Prüfung nach DIN<br>mit Protokoll", "1", "2400", "2026-12-31"],
]
RATES = [["Role", "Rate", "Share"], ["Developer", "900", "50%"], ["Designer", "850", "12.5%"]]
DELIVERABLES = [
    ["REQUIRED DELIVERABLES / REPORTS", "DUE DATES", "DESCRIPTION OF DELIVERABLE CONTENT"],
    ["Status Reports", "1 business day after each sprint", "A report of progress throughout each sprint"],
]


SCAN = "rfq-scan.pdf"


@cache
def whole(name: str) -> Reading:
    return read(name, (CORPUS / name).read_bytes(), recognised_pages=3 if name == SCAN else 0)


@pytest.mark.parametrize(
    "sample",
    [pytest.param(sample, marks=pytest.mark.full if sample.is_long else ()) for sample in SAMPLES],
    ids=lambda sample: sample.name,
)
def test_words_and_headings_are_read(sample: Sample) -> None:
    reading = whole(sample.name)
    truth = (CORPUS / sample.truth).read_text(encoding="utf-8")
    found = score(truth, reading.markdown, sample.begins)
    assert found.words >= sample.words
    assert found.headings >= (sample.headings or 0)


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_read_cell_by_cell(name: str) -> None:
    found = cells(whole(name).markdown)
    assert found == (PRICES + RATES if name.endswith("xlsx") else PRICES)


def test_pages_of_a_pdf_are_places_and_a_paragraph_that_goes_on_stays_one() -> None:
    reading = read("rfq.pdf", (CORPUS / "rfq.pdf").read_bytes(), pages=2)
    pages = [anchor for anchor in reading.anchors if anchor.kind == "page"]
    assert [anchor.label for anchor in pages] == ["p. 1", "p. 2"]
    assert reading.markdown[pages[1].offset :].startswith("offeror is instructed to contact the eBuy help desk")
    assert "the offeror is instructed" in reading.markdown
    assert [warning.code for warning in reading.warnings] == ["pages_left_out"]


def test_a_table_without_lines_is_one() -> None:
    reading = whole("rfq.pdf")
    assert cells(reading.markdown)[:2] == DELIVERABLES
    assert (reading.figures.pages, reading.figures.tables) == (24, 1)


def test_three_columns_are_read_one_after_the_other() -> None:
    reading = read("three-columns.pdf", (CORPUS / "three-columns.pdf").read_bytes(), pages=4)
    text = " ".join(words(reading.markdown))
    for expected in (
        "apply to a narrower set of airplanes than the superseded ad",
        "involved in an accident after takeoff from soekarno hatta international airport in jakarta",
        "these effects include stall warning activation airspeed disagree alert and",
        "altitude disagree alert and may affect the flightcrew s ability to accomplish continued safe flight",
    ):
        assert " ".join(words(expected)) in text.replace(" 5 and may", " and may")
    assert "confidential business information cbi" in headings(reading.markdown)


@pytest.mark.full
def test_a_scan_is_recognised_page_by_page() -> None:
    reading = whole(SCAN)
    assert (reading.figures.recognised, reading.warnings) == (3, ())
    assert [anchor.label for anchor in reading.anchors] == ["p. 1", "p. 2", "p. 3"]
