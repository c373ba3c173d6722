"""Questionnaires in spreadsheets: where an answer is wanted, what is accepted, and how it is written."""

from collections.abc import Mapping

import pytest
from forms_made import empty, parts_of, row, rows, sheet, text, workbook
from lxml import etree
from stemma_forms import AnswersRefused, Field, Kind, Limit, Unit, fill, find_fields

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
PART = "xl/worksheets/sheet1.xml"


def validations(*inside: str) -> str:
    return f'<dataValidations count="{len(inside)}">{"".join(inside)}</dataValidations>'


INCIDENTS = "Describe your incident response (max. 50 words)"
HEADER = {"A": "No.", "B": "Requirement", "C": "Complies (Yes/No)", "D": "Comments"}
QUESTIONNAIRE = workbook(
    {
        "Security": sheet(
            row(1, text("A1", "Vendor questionnaire: please answer each requirement", 4)),
            row(2, text("A2", "Company name:"), empty("B2", 3)),
            row(3, text("A3", "Contact:"), text("B3", "already given")),
            row(5, *(text(f"{column}5", words, 4) for column, words in HEADER.items())),
            row(6, text("A6", "1", 4), text("B6", "Access control", 4), empty("C6", 4), empty("D6", 4)),
            row(7, text("A7", "1.1"), text("B7", "Data is encrypted at rest."), empty("C7"), empty("D7")),
            row(8, text("A8", "1.2"), text("B8", f"{INCIDENTS}."), empty("C8"), empty("D8")),
            row(9, text("A9", "1.3"), text("B9", "In the EU."), text("C9", "Please select..."), text("D9", "given")),
            row(10, text("A10", "1.4"), text("B10", "Total"), "<c r=\"C10\"><f>COUNTA(C7:C9)</f><v>0</v></c>"),
            row(12, text("A12", "Start date"), empty("B12", 2), text("C12", "Employees"), empty("D12")),
            after=validations(
                '<dataValidation type="list" sqref="C7 C9"><formula1>Lists!$A$1:$A$3</formula1></dataValidation>',
                '<dataValidation type="textLength" operator="lessThan" sqref="D7"><formula1>21</formula1>'
                "</dataValidation>",
                '<dataValidation type="date" sqref="B12"><formula1>1</formula1></dataValidation>',
                '<dataValidation type="whole" sqref="D12"><formula1>1</formula1></dataValidation>',
            ),
        ),
        "Lists": sheet(row(1, text("A1", "Full")), row(2, text("A2", "Partial")), row(3, text("A3", "None"))),
    },
    others={"xl/unknown.bin": b"\x00\x01kept", "xl/calcChain.xml": "<calcChain/>"},
)  # fmt: skip


def by_place(content: bytes) -> dict[str, Field]:
    return {field.place.partition("!")[2]: field for field in find_fields(content)}


def filled(content: bytes, answers: Mapping[str, str]) -> bytes:
    fields = by_place(content)
    return fill(content, {fields[place].id: answer for place, answer in answers.items()})


def cell(content: bytes, place: str) -> etree._Element:
    root = etree.fromstring(parts_of(content)[PART])
    return next(c for c in root.iter(f"{S}c") if c.get("r") == place)


@pytest.mark.req("L7")
def test_cells_beside_questions_and_labels_are_found() -> None:
    fields = by_place(QUESTIONNAIRE)
    assert set(fields) == {"B2", "C7", "D7", "C8", "D8", "C9", "D10", "B12", "D12"}
    assert fields["B2"].question == "Company name"
    assert fields["C8"].question == f"1.2 {INCIDENTS}. (Complies (Yes/No))"
    assert fields["D7"].group == "Security: 1 Access control"
    assert fields["D12"].question == "Employees"


@pytest.mark.req("L7")
def test_a_field_says_what_it_accepts() -> None:
    fields = by_place(QUESTIONNAIRE)
    assert (fields["C7"].kind, fields["C7"].allowed) == (Kind.CHOICE, ("Full", "Partial", "None"))
    assert (fields["C8"].kind, fields["C8"].suggested) == (Kind.TEXT, ("Yes", "No"))
    assert fields["D8"].limit == Limit(50, Unit.WORDS)
    assert fields["D7"].limit == Limit(20, Unit.CHARACTERS)
    assert (fields["B12"].kind, fields["D12"].kind) == (Kind.DATE, Kind.NUMBER)
    assert fields["C9"].current == "Please select..."


