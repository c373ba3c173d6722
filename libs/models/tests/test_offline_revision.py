"""The instruction forms of the offline writer."""

import json

import pytest
from langchain_core.messages import HumanMessage
from stemma_models.offline import OfflineWriter
from stemma_models.prompting import block

BLOCKS = {
    "b1": "# Budget",
    "b2": "The pilot may cost no more than €110,000. No new building may be put up. The couriers work for the city.",
    "b3": "## Costs",
    "b4": "| Item | Amount |\n| --- | --- |\n| Crates | 1 |",
    "b5": "The van is slow. The van is also old. Bicycles are better.",
    "b6": "- An item about parking\n- An item about rain",
    "b7": "## Risks",
    "b8": "It may rain.",
}
SCHEMA = {
    "type": "object",
    "properties": {
        "changes": {"type": "array", "items": {"$ref": "#/$defs/Change"}},
        "summary": {"type": "string"},
        "refused": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["changes", "summary", "refused"],
    "$defs": {
        "Change": {
            "type": "object",
            "properties": {"block_id": {"type": "string"}, "text": {"type": "string"}},
            "required": ["block_id", "text"],
        }
    },
}


def revised(instruction: str) -> tuple[dict[str, str], str, str | None]:
    prompt = [
        block("task", "revision"),
        block("section", "What it costs.", id="budget", kind="budget", title="Budget"),
        block("instruction", instruction),
        block("brief", "At least 300 housebound members are visited every second week."),
        block("blocks", [block("block", text, id=name) for name, text in BLOCKS.items()]),
    ]
    wanted = {"type": "json_schema", "json_schema": {"name": "Revision", "schema": SCHEMA}}
    answer = json.loads(OfflineWriter().bind(response_format=wanted).invoke([HumanMessage("\n".join(prompt))]).text)
    return {change["block_id"]: change["text"] for change in answer["changes"]}, answer["summary"], answer["refused"]


SHORT_B2 = "The pilot may cost no more than €110,000. No new building may be put up."


@pytest.mark.req("P8")
@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Shorten the second paragraph", {"b5": "The van is slow. The van is also old."}),
        ("Please make the first paragraph more concise.", {"b2": SHORT_B2}),
        ("Shorten the paragraph about bicycles", {"b5": "The van is slow. The van is also old."}),
        (
            "Make it shorter",
            {"b2": SHORT_B2, "b5": "The van is slow. The van is also old.", "b6": "- An item about parking"},
        ),
        ('Replace "van" with "lorry"', {"b5": "The lorry is slow. The lorry is also old. Bicycles are better."}),
        ("Change 110,000 to 120,000", {"b2": BLOCKS["b2"].replace("110,000", "120,000")}),
        ("Remove the sentence about the building", {"b2": BLOCKS["b2"].replace("No new building may be put up. ", "")}),
        ("Delete the table", {"b4": ""}),
        ("Drop the section Risks", {"b7": "", "b8": ""}),
        ("Remove the second item", {"b6": "- An item about parking"}),
        ("Remove parking", {"b6": "- An item about rain"}),
        (
            "Add a sentence about housebound members",
            {"b2": BLOCKS["b2"] + " At least 300 housebound members are visited every second week."},
        ),
        ("Mention the rain gear", {"b8": "It may rain. This also concerns the rain gear."}),
        ("Say that the council pays for the couriers", {"b2": BLOCKS["b2"] + " The council pays for the couriers."}),
        (
            "Remove the table; replace van with lorry and mention the rain gear",
            {
                "b4": "",
                "b5": "The lorry is slow. The lorry is also old. Bicycles are better.",
                "b8": "It may rain. This also concerns the rain gear.",
            },
        ),
    ],
)
def test_follows_the_form_and_touches_nothing_else(instruction: str, changes: dict[str, str]) -> None:
    answer, summary, refused = revised(instruction)
    assert answer == changes
    assert refused is None
    assert summary.endswith(".")


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("Write it in a more poetic tone", "none that the offline writer can follow"),
        ("Delete the table and make it rhyme", "make it rhyme"),
        ("Replace helicopter with bicycle", "does not stand in the text"),
        ("Remove the sentence about elephants", "Nothing in the text mentions"),
        ("Add a sentence about elephants", "says nothing about elephants"),
        ("Shorten the last paragraph", "Nothing in the text changes"),
        ("Remove the sentence", "not clear"),
        ("", "none that the offline writer can follow"),
    ],
)
def test_refuses_in_words_and_changes_nothing(instruction: str, reason: str) -> None:
    answer, _, refused = revised(instruction)
    assert answer == {}
    assert reason in (refused or "")
