"""Sums: what a draft adds up is found in columns, lists and texts, and hardly any invented amount is one by chance."""

from __future__ import annotations

from random import Random

import pytest
from stemma_evidence import UNSUPPORTED, Source, ground, read
from stemma_evidence.lookup.grounding import COMPUTED

pytestmark = pytest.mark.req("T3", "T9")

YEARS = """# Costs

| Part | 2027 (EUR) | 2028 (EUR) |
|---|---|---|
| Roof | 5,100 | 840 |
| Cellar | 7,300 | 2,260 |
| Yard | 911 | 95 |
"""


def source(text: str, media_type: str = "text/markdown") -> Source:
    return read(text, media_type, "en", standing="input", name="facts")


def standings(draft: str, *sources: Source) -> list[tuple[str, str]]:
    said = read(draft, "text/markdown", "en", standing="draft", name="")
    return [(item.claim.text, item.standing) for item in ground(said, sources) if item.claim.kind == "amount"]


def column(amounts: list[int]) -> str:
    rows = "".join(f"| Item {number} | {amount} |\n" for number, amount in enumerate(amounts))
    return f"| Item | Cost (EUR) |\n|---|---|\n{rows}"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        (YEARS, "text/markdown"),
        ("Part;now_eur;then_eur\nRoof;5100;840\nCellar;7300;2260\nYard;911;95\n", "text/csv"),
        (
            "<table><tr><th>Part</th><th>A</th><th>B</th></tr><tr><td>Roof</td><td>EUR 5,100</td><td>EUR 840</td></tr>"
            "<tr><td>Cellar</td><td>EUR 7,300</td><td>EUR 2,260</td></tr>"
            "<tr><td>Yard</td><td>EUR 911</td><td>EUR 95</td></tr></table>\n",
            "text/markdown",
        ),
    ],
    ids=["markdown", "csv", "html"],
)
def test_the_sum_of_each_column_is_computed(text: str, media_type: str) -> None:
    draft = "All of it costs EUR 13,311 at first and EUR 3,195 then, not EUR 3,196.\n"
    assert standings(draft, source(text, media_type)) == [
        ("EUR 13,311", COMPUTED),
        ("EUR 3,195", COMPUTED),
        ("EUR 3,196", UNSUPPORTED),
    ]


def test_the_sums_of_a_long_column_are_those_of_all_of_it_of_its_beginning_and_of_its_end() -> None:
    amounts = [10_007 + 997 * number * number for number in range(60)]
    plan = source(column(amounts))
    for run in (amounts, amounts[:9], amounts[-7:]):
        assert standings(f"It costs EUR {sum(run)}.\n", plan) == [(f"EUR {sum(run)}", COMPUTED)]
    assert standings(f"It costs EUR {sum(amounts[20:27])}.\n", plan)[0][1] == UNSUPPORTED


def test_hardly_any_invented_amount_is_a_sum_of_a_table_with_very_many() -> None:
    random = Random(7)
    plan = source(column([random.randint(1_000, 99_999) for _ in range(600)]))
    draft = "\n\n".join(f"It costs EUR {random.randint(100_000, 999_999)}." for _ in range(150))
    assert sum(standing == COMPUTED for _, standing in standings(draft, plan)) <= 1


def test_the_sum_of_what_stands_in_several_chapters_is_computed() -> None:
    text = "# Roof\n\nIt costs EUR 5,100.\n\n# Cellar\n\nIt costs EUR 7,300.\n\n# Yard\n\nIt costs EUR 911.\n"
    assert standings("All costs EUR 13,311.\n", source(text)) == [("EUR 13,311", COMPUTED)]


def test_the_sum_of_a_column_of_the_draft_is_computed() -> None:
    text = "Roof: EUR 5,100 now, EUR 840 then.\n\nCellar: EUR 7,300 now, EUR 2,260 then.\n\nYard: EUR 911, EUR 95.\n"
    draft = YEARS + "| All | 13,311 | 3,195 |\n"
    assert standings(draft, source(text))[-2:] == [("13,311", COMPUTED), ("3,195", COMPUTED)]


@pytest.mark.parametrize(("heading", "joint"), [("# ", "\n\n"), ("", " ")], ids=["of a chapter", "of a paragraph"])
def test_in_a_long_text_the_sum_of_what_stands_together_is_computed(heading: str, joint: str) -> None:
    rows = [[10_007 + 997 * (7 * part + at) ** 2 for at in range(7)] for part in range(6)]
    said = (f"{heading}Part\n\n{joint.join(f'It costs EUR {one}.' for one in row)}\n\n" for row in rows)
    plan, astride = source("".join(said)), [*rows[2][4:], *rows[3][:4]]
    assert standings(f"It costs EUR {sum(rows[2])}.\n", plan) == [(f"EUR {sum(rows[2])}", COMPUTED)]
    assert standings(f"It costs EUR {sum(astride)}.\n", plan) == [(f"EUR {sum(astride)}", UNSUPPORTED)]


def test_what_is_left_of_a_whole_is_computed() -> None:
    text = "The budget is EUR 100,000, of which EUR 41,307 go to the roof and EUR 22,151 to the cellar.\n"
    assert standings("EUR 36,542 are left.\n", source(text)) == [("EUR 36,542", COMPUTED)]
    assert standings("EUR 36,524 are left.\n", source(text)) == [("EUR 36,524", UNSUPPORTED)]


def test_two_amounts_that_only_follow_each_other_make_no_sum() -> None:
    text = "# Roof\n\nIt costs EUR 5,107.\n\n# Cellar\n\nIt costs EUR 7,313.\n\n# Yard\n\nIt costs EUR 911.\n"
    assert standings("It costs EUR 12,420.\n", source(text)) == [("EUR 12,420", UNSUPPORTED)]


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ("about EUR 1.9 million", COMPUTED),
        ("about EUR 2 million", COMPUTED),
        ("about EUR 1 million", UNSUPPORTED),
        ("EUR 1.9 million", UNSUPPORTED),
    ],
)
def test_a_rounded_amount_is_supported_by_one_that_is_near_alone(said: str, standing: str) -> None:
    assert [found for _, found in standings(f"It costs {said}.\n", source("It costs EUR 1,880,000.\n"))] == [standing]
