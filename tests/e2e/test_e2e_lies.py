"""A model that lies: each lie is sent back to it, then shown, and waits for a person even where nobody reviews."""

import asyncio
import json
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from stemma_client import Client
from stemma_client.notifications import new_secret
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.validation import ValidationReport
from stemma_testkit.driving import ENDS, wait_for
from stemma_testkit.provider import Provider, says

from .conftest import KINDS, receiving

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("T3", "T9")]
BRIEF = "Write a note about the new hall for the council."
FACTS = """# The hall

The council rents the hall for $2 million. The building permit arrives on 3 March 2027.
The doors open to visitors on 1 June 2027. Ruth Adeyemi leads the project.
The repairs of the roof come to $184,650.
She said: "We will not move in before the roof is tight." Everything else is in lease.pdf.
"""
HONEST = "The hall is rented for two million dollars. The permit arrives on March 3rd, 2027, under Ruth Adeyemi."
SCORES = json.dumps({"scores": {"clarity": 0.9}, "feedback": "Clear."})
LIES = {
    "an invented amount": ("amount", "The kitchen costs $48,500.", "$48,500"),
    "an invented date": ("date", "The council meets on 9 August 2031.", "9 August 2031"),
    "an invented quantity": ("quantity", "The hall seats 640 people.", "640"),
    "an amount that is rounded and not said to be": ("amount", "The roof is repaired for $185,000.", "$185,000"),
    "another magnitude": ("amount", "The council rents the hall for $2 billion.", "$2 billion"),
    "exchanged dates": (
        "date",
        "The building permit arrives on 1 June 2027. The doors open to visitors on 3 March 2027.",
        "1 June 2027",
    ),
    "an invented name": ("name", "The architect is called Victor Lindqvist.", "Victor Lindqvist"),
    "an invented quotation": ("quotation", 'She said: "The roof will be finished by Friday."', "The roof will be"),
    "an invented citation": ("citation", "The numbers stand in audit-2026.pdf.", "audit-2026.pdf"),
}


@dataclass(frozen=True)
class Lying:
    """An installation whose model answers from a script."""

    client: Client
    model: Provider
    folder: Path

    async def note(self, *drafts: str, kind: str = "note") -> str:
        """Ask for a note that the model writes like this, round by round."""
        self.model.script[:] = [says(answer) for draft in drafts for answer in (f"# Note\n\n{draft}\n", SCORES)]
        self.model.requests.clear()
        facts = self.folder / "facts.md"
        facts.write_text(FACTS, encoding="utf-8")
        return (await self.client.create_document(kind, brief=BRIEF, inputs=[facts])).document_id

    async def events(self, document_id: str) -> list[object]:
        """What happened until the note was settled or waits."""
        last = (*ENDS, e.SectionReviewRequested)
        seen = await wait_for(self.client, document_id, lambda event: isinstance(event, last))
        return [event.contract for event in seen]


@pytest.fixture
def lying(scripted: Client, model: Provider, tmp_path: Path) -> Lying:
    return Lying(scripted, model, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_note_that_says_what_its_input_says_is_settled_by_its_policy(lying: Lying, kind: str) -> None:
    events = await lying.events(await lying.note(HONEST, kind=kind))
    assert isinstance(events[-1], e.DocumentCompleted), events


@pytest.mark.parametrize(
    ("lie", "policy"),
    [
        pytest.param(lie, policy, marks=() if number < len(KINDS) else pytest.mark.full)
        for number, (lie, policy) in enumerate(product(LIES, KINDS))
    ],
)
async def test_a_lie_is_sent_back_then_shown_and_waits(lying: Lying, lie: str, policy: str) -> None:
    kind, sentence, words = LIES[lie]
    draft = f"{HONEST}\n\n{sentence}"
    document_id = await lying.note(draft, draft, kind=policy)
    events = await lying.events(document_id)
    [sent_back] = [event for event in events if isinstance(event, e.SectionLintFailed)]
    assert sent_back.validation.unsupported[kind] >= 1  # type: ignore[index]
    rewriting = json.dumps(lying.model.requests[2], ensure_ascii=False)
    assert f"(grounding/{kind})" in rewriting
    waits = events[-1]
    assert isinstance(waits, e.SectionReviewRequested)
    assert waits.validation.report is not None
    report = ValidationReport.model_validate_json(await lying.client.artifact(document_id, waits.validation.report))
    [issue] = [issue for issue in report.issues if issue.rule == f"grounding/{kind}" and words in issue.message][:1]
    assert issue.line_number == 5


async def test_a_lie_that_the_model_takes_back_is_settled(lying: Lying) -> None:
    events = await lying.events(await lying.note(f"{HONEST}\n\nThe kitchen costs $48,500.", HONEST))
    assert [type(event) for event in events].count(e.SectionLintFailed) == 1
    assert isinstance(events[-1], e.DocumentCompleted)


async def test_what_a_person_writes_is_that_persons_and_is_never_sent_back(lying: Lying) -> None:
    document_id = await lying.note(HONEST)
    await lying.events(document_id)
    lying.model.script.append(says(SCORES))
    await lying.client.edit(document_id, "note", 1, text="# Note\n\nThe kitchen costs $48,500.\n")
    seen = await wait_for(
        lying.client, document_id, lambda event: isinstance(event, e.SectionChecked) and event.validation is not None
    )
    checked = seen[-1].contract
    assert isinstance(checked, e.SectionChecked)
    assert checked.validation is not None
    assert checked.validation.grounding is not None
    assert checked.validation.unsupported == {}
    data = await lying.client.artifact(document_id, checked.validation.grounding)
    [claim] = GroundingReport.model_validate_json(data).claims
    assert (claim.text, claim.standing) == ("$48,500", "person")


@pytest.mark.req("H7")
async def test_a_document_that_reaches_its_budget_is_told_with_what_it_cost(lying: Lying) -> None:
    with receiving() as receiver:
        rule = NotificationRule(
            rule_id="spent", on=(Occasion.BUDGET,), tokens=15, webhook=receiver.url, secret=new_secret()
        )
        await lying.client.notifications.add(rule)
        document_id = await lying.note(HONEST)
        async with asyncio.timeout(60):
            told = await receiver.told.get()
            # Documents of the tests before may still be spending.
            while told["data"]["document_id"] != document_id:
                told = await receiver.told.get()
        await lying.client.notifications.remove("spent")
    usage = (await lying.client.document(document_id)).usage
    assert told["type"] == "stemma.budget"
    assert told["data"]["budget"] == {"tokens": 15, "spent": usage.model_dump()}
