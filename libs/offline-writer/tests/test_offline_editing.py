"""The forms of instruction of the offline writer."""

import json

import pytest
from langchain_core.messages import HumanMessage
from stemma_models.prompting import block
from stemma_offline_writer import OfflineWriter

BLOCKS = {
    "b1": "# Budget",
    "b2": "The pilot may cost no more than €110,000. No new building may be put up. The couriers work for the city.",
    "b3": "## Costs",
    "b4": "| Item | Amount |\n| --- | --- |\n| Crates | 1 |",
    "b5": "The van is slow. The van is also old. Bicycles are better. (fleet.md, Vans)",
    "b6": "- An item about parking\n- An item about rain",
    "b7": "## Risks",
    "b8": "It may rain.",
}
GERMAN = {
    "b1": "# Budget",
    "b2": "Der Transporter ist langsam. Er ist auch alt. Fahrräder sind besser.",
    "b3": "## Risiken",
    "b4": "Es kann regnen.",
}
FOUND = "# Research\n\nAt least 300 housebound members are visited every second week."


def revised(
    instruction: str, blocks: dict[str, str] = BLOCKS, language: str = "en"
) -> tuple[dict[str, str], str, str | None]:
    prompt = [
        block("task", "revision"),
        block("section", "What it costs.", id="budget", kind="budget", title="Budget", language=language),
        block("instruction", instruction),
        block("brief", "At least 300 housebound members are to be named."),
        block("upstream", FOUND, id="research", title="Research"),
        block("blocks", [block("block", text, id=name) for name, text in blocks.items()]),
    ]
    wanted = {"type": "json_schema", "json_schema": {"name": "Revision", "schema": {"type": "object"}}}
    answer = json.loads(OfflineWriter().bind(response_format=wanted).invoke([HumanMessage("\n".join(prompt))]).text)
    return {change["block_id"]: change["text"] for change in answer["changes"]}, answer["summary"], answer["refused"]


SHORT_B2 = "The pilot may cost no more than €110,000. No new building may be put up."
SHORT_B5 = "The van is slow. The van is also old. (fleet.md, Vans)"


@pytest.mark.req("P8")
@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Shorten the second paragraph", {"b5": SHORT_B5}),
        ("Please make the first paragraph more concise.", {"b2": SHORT_B2}),
        ("Shorten the paragraph about bicycles", {"b5": SHORT_B5}),
        ("Make it shorter", {"b2": SHORT_B2, "b5": SHORT_B5, "b6": "- An item about parking"}),
        ('Replace "van" with "lorry"', {"b5": BLOCKS["b5"].replace("van", "lorry")}),
        ("Change 110,000 to 120,000", {"b2": BLOCKS["b2"].replace("110,000", "120,000")}),
        ("Remove the sentence about the building", {"b2": BLOCKS["b2"].replace("No new building may be put up. ", "")}),
        ("Delete the table", {"b4": ""}),
        ("Delete the heading Risks", {"b7": ""}),
        ("Drop the section Risks", {"b7": "", "b8": ""}),
        ("Remove the second item", {"b6": "- An item about parking"}),
        ("Remove the last item", {"b6": "- An item about parking"}),
        ("Remove parking", {"b6": "- An item about rain"}),
        (
            "Add a sentence about housebound members",
            {"b2": BLOCKS["b2"] + " At least 300 housebound members are visited every second week."},
        ),
        (
            "Mention the housebound members",
            {"b2": BLOCKS["b2"] + " At least 300 housebound members are visited every second week."},
        ),
        ("Say that the council pays for the couriers", {"b2": BLOCKS["b2"] + " The council pays for the couriers."}),
        (
            "Remove the table; replace van with lorry and say that the rain may turn to snow",
            {"b4": "", "b5": BLOCKS["b5"].replace("van", "lorry"), "b8": "It may rain. The rain may turn to snow."},
        ),
    ],
)
def test_follows_the_form_and_touches_nothing_else(instruction: str, changes: dict[str, str]) -> None:
    answer, summary, refused = revised(instruction)
    assert (answer, refused) == (changes, None)
    assert summary


@pytest.mark.req("T5", "P8")
@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Kürze den ersten Absatz", {"b2": "Der Transporter ist langsam. Er ist auch alt."}),
        (
            "Bitte ersetzen Sie „Transporter“ durch „Lastwagen“.",
            {"b2": GERMAN["b2"].replace("Transporter", "Lastwagen")},
        ),
        ("Lösche die Überschrift Risiken", {"b3": ""}),
        ("Streiche den Abschnitt Risiken", {"b3": "", "b4": ""}),
        ("Sagen Sie, dass die Stadt zahlt", {"b2": GERMAN["b2"] + " Die Stadt zahlt."}),
        ("Replace Transporter with Lastwagen", {"b2": GERMAN["b2"].replace("Transporter", "Lastwagen")}),
    ],
)
def test_follows_the_forms_of_the_texts_own_language_and_of_the_instructions(
    instruction: str, changes: dict[str, str]
) -> None:
    answer, _, refused = revised(instruction, GERMAN, "de")
    assert (answer, refused) == (changes, None)


@pytest.mark.req("T6")
@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("Write it in a more poetic tone", "none that the offline writer can follow"),
        ("Delete the table and make it rhyme", "make it rhyme"),
        ("Replace helicopter with bicycle", "does not stand in the text"),
        ("Remove the sentence about elephants", "Nothing in the text mentions"),
        ("Delete the heading Elephants", "not clear"),
        ("Add a sentence about elephants", "has no sentence about elephants that could be quoted"),
        ("Mention the need", "has no sentence about the need that could be quoted"),
        ("Shorten the last paragraph", "Nothing in the text changes"),
        ("Remove the sentence", "not clear"),
        ("", "none that the offline writer can follow"),
    ],
)
def test_refuses_in_words_and_changes_nothing(instruction: str, reason: str) -> None:
    answer, _, refused = revised(instruction)
    assert answer == {}
    assert reason in (refused or "")
