"""What code sees of a draft."""

import pytest
from stemma_generation_graph.evaluating import run_checks
from stemma_models.prompting import block


@pytest.mark.parametrize(
    ("draft", "passed"),
    [
        ("# Plan\n\n## What it takes\n\nTime.\n", True),
        ("# Plan\n\n## *What* it  TAKES ##\n\nTime.\n", True),
        ("# Plan\n\nWhat it takes\n---\n\nTime.\n", True),
        ("# Plan\n\n```\n## What it takes\n```\n", False),
        ("# Plan\n\n- ## What it takes\n", False),
        ("# Plan\n\nWhat it takes\n", False),
        ("# Plan\n\n## What it takes\n\n## Who does it\n\nWe.\n", False),
    ],
)
def test_a_required_heading_is_there_however_it_is_written_and_nothing_else_is_one(draft: str, passed: bool) -> None:
    found = run_checks(block("headings", "- What it takes"), draft)
    assert [check.passed for check in found if check.check == "required_headings"] == [passed]


@pytest.mark.parametrize(
    "required", ["Use of `pip`", "Kosten *netto*", "A <T> b", "Costs &amp; x", r"A \* b", "[Site](site.md)"]
)
def test_a_required_heading_with_markup_is_there_as_it_is_written(required: str) -> None:
    material = block("headings", f"- {required}\n- What it takes")
    found = run_checks(material, f"# Plan\n\n## {required}\n\nTime.\n\n## *What* it takes\n\nMen.\n")
    assert found[0].passed


@pytest.mark.req("L7")
def test_answers_in_a_form_of_the_buyer_need_not_name_the_inputs_and_other_texts_have_to() -> None:
    material, draft = block("evidence", "Backups are made.", name="facts.md"), "# Form\n\nBackups are made.\n"
    failed = {False: ["inputs_cited"], True: list[str]()}
    for answers_form, expected in failed.items():
        found = run_checks(material, draft, answers_form=answers_form)
        assert [check.check for check in found if not check.passed] == expected
