"""Forms in text documents: where an answer is wanted, what is accepted, and how it is written."""

import pytest
from forms_made import W, control, document, form_field, paragraph, parts_of, relations, table
from lxml import etree
from stemma_forms import AnswersRefused, Field, Kind, Limit, Unit, fill, find_fields, unsupported

PART = "word/document.xml"
PLACEHOLDER = '<w:r><w:rPr><w:rStyle w:val="PlaceholderText"/></w:rPr><w:t>Click to enter.</w:t></w:r>'
NAME = (
    '<w:sdt><w:sdtPr><w:rPr><w:i/></w:rPr><w:alias w:val="Legal name"/><w:showingPlcHdr/><w:dataBinding w:xpath="/x"/>'
    f"<w:text/></w:sdtPr><w:sdtContent>{PLACEHOLDER}</w:sdtContent></w:sdt>"
)
LEVEL = (
    '<w:dropDownList><w:listItem w:displayText="Choose an item." w:value=""/><w:listItem w:displayText="High" '
    'w:value="h"/><w:listItem w:displayText="Low" w:value="l"/></w:dropDownList><w:showingPlcHdr/>'
)
BOX = '<w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/></w14:checkbox>'
DAY = '<w:date><w:dateFormat w:val="dd.MM.yyyy"/></w:date><w:showingPlcHdr/>'
CONTROLS = document(
    paragraph(inside=NAME),
    paragraph("Level: ", inside=control(LEVEL, "Choose an item.")),
    paragraph("Are you certified?"),
    paragraph(inside="".join(f"{control(BOX, '☐')}<w:r><w:t> {name}</w:t></w:r>" for name in ("ISO 27001 ", "SOC 2"))),
    paragraph("Start: ", inside=control(DAY, "Click to enter a date.")),
    paragraph("Fixed: ", inside=control('<w:lock w:val="sdtContentLocked"/><w:showingPlcHdr/>', "Do not enter")),
    paragraph("Written: ", inside=control("<w:text/>", "by the buyer")),
)  # fmt: skip


def by_question(content: bytes) -> dict[str, Field]:
    return {field.question: field for field in find_fields(content)}


def filled(content: bytes, answers: dict[str, str]) -> etree._Element:
    fields = by_question(content)
    done = fill(content, {fields[question].id: answer for question, answer in answers.items()})
    return etree.fromstring(parts_of(done)[PART])


def lines(root: etree._Element) -> list[str]:
    return ["".join(_shown(node) for node in p.iter()) for p in root.iter(f"{{{W}}}p")]


def _shown(node: etree._Element) -> str:
    return "/" if node.tag == f"{{{W}}}br" else (node.text or "") if node.tag == f"{{{W}}}t" else ""


@pytest.mark.req("L7")
def test_a_header_may_have_a_remark_below_its_words() -> None:
    item = paragraph("Item description, noun first") + paragraph(f"Include manufacturer and part number, {'x' * 60}")
    form = document(table(("No.", item, "Price per unit"), ("1", "Lip balm, 12 pieces", ""), ("2", "Shampoo", "")))
    assert [field.question for field in find_fields(form)] == ["1 Lip balm, 12 pieces", "2 Shampoo"]


@pytest.mark.req("L7")
def test_a_question_over_two_columns_is_answered_in_the_column_of_answers() -> None:
    asked, wide = paragraph("Backups"), '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    rows = table(("Question", "Remark", "Answer"), ("Backups", "")).replace(f"<w:tcPr/>{asked}", wide + asked)
    assert [(field.question, field.confidence) for field in find_fields(document(rows))] == [("Backups (Answer)", 0.9)]


@pytest.mark.req("L7")
def test_a_colon_in_a_cell_of_its_own_divides_no_label_from_its_blank() -> None:
    form = document(table(("Bidder",), ("Name", ":", ""), ("Telephone", ":", "")), paragraph("Signed by: ____"))
    assert list(by_question(form)) == ["Bidder Name", "Bidder Telephone", "Signed by"]
    written = lines(filled(form, {"Bidder Name": "Northwind Ltd"}))
    assert written == ["Bidder", "Name", ":", "Northwind Ltd", "Telephone", ":", "", "Signed by: ____"]


