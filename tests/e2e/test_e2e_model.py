"""What a model of a provider writes: lies come back to it, a whole document is in its language, copies are found."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import pytest_asyncio
from PIL import Image
from pypdf import PdfReader
from stemma_client import Client
from stemma_client.notifications import new_secret
from stemma_client.outlines import read_outline
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.references import UploadRole
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.validation import ValidationReport
from stemma_kinds import find_kinds
from stemma_languages import language
from stemma_messaging import config_dir
from stemma_testkit.driving import ENDS, wait_for
from stemma_testkit.provider import Provider, Reply, says

from .canaries import CANARIES, files_in, leaked
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


CRITERIA = find_kinds()["proposal"].path / "criteria"
DEFAULT_CRITERIA = config_dir("stemma_generation_graph") / "evaluation" / "default.json"


@dataclass(frozen=True)
class Sample:
    """A request in a language, what a model answers, and what must stand on the pages; the first line is the title."""

    brief: str
    facts: str
    outline: str
    text: str
    budget: Mapping[str, Any]
    titles: tuple[str, ...]
    on_a_page: tuple[str, ...]
    footer: str


SAMPLE = Sample(
    brief="# Ein Lesegarten\n\nSchlage einen Lesegarten auf der Wiese neben der Stadtbibliothek vor.\n",
    facts="# Fakten\n\nDie Wiese misst 640 Quadratmeter. Die Bepflanzung kostet 4.250 Euro, Bänke 1.180 Euro.\n",
    outline="## Die Wiese\n\nWo der Garten liegt.\n\n## Budget\n\ndepends on: Die Wiese\n",
    text="# Die Wiese\n\nDie Wiese misst 640 Quadratmeter.\n\n![Der Plan der Wiese](plan.png)\n",
    budget={
        "summary": "Bezahlt werden die Bepflanzung und die Bänke.",
        "currency": "EUR",
        "items": [
            {"item": "Bepflanzung", "basis": "Angebot", "amount": 4250},
            {"item": "Bänke", "basis": "Angebot", "amount": 1180},
        ],
    },
    titles=("Die Wiese", "Budget"),
    on_a_page=(
        *("Inhalt", "Abbildung 1: Der Plan der Wiese"),
        *("Kosten", "Tabelle 1: Kosten nach Posten", "Summe", "5.430,00"),
    ),
    footer="Seite 3 von",
)


@pytest.mark.req("T5", "P19", "W5")
async def test_a_document_is_in_its_language_from_the_prompt_to_the_last_page(
    scripted: Client, model: Provider, tmp_path: Path
) -> None:
    client, sample, tag = scripted, SAMPLE, "de"
    model.requests.clear()
    model.script[:] = [
        *(says(sample.text), says(scores("default"))),
        *(says(json.dumps(sample.budget)), says(scores("budget"))),
    ]
    document = await written(client, sample, tmp_path)
    prompts = [json.dumps(request["messages"], ensure_ascii=False) for request in model.requests]
    assert all(f"The document is in {language(tag).english_name}" in prompts[number] for number in (0, 2))
    view = await client.document(document)
    assert tuple(section.title for section in view.sections.values()) == sample.titles
    assert view.created_at is not None
    day = language(tag).date(view.created_at.astimezone(UTC).date())
    expected = [*sample.titles, *sample.on_a_page, day]
    files = {
        to: (await client.export(document, to)).artifact
        for to in (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML)
    }
    data = {to: await client.artifact(document, ref) for to, ref in files.items()}
    words = {
        ExportFormat.DOCX: docx_words(data[ExportFormat.DOCX]),
        ExportFormat.PDF: pdf_words(data[ExportFormat.PDF], tag),
        ExportFormat.HTML: html_words(data[ExportFormat.HTML], tag),
    }
    missing = {to: [one for one in expected if squeezed(one) not in seen] for to, seen in words.items()}
    assert not any(missing.values()), missing
    assert squeezed(sample.footer) in words[ExportFormat.PDF]
    assert languages_of(data[ExportFormat.DOCX]) == (tag, language(tag).locale)


def scores(kind: str) -> str:
    own = CRITERIA / f"{kind}.json"
    ids = [criterion["id"] for criterion in json.loads((own if own.exists() else DEFAULT_CRITERIA).read_text())]
    return json.dumps({"scores": dict.fromkeys(ids, 0.9), "feedback": "Gut."})


async def written(client: Client, sample: Sample, folder: Path) -> str:
    """The id of the document, once it is settled without anybody's help."""
    (folder / "facts.md").write_text(sample.facts, encoding="utf-8")
    Image.new("RGB", (320, 180), "green").save(folder / "plan.png")
    accepted = await client.create_document(
        "proposal",
        brief=sample.brief,
        inputs=[folder / "facts.md", folder / "plan.png"],
        title=sample.brief.partition("\n")[0].removeprefix("# "),
        review=ReviewMode.NONE,
        outline=read_outline("outline.md", sample.outline),
    )
    last = (*ENDS, e.SectionReviewRequested)
    seen = await wait_for(client, accepted.document_id, lambda event: isinstance(event, last))
    found = [event.contract.validation for event in seen if isinstance(event.contract, e.SectionLintFailed)]
    reports = [await client.artifact(accepted.document_id, one.report) for one in found if one.report]
    assert isinstance(seen[-1].contract, e.DocumentCompleted), b"".join(reports).decode()
    return accepted.document_id


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def docx_words(data: bytes) -> str:
    with ZipFile(BytesIO(data)) as package:
        parts = [package.read(name).decode() for name in package.namelist() if name.startswith("word/document")]
    return squeezed(re.sub(r"<[^>]*>", "", "".join(parts)))


