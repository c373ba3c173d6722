"""What code sees of a draft."""

from __future__ import annotations

import pytest
from stemma_generation_graph.writing.checking import checked
from stemma_models.prompting import block
from stemma_testkit.counting import calls

BRIEF = "\n\n".join(f"Hall {number} holds {number} beds. Describe the plan of hall {number}." for number in range(60))


def test_what_a_brief_asks_is_read_once_for_all_sections_of_a_document() -> None:
    checked(block("brief", "What a first text costs, such as a model of languages, is paid."), "# Plan\n")
    material = block("brief", f"{BRIEF} Name no prices.")
    first = calls(lambda: checked(material, "# Plan\n\nTwo halls are planned.\n"))
    following = calls(lambda: checked(material, "# Budget\n\nDescribe the plan of hall 7.\n"))
    assert following < first / 5
    assert [check.detail for check in checked(material, "# Budget\n\nDescribe the plan of hall 7.\n")][-1] == (
        "1 of 61 instructions stand in the text"
    )


@pytest.mark.req("L7")
def test_answers_in_a_form_of_the_buyer_need_not_name_the_inputs_and_other_texts_have_to() -> None:
    material, draft = block("input", "Backups are made.", name="facts.md"), "# Form\n\nBackups are made.\n"
    failed = {False: ["inputs_cited"], True: list[str]()}
    for answers_form, expected in failed.items():
        found = checked(material, draft, answers_form=answers_form)
        assert [check.check for check in found if not check.passed] == expected
