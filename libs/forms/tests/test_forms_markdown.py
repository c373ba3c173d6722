"""Answers as a text with a heading for each field."""

import pytest
from forms_made import control, document, parts_of, table
from stemma_forms import answers_in, as_markdown, fill, find_fields, too_long_answers, unaccepted_answers

FORM = document(table(("Who *leads* [it]?", ""), ("When:", ""), ("Where:", "")))


@pytest.mark.req("L7")
def test_fields_become_headings_and_their_answers_are_found_again() -> None:
    fields = find_fields(FORM)
    text = as_markdown(fields, {fields[0].id: "Ann **Lee**.", fields[1].id: "May"})
    assert text.startswith(f"### {fields[0].id}: Who \\*leads\\* \\[it\\]?\n\nAnn **Lee**.\n\n### {fields[1].id}: When")
    assert answers_in(text) == {fields[0].id: "Ann Lee.", fields[1].id: "May"}
    assert b"Ann Lee." in parts_of(fill(FORM, answers_in(text)))["word/document.xml"]


@pytest.mark.req("L7")
def test_an_answer_is_the_words_of_its_blocks() -> None:
    answer = "One *two*\nthree.\n\n- a\n- b\n\n3. c\n   - e\n4. d\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    text = f"# Form\n\nNot an answer.\n\n### f-0123456789: Who?\n\n{answer}\n## Other\n\nNor this.\n"
    assert answers_in(text) == {"f-0123456789": "One two three.\n- a\n- b\n3. c\n- e\n4. d\nx | y\n1 | 2"}


def test_no_fields_are_no_text() -> None:
    assert as_markdown(()) == ""
    assert answers_in("Only words, and f-0123456789 among them.") == {}


@pytest.mark.req("L7")
def test_a_heading_says_how_long_the_answer_may_be() -> None:
    [field] = find_fields(document(table((f"{'Describe your backups. ' * 8}(max. 5 words):", ""))))
    text = as_markdown([field], {field.id: "one two three four five six"})
    assert text.splitlines()[0].endswith("… (max. 5 words)")
    [found] = too_long_answers(text)
    assert (found.line, found.field_id, found.limit, found.length) == (1, field.id, field.limit, 6)


@pytest.mark.req("L7")
def test_answers_that_a_field_does_not_accept_are_told_with_the_reason_and_those_that_it_does_are_not() -> None:
    items = "".join(f'<w:listItem w:displayText="{name}" w:value="{name}"/>' for name in ("North", "South"))
    listed = f"<w:dropDownList>{items}</w:dropDownList>"
    form = document(
        table(("Region:", control(listed, "Choose...")), ("Start:", control("<w:date/>", "")), ("Who:", "Ann"))
    )
    region, start = find_fields(form)

    def reasons(*given: str) -> list[tuple[int, str, str]]:
        text = as_markdown([region, start], dict(zip((region.id, start.id), given, strict=True)))
        return [
            (one.line, one.field_id, f"{one.kind}: {one.answer} {one.choices}".strip())
            for one in unaccepted_answers(text, [region, start])
        ]

    assert reasons("West", "in May") == [
        (1, region.id, 'choice: "West" "North", "South"'),
        (5, start.id, 'date: "in May"'),
    ]
    assert reasons("south", "2027-05-03") == reasons("", "") == []
