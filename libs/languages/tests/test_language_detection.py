"""The language of short briefs, as people write them: with names, amounts and technical words of English."""

from pathlib import Path

import pytest
from stemma_languages import detect, foreign

BRIEFS = [line.split(" ", 1) for line in Path(__file__).with_name("briefs.txt").read_text().splitlines()]


@pytest.mark.req("T5")
@pytest.mark.parametrize(("tag", "brief"), BRIEFS)
def test_tells_the_language_of_a_short_brief(tag: str, brief: str) -> None:
    text = brief.replace("\\n", "\n")
    assert (detect(text), foreign(text)) == (tag, None)


@pytest.mark.parametrize("text", ["", " \n", "12 34", "---", "A garden.", "hello", "x", "Test", "brief"])
def test_takes_a_text_that_does_not_say_enough_for_english(text: str) -> None:
    assert (detect(text), foreign(text)) == ("en", None)


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("tag", "brief"),
    [
        ("sv", "Skriv ett förslag till en läsesal i stadsbiblioteket. Budget 4 250 euro."),
        ("pl", "Napisz ofertę na czytelnię w bibliotece miejskiej. Budżet 4250 euro."),
        ("ko", "도서관 열람실 제안서를 작성하세요."),
    ],
)
def test_names_a_language_that_has_no_file(tag: str, brief: str) -> None:
    assert foreign(brief) == tag


def test_looks_at_the_beginning_of_a_long_text() -> None:
    assert detect("Das ist der Anfang. " * 1_000 + "This is the end. " * 100_000) == "de"
