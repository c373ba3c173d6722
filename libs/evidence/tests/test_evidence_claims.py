"""What a text states in a form that can be looked up, in nine languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from evidence_corpus import grounded, source, unsupported
from hypothesis import given
from hypothesis import strategies as st
from stemma_evidence import claims, read
from stemma_evidence.sources.source import DRAFT

pytestmark = pytest.mark.req("T3", "T9")


def cases() -> Iterator[tuple[str, str, list[str]]]:
    """Language, text, and its claims with all their readings; after ``only KIND`` those of that kind alone."""
    for line in Path(__file__).with_name("claims.tsv").read_text().splitlines():
        language, text, *told = line.split("\t")
        yield language, text.replace("\\n", "\n"), told


@pytest.mark.parametrize(("language", "text", "told"), list(cases()))
def test_reads_what_a_text_states_as_its_language_writes_it_and_nothing_else(
    language: str, text: str, told: list[str]
) -> None:
    found = [f"{claim.kind} {' / '.join(claim.values)}" for claim in claims(text, language)]
    if told and told[0].startswith("only "):
        only = told.pop(0).removeprefix("only ")
        found = [one for one in found if one.startswith(only)]
    assert found == told


def test_a_claim_of_each_kind_has_the_line_that_it_begins_on() -> None:
    text = (
        "# Plan\n\nAda Berg GmbH pays\nEUR 5 on 1 May 2027 for\n12 kg, says she:\n"
        "“Nobody has ever\nseen such a thing,” in\nplan.pdf.\n"
    )
    lines = {claim.kind: claim.line for claim in claims(text, "en")}
    assert lines == {"name": 3, "amount": 4, "date": 4, "quantity": 5, "quotation": 6, "citation": 8}


@given(st.text(alphabet=st.sampled_from(list("12.,:/-– €$%'’\n|*_[]()`<>&;万円年月日AaEURuni“”\"")), max_size=200))
def test_takes_any_text_and_each_claim_is_what_stands_at_its_place(text: str) -> None:
    for language in ("en", "de", "ja"):
        for claim in claims(text, language):
            assert text[claim.start : claim.end] == claim.text


def test_a_place_is_named_by_the_words_of_its_heading() -> None:
    assert source('# <a name="1"></a>Costs\n\nEUR 5\n').place(3).heading == "Costs"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [("Schritt,Termin\nStart,1. M\u00e4rz 2027\n", "text/csv"), ('{"am": "1. M\u00e4rz 2027"}', "application/json")],
)
def test_reads_a_date_at_the_beginning_of_a_cell(text: str, media_type: str) -> None:
    found = source(text, "de", media_type=media_type).claims
    assert [claim.values for claim in found if claim.kind == "date"] == [("2027-03-01",)]


def test_a_claim_of_json_has_the_line_that_it_stands_on() -> None:
    text = '{"a": "x: \\"1\\"",\n "costs": [\n  {"rent": "EUR 5", "rent": "EUR 6"},\n  {},\n  {"heat" :\n 7.5}]}'
    costs = source(text, media_type="application/json")
    lines = [(claim.text, costs.place(claim.line).line) for claim in costs.claims]
    assert lines == [("EUR 5", 3), ("EUR 6", 3), ("7.5", 6)]


@pytest.mark.parametrize(
    "hiding",
    ["<!-- {} -->", "```\n{}\n```", "```\n{}", "~~~python\n# {}\n", "```python\n# {}\n```", "| {} |\n|---|\n"],
)
def test_a_draft_is_looked_at_whatever_stands_around_its_words(hiding: str) -> None:
    written = "# Price\n\n" + hiding.format("The total price is EUR 9,999.")
    draft = read(written, "text/markdown", "en", standing=DRAFT, name="")
    assert [claim.text for claim in draft.claims] == ["EUR 9,999"]
    assert bool(source(written).claims) == ("<!--" not in hiding), "a comment of a source supports nothing"


def test_code_of_a_language_makes_no_claims() -> None:
    written = '# A\n\n```json\n{"port": 8080, "price": 9999}\n```\n'
    assert read(written, "text/markdown", "en", standing=DRAFT, name="").claims == ()


SWAPPED = "| Part | Cost (EUR) |\n|---|---|\n| Roof tiles | 5 000 |\n| Stair lift | 7 000 |\n"
LIFT = "The new roof of the hall costs EUR 5 000. The lift to the library costs EUR 7 000."
VISITORS = "412 visitors came to the open day; 289 of them asked for a garden."
QUAY = "Quay B follows in the first half of 2028. All is in use on 15 October 2028."


@pytest.mark.parametrize(
    ("language", "facts", "draft", "missing"),
    [
        ("de", "See chapter 2.", "Siehe Kapitel 2 und Kapitel 3.", ["Kapitel 3"]),
        ("en", "There are three halls.", "There are 3 halls and 4 rooms.", ["4"]),
        (
            "it",
            "The community met in Rouen.",
            "Per questo la Comunità si riunì a Rouen con Carlo Vinci e il signor Bardi GmbH.",
            ["Carlo Vinci", "Bardi GmbH"],
        ),
        ("en", "The roof costs EUR 5 000. The lift costs EUR 7 000.", "The lift costs EUR 5 000.", []),
        ("en", LIFT, "We build the lift to the library for EUR 5 000.", ["EUR 5 000"]),
        ("en", SWAPPED, "The roof tiles cost EUR 7 000 and the stair lift EUR 5 000.", ["EUR 7 000", "EUR 5 000"]),
        ("ja", "県が3億円、組合が2億円を出す。", "県が2億円、組合が3億円を出します。", ["2億円", "3億円"]),
        ("zh", "屋顶费用500万元，电梯费用700万元。", "电梯费用500万元，屋顶费用700万元。", ["500万元", "700万元"]),
        ("en", QUAY, "Quay B: H2 2028.", ["H2 2028"]),
        ("en", VISITORS, "Around seventy percent of the visitors asked for a garden.", []),
        ("en", VISITORS, "Around sixty percent of the visitors asked for a garden.", ["sixty percent"]),
        ("en", VISITORS, "Around seventy percent of the teachers asked for a pond.", ["seventy percent"]),
        ("en", "It runs from 1 March 2027 to 1 June 2027.", "It runs for 3 months, not for 6 months.", ["6 months"]),
    ],
    ids="chapter words translated close far cells ja zh half share lesser others lasting".split(),
)
def test_what_the_sources_say_in_another_form_is_supported_and_what_they_say_of_something_else_is_not(
    language: str, facts: str, draft: str, missing: list[str]
) -> None:
    known = source(facts, language if language in ("ja", "zh") else "en")
    assert [claim.text for claim in unsupported(draft, known, language=language)] == missing


@pytest.mark.parametrize(
    ("name", "draft", "missing"),
    [
        ("Attachment A - Terms.md", "So it is (Attachment A - Terms.md, A).", []),
        ("Attachment A - Terms.md", "So it is (Terms.md).", ["Terms.md"]),
        ("Attachment 5 - Terms 2024.md", "It is so (Attachment 5 - Terms 2024).", []),
        ("Attachment 5 - Terms 2024.md", "It is so in 2024.", ["2024"]),
    ],
)
def test_a_file_is_found_by_its_whole_name_whose_numbers_are_no_claims(
    name: str, draft: str, missing: list[str]
) -> None:
    assert [claim.text for claim in unsupported(draft, source("# A\n\nIt is so.\n", name=name))] == missing


def test_a_quotation_with_an_entity_stands_where_it_was_taken_from() -> None:
    text = 'Wrong answer: "We hire a validation (IV&amp;V) expert to report on status."\n'
    for quoted in (text, text.replace("&amp;", "&")):
        found = grounded(quoted, source(text))
        assert {item.claim.kind: item.standing for item in found}["quotation"] == "input"