@pytest.mark.req("L7")
def test_content_controls_are_found_with_what_they_accept() -> None:
    fields = by_question(CONTROLS)
    assert list(fields) == [
        "Legal name",
        "Level",
        "Are you certified?: ISO 27001",
        "Are you certified?: SOC 2",
        "Start",
    ]
    assert fields["Level"].allowed == ("High", "Low")
    kinds = [field.kind for field in fields.values()]
    assert kinds == [Kind.TEXT, Kind.CHOICE, Kind.CHECKBOX, Kind.CHECKBOX, Kind.DATE]


@pytest.mark.req("L7")
def test_content_controls_are_filled_as_word_fills_them() -> None:
    answers = {"Legal name": "Acme\nLtd", "Level": "low", "Are you certified?: SOC 2": "yes", "Start": "2026-11-24"}
    root = filled(CONTROLS, answers)
    assert lines(root)[:5] == [
        "Acme/Ltd",
        "Level: Low",
        "Are you certified?",
        "☐ ISO 27001 ☒ SOC 2",
        "Start: 24.11.2026",
    ]
    first = root.find(f".//{{{W}}}sdt")
    assert first is not None
    assert first.find(f".//{{{W}}}showingPlcHdr") is None
    assert first.find(f".//{{{W}}}dataBinding") is None
    assert first.find(f".//{{{W}}}rStyle") is None
    assert len(first.findall(f"{{{W}}}sdtContent/{{{W}}}r/{{{W}}}rPr/{{{W}}}i")) == 1
    assert [box.get(f"{{{box.nsmap['w14']}}}val") for box in root.iter("{*}checked")] == ["0", "1"]


@pytest.mark.req("L7")
def test_older_form_fields_are_found_and_filled() -> None:
    content = document(
        paragraph("Name: ", inside=form_field('<w:textInput><w:maxLength w:val="8"/></w:textInput>', "     ")),
        paragraph("Size: ", inside=form_field('<w:ddList><w:listEntry w:val="S"/><w:listEntry w:val="M"/></w:ddList>')),
        paragraph(inside=form_field("<w:checkBox/>") + "<w:r><w:t> I agree</w:t></w:r>"),
    )  # fmt: skip
    fields = by_question(content)
    assert {q: (f.kind, f.limit) for q, f in fields.items()} == {
        "Name": (Kind.TEXT, Limit(8, Unit.CHARACTERS)),
        "Size": (Kind.CHOICE, None),
        "I agree": (Kind.CHECKBOX, None),
    }
    root = filled(content, {"Name": "Acme", "Size": "M", "I agree": "ja"})
    assert lines(root) == ["Name: Acme", "Size: ", " I agree"]
    assert root.find(f".//{{{W}}}ddList/{{{W}}}result").get(f"{{{W}}}val") == "1"  # type: ignore[union-attr]
    assert root.find(f".//{{{W}}}checkBox/{{{W}}}checked").get(f"{{{W}}}val") == "1"  # type: ignore[union-attr]
    assert len(root.findall(f".//{{{W}}}r/{{{W}}}rPr/{{{W}}}b")) == 1


@pytest.mark.req("L7")
def test_a_list_of_nothing_that_can_be_chosen_is_no_field_for_text() -> None:
    content = document(paragraph("Size: ", inside=form_field('<w:ddList><w:listEntry w:val=""/></w:ddList>')))
    [field] = by_question(content).values()
    assert (field.kind, field.allowed) == (Kind.CHOICE, ())


@pytest.mark.req("L7")
def test_free_cells_lines_and_placeholders_are_found_and_filled() -> None:
    content = document(
        paragraph("Your company", style="H1"),
        table(("Name:", ""), ("Address", ""), ("Given", "by us")),
        table(("Anforderung", "Antwort (max. 5 Wörter)"), ("Datensicherung", ""), ("Notfall", "")),
        paragraph("Contact: ______________ Phone: ........................"),
        paragraph("We, [insert legal name], will be called <Bidder>. <Bidder> signs [1] for €5 < €6 > €4."),
        paragraph("How do you staff the project?"),
        paragraph(),
        paragraph("What does it cost? (max 20 words)"),
        paragraph("________________________________"),
        paragraph("________________________________"),
        paragraph("Signature: ____________"),
    )  # fmt: skip
    fields = by_question(content)
    assert list(fields) == [
        "Name", "Address", "Datensicherung", "Notfall", "Contact", "Phone", "insert legal name", "Bidder",
        "How do you staff the project?", "What does it cost? (max 20 words)", "Signature",
    ]  # fmt: skip
    assert {field.group for field in fields.values()} == {"Your company"}
    assert fields["Notfall"].limit == Limit(5, Unit.WORDS)
    assert fields["What does it cost? (max 20 words)"].limit == Limit(20, Unit.WORDS)
    assert fields["Signature"].confidence < 0.5
    done = lines(filled(content, {question: f"«{number}»" for number, question in enumerate(fields)}))
    assert done == [
        "Your company", "Name:", "«0»", "Address", "«1»", "Given", "by us", "Anforderung", "Antwort (max. 5 Wörter)",
        "Datensicherung", "«2»", "Notfall", "«3»", "Contact: «4» Phone: «5»",
        "We, «6», will be called «7». «7» signs [1] for €5 < €6 > €4.", "How do you staff the project?", "«8»",
        "What does it cost? (max 20 words)", "«9»", "", "Signature: «10»",
    ]  # fmt: skip


