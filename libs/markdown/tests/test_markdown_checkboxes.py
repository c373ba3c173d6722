"""What of a form with options says something."""

import pytest
from stemma_markdown import plain, without_unticked

pytestmark = pytest.mark.req("T3")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("Choose:\n\n- [ ] Pay 500\n- [x] Pay 700\n- [X] Pay 800\n", "Choose:\nPay 700\nPay 800"),
        ("1. [ ] Pay 500\n   more of it\n\n   - in May\n\n2. Pay 700\n", "Pay 700"),
        ("- Kind\n    - [ ] Pay 500\n    - [x] Pay 700\n", "Kind\nPay 700"),
        ("> - [ ] Pay 500\n>   more\n> - [x] Pay 700\n\nEnd.\n", "Pay 700\nEnd."),
        ("☐ Pay 500 ☒ Pay 700\n", "☒ Pay 700"),
        ("□ Pay 500\n■ Pay 700\n", "■ Pay 700"),
        ("[ ] Pay 500\n[x] Pay 700\n", "Pay 700"),
    ],
)
def test_of_options_those_that_are_ticked_are_said(form: str, said: str) -> None:
    assert plain(without_unticked(form)) == said
    assert without_unticked(form).count("\n") == form.count("\n")


@pytest.mark.parametrize("text", ["| a | ☐ |\n|---|---|\n| ☐ yes | [ ] |\n", "```\n- [ ] a\n```\n", "See [ ] there.\n"])
def test_tables_code_and_empty_brackets_in_a_sentence_stay(text: str) -> None:
    assert without_unticked(text) == text


def test_very_many_options_are_read_in_time() -> None:
    assert without_unticked("- [ ] a\n" * 20_000).strip() == ""
    assert without_unticked("☐ a\n" * 20_000).strip() == ""
