"""Answers are found by what a field asks for; where nothing fits, or several things do, it stays open."""

from __future__ import annotations

import pytest
from stemma_forms import Field, Kind, Limit, Unit
from stemma_forms.answering import Text, find_answers, held_by

pytestmark = pytest.mark.req("B3")
COMPANY = """# Company

| Item | Detail |
|---|---|
| Legal name | Halvorsen Marine Systems GmbH |
| Registered office | Speicherstraße 14, 20457 Hamburg, Germany |
| VAT ID | DE298765431 |
| General e-mail | info@halvorsen.example |
| Telephone (switchboard) | +49 40 5550 1200 |

| Name | Function | E-mail |
|---|---|---|
| Ingrid Halvorsen | Managing director | ingrid@halvorsen.example |
| Tomas Becker | Contact person for tenders | tomas@halvorsen.example |

Skill Level Name and Years of Experience are listed in our staffing annex.

We employ 143 people, 61 of them in engineering. Turnover was EUR 18,400,000 in 2023 and EUR 21,250,000 in 2024.

We are certified to ISO 9001 and ISO/IEC 27001. ISO 14001 certification is planned for 2027.

Availability of the platform was 99.95 % in 2024. Our hosting partner is certified to ISO 22301.

## Data protection

Customer data is encrypted at rest and in transit. Customer data is not stored outside the European Union.

We do not use subcontractors.

## References

Client: Port of Aarhus
Contact person: Mads Kjær
E-mail: mads@aarhus.example
"""


def answers(*questions: str | Field, texts: dict[str, str] | None = None) -> list[str]:
    """What a document of the company answers, in the order of the questions; empty where a field stays open."""
    fields = [one if isinstance(one, Field) else Field(question=one) for one in questions]
    fields = [Field(**{**vars(one), "id": f"f-{at}"}) for at, one in enumerate(fields)]
    found = find_answers(fields, [Text(name, text) for name, text in (texts or {"company.md": COMPANY}).items()]).found
    return [found.get(one.id, "") for one in fields]


def answer(question: str | Field, text: str = COMPANY) -> str:
    return answers(question, texts={"company.md": text})[0]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Name of Offeror", "Halvorsen Marine Systems GmbH"),
        ("Name des Bieters / Name of bidder:", "Halvorsen Marine Systems GmbH"),
        ("Anschrift", "Speicherstraße 14, 20457 Hamburg, Germany"),
        ("Postcode", "20457"),
        ("Country", "Germany"),
        ("Contact person", "Tomas Becker"),
        ("E-Mail des Ansprechpartners", "tomas@halvorsen.example"),
        ("E-mail", "info@halvorsen.example"),
        ("Geschäftsführer", "Ingrid Halvorsen"),
        ("Number of employees", "143"),
        ("Annual turnover 2024", "EUR 21,250,000"),
        ("Reference client", "Port of Aarhus"),
        ("Platform availability 2024 (%)", "99.95 %"),
    ],
)
def test_a_label_is_answered_by_the_value_of_its_type_and_its_party(label: str, expected: str) -> None:
    assert answer(label) == expected


@pytest.mark.parametrize(
    "label",
    [
        "Skill Level Name",
        "Name of Project Manager",
        "Name",
        "Fax",
        "Bank / IBAN",
        "Annual turnover",
        "Turnover of the last financial year",
        "Name of subcontractor",
        "E-mail encryption policy",
        "Signature and stamp",
        "Date, signature",
        "Remarks",
        "Years of experience",
    ],
)
def test_a_label_that_nothing_fits_or_several_things_fit_stays_open(label: str) -> None:
    assert answer(label) == ""


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["Company name", "Address", "Telephone", "Contact person", "VAT number"]),
        ("de", ["Firmenname", "Anschrift", "Telefon", "Ansprechpartner", "USt-IdNr."]),
        ("fr", ["Raison sociale", "Adresse du siège", "Téléphone", "Personne de contact", "TVA intracommunautaire"]),
        ("es", ["Razón social", "Domicilio social", "Teléfono", "Persona de contacto", "Número de IVA"]),
        ("it", ["Ragione sociale", "Sede legale", "Telefono", "Persona di contatto", "Partita IVA"]),
        ("nl", ["Bedrijfsnaam", "Adres", "Telefoon", "Contactpersoon", "Btw-nummer"]),
        ("pt", ["Razão social", "Endereço", "Telefone", "Pessoa de contato", "Número de IVA"]),
        ("ja", ["会社名", "所在地", "電話番号", "担当者氏名", "登録番号"]),
        ("zh", ["公司名称", "注册地址", "联系电话", "联系人", "增值税号"]),
    ],
)
def test_labels_are_read_in_every_language_that_documents_are_written_in(language: str, labels: list[str]) -> None:
    expected = ["Halvorsen Marine Systems GmbH", "Speicherstraße 14, 20457 Hamburg, Germany", "+49 40 5550 1200"]
    assert answers(*labels) == [*expected, "Tomas Becker", "" if language == "zh" else "DE298765431"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are you certified to ISO 27001?", "Ja"),
        ("¿Está certificado según ISO 9001?", "Ja"),
        ("Is customer data encrypted in transit?", "Ja"),
        ("Do you use subcontractors?", "Nein"),
        ("Is customer data stored outside the European Union?", "Nein"),
        ("Is customer data stored in the European Union?", ""),
        ("Are you certified to ISO 14001?", ""),
        ("Are you certified to ISO 22301?", ""),
        ("Do you train users?", ""),
    ],
)
def test_yes_and_no_need_a_statement_of_all_that_is_asked_without_a_reservation(question: str, expected: str) -> None:
    assert answer(Field(question=question, kind=Kind.CHOICE, allowed=("Ja", "Nein"))) == expected


def test_a_box_is_checked_by_a_statement_and_left_alone_without_one() -> None:
    boxes = [
        Field(question=f"We hold a valid {name} certificate", kind=Kind.CHECKBOX) for name in ("ISO 9001", "ISO 14001")
    ]
    assert answers(*boxes) == ["yes", ""]


def test_a_text_is_what_stands_under_its_heading_and_one_that_is_too_long_is_told() -> None:
    whole = "Customer data is encrypted at rest and in transit. Customer data is not stored outside the European Union."
    asked = "Describe your approach to data protection"
    assert answer(asked).startswith(whole)
    short = Field(id="f-1", question=f"{asked} (limit 80 characters)", limit=Limit(80, Unit.CHARACTERS))
    told = find_answers([short], [Text("company.md", COMPANY)])
    assert (told.found, list(told.too_long)) == ({}, ["f-1"])


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
