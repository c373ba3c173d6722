"""Offers of the offline writer: a request for proposals is its input."""

import json
import re

import pytest
from langchain_core.messages import HumanMessage
from stemma_models.offline import OfflineWriter
from stemma_models.offline.request import read_request
from stemma_models.offline.voice import in_our_voice, is_address, is_of_client, is_unresolved
from stemma_models.prompting import block

BRIEF = """# A ferry that knows its passengers

Marnow Softworks offers the harbour board of Lund a system that sells and checks tickets for its ferry.

Clerks write tickets by hand today and cannot tell how many people are on board.

## What the system has to achieve

- A passenger buys a ticket in less than one minute.
- The captain sees the number of passengers before the ramp goes up.

## What we ask for

We ask the board to invite us to a meeting in May.
"""
TENDER = """![The seal of Lund](media/seal.png)

# Request for proposals

Offerors are offerors until an offeror is chosen by the offerors' board; no offeror may be two offerors.

## 1.04 Minimum responsiveness

Tickets must be sold for three years by the system of the firm.

## Section 3. Scope

The contractor shall sell tickets by telephone so that the contractor can reach every passenger.

The contractor shall print tickets on paper at both quays.

The contractor shall count the passengers on board with a sensor.

Vendor will not be required to handle any of the following tasks:

Repair the ramp

## Schedule

- Deadline for receipt of proposals on March 3, 2027
- The board signs the contract on April 6, 2027
- The system is in use on September 1, 2027

## 7.04 Insurance

The ticket system must be insured for $900,000 at all times.

## How we run the ferry

Our ferry is an open boat for sixty passengers and we have counted 41,000 tickets in a year.

![](media/boat.png)

## Exhibit 2. Agreement form

![Form for signatures](media/form.png)
"""
IMAGES = "- media/seal.png: The seal of Lund\n- media/boat.png:\n- media/form.png: Form for signatures"
OUTLINE = ("research", "solution", "problem_statement", "timeline", "budget", "conclusion")


def ask(section: str, **extra: str) -> list[HumanMessage]:
    entries = [block("entry", "", id=key, kind=key, title=key.replace("_", " ").capitalize()) for key in OUTLINE]
    blocks = [
        block("section", "", id=section, kind=section, title=section.replace("_", " ").capitalize()),
        block("outline", entries),
        block("brief", BRIEF),
        block("input", TENDER, name="1-Request.md"),
        block("images", IMAGES),
        *(block(tag, text) for tag, text in extra.items()),
    ]
    return [HumanMessage("\n".join(blocks))]


@pytest.fixture(scope="module")
def drafts() -> dict[str, str]:
    return {section: OfflineWriter().invoke(ask(section)).text for section in OUTLINE}


def test_rules_of_the_tender_stand_nowhere(drafts: dict[str, str]) -> None:
    text = "\n".join(drafts.values())
    assert "sold for three years" not in text
    assert "$900,000" not in text
    assert not re.search(r"offeror|contractor|receipt of", text, re.I)


def test_what_is_not_asked_for_is_not_promised(drafts: dict[str, str]) -> None:
    assert "Repair the ramp" not in "\n".join(drafts.values())


def test_duties_are_promised_in_our_voice(drafts: dict[str, str]) -> None:
    assert "We will sell tickets by telephone so that we can reach every passenger." in drafts["solution"]


def test_words_of_the_client_are_quoted(drafts: dict[str, str]) -> None:
    text = "\n".join(drafts.values())
    assert re.search(r"^> Our ferry is an open boat for sixty passengers", text, re.M)


def test_dates_of_a_schedule_become_a_table(drafts: dict[str, str]) -> None:
    assert "| April 6, 2027 | The board signs the contract |" in drafts["timeline"]
    assert "| September 1, 2027 | The system is in use |" in drafts["timeline"]


def test_a_seal_and_a_form_are_left_out_and_other_images_stand_once(drafts: dict[str, str]) -> None:
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", "\n".join(drafts.values()))
    assert [name for _, name in shown] == ["media/boat.png"]
    assert "image" not in shown[0][0].lower()


def test_the_conclusion_names_the_goals_and_the_next_step(drafts: dict[str, str]) -> None:
    assert "a passenger buys a ticket in less than one minute; the captain sees" in drafts["conclusion"]
    assert "We ask the board to invite us" in drafts["conclusion"]
    assert "telephone" not in drafts["conclusion"]


def test_an_image_without_words_keeps_its_name() -> None:
    assert [(image.name, image.alt) for image in read_request(ask("research")).images] == [
        ("media/seal.png", "The seal of Lund"),
        ("media/boat.png", ""),
        ("media/form.png", "Form for signatures"),
    ]


def test_a_lint_round_of_a_structured_kind_leaves_the_named_line_out() -> None:
    part = {"type": "object", "properties": {"description": {"type": "string"}}}
    schema = {
        "title": "Solution",
        "type": "object",
        "properties": {"components": {"type": "array", "items": part}},
    }
    writer = OfflineWriter().bind(
        response_format={"type": "json_schema", "json_schema": {"name": "S", "schema": schema}}
    )
    faulty = "- We will print tickets on paper at both quays."
    first, second = (
        str(json.loads(writer.invoke(ask("solution", **extra)).text))
        for extra in ({}, {"previous": f"# Solution\n\n{faulty}\n", "issues": "line 3: dangling reference (X)"})
    )
    assert "print tickets" in first
    assert "print tickets" not in second
    assert "sell tickets by telephone" in second


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("The vendor must integrate their proposed design.", "We will integrate our proposed design."),
        ("Contractor shall:", "We will:"),
        (
            "The Offeror should tell us what the contractor owes.",
            "The Offeror should tell us what the contractor owes.",
        ),
        ("Contractors are many.", "Contractors are many."),
    ],
)
def test_says_duties_as_ours_only_where_nothing_is_left_of_the_contractor(asked: str, said: str) -> None:
    assert in_our_voice(asked) == said


def test_tells_who_speaks_to_whom() -> None:
    assert is_of_client("We run the ferry ourselves.")
    assert not is_of_client('"We read at bedtime."')
    assert is_address("You bring a talented team.")
    assert not is_address("The team is talented.")
    assert is_unresolved("A contract binds the contractor.")
    assert not is_unresolved("Future contractors can build on it.")
