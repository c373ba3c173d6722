"""Texts in parts, and what of one text another one changed."""

import pytest
from stemma_markdown import changed_parts, headings, parts

OLD = (
    "# Scope\n\nThe pilot starts in May.\nIt lasts a year.\n\n- ten clinics\n- two vans\n\n"
    "| Item | Cost |\n|---|---|\n| Van | 100 |\n"
)


def changed(old: str, new: str) -> list[str]:
    before = parts(old)
    touched = changed_parts(before, parts(new))
    return [part.text for part in before if part.fingerprint in touched]


@pytest.mark.req("I4")
def test_paragraphs_items_and_rows_are_parts_and_rules_are_none() -> None:
    assert [(part.text, part.line) for part in parts(OLD)] == [
        ("Scope", 1),
        ("The pilot starts in May. It lasts a year.", 3),
        ("ten clinics", 6),
        ("two vans", 7),
        ("Item Cost", 9),
        ("Van 100", 11),
    ]


@pytest.mark.req("I4")
def test_lines_of_parts_count_as_those_of_headings_do() -> None:
    text = "One.\x0c\n\nTwo.\u2028Three.\r\n\r\n# Scope\n"
    assert [(part.text, part.line) for part in parts(text)] == [("One.", 1), ("Two. Three.", 3), ("Scope", 5)]
    assert [heading.line for heading in headings(text)] == [5]


@pytest.mark.req("I4")
def test_values_in_lines_are_a_part_each() -> None:
    assert [part.text for part in parts("a,1\nb,2\n\nc,3\n", by_line=True)] == ["a,1", "b,2", "c,3"]


@pytest.mark.req("I4")
def test_other_looks_change_nothing() -> None:
    other = (
        "## SCOPE\n\nThe *pilot* starts in May. It\nlasts a   year.\n\n* ten clinics\n1. two vans\n\n"
        "|Item|Cost|\n|:--|--:|\n|Van|100|\n"
    )
    assert changed(OLD, other) == []


@pytest.mark.req("I4")
@pytest.mark.parametrize(
    ("new", "touched"),
    [
        (OLD.replace("May", "June"), ["The pilot starts in May. It lasts a year."]),
        (OLD.replace("- two vans\n", ""), ["two vans"]),
        (OLD.replace("| Van | 100 |\n", "| Van | 100 |\n| Boat | 7 |\n"), ["Van 100"]),
        (OLD.replace("- ten clinics\n- two vans\n", "- two vans\n- ten clinics\n"), []),
        ("", [part.text for part in parts(OLD)]),
    ],
)
def test_what_changed_is_gone_or_has_more_below_it_and_what_moved_is_not(new: str, touched: list[str]) -> None:
    assert changed(OLD, new) == touched


def test_a_text_of_one_long_line_of_marks_is_taken_apart_quickly() -> None:
    assert len(parts("- " * 200_000)) <= 1
