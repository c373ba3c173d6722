"""Which units demand something: by their own words, by what announces them, and which do not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from stemma_evidence.requirements import requirements, units

pytestmark = pytest.mark.req("L1", "B5")

LABELLED = Path(__file__).parent / "labelled"
SIGNS = {"mandatory": "+", "should": "~", "option": "?"}
MARKS = {"mandatory": "▶", "should": "▷", "option": "◇"}


def found(text: str, language: str = "en") -> dict[str, tuple[str, str]]:
    return {one.unit.text: (one.kind, one.obligation) for one in requirements(text, language)}


def sentences() -> Iterator[tuple[str, str, str]]:
    """``language sign text``; the sign says how strictly the last line demands something, ``-`` that nothing does."""
    for line in (LABELLED / "demands.txt").read_text().splitlines():
        language, sign, text = line.split(" ", 2)
        yield language, sign, text.replace("\\n", "\n")


@pytest.mark.parametrize(("language", "sign", "text"), list(sentences()))
def test_a_demand_is_told_from_what_is_allowed_told_or_done_by_the_buyer(language: str, sign: str, text: str) -> None:
    for scope in ("# 1\n\n", ""):
        read = list(requirements(f"{scope}{text}\n", language))
        assert "".join(SIGNS[one.obligation] for one in read) == sign.replace("-", "")
        assert all(text.split("\n")[-1].endswith(one.unit.text) for one in read)


def requests() -> list[tuple[str, str, str]]:
    """Language, title and text of each request, with a mark before each demand."""
    parts = re.split(r"(?m)^=== (..) (.*)\n", (LABELLED / "requests.txt").read_text())[1:]
    return list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))


@pytest.mark.parametrize(("language", "title", "marked"), requests(), ids=[title for _, title, _ in requests()])
def test_lists_tables_headings_and_answers_demand_what_they_announce(language: str, title: str, marked: str) -> None:
    text = told = re.sub("[▶▷◇]", "", marked)
    for one in reversed(list(requirements(text, language))):
        told = told[: one.unit.start] + MARKS[one.obligation] + told[one.unit.start :]
    assert told == marked


@pytest.mark.req("S6")
def test_rows_keep_no_more_than_the_beginning_of_a_long_name_of_a_column() -> None:
    *_, row = units(f"| a | {'b ' * 500} |\n|---|---|\n| c | d |\n", "en")
    assert ([len(name) for name in row.columns], len(row.leads[-1])) == ([1, 300], 304)


def test_a_unit_has_its_headings_its_line_its_place_and_what_announces_it() -> None:
    text = "# Bid\n\n## Work\n\nThe Contractor shall:\n\n- run *daily*\n  backups. Weekly, too.\n"
    *headings, first, second, third = units(text, "en")
    assert [(one.form, one.text, one.path) for one in headings] == [
        ("heading", "Bid", ()),
        ("heading", "Work", ("Bid",)),
    ]
    assert (first.text, first.path) == ("The Contractor shall:", ("Bid", "Work"))
    assert (third.text, third.leads) == ("Weekly, too.", ("The Contractor shall:",))
    assert (second.text, second.line) == ("run daily backups.", 7)
    assert text[second.start : second.end] == "run *daily*\n  backups."


def test_kinds_and_obligations_are_told_apart() -> None:
    text = """# RFP 7

## Instructions to offerors

The offeror shall submit its proposal by noon. The offeror shall submit a signed certification form with its proposal.
Resumes should be short. Please subscribe to updates if you would like.

## Work

The contractor shall test the software.

## Evaluation