@pytest.mark.req("L7")
def test_a_placeholder_over_several_runs_keeps_the_formatting_of_its_first() -> None:
    runs = "".join(
        f'<w:r><w:rPr><w:{mark}/></w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'
        for mark, words in (("i", "To [ins"), ("b", "ert "), ("u", "name], hello"))
    )
    root = filled(document(paragraph(inside=runs)), {"insert name": "Ann\nLee"})
    assert lines(root) == ["To Ann/Lee, hello"]
    assert root.find(f".//{{{W}}}i/../../{{{W}}}br") is not None
    assert root.find(f".//{{{W}}}u/../../{{{W}}}t").text == ", hello"  # type: ignore[union-attr]


@pytest.mark.req("L7")
def test_prose_asks_for_nothing() -> None:
    content = document(
        paragraph("What is this?"),
        paragraph(),
        paragraph("It is an introduction that goes on."),
        paragraph("The team consists of:"),
        paragraph("two people [see the annex], and <b> is no tag."),
        paragraph("Introduction ............................ 5"),
        table(("Year", "Sum"), ("2025", "12"), ("2026", "14")),
    )
    assert find_fields(content) == ()


def test_deleted_text_is_not_read() -> None:
    deleted = '<w:del w:id="1"><w:r><w:delText>[insert name]</w:delText></w:r></w:del>'
    assert find_fields(document(paragraph("Text", inside=deleted))) == ()


@pytest.mark.req("L7")
def test_an_answer_that_a_box_does_not_accept_is_refused() -> None:
    with pytest.raises(AnswersRefused, match="is not yes or no"):
        filled(CONTROLS, {"Are you certified?: SOC 2": "perhaps"})


def test_questions_that_are_equal_have_ids_of_their_own() -> None:
    content = document(table(("Name:", ""), ("Role:", "")), table(("Name:", ""), ("Role:", "")))
    assert len({field.id for field in find_fields(content)}) == 4


@pytest.mark.req("L7")
def test_a_limit_in_a_table_is_none_of_what_stands_behind_it() -> None:
    form = document(
        table(("Who are you (max. 40 words)?", "")),
        paragraph("We declare that [Company Name] agrees."),
        paragraph("Date: ________"),
    )
    assert [field.limit.most if field.limit else None for field in find_fields(form)] == [40, None, None]


@pytest.mark.req("B3")
def test_boxes_that_are_drawn_as_characters_are_one_choice_or_one_box_and_nothing_else_changes() -> None:
    form = document(
        paragraph("Do you use subcontractors?  ☐ Yes  ☐ No"),
        paragraph("☐ We accept the terms."),
        paragraph("Do you store data abroad?"),
        paragraph("☐ Yes ☒ No"),
    )
    fields = by_question(form)
    assert [(name, field.kind, field.allowed) for name, field in fields.items()] == [
        ("Do you use subcontractors?", Kind.CHOICE, ("Yes", "No")),
        ("We accept the terms", Kind.CHECKBOX, ()),
        ("Do you store data abroad?", Kind.CHOICE, ("Yes", "No")),
    ]
    done = filled(form, dict(zip(fields, ("No", "yes", "Yes"), strict=True)))
    assert lines(done)[:2] == ["Do you use subcontractors?  ☐ Yes  ☒ No", "☒ We accept the terms."]
    assert lines(done)[3] == "☒ Yes ☐ No"
    assert parts_of(fill(form, {}))[PART] == parts_of(form)[PART]


