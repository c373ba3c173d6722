"""Limits of words and pages as requests name them."""

import pytest
from stemma_languages import asks_for_a_form, limits_in


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("at most 2 pages", (None, 2)),
        ("must not exceed 1,500 words", (1500, None)),
        ("höchstens 500 Wörter und maximal 2 Seiten", (500, 2)),
        ("3 pages au plus", (None, 3)),
        ("máximo 4 páginas", (None, 4)),
        ("(max. 4 pages)", (None, 4)),
        ("no máximo 300 palavras", (300, None)),
        ("800字以内", (800, None)),
        ("不超过2页", (None, 2)),
        ("seven (7) or fewer pages", (None, None)),
        ("is included as part of your 9-page limitation", (None, None)),
        ("Section 500 words", (None, None)),
    ],
)
def test_reads_a_limit_and_nothing_else(text: str, limits: tuple[int | None, int | None]) -> None:
    assert limits_in(text) == limits


def test_knows_the_headings_of_requests_in_every_language() -> None:
    headings = [
        "4.01 Proposal Format",
        "Gliederung des Angebots",
        "Contenu de l’offre",
        "提案書の構成",
        "投标文件的组成",
    ]
    assert [asks_for_a_form(heading) for heading in headings] == [True] * 5
    assert not asks_for_a_form("Background")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["1" * 500_000, "1 " * 250_000, "max " * 100_000 + "1"])
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert limits_in(text) == (None, None)
