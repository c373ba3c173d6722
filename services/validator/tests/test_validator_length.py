"""How long a section may be."""

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


def words_of(text: str, limit: int) -> list[str]:
    return [issue.message for issue in too_long(text, limit)]


@pytest.mark.req("P19")
def test_finds_a_section_with_more_words_than_its_limit() -> None:
    (issue,) = too_long(DRAFT, 11)
    assert (issue.rule, issue.line_number) == ("limits/words", 0)
    assert issue.message == "12 words, at most 11: shorten it by 1"


@pytest.mark.req("P19")
def test_stays_quiet_up_to_the_limit_and_without_one() -> None:
    assert words_of(DRAFT, 12) == []
    assert list(too_long(DRAFT, None)) == []


@pytest.mark.req("P19")
@pytest.mark.parametrize("text", ["\u76ee\u5f55\u641c\u7d22\u3002", "\u304b\u306a\u6f22\u5b57\u3002"])
def test_chinese_and_japanese_count_by_characters(text: str) -> None:
    assert words_of(text, 4) == []
    assert words_of(text, 3) == ["4 words, at most 3: shorten it by 1"]


FORM = """# Form

## f-0123456789: Who are you (max. 3 words)?

One *two*.

Three four.

## f-abcdef0123: Where?

Here, and there, and anywhere.
"""


@pytest.mark.req("L7")
def test_finds_an_answer_that_is_longer_than_the_form_allows() -> None:
    (issue,) = long_answers(FORM)
    assert (issue.rule, issue.line_number) == ("limits/answer", 3)
    assert issue.message == "f-0123456789: 4 words, at most 3: shorten it by 1"
    assert issue in StructureCheck(text=FORM).run()


@pytest.mark.req("L7")
def test_a_limit_of_an_answer_is_no_limit_of_a_text_that_answers_no_form() -> None:
    assert list(long_answers(FORM.replace("four.", ""))) == []
    assert list(long_answers(FORM.replace("f-0123456789: ", ""))) == []
