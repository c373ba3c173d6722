"""Sentences, tables, amounts and the sharing out of material."""

import pytest
from stemma_models.offline.allocation import Entry, share_out
from stemma_models.offline.costs import find_costs, read_amount
from stemma_models.offline.material import read_units
from stemma_models.offline.plain import bare, plain, safe
from stemma_models.offline.sentences import split_sentences
from stemma_models.offline.tables import write_table
from stemma_models.offline.voice import in_our_voice

OUTLINE = tuple(
    Entry(kind, kind.replace("_", " ").capitalize(), kind) for kind in ("research", "approach", "timeline", "budget")
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here. Two is there!", ["One is here.", "Two is there!"]),
        ("Dr. Ames of the U.S. office paid 3.5 per cent, e.g. in May.", 1),
        ("Section 2.1 applies. J. Smith signed it.", ["Section 2.1 applies.", "J. Smith signed it."]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("这是第一句。这是第二句。", ["这是第一句。", "这是第二句。"]),
        ("no end mark", ["no end mark"]),
        ("", []),
    ],
)
def test_splits_sentences(text: str, sentences: list[str] | int) -> None:
    found = split_sentences(text)
    assert len(found) == sentences if isinstance(sentences, int) else found == sentences


def test_reads_markdown_without_its_markup() -> None:
    text = "See **bold** [words](http://x) and `code`,[^1] ![i](a.png) <b>tags</b> &amp; a \\* star."
    assert plain(text) == "See bold words and code, tags & a * star."
    assert safe("a * b_c [d] <e> #1") == "a \\* b\\_c \\[d\\] \\<e\\> #1"
    assert safe("1. not a list") == "1\\. not a list"
    assert bare("a|b `c` <d> *e*") == "a/b 'c' ‹d› e"


def test_units_keep_lists_and_tables_whole_under_their_headings() -> None:
    table = "| a | b |\n|---|---|\n| x | 1 |\n"
    text = f"# T\n\nIntro of the thing here.\n\n## Parts\n\nThe parts are:\n\n- one part\n- two parts\n\n{table}"
    units = read_units("a.md", text)
    assert [(unit.kind, unit.heading) for unit in units] == [("paragraph", "T"), ("list", "Parts"), ("table", "Parts")]
    assert units[1].lead == "The parts are:"
    assert units[2].table is not None
    assert write_table(units[2].table) == "| a | b |\n| --- | ---: |\n| x | 1 |"


def test_navigation_placeholders_and_code_are_no_material() -> None:
    navigation, code = "- [One](#one)\n- [Two](#two)\n", "```\ncode is not prose.\n```\n"
    text = f"{navigation}\n{code}\nSee https://x.example for more. The owner is TBD here.\n"
    assert [unit.sentences for unit in read_units("a.md", text)] == [("The owner is to be decided here.",)]


def test_one_sentence_duties_in_a_row_are_a_list() -> None:
    text = "\n\n".join(f"The tool must do thing number {number}." for number in range(4))
    assert [unit.kind for unit in read_units("a.md", text)] == ["list"]


def test_every_unit_belongs_to_exactly_one_section_whatever_else_is_there() -> None:
    texts = [
        "The work costs €500 in all.",
        "A survey found that 12 % agree.",
        "On 3 May 2027 it starts; on 9 June 2027 it ends.",
        "Staff are trained and the quality is tested.",
    ]
    units = read_units("a.md", "\n\n".join(texts))
    shares = share_out(units, OUTLINE)
    assert {section: [unit.text.strip() for unit in share] for section, share in shares.items()} == {
        "budget": texts[:1],
        "research": texts[1:2],
        "timeline": texts[2:3],
        "approach": texts[3:],
    }
    for unit in units:
        alone = share_out((unit,), OUTLINE)
        assert [section for section, share in alone.items() if share] == [
            section for section, share in shares.items() if unit in share
        ]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("€15,800", 15800.0),
        ("1.250,50 €", 1250.5),
        ("12 000", 12000.0),
        ("CHF 1'200.05", 1200.05),
        ("3.5", 3.5),
        ("4 to 5", None),
        ("none", None),
    ],
)
def test_reads_amounts(text: str, amount: float | None) -> None:
    assert read_amount(text) == amount


def test_a_row_of_totals_is_no_cost() -> None:
    text = "| Item | Cost |\n|---|---|\n| Ink | €5 |\n| Paper | €7 |\n| Total | €12 |\n"
    table = find_costs(read_units("a.md", text))
    assert table is not None
    assert (table.total, table.has_total) == (12.0, True)


def test_duties_of_a_contractor_are_said_as_our_own() -> None:
    assert in_our_voice("The contractor shall test all code.") == "We will test all code."
    both = "The contractor shall pay what the contractor owes."
    assert in_our_voice(both) == both