The Government will evaluate the offeror's approach. Late proposals will not be considered.
"""
    assert list(found(text).values()) == [
        ("instruction", "mandatory"),
        ("form", "mandatory"),
        ("instruction", "should"),
        ("instruction", "option"),
        ("work", "mandatory"),
        ("evaluation", "mandatory"),
        ("evaluation", "mandatory"),
    ]


def announced(text: str, language: str) -> list[tuple[str, str]]:
    return [(one.unit.text, one.announced_by) for one in requirements(text, language)]


def test_only_what_says_that_a_list_follows_announces_its_items() -> None:
    text = (
        "We live by the sea.\n\n- Name your zoologist.\n\nThe contractor shall:\n\n- keep records\n\n"
        "Offers shall have the following parts.\n\n- Describe your boats.\n"
    )
    assert announced(text, "en") == [
        ("Name your zoologist.", ""),
        ("keep records", "The contractor shall:"),
        ("Offers shall have the following parts.", ""),
        ("Describe your boats.", "Offers shall have the following parts."),
    ]


def test_lines_of_a_paragraph_that_begin_with_marks_are_items_whose_kinds_of_marks_are_their_levels() -> None:
    lead = "ア 参加者は、次の事項を明確にした企画書を作成すること。"
    text = f"(1) 企画書\n{lead}\n(ア) 調査の方法\n(イ) 実施体制\nイ 複数の提案は認めない。なお、様式は任意である。\n"
    assert announced(text, "ja") == [
        (lead, ""),
        ("(ア) 調査の方法", lead),
        ("(イ) 実施体制", lead),
        ("イ 複数の提案は認めない。", ""),
        ("なお、様式は任意である。", ""),
    ]


@pytest.mark.parametrize(
    ("language", "legend", "column", "grades"),
    [
        ("en", "", "Obligation", "MUST SHOULD MAY"),
        ("en", "M means mandatory, D means desirable, O means optional.", "M/D", "M D O"),
        ("en", "Mandatory (A), desirable (B) and optional (C) are told apart.", "Class", "A B C"),
        ("de", "", "Muss/Soll/Kann", "MUSS SOLL KANN"),
        ("de", "A = zwingend, B = wünschenswert, C = optional", "Klasse", "A B C"),
        ("fr", "", "Exigence", "DOIT DEVRAIT PEUT"),
        ("es", "", "Carácter", "Obligatorio Deseable Opcional"),
        ("it", "", "Priorità", "Obbligatorio Desiderabile Facoltativo"),
        ("nl", "", "Eis/wens", "Eis Wens Optioneel"),
        ("pt", "", "Prioridade", "Obrigatório Desejável Opcional"),
        ("ja", "", "区分", "必須 推奨 任意"),
        ("zh", "", "重要性", "必须 建议 可选"),
    ],
)
def test_a_column_or_a_legend_says_how_strictly_each_row_of_a_table_is_meant(
    language: str, legend: str, column: str, grades: str
) -> None:
    rows = "".join(f"| F{number} | Export CSV 500 | {grade} |\n" for number, grade in enumerate(grades.split()))
    text = f"# F\n\n{legend}\n\n| No. | Text | {column} |\n| --- | --- | --- |\n{rows}"
    read = [one.obligation for one in requirements(text, language) if one.unit.form == "row"]
    assert read == ["mandatory", "should", "option"]


def test_an_answer_is_quoted_from_its_first_word_on_whatever_letters_it_has() -> None:
    assert list(found("Antwort: Die Straße muss außen gereinigt werden.", "de")) == [
        "Die Straße muss außen gereinigt werden."
    ]


def test_a_heading_of_nearly_nothing_but_spaces_is_read_at_once() -> None:
    [heading] = units("# page 1" + " " * 200_000 + "x\n", "en")
    assert heading.text == "page 1 x"


@pytest.mark.parametrize("marks", [("~~", "~~"), ("<del>", "</del>"), ("<s>", "</s>")])
def test_what_is_struck_out_demands_nothing_and_all_else_stays_in_its_place(marks: tuple[str, str]) -> None:
    text = f"{marks[0]}The bidder shall pay.{marks[1]}\n\nThe contractor shall {marks[0]}sing{marks[1]} dance.\n"
    (one,) = requirements(text, "en")
    assert one.unit.text == "The contractor shall dance."
    assert (one.unit.line, text[one.unit.start :][:14]) == (3, "The contractor")


def test_a_list_that_begins_anew_behind_an_item_that_announces_one_is_that_list() -> None:
    above = "1. A reunião é agendada.\n\n    1. O aceite depende dos seguintes requisitos:\n\n"
    found = requirements(f"# 1\n\n{above}1. Pleno atendimento às especificações;\n2. Adequação às normas.\n", "pt")
    assert [one.unit.text for one in found] == ["Pleno atendimento às especificações;", "Adequação às normas."]


@pytest.mark.parametrize(
    ("language", "named", "demand", "is_demand"),
    [
        ("en", "Offerors write to the Administrative Office of the Courts (AOC).", "The AOC shall pay.", False),
        ("en", "It is for the Department of Veterans Affairs (VA).", "The VA shall pay.", False),
        ("en", "The City requires a Learning Management System (LMS).", "The LMS shall support SSO.", True),
        ("fr", "C'est l'établissement public de l’habitat (EPH).", "L'EPH doit payer.", False),
        ("fr", "L'établissement demande un logiciel de gestion (LG).", "Le LG doit être sûr.", True),
    ],
)
def test_a_buyer_has_the_short_name_of_a_public_body_and_of_nothing_that_it_buys(
    language: str, named: str, demand: str, is_demand: bool
) -> None:
    read = [one.unit.text for one in requirements(f"{named} {demand}\n", language)]
    assert (demand in read) is is_demand
