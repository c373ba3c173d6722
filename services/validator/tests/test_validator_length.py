"""How long a section, and an answer to a form, may be."""

import pytest
from stemma_validator.structure import StructureCheck, long_answers, too_long

DRAFT = """# A title that does not count

One two **three** [four](https://example.org/five/six).

## Seven eight

| nine | ten |
|---|---|
| eleven | EUR 4,250 |

![twelfth-word](plan.png)
"""


@pytest.mark.req("P19")
@pytest.mark.parametrize("text", [DRAFT, "\u76ee\u5f55\u641c\u7d22\u3002" * 3, "\u304b\u306a\u6f22\u5b57\u3002" * 3])
def test_finds_a_section_with_more_words_than_its_limit_and_counts_characters_where_no_spaces_stand(text: str) -> None:
    (issue,) = too_long(text, 11)
    assert (issue.rule, issue.line_number) == ("limits/words", 0)
    assert issue.message == "12 words, at most 11: shorten it by 1"
    assert [*too_long(text, 12), *too_long(text, None)] == []


FORM = """# Form

## f-0123456789: Who are you (max. 3 words)?

One *two*.

Three four.

## f-abcdef0123: Where?

Here, and there, and anywhere.
"""


@pytest.mark.req("L7")
def test_finds_an_answer_that_is_longer_than_the_form_allows_and_no_text_that_answers_none() -> None:
    (issue,) = long_answers(FORM)
    assert (issue.rule, issue.line_number) == ("limits/answer", 3)
    assert issue.message == "f-0123456789: 4 words, at most 3: shorten it by 1"
    assert issue in StructureCheck(text=FORM).run()
    assert list(long_answers(FORM.replace("four.", ""))) == []
    assert list(long_answers(FORM.replace("f-0123456789: ", ""))) == []