@pytest.mark.req("L7")
def test_answers_are_written_as_excel_keeps_them() -> None:
    answers = {"B2": "=HYPERLINK(1)", "C7": "full", "B12": "2026-11-24", "D12": "120", "D8": "one\ntwo _x000A_"}
    done = filled(QUESTIONNAIRE, answers)
    name, day, number = cell(done, "B2"), cell(done, "B12"), cell(done, "D12")
    assert (name.get("t"), name.findtext(f"{S}is/{S}t"), name.get("s")) == ("inlineStr", "=HYPERLINK(1)", "3")
    assert name.find(f"{S}f") is None
    assert cell(done, "C7").findtext(f"{S}is/{S}t") == "Full"
    assert (day.findtext(f"{S}v"), day.get("t"), day.get("s")) == ("46350", None, "2")
    assert number.findtext(f"{S}v") == "120"
    assert cell(done, "D8").findtext(f"{S}is/{S}t") == "one\ntwo _x005F_x000A_"


def test_a_day_is_counted_from_1904_where_the_workbook_does() -> None:
    rows = row(1, text("A1", "Date:"), empty("B1", 2))
    done = filled(workbook({"S": sheet(rows)}, properties=' date1904="1"'), {"B1": "1904-01-02"})
    assert cell(done, "B1").findtext(f"{S}v") == "1"


CHOICES = '<dataValidation type="list" sqref="{}"><formula1>"Yes,No"</formula1></dataValidation>'


RATES = '<row r="{0}"><c r="A{0}"><v>{1}</v></c><c r="C{0}"><v>0</v></c><c r="D{0}"><f>C{0}</f></c></row>'


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("sheets", "asked"),
    [
        ({"S": rows("Documentation | - | Answer | Analyst notes", "DOCU-01 | Do you test your plan? | | ")},
         {"C2": "DOCU-01 Do you test your plan?"}),
        ({"Items": rows("Item no. | Supplies | Quantity | Unit price", "'0001 | Support | 0 | 0"),
          "Rates": rows("- | Labor category | Hourly rate | Total") + RATES.format(2, 1) + RATES.format(3, 2)},
         {"D2": "0001 Support", "B2": "1 (Labor category)", "C2": "1 (Hourly rate)", "B3": "2 (Labor category)",
          "C3": "2 (Hourly rate)"}),
        ({"S": rows("Question | Answer", "Backups?", "Requirement | Response | Comments", "Encryption")},
         {"B2": "Backups?", "B4": "Encryption (Response)", "C4": "Encryption (Comments)"}),
        ({"Questions": rows("Question | Answer", "Backups? | "),
          "Institution Evaluation": rows("Question | Answer", "Logs? | ")}, {"B2": "Backups?"}),
        ({"S": rows(*(f"Item {n} | | 12" for n in range(1, 20)))}, {}),
    ],
    ids=["numbered", "prices of nought", "another header", "the buyer judges", "data"],
)  # fmt: skip
def test_what_is_asked_is_told_by_headers_numbers_and_empty_prices(
    sheets: dict[str, str], asked: dict[str, str]
) -> None:
    fields = by_place(workbook({name: sheet(inside) for name, inside in sheets.items()}))
    assert {place: field.question for place, field in fields.items()} == asked


@pytest.mark.req("L7")
def test_cells_with_lists_answer_the_column_that_asks_whatever_their_header_says() -> None:
    section = row(2, text("A2", "V1", 4), text("B2", "Architecture", 4), empty("D2", 4))
    asked = [
        row(n, text(f"A{n}", f"1.{n}", s), text(f"B{n}", f"Rule {n}", s), text(f"C{n}", "1"), empty(f"D{n}", s))
        for n, s in ((3, 0), (4, 0), (5, 0), (6, 4))
    ]
    head = rows("ID | Control | Since | Tested? | ")
    fields = by_place(workbook({"S": sheet(head, section, *asked, after=validations(CHOICES.format("D2:D6")))}))
    assert [(place, field.question) for place, field in fields.items()] == [
        (f"D{n}", f"1.{n} Rule {n}") for n in (3, 4, 5, 6)
    ]
    assert fields["D3"].allowed == ("Yes", "No")


@pytest.mark.req("L7")
def test_formulas_are_worked_out_again_and_their_chain_stays() -> None:
    before, after = parts_of(QUESTIONNAIRE), parts_of(filled(QUESTIONNAIRE, {"C7": "None"}))
    assert {part for part in before if before[part] != after[part]} == {PART, "xl/workbook.xml"}
    assert b'<calcPr fullCalcOnLoad="1"/>' in after["xl/workbook.xml"]
    assert b"COUNTA(C7:C9)" in after[PART]


