"""What a model leaves in a text by mistake is found; what people write is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from stemma_contracts.complaints import COMPLAINTS
from stemma_markdown import Document
from stemma_testkit.counting import calls
from stemma_validator.lapses import lapses
from stemma_validator.report import Rule
from stemma_validator.structure import StructureCheck

pytestmark = pytest.mark.req("T3")

LONG = "The ferry carries forty people across the bay and it comes back every hour of the day until the sun is down."
GERMAN = (
    "Die Fähre bringt vierzig Menschen über die Bucht, und sie kommt zu jeder Stunde des Tages wieder zurück, bis die"
    " Sonne untergegangen ist und der Hafen schließt."
)
SAMPLES = sorted((Path(__file__).parents[3] / "libs/evidence/tests/unseen").glob("*.txt"))


def found(body: str, language: str = "en") -> list[tuple[str, int]]:
    issues = lapses(Document(f"# Ferry\n\n{body}\n"), language)
    return [(issue.rule, issue.line_number) for issue in issues]


@pytest.mark.parametrize(
    ("body", "rule", "line"),
    [
        (f"{LONG}\n\n<think>Now the price.</think> It is low.", Rule.LEFT_OVER, 5),
        (f"</inputs>\n\n{LONG}", Rule.LEFT_OVER, 3),
        (f"{LONG}\n\n<|im_end|>", Rule.LEFT_OVER, 5),
        *((f"{LONG}\n\n- {complaint}", Rule.LEFT_OVER, 5) for complaint in COMPLAINTS),
        ("\n".join([f"- {LONG}"] * 4), Rule.REPEATED, 6),
        (f"{LONG} {LONG} {LONG} {LONG}", Rule.REPEATED, 3),
        ("The ferry runs.\n\n" * 4, Rule.REPEATED, 9),
        (f"{LONG}\n\nAfter that the crew of the ferry will then", Rule.UNFINISHED, 5),
        (f"{LONG}\n\n{GERMAN}", Rule.OTHER_LANGUAGE, 5),
    ],
)
def test_finds_what_a_model_leaves_in_a_text(body: str, rule: Rule, line: int) -> None:
    assert (rule.code, line) in found(body)


@pytest.mark.parametrize(
    "body",
    [
        f"{LONG}\n\n```\n<think>\n```\n\nA `<think>` stands in code.",
        f"- {LONG}\n- {LONG}\n- {LONG}",
        "".join(f"## Question {number}\n\nYes, we do.\n\n" for number in range(9)),
        "- None is known.\n" * 9,
        f"{LONG}\n\nAda Berg, who speaks for all of the crews of the Harbour",
        f"{LONG}\n\n> {GERMAN}",
        f"In German it is „{GERMAN}“, and that says all of it.",
        f"{LONG}\n\n- the crew of the ferry, which is of forty people",
        f"| Yes |\n|---|\n| {LONG} |",
        f"- {LONG}\n\n  ```xml\n  <task>\n  ```",
        "It follows from [Think](https://think.example) and from [INST][1].\n\n[1]: https://inst.example",
        f"The mayor said ‘{GERMAN}’ and »{GERMAN}«.",
        f"{LONG}\n\nYours sincerely,\nAda Berg\nHead of the team for tenders and public contracts",
        f"{LONG}\n\nValidity of the offer from the day on which it is opened: 90 days",
        f"{LONG}\n\nThe crew of the ferry, which is of forty people<br>",
        f"{LONG}\n\n![Map of the two routes and the fourteen stops](map.png)",
    ],
)
def test_stays_quiet_about_what_people_write(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_documents_of_people_have_nothing_of_it(path: Path) -> None:
    head, _, text = path.read_text(encoding="utf-8").rpartition("=== draft\n")
    language = head.split("\n")[0].removeprefix("language: ")
    assert list(lapses(Document(text.partition("\n=== ")[0]), language)) == []


@pytest.mark.req("S6")
@pytest.mark.parametrize("text", ["<think>", "[THINK", "<|a", "`<think>` ", "“a ", f"{LONG} "])
def test_twice_the_text_is_about_twice_the_work(text: str) -> None:
    def work(size: int) -> int:
        return calls(lambda: list(lapses(Document(text * size), "en")))

    work(400)
    assert work(400) < 2.6 * work(200)


def test_a_draft_is_looked_at_in_the_language_of_its_document() -> None:
    for language, expected in (("en", [Rule.OTHER_LANGUAGE.code]), ("de", [])):
        issues = StructureCheck(text=f"# Ferry\n\n{GERMAN}\n", language=language).run()
        assert [issue.rule for issue in issues] == expected
