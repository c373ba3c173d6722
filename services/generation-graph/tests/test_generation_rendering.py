import subprocess
import sysconfig
from pathlib import Path

import pytest
from pydantic import ValidationError
from stemma_generation_graph.graphs.section.rendering import (
    Budget,
    BudgetItem,
    Component,
    Connection,
    Connections,
    Finding,
    Part,
    Research,
    Solution,
    Structured,
    render,
    table,
)
from stemma_generation_graph.writing import as_draft
from stemma_languages import language

MESSY = "# Loud heading\n\n\n\nA line.   \n\n- one\n- two"
PARTS = [Part(heading="# Further things:", text=MESSY)]
ENGLISH = language("en")
ANSWERS: list[Structured] = [
    Research(summary="What we know.", findings=[Finding(heading="It leaks!", text="It does.", sources=["a `b`.md"])]),
    Solution(
        summary="A new hull.",
        components=[Component(name="Hull", description="Steel.", answers="It leaks")],
        outcomes=["Dry feet"],
        parts=PARTS,
    ),
    Connections(
        summary="It fits.",
        links=[Connection(need="Dry | warm", answer="Hull\nand stove", evidence="a.md")],
        gaps=["Noise"],
        parts=PARTS,
    ),
    Budget(
        summary="The price.",
        currency="EUR",
        items=[
            BudgetItem(item="Hull", basis="Offer", amount=12500.5),
            BudgetItem(item="Stove", basis="No offer yet", amount=None),
        ],
        assumptions=["No tax"],
        parts=PARTS,
    ),
]


def test_rendered_answers_are_clean_markdown_whatever_is_in_a_cell_and_added_up(tmp_path: Path) -> None:
    shown = "\n".join(render(answer, ENGLISH) for answer in ANSWERS)
    assert "| Stove | No offer yet |  |\n| Total of the amounts known |  | 12,500.50 |" in shown
    assert "| Dry \\| warm | Hull and stove | a.md |" in shown
    for answer in ANSWERS:
        with pytest.raises(ValidationError, match="nothing is filled in"):
            type(answer)()
        draft = as_draft("Section", render(answer, ENGLISH))
        (tmp_path / f"{type(answer).__name__}.md").write_text(draft)
        assert draft.startswith("# Section\n\n")
        assert draft.count("\n# ") == 0
    rumdl = Path(sysconfig.get_path("scripts")) / "rumdl"
    command = [str(rumdl), "check", "--isolated", "--no-cache", "-d", "MD013", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, check=False)
    assert found.returncode == 0, found.stdout.decode()


@pytest.mark.req("T3")
def test_of_what_an_answer_leaves_empty_nothing_is_said() -> None:
    assert "Open questions" not in render(ANSWERS[0], ENGLISH)
    assert render(Connections(parts=[Part(heading="From need to solution", text="As the brief has it.")]), ENGLISH) == (
        "## From need to solution\n\nAs the brief has it."
    )
    assert render(Solution(parts=[Part(heading="What we propose")]), ENGLISH) == "## What we propose"


def test_a_part_has_its_heading_once_and_its_own_headings_below_it() -> None:
    body = render(Research(parts=[Part(heading="Findings", text="# Loud\n\n### Site\n\nIt is flat.")]), ENGLISH)
    assert body == "## Findings\n\n**Loud**:\n\n### Site\n\nIt is flat."
    part = Part(heading="Costs", text="More on costs.")
    body = render(Budget(summary="S.", currency="EUR", items=[BudgetItem(item="A", basis="B")], parts=[part]), ENGLISH)
    assert (body.count("## Costs"), body.count("More on costs.")) == (1, 1)


@pytest.mark.req("P13")
@pytest.mark.parametrize("amount", ["1e14", "NaN"])
def test_an_amount_that_cannot_be_told_is_malformed(amount: str) -> None:
    with pytest.raises(ValidationError, match=r"items\.0\.amount\n  Input should be"):
        Budget.model_validate_json(f'{{"items": [{{"item": "A", "basis": "B", "amount": {amount}}}]}}')


def test_the_largest_amount_and_many_of_it_are_told_with_their_cents() -> None:
    items = [BudgetItem(item="A", basis="B", amount=9_999_999_999_999.99)] * 1000
    body = render(Budget(currency="EUR", items=items), ENGLISH)
    assert "| 9,999,999,999,999.99 |" in body
    assert "| 9,999,999,999,999,99" in body.splitlines()[-1]


@pytest.mark.parametrize(
    "text",
    [
        "Text.",
        "# Another title\n\nText.",
        "```markdown\n# Plan\n\nText.\n```",
        "\r\n# Plan\r\n\r\nText.  \r\n\r\n",
        "# Plan\nText.",
    ],
)
def test_a_draft_has_its_title_once_and_ends_with_one_line_end(text: str) -> None:
    assert as_draft("Plan", text) == "# Plan\n\nText.\n"


def test_fenced_code_keeps_its_blank_lines_and_line_ends_and_the_text_around_it_does_not() -> None:
    code = "```text\na  \n\n\n\n    b\n```"
    assert as_draft("Plan", f"Before.  \n\n\n\n{code}\n\n\n\nAfter.") == f"# Plan\n\nBefore.\n\n{code}\n\nAfter.\n"


@pytest.mark.req("T5")
def test_what_code_writes_is_in_the_language_of_the_document() -> None:
    items = [BudgetItem(item="Bepflanzung", basis="Angebot", amount=4250), BudgetItem(item="Zaun", basis="offen")]
    body = render(Budget(summary="Was es kostet.", currency="EUR", items=items), language("de"))
    assert body == (
        "Was es kostet.\n\n## Kosten\n\nTabelle: Kosten nach Posten\n\n"
        "| Posten | Grundlage | Betrag (EUR) |\n| --- | --- | --- |\n"
        "| Bepflanzung | Angebot | 4.250,00 |\n| Zaun | offen |  |\n| Summe der bekannten Beträge |  | 4.250,00 |"
    )


@pytest.mark.req("S6")
def test_hostile_answers_are_read_once() -> None:
    """From each space in a cell on, it took minutes in the event loop."""
    for piece in (" ", "# ", "\n", "```", "\t#"):
        assert as_draft("Plan", "x" + piece * 50_000 + "x").startswith("# Plan\n\nx")
    words = f"a{' ' * 200_000}b"
    assert table(["A"], [[f"{words} \n c"]]).splitlines()[-1] == f"| {words} c |"
