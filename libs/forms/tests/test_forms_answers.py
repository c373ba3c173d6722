"""Answers are found by what a field asks for; where nothing fits, or several things do, it stays open."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from forms_made import document, table
from openpyxl import Workbook, load_workbook
from stemma_forms import Field, Kind, Limit, Unit, fill, find_fields
from stemma_forms.answering import Text, find_answers, held_by

pytestmark = pytest.mark.req("B3")
FILES = Path(__file__).with_name("files")
COMPANY = (FILES / "company.md").read_text()


def answers(*questions: str | Field, texts: dict[str, str] | None = None) -> list[str]:
    """What a document of the company answers, in the order of the questions; empty where a field stays open."""
    fields = [one if isinstance(one, Field) else Field(question=one) for one in questions]
    fields = [Field(**{**vars(one), "id": f"f-{at}"}) for at, one in enumerate(fields)]
    found = find_answers(fields, [Text(name, text) for name, text in (texts or {"company.md": COMPANY}).items()]).found
    return [found.get(one.id, "") for one in fields]


def answer(question: str | Field, text: str = COMPANY) -> str:
    return answers(question, texts={"company.md": text})[0]


def cases() -> Iterator[tuple[str, str, str]]:
    """Question, answer and text, that of a company if none is told; a ``?`` is no answer where yes or no is asked."""
    for line in (FILES / "answers.tsv").read_text().splitlines():
        question, expected, *text = line.split("\t")
        yield question, expected, "".join(f"{one}\n" for one in text).replace("\\n", "\n") or COMPANY


@pytest.mark.parametrize(("question", "expected", "text"), list(cases()))
def test_a_field_is_answered_by_what_is_said_of_its_type_and_party_whole_and_without_a_reservation(
    question: str, expected: str, text: str
) -> None:
    if expected in ("Ja", "Nein", "?"):
        assert answer(Field(question=question, kind=Kind.CHOICE, allowed=("Ja", "Nein")), text) == expected.strip("?")
    else:
        assert answer(question, text) == expected


def test_what_is_denied_is_seen_in_the_language_of_the_text() -> None:
    text = "Ragione sociale: Onde Blu S.r.l.\nSede legale: Via Roma 3, 16121 Genova\nNon ricorriamo al subappalto.\n"
    choice = Field(question="Ricorrete al subappalto?", kind=Kind.CHOICE, allowed=("Sì", "No"))
    assert answers("Denominazione dell'offerente", choice, texts={"a.md": text}) == ["Onde Blu S.r.l.", "No"]
    foreign = "Our prices are in the annex and our people like it here. Non ricorriamo al subappalto."
    assert answer(choice, foreign) == ""


def test_a_box_is_checked_by_a_statement_and_left_alone_without_one() -> None:
    boxes = [
        Field(question=f"We hold a valid {name} certificate", kind=Kind.CHECKBOX) for name in ("ISO 9001", "ISO 14001")
    ]
    subcontracting = [
        Field(question=f"Do you use subcontractors?: {word}", kind=Kind.CHECKBOX) for word in ("Yes", "No")
    ]
    assert answers(*boxes, *subcontracting) == ["yes", "", "", "yes"]


def test_a_text_is_what_stands_under_its_heading_and_one_that_is_too_long_is_told() -> None:
    whole = "Customer data is encrypted at rest and in transit. Customer data is not stored outside the European Union."
    asked = "Describe your approach to data protection"
    assert answer(asked).startswith(whole)
    short = Field(id="f-1", question=f"{asked} (limit 80 characters)", limit=Limit(80, Unit.CHARACTERS))
    told = find_answers([short], [Text("company.md", COMPANY)])
    assert (told.found, list(told.too_long)) == ({}, ["f-1"])


def test_a_company_that_alone_is_named_is_ours_and_a_name_may_have_a_title_behind_it() -> None:
    text = "Northstar Analytics, Inc. is a firm.\n\nOur partner Sand AG helps.\n\nManaging director: Dana Hill, CEO\n"
    asked = ("Name of Offeror", "Managing director", "Title of the managing director")
    assert answers(*asked, texts={"a.md": text}) == ["Northstar Analytics, Inc.", "Dana Hill", "CEO"]
    assert answers(asked[0], texts={"a.md": text, "b.md": "Nordwerk GmbH is older."}) == [""]


def test_what_a_person_said_goes_before_a_file_and_the_headers_of_a_mail_say_nothing() -> None:
    mail = Text(
        "mail.eml", "From: Peter Quist <peter@other.example>\nTo: Tomas\nSubject: Price\n\nFax: +49 40 999 999."
    )
    fields = [Field(id="a", question="E-mail"), Field(id="b", question="Contact person")]
    told = find_answers(fields, [Text("c.md", COMPANY), mail, Text("", "Contact person: Ada Lund", said=True)])
    assert told.found == {"a": "info@halvorsen.example", "b": "Ada Lund"}


def test_a_value_of_a_model_has_to_stand_in_a_text_and_a_signature_is_never_given() -> None:
    asked = ("Fax", "Telephone", "Signature", "Describe your training")
    fields = [Field(id=name, question=name) for name in asked]
    told = dict(zip(asked, ("+49 40 999 999", "+49 40 5550 1200", "Ingrid Halvorsen", "We train users."), strict=True))
    held = held_by(fields, told, [Text("company.md", COMPANY)])
    assert list(held) == ["Telephone", "Describe your training"]


RATES = """| Position | Unit | Rate (EUR) |
|---|---|---|
| Project manager | day | 1,120.00 |
| Engineer | day | 980.00 |
| Engineer | hour | 125.00 |
| Gauge TG-200 | piece | 3,450.50 |
"""
ENGLISH = ["Pos.", "Description", "Unit", "Quantity", "Unit price (EUR)", "Total (EUR)"]


def sheet(head: list[str], *rows: list[Any]) -> bytes:
    book, buffer = Workbook(), BytesIO()
    for row in (head, *rows):
        book.active.append(row)
    book.save(buffer)
    return buffer.getvalue()


def priced(form: bytes, rates: str = RATES, name: str = "rates.md") -> list[list[Any]]:
    """The last two columns of a form that is filled from a rate sheet, without its head."""
    told = find_answers(find_fields(form), [Text(name, rates, price=True)])
    filled = load_workbook(BytesIO(fill(form, told.found))).active
    return [[cell.value for cell in row[-2:]] for row in filled.iter_rows(min_row=2)]


def test_rates_fill_rows_by_item_and_unit_and_sums_are_those_of_the_rows() -> None:
    items = [["1", "Project manager", "day", 20], ["2", "Engineer", "hour", 16], ["3", "Gauge TG-200", "piece", 3]]
    sums = [["", "Total net"], ["", "VAT 19 %"], ["", "Total incl. VAT"]]
    rows = priced(sheet(ENGLISH, *items, *sums))
    assert rows[:3] == [[1120, 22400], [125, 2000], [3450.5, 10351.5]]
    assert [row[1] for row in rows[3:]] == [34751.5, 6602.79, 41354.29]


def test_an_item_may_have_the_word_of_a_unit_in_its_name_and_be_one() -> None:
    form = sheet(ENGLISH, ["1", "Annual maintenance", "year", 1])
    rates = "Item,Unit,Rate (EUR)\nAnnual maintenance,year,2400.50\nHosting,month,90.00\n"
    assert priced(form, rates, "rates.csv") == [[2400.5, 2400.5]]


@pytest.mark.parametrize(
    ("head", "row", "total", "rates"),
    [
        (["Pos.", "Leistung", "Einheit", "Menge", "Einzelpreis (EUR)", "Gesamtpreis (EUR)"], ["Projektleitung", "Tag"],
         "Summe netto", "Leistung;Einheit;Satz (EUR)\nProjektleitung;Tag;1.120,50\n"),
        (["ITEM", "DESCRIPCIÓN", "U.M.", "CANT.", "VALOR UNITARIO", "VALOR TOTAL"], ["DISCO SSD", "UNI"],
         "VALOR TOTAL", "ítem;unidad;valor unitario\nDISCO SSD;UNI;1.120,50\n"),
        (["ITEM", "ESPECIFICAÇÃO", "UF", "QTD", "VALOR UNITÁRIO", "VALOR TOTAL"], ["Caixa arquivo", "UN"],
         "Valor total", "item;unidade;valor unitário\nCaixa arquivo;UN;1.120,50\n"),
    ],
)  # fmt: skip
def test_the_columns_of_a_price_sheet_are_read_in_another_language_and_from_csv(
    head: list[str], row: list[str], total: str, rates: str
) -> None:
    assert priced(sheet(head, ["1", *row, 10], ["", total]), rates, "rates.csv") == [[1120.5, 11205], [None, 11205]]


@pytest.mark.parametrize(
    ("row", "head"),
    [
        (["1", "Gauge TG-300", "piece", 1], ENGLISH),
        (["1", "Engineer", "month", 1], ENGLISH),
        (["1", "Engineer", "", 1], ENGLISH),
        (["1", "Senior engineer", "day", 1], ENGLISH),
        (["1", "Engineer", "day", 1], [*ENGLISH[:4], "Unit price (USD)", "Total (USD)"]),
    ],
)
def test_another_item_unit_or_currency_has_no_price_and_then_the_sum_is_open_too(
    row: list[Any], head: list[str]
) -> None:
    assert priced(sheet(head, row, ["2", "Project manager", "day", 1], ["", "Total net"]))[::2] == [[None, None]] * 2


def test_an_item_that_has_two_prices_has_none() -> None:
    twice = f"{RATES}| Engineer | day | 990.00 |\n"
    assert priced(sheet(ENGLISH, ["1", "Engineer", "day", 1]), twice) == [[None, None]]


def test_a_total_is_made_of_the_rate_of_its_row_and_open_where_that_is() -> None:
    head = ["Functie", "Aantal uren", "Uurtarief (EUR)", "Totaal (EUR)"]
    rates = (
        "| Functie | Eenheid | Tarief |\n|---|---|---|\n| Adviseur | uur | € 115,00 |\n| Leider | dag | € 1.180,00 |\n"
    )
    assert priced(sheet(head, ["Adviseur", 100], ["Leider", 16], ["Totaal"]), rates) == [
        [115, 11500],
        [None] * 2,
        [None] * 2,
    ]


def test_a_sum_in_a_text_document_is_made_unless_the_form_states_one_of_its_amounts_itself() -> None:
    def filled(stated: str) -> list[str]:
        rows = [
            ENGLISH,
            ["1", "Engineer", "day", "2", "", ""],
            ["2", "Other", "", "", "", stated],
            ["", "Total", *[""] * 4],
        ]
        form = document(table(*map(tuple, [row for row in rows if row[1] != "Other" or stated])))
        fields = find_fields(form)
        told = find_answers(fields, [Text("rates.md", RATES, price=True)]).found
        return [told.get(field.id, "") for field in fields if "Total (EUR)" in field.question]

    assert filled("") == ["1960.00", "1960.00"]
    assert filled("500.00") == ["1960.00", ""]


def test_a_sum_over_an_amount_that_the_form_states_itself_is_left_to_a_person() -> None:
    rows = priced(sheet(ENGLISH, ["1", "Engineer", "day", 2], ["2", "Provisional sum", "", "", "", 500], ["", "Total"]))
    assert [row[1] for row in rows] == [1960, 500, None]


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ("Anschrift des Unternehmens und Name des Ansprechpartners", "Halvorsen Marine Systems GmbH"),
        ("Apellidos y nombre del representante legal de la empresa", ""),
    ],
)
def test_a_word_of_two_languages_means_what_it_means_in_that_of_the_form(beside: str, expected: str) -> None:
    assert answers("Firma", beside)[0] == expected


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    ("numbers", "head", "filled"),
    [
        ([1, 2, 3], "Hourly rate | Years", [["Pilot", 75.5], ["Mate", 60], [None, 0]]),
        ([1], "Hourly rate | Years", [[None, 0]]),
        ([1, 2, 1, 2], "Hourly rate | Years", [[None, 0]] * 4),
        ([1, 2], "Hourly rate | Hourly rate", [[None, 0]] * 2),
    ],
)
def test_rows_with_a_number_alone_take_all_of_a_rate_sheet_with_the_same_columns_once(
    numbers: list[int], head: str, filled: list[list[Any]]
) -> None:
    form = sheet(["", "Labor category", "Hourly rate"], *([number, None, 0] for number in numbers))
    rates = (
        f"| Labor Category | Grade | {head} |\n|---|---|---|---|\n| Pilot | 2 | 75.50 | 8 |\n| Mate | 1 | 60 | 9 |\n"
    )
    assert priced(form, rates) == filled
