"""A model writes a whole document in German: all that a program adds to it is in that language."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image
from pypdf import PdfReader
from stemma_client import Client
from stemma_client.outlines import read_outline
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_kinds import find_kinds
from stemma_languages import language
from stemma_messaging import config_dir
from stemma_testkit.driving import ENDS, wait_for
from stemma_testkit.provider import Provider, says

pytestmark = pytest.mark.asyncio(loop_scope="session")
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
