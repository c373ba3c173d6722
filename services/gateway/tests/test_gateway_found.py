"""What was found in a text is told in the language of the desk as far as its words are ours."""

from __future__ import annotations

import pytest
from stemma_client.findings import Finding
from stemma_gateway.desk.shell import Told, name_of, told

pytestmark = pytest.mark.req("H4")


@pytest.mark.parametrize(
    ("finding", "german"),
    [
        (
            Finding("lint", "STEMMA004", "Costs", line=3),
            Told("STEMMA004", "Eine verlangte Überschrift fehlt", "Costs", False, 3),
        ),
        (
            Finding("lint", "STEMMA001", "The draft is empty", line=1),
            Told("STEMMA001", "Der Text ist leer", "", False, 1),
        ),
        (
            Finding("lint", "MD009", "2 trailing spaces found", line=7),
            Told("MD009", "Leerzeichen am Zeilenende", "2 trailing spaces found", True, 7),
        ),
        (
            Finding("lint", "MD099", "Odd words", line=7),
            Told("MD099", "", "Odd words", True, 7),
        ),
        (
            Finding("lint", "forms/answer", line=7).coded("answer_no_boolean", field_id="Q1", answer="'maybe'"),
            Told(
                "forms/answer",
                "Eine Antwort ist keine, die ihr Feld im Formular annimmt",
                "Q1: 'maybe' ist weder ja noch nein",
                False,
                7,
            ),
        ),
        (
            Finding("lint", "limits/words").coded("words_too_many", words=90, max_words=80, excess=10),
            Told(
                "limits/words",
                "Der Abschnitt ist länger, als seine Gliederung erlaubt",
                "90 Wörter, höchstens 80: um 10 kürzen",
                False,
                0,
            ),
        ),
        (
            Finding("grounding", "grounding/amount", line=2).coded("claim_without_amount", text="{a} (3 €)"),
            Told(
                "Betrag",
                "Ein Betrag steht in keiner Unterlage, auch nicht im Auftrag oder in einem Abschnitt davor: {a} (3 €)",
                "",
                False,
                2,
            ),
        ),
        (
            Finding("check", "required_headings").coded("headings_missing", headings="Risks, Costs"),
            Told("Verlangte Überschriften", "es fehlt: Risks, Costs", "", False, 0),
        ),
        (
            Finding("judgement", "next_step").coded("criterion_below"),
            Told("Nächster Schritt", "unter dem Schwellenwert", "", False, 0),
        ),
        (
            Finding("warning", "role failed", "writer: it\nfell"),
            Told("Rolle gescheitert", "", "writer: it\nfell", False, 0),
        ),
        (Finding("critical", "my_own", "in words of its own"), Told("my own", "", "in words of its own", False, 0)),
    ],
)  # fmt: skip
def test_a_finding_is_told_in_german_and_what_is_not_ours_stays_as_it_is(finding: Finding, german: Told) -> None:
    [found] = told([finding], "de")
    assert found == german


def test_in_english_a_finding_has_the_words_that_it_came_with_and_its_rule_is_said_where_they_do_not() -> None:
    rule, linter, check = told(
        [
            Finding("lint", "STEMMA004", "Costs"),
            Finding("lint", "MD009", "2 trailing spaces found"),
            Finding("check", "required_headings", "missing: Risks"),
        ],
        "en",
    )
    assert (rule.words, rule.detail) == ("A required heading is missing", "Costs")
    assert (linter.words, linter.detail, linter.is_foreign) == ("", "2 trailing spaces found", False)
    assert (check.name, check.words) == ("required headings", "missing: Risks")
    assert name_of("next_step", "en") == "next step"