def test_a_workbook_without_formulas_is_not_told_to_work_them_out() -> None:
    content = workbook({"S": sheet(rows("Name:"))})
    before, after = parts_of(content), parts_of(filled(content, {"B1": "Acme"}))
    assert [part for part in before if before[part] != after[part]] == [PART]


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("place", "answer", "words"),
    [
        ("C7", "Mostly", 'is not one of "Full", "Partial", "None"'),
        ("D7", "x" * 21, "has 21 characters, and the form allows 20"),
        ("D8", "word " * 51, "has 51 words, and the form allows 50"),
        ("B12", "tomorrow", "is not a date such as 2026-11-24"),
        ("D12", "many", "is not a number such as 1250.50"),
        ("B2", "bell \x07", "control character"),
        ("B2", "x" * 32_768, "the place holds 32767"),
    ],
)
def test_an_answer_that_the_form_does_not_accept_is_refused(place: str, answer: str, words: str) -> None:
    with pytest.raises(AnswersRefused, match=words):
        filled(QUESTIONNAIRE, {place: answer})


@pytest.mark.req("L7")
def test_all_refusals_are_told_at_once() -> None:
    fields = by_place(QUESTIONNAIRE)
    with pytest.raises(AnswersRefused) as refused:
        fill(
            QUESTIONNAIRE, {fields["C7"].id: "Mostly", "f-none": "x", fields["D12"].id: "many", fields["B2"].id: "fine"}
        )
    assert len(refused.value.reasons) == 3
    assert "The form has no field f-none." in refused.value.reasons


@pytest.mark.req("L7")
def test_a_protected_sheet_is_answered_where_it_is_unlocked() -> None:
    rows = [row(1, text("A1", "Question"), text("B1", "Answer")), row(2, text("A2", "Who?"), empty("B2", 1)),
            row(3, text("A3", "Locked?"), empty("B3", 0)), row(4, empty("D4", 5))]  # fmt: skip
    rows[3] = row(4, text("C4", "Price in EUR"), empty("D4", 5))
    fields = by_place(workbook({"S": sheet(*rows, after='<sheetProtection sheet="1"/>')}))
    assert set(fields) == {"B2", "D4"}
    assert (fields["D4"].kind, fields["D4"].question) == (Kind.NUMBER, "Price in EUR")


def test_merged_cells_are_one_place() -> None:
    merged = '<mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="A3:D5"/></mergeCells>'
    inside = row(1, text("A1", "Name:"), empty("B1"), empty("C1", 3)), rows("Your team? | x", " | ", first=2)
    assert set(by_place(workbook({"S": sheet(*inside, after=merged)}))) == {"C1", "A3"}


@pytest.mark.req("L7")
def test_lists_written_out_behind_names_and_of_newer_excel_are_read() -> None:
    newer = (
        '<extLst><ext><x14:dataValidations xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" '
        'xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:dataValidation type="list">'
        "<x14:formula1><xm:f>Lists!$A$1:$A$2</xm:f></x14:formula1><xm:sqref>B3</xm:sqref></x14:dataValidation>"
        "</x14:dataValidations></ext></extLst>"
    )
    asked = rows(*(f"Question {n} | " for n in (1, 2, 3)))
    rules = validations(
        '<dataValidation type="list" sqref="B1"><formula1>"Yes,No, Partly"</formula1></dataValidation>',
        '<dataValidation type="list" sqref="B2"><formula1>Levels</formula1></dataValidation>',
    )
    content = workbook(
        {"S": sheet(asked, after=rules + newer), "Lists": sheet(rows("High", "Low"))},
        hidden=("Lists",),
        inside='<definedNames><definedName name="Levels">Lists!$A$1:$A$2</definedName></definedNames>',
    )
    allowed = {place: field.allowed for place, field in by_place(content).items()}
    assert allowed == {"B1": ("Yes", "No", "Partly"), "B2": ("High", "Low"), "B3": ("High", "Low")}


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("question", "answer", "limit"),
    [
        ("Anforderung", "Bieterantwort (max. 1.000 Zeichen)", Limit(1000, Unit.CHARACTERS)),
        ("Exigence", "Réponse (200 mots maximum)", Limit(200, Unit.WORDS)),
        ("Criterion", "Supplier response - word limit: 300", Limit(300, Unit.WORDS)),
    ],
)
def test_headers_are_read_in_three_languages(question: str, answer: str, limit: Limit) -> None:
    fields = find_fields(workbook({"S": sheet(rows(f"{question} | {answer}", "Backup", "Restore"))}))
    assert [(field.place, field.question, field.limit) for field in fields] == [
        ("S!B2", "Backup", limit),
        ("S!B3", "Restore", limit),
    ]