def pdf_words(data: bytes, tag: str) -> str:
    reader = PdfReader(BytesIO(data))
    assert str(reader.root_object["/Lang"]).split("-")[0] == tag
    return squeezed("".join(page.extract_text() for page in reader.pages))


def html_words(data: bytes, tag: str) -> str:
    assert f'<html lang="{tag}' in data.decode()
    return squeezed(re.sub(r"<[^>]*>", "", data.decode().partition("<body>")[2]))


def languages_of(docx: bytes) -> tuple[str, str]:
    """``dc:language`` of a Word document, and the ``w:lang`` of its text."""
    with ZipFile(BytesIO(docx)) as package:
        core, styles = (package.read(name).decode() for name in ("docProps/core.xml", "word/styles.xml"))
    told = re.search(r"<dc:language>([^<]*)<", core)
    (lang,) = re.findall(r"<w:docDefaults>.*?<w:lang ([^/]*)/>.*?</w:docDefaults>", styles, re.DOTALL)
    values = dict(re.findall(r'w:(\w+)="([^"]*)"', lang))
    assert told is not None
    return told[1], values["val"]


RULES = {"brief": "words/instruction", "request": "words/request"}


def is_over(event: Contract) -> bool:
    return isinstance(event, (*ENDS, e.SectionReviewRequested))


def copies(asked: dict[str, Any]) -> Reply:
    """A model that writes down all material that it sees, without its instructions, and finds that good."""
    if "You are the reviewer" in str(asked["messages"]):
        return says(SCORES)
    material = str(asked["messages"][1]["content"]).partition("\n\nYou write")[0]
    return says(f"# Note\n\n{re.sub(r'</?[a-z][^>]*>', '', material)}\n")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def copied(scripted: Client, model: Provider, tmp_path_factory: pytest.TempPathFactory) -> ValidationReport:
    """What is found in a text that says all that its writer saw; no score settles it, and it waits for a person."""
    files = files_in(tmp_path_factory.mktemp("copied"))
    roles: dict[UploadRole, list[Path]] = {
        "request": [files["request"]],
        "internal": [files["internal"]],
        "past-text": [files["past-text"]],
        "style": [files["style"]],
    }
    model.script[:] = [copies] * 20
    brief, given = files["brief"].read_text(encoding="utf-8"), [files["facts"], files["mail"]]
    asked = await scripted.create_document("judged-note", brief=brief, inputs=given, roles=roles)
    waits = (await wait_for(scripted, asked.document_id, is_over))[-1].contract
    model.script.clear()
    assert isinstance(waits, e.SectionReviewRequested), waits
    assert waits.validation.report is not None
    data = await scripted.artifact(asked.document_id, waits.validation.report)
    return ValidationReport.model_validate_json(data)


@pytest.mark.parametrize("role", CANARIES)
async def test_a_model_that_copies_what_it_sees_is_found_out_and_a_person_decides(
    copied: ValidationReport, role: str
) -> None:
    """What may not be quoted is found by its words, the facts of what shows a manner by their figures."""
    is_manner = role in ("past-text", "style")
    rule = "grounding/amount" if is_manner else RULES.get(role, "words/internal")
    figures = re.findall(r"EUR [\d,]+", CANARIES[role]) if is_manner else []
    said = [issue.message for issue in copied.issues if issue.rule == rule]
    assert any(leaked(CANARIES[role], each) or any(figure in each for figure in figures) for each in said), said