@pytest.mark.req("B3")
def test_columns_of_yes_and_no_are_one_choice_that_crosses_or_checks_one_cell() -> None:
    head = ("No.", "Requirement", "Ja / Yes", "Nein / No", "n/a", "Remark")
    form = document(table(head, ("1", "Backups", "", "", "", ""), ("2", "Logs", "☐", "☐", "☐", "")))
    backups, remark, logs, _ = find_fields(form)
    assert [(one.question, one.allowed) for one in (backups, logs)] == [
        ("1 Backups", ("Ja / Yes", "Nein / No", "n/a")),
        ("2 Logs", ("Ja / Yes", "Nein / No", "n/a")),
    ]
    assert remark.question == "1 Backups (Remark)"
    done = etree.fromstring(parts_of(fill(form, {backups.id: "Nein / No", logs.id: "n/a"}))[PART])
    assert lines(done)[6:] == ["1", "Backups", "", "X", "", "", "2", "Logs", "☐", "☐", "☒", ""]


@pytest.mark.req("B3")
def test_a_request_for_a_text_below_which_no_line_is_left_gets_a_paragraph_of_its_own() -> None:
    form = document(
        paragraph("Beschreiben Sie Ihre Datensicherung"),
        paragraph("Outline the project team (limit 500 characters)"),
        paragraph("Are you insured? ☐ Yes ☐ No"),
        paragraph("Describe your training."),
        paragraph("We look forward to your bid."),
    )
    fields = by_question(form)
    assert [(name, field.limit) for name, field in fields.items()] == [
        ("Beschreiben Sie Ihre Datensicherung", None),
        ("Outline the project team (limit 500 characters)", Limit(500, Unit.CHARACTERS)),
        ("Are you insured?", None),
    ]
    done = lines(filled(form, {"Outline the project team (limit 500 characters)": "Ada\nBo"}))
    assert done[1:3] == ["Outline the project team (limit 500 characters)", "Ada/Bo"]
    assert len(done) == 6


@pytest.mark.req("B3")
def test_what_waits_outside_of_the_text_is_named_by_its_place() -> None:
    head = f'<w:hdr xmlns:w="{W}">{paragraph("Bidder: [insert name]")}</w:hdr>'
    text_box = f"<w:r><w:pict><w:txbxContent>{paragraph('Stamp: ______')}</w:txbxContent></w:pict></w:r>"
    related = relations(("styles", "styles.xml"), ("header", "header1.xml"))
    others = {"word/header1.xml": head, "word/_rels/document.xml.rels": related}
    form = document(paragraph("Name: ____"), paragraph(inside=text_box), others=others)
    assert unsupported(form) == (
        ("header", "a placeholder: insert name"),
        ("text box 1", "a placeholder: Stamp: ______"),
    )


@pytest.mark.req("B3")
def test_heads_of_columns_to_be_crossed_may_stand_below_one_for_all_of_them() -> None:
    wide, goes_on = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>"
    cells = (
        f"<w:tc>{paragraph('Requirement')}</w:tc><w:tc>{wide}{paragraph('Answer')}</w:tc>",
        f"<w:tc>{goes_on}{paragraph()}</w:tc><w:tc>{paragraph('Yes')}</w:tc><w:tc>{paragraph('No')}</w:tc>",
        f"<w:tc>{paragraph('Backups')}</w:tc><w:tc>{paragraph()}</w:tc><w:tc>{paragraph()}</w:tc>",
    )
    form = document(f"<w:tbl>{''.join(f'<w:tr>{inside}</w:tr>' for inside in cells)}</w:tbl>")
    assert [(one.question, one.allowed) for one in find_fields(form)] == [("Backups", ("Yes", "No"))]
    assert lines(filled(form, {"Backups": "no"}))[-3:] == ["Backups", "", "X"]


@pytest.mark.req("B3")
def test_boxes_of_the_font_wingdings_are_checked_in_that_font() -> None:
    box = '<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r><w:r><w:t xml:space="preserve"> {} </w:t></w:r>'
    form = document(paragraph("Insured? ", inside=box.format("Yes") + box.format("No")))
    done = filled(form, {"Insured?": "No"})
    assert [symbol.get(f"{{{W}}}char") for symbol in done.iter(f"{{{W}}}sym")] == ["F0A8", "F0FE"]