@pytest.mark.parametrize(
    "words", ["at least 100 words", "mindestens 100 Wörter", "100 words minimum", "year 2026", "Part 3"]
)
def test_a_least_length_is_no_limit(words: str) -> None:
    [field] = find_fields(workbook({"S": sheet(rows(f"Approach, {words}:"))}))
    assert field.limit is None


@pytest.mark.req("L7")
def test_ids_stay_when_rows_come_in_before() -> None:
    first = workbook({"S": sheet(rows("Question | Answer", "Backup?", "Restore?"))})
    later = workbook({"S": sheet(rows("Question | Answer", "New?", "Backup?", "Restore?"))})
    before, after = ({f.question: f.id for f in find_fields(content)} for content in (first, later))
    assert before.items() <= after.items()
    assert len(set(after.values())) == 3


@pytest.mark.req("L7")
def test_a_box_that_was_merged_beside_a_name_or_below_a_label_waits_for_what_they_name() -> None:
    merged = ("B1:D1", "B2:D2", "B3:D3", "A6:D9")
    cells = "".join(f'<mergeCell ref="{area}"/>' for area in merged)
    form = workbook({
        "Form": sheet(
            row(1, text("A1", "Company"), empty("B1", 3)),
            row(2, text("A2", "A heading", 4), empty("B2", 4)),
            row(3, text("A3", "Nothing shows it as a box"), empty("B3")),
            row(5, text("A5", "Comments:"), empty("B5")),
            row(6, empty("A6", 3)),
            row(11, text("A11", "Contact:"), empty("B11")),
            after=f'<mergeCells count="{len(merged)}">{cells}</mergeCells>',
        )
    })  # fmt: skip
    found = {field.place: (field.question, field.confidence) for field in find_fields(form)}
    assert found == {
        "Form!B1": ("Company", 0.6), "Form!A6": ("Comments", 0.85), "Form!B11": ("Contact", 0.65)
    }  # fmt: skip


def shown(content: bytes, *places: str) -> list[str | None]:
    return [cell(content, place).findtext(".//{*}t") for place in places]


@pytest.mark.req("B3")
def test_columns_to_be_crossed_are_one_choice_and_a_comment_is_another_field() -> None:
    head = "No. | Question | Yes | No | N/A | Comment"
    form = workbook({"Security": sheet(rows(head, "A1 | Do you log?", "A2 | Do you test?"))})
    choice = ("Yes", "No", "N/A")
    allowed = {place: field.allowed for place, field in by_place(form).items()}
    assert allowed == {"C2": choice, "F2": (), "C3": choice, "F3": ()}
    done = filled(form, {"C2": "no", "F3": "Twice a year."})
    assert shown(done, "D2", "F3") == ["X", "Twice a year."]
    assert b'r="C2"' not in parts_of(done)[PART]


@pytest.mark.req("B3")
def test_boxes_that_are_drawn_in_a_cell_are_checked_there() -> None:
    form = workbook({"A": sheet(rows("Insured? | ☐ Yes ☐ No"), rows("☐ We agree", first=3))})
    assert [(one.question, one.kind, one.allowed) for one in by_place(form).values()] == [
        ("Insured?", Kind.CHOICE, ("Yes", "No")),
        ("We agree", Kind.CHECKBOX, ()),
    ]
    assert shown(filled(form, {"B1": "No", "A3": "yes"}), "B1", "A3") == ["☐ Yes ☒ No", "☒ We agree"]


@pytest.mark.req("B3")
def test_heads_of_columns_to_be_crossed_may_stand_below_one_for_all_and_their_cells_may_have_boxes() -> None:
    form = workbook({"A": sheet(rows("Requirement | Answer | - | Comment", "- | Yes | No", "Logs | ☐ | ☐"))})
    assert {place: one.allowed for place, one in by_place(form).items()} == {"B3": ("Yes", "No"), "D3": ()}
    assert shown(filled(form, {"B3": "No"}), "B3", "C3") == ["☐", "☒"]
