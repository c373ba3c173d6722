"""Forms in PDF: their fields are found with what is asked beside them, and answers are appended to the file."""

from io import BytesIO

import pytest
from forms_made import pdf, pdf_field
from pypdf import PdfReader
from stemma_forms import Kind, Limit, Unit, UnreadableForm, fill, find_fields, unsupported

pytestmark = pytest.mark.req("B3")
BOX = "/AP << /N << /On 6 0 R /Off 6 0 R >> >> /AS /Off"
FIELDS = (
    pdf_field("Tx", "Text1", 700),
    pdf_field("Tx", "Text2", 650, "/MaxLen 20 /Ff 4096"),
    pdf_field("Tx", "form1[0].PostalAddress[0]", 600),
    pdf_field("Btn", "b1", 550, BOX, x=50, width=14),
    pdf_field("Ch", "land", 500, "/TU (Country of registration) /Ff 131072 /Opt [[(DE) (Germany)] [(FR) (France)]]"),
    pdf_field("Sig", "Signature1", 450),
    pdf_field("Tx", "Fixed", 400, "/Ff 1"),
    pdf_field("Tx", "Number", 350, "/V (Tender 44/2027)"),
)
WORDS = {(50, 703): "Name of the tenderer:", (200, 668): "Website", (70, 553): "ISO 9001 certified"}
FORM = pdf(*FIELDS, words=WORDS)


def test_fields_ask_what_their_hint_says_or_the_words_beside_or_above_them_or_their_names() -> None:
    assert [(f.place, f.question, f.kind, f.allowed, f.limit) for f in find_fields(FORM)] == [
        ("page 1, field Text1", "Name of the tenderer", Kind.TEXT, (), None),
        ("page 1, field Text2", "Website", Kind.TEXT, (), Limit(20, Unit.CHARACTERS)),
        ("page 1, field form1[0].PostalAddress[0]", "Postal Address", Kind.TEXT, (), None),
        ("page 1, field b1", "ISO 9001 certified", Kind.CHECKBOX, (), None),
        ("page 1, field land", "Country of registration", Kind.CHOICE, ("Germany", "France"), None),
    ]
    assert unsupported(FORM) == (("page 1, field Signature1", "a field for a signature"),)


def test_answers_are_appended_and_every_byte_before_them_stays() -> None:
    name, site, address, box, land = (field.id for field in find_fields(FORM))
    answers = {name: "Müller GmbH", site: "a\nb", address: "東京", box: "yes", land: "germany"}
    done = fill(FORM, answers)
    assert done.startswith(FORM)
    assert fill(FORM, answers) == done
    told = {key: field.get("/V") for key, field in (PdfReader(BytesIO(done)).get_fields() or {}).items()}
    assert [told[key] for key in ("Text1", "Text2", "b1", "land")] == ["Müller GmbH", "a\nb", "/On", "DE"]
    assert told["form1[0].PostalAddress[0]"] == "東京"
    assert fill(FORM, {}) == FORM


def values(content: bytes) -> dict[str, object]:
    return {key: field.get("/V") for key, field in (PdfReader(BytesIO(content)).get_fields() or {}).items()}


def in_group(inherited: str, own: str) -> bytes:
    """A form with a field that is called as the last part of another one's name."""
    box = "<< /Type /Annot /Subtype /Widget /T (Name) /Parent 12 0 R /Rect [200 600 400 614]"
    group = f"<< /T (Agent) /Kids [11 0 R] {inherited} >>"
    return pdf(pdf_field("Tx", "Name", 700), f"{box} {own} >>", group, words=WORDS)


def test_an_answer_is_written_into_no_field_whose_name_only_ends_alike() -> None:
    form = in_group("", "/FT /Tx")
    told = values(fill(form, {find_fields(form)[0].id: "Northwind"}))
    assert (told["Name"], told["Agent.Name"]) == ("Northwind", None)


def test_a_field_that_has_its_kind_from_its_group_is_filled() -> None:
    form = in_group("/FT /Tx", "")
    assert values(fill(form, {find_fields(form)[1].id: "Northwind"}))["Agent.Name"] == "Northwind"


@pytest.mark.req("S6")
@pytest.mark.parametrize(
    ("field", "answer", "written"),
    [
        (pdf_field("Tx", "F", 700, "/AP << /N << /X 6 0 R >> >>"), "Northwind", "Northwind"),
        (pdf_field("Tx", "F", 700, "/DA 5"), "Northwind", "Northwind"),
        (pdf_field("Btn", "F", 700), "yes", "/Yes"),
        (pdf_field("Ch", "F", 700, "/Opt [[(DE) (Germany)] [(FR) (France)]]"), "France", "FR"),
    ],
)
def test_a_field_whose_look_cannot_be_made_is_filled_for_the_reader_to_draw(
    field: str, answer: str, written: str
) -> None:
    form = pdf(field, words=WORDS)
    assert values(fill(form, {find_fields(form)[0].id: answer}))["F"] == written


def test_a_field_without_a_name_is_not_offered() -> None:
    form = pdf(pdf_field("Tx", "F", 700), pdf_field("Tx", "", 600).replace("/T ()", ""), words=WORDS)
    assert [field.place for field in find_fields(form)] == ["page 1, field F"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (pdf(*FIELDS, words=WORDS, form="/XFA (x)"), "XFA"),
        (pdf(words=WORDS), "no fields"),
        (b"%PDF-1.7\nnothing", "damaged"),
        (FORM[:900], "damaged"),
    ],
)
def test_a_form_that_is_not_read_says_why(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableForm, match=words):
        find_fields(content)


def test_a_signed_form_is_not_changed() -> None:
    signed = pdf(*FIELDS[:5], pdf_field("Sig", "S", 450, "/V << /Type /Sig >>"), words=WORDS)
    with pytest.raises(UnreadableForm, match="signed"):
        fill(signed, {find_fields(signed)[0].id: "Northwind"})
