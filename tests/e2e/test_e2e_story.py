"""A proposal from a real request to the files that are handed in: read, ledger, written, amended, forms, matrix."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pypandoc  # type: ignore[import-untyped]
import pytest
import typst
from docx import Document as Word
from forms_made import empty, parts_of, row, sheet, text, workbook
from openpyxl import Workbook
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_client import Client
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_testkit.driving import wait_for
from typer.testing import CliRunner, Result

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("I1", "I3", "I4", "L1", "L2", "L7")]
CORPUS = Path(__file__).parents[2] / "services" / "converter" / "tests" / "corpus"
LETTER = (CORPUS / "letter.md").read_text(encoding="utf-8")
"""The letter of a request for quotation of the General Services Administration; see the README beside it."""
BRIEF = "# Quotation for the FedRAMP dashboard\n\nOur quotation for ID09160019, by the letter of 30 March 2016.\n"
OUTLINE = """## Schedule

id: timeline
kind: timeline

The dates by which offers and questions have to be there.

## Similar experience

id: experience

Two front-end dashboards that we delivered for previous clients.

## Price

id: price
kind: budget

What developers and designers cost.
"""
FACTS = """# Facts

Backups are kept at a second site, and are made every night.

We delivered two front-end dashboards for previous clients: the harbour board and the water board.
"""
CLOSING = "official closing date and time of April 8, 2016"
SUMMARIES = "short summaries of tw (2) front-end dashboards"
AMENDED = LETTER.replace(CLOSING, CLOSING.replace("8,", "15,")).replace(
    SUMMARIES, SUMMARIES.replace("tw (2)", "three (3)")
)
WITHIN_S = 300.0
BACKUPS = "Where are backups kept (max. 12 words)?"


def as_pdf(path: Path, markdown: str) -> Path:
    """The letter as the buyer sends it."""
    template = f"--template={CORPUS / 'bare.typ'}"
    body = pypandoc.convert_text(markdown, "typst", format="gfm", extra_args=["--standalone", "--wrap=none", template])
    path.write_bytes(typst.compile(f'#set page(paper: "a4", numbering: "1 / 1")\n{body}'.encode()))
    return path


def price_sheet(path: Path) -> Path:
    book = Workbook()
    for cells in (("Role", "Hourly rate in USD", "Hours"), ("Developer", 118, 320), ("Designer", 104, 160)):
        book.active.append(cells)
    book.active.title = "Rates"
    book.save(path)
    return path


def mail(path: Path) -> Path:
    message = EmailMessage()
    message["From"], message["To"] = "Renee <renee@example.com>", "Ada <ada@example.com>"
    message["Subject"], message["Date"] = "Questions about the dashboard", "Thu, 31 Mar 2016 10:00:00 -0700"
    message.set_content("Who are the key personnel of the staffing plan?\n")
    path.write_bytes(bytes(message))
    return path


def questionnaire(path: Path) -> Path:
    head = row(1, text("A1", "Question"), text("B1", "Response"))
    asked = (row(n, text(f"A{n}", words), empty(f"B{n}")) for n, words in ((2, BACKUPS), (3, "Name your zoologist:")))
    path.write_bytes(workbook({"Form": sheet(head, *asked)}))
    return path


@dataclass
class Manager:
    """Who makes the quotation, with the command."""

    settings: dict[str, str]
    document_id: str = ""

    async def ran(self, *arguments: object, exits: int = 0) -> Result:
        """A command that ended as it should."""
        done = await asyncio.to_thread(CliRunner().invoke, app, list(map(str, arguments)), env=self.settings)
        assert done.exit_code == exits, done.output
        return done

    async def does(self, verb: str, *arguments: object, exits: int = 0) -> str:
        """What a verb says of the document."""
        return (await self.ran(verb, self.document_id, *arguments, exits=exits)).output

    async def told(self, verb: str, *arguments: object) -> Any:
        """The same for programs."""
        return json.loads((await self.ran(verb, self.document_id, *arguments, "--json")).stdout)

    async def begins(self, folder: Path) -> None:
        """Give what came by mail, and have nothing written before it is known what is asked."""
        for name, words in (("brief.md", BRIEF), ("outline.md", OUTLINE), ("facts.md", FACTS)):
            (folder / name).write_text(words, encoding="utf-8")
        sent = ("--request", as_pdf(folder / "letter.pdf", LETTER), "--request", mail(folder / "questions.eml"))
        ours = ("--input", price_sheet(folder / "rates.xlsx"), "--input", folder / "facts.md")
        plan = ("--outline", folder / "outline.md", "--form", questionnaire(folder / "form.xlsx"))
        begun = await self.ran("new", "proposal", "--brief", folder / "brief.md", *sent, *ours, *plan)
        self.document_id = begun.stdout.strip()
        await self.does("pause")

    async def assigns(self, *pairs: tuple[str, str]) -> list[str]:
        """Give rows of the ledger to sections; their ids."""
        rows = await self.told("ledger", "--read", "--no-brief")
        found = [next(r for r in rows if words in r["quote"]) for words, _ in pairs]
        assert {one["source"] for one in found} == {"letter.pdf"}
        ids = [str(one["requirement_id"]) for one in found]
        given = [f"--assign={name}={section}" for name, (_, section) in zip(ids, pairs, strict=True)]
        await self.does("ledger", *(f"--confirm={name}" for name in ids), *given)
        return ids

    async def stale(self) -> dict[str, list[str]]:
        """The sections that are stale, each with the inputs and requirements that made it so."""
        told = await self.told("stale")
        return {
            one["section_id"]: [each["name"] for each in one["inputs"]]
            + [each["requirement_id"] for each in one["requirements"]]
            for one in told
        }


async def read(client: Client, document_id: str, files: int) -> None:
    """Wait until so many files are read."""
    seen = set[str]()

    def is_last(event: Contract) -> bool:
        seen.update([event.input_id] if isinstance(event, e.DocumentInputRead) else [])
        return len(seen) == files

    await wait_for(client, document_id, is_last, WITHIN_S)


async def reviewable(client: Client, document_id: str, **versions: int) -> None:
    """Wait until these versions of sections wait for a review."""
    left = dict(versions)

    def is_last(event: Contract) -> bool:
        if isinstance(event, e.SectionReviewRequested) and left.get(event.section_id) == event.version:
            del left[event.section_id]
        return not left

    await wait_for(client, document_id, is_last, WITHIN_S)


def words_of(path: Path) -> str:
    """All words of a file in Word, those in tables too."""
    return "".join(element.text or "" for element in Word(str(path)).element.iter() if element.tag.endswith("}t"))


@pytest.mark.full
@pytest.mark.timeout(1200)
async def test_a_request_is_read_answered_amended_and_handed_in_with_its_form_and_matrix(
    stemma: LocalStemma, client: Client, tmp_path: Path
) -> None:
    manager = Manager({"STEMMA_DATA_DIR": str(stemma.folder.root), "XDG_CONFIG_HOME": str(tmp_path)})
    await manager.begins(tmp_path)
    document_id, does = manager.document_id, manager.does
    await read(client, document_id, 4)
    closing, summaries = await manager.assigns((CLOSING, "timeline"), (SUMMARIES, "experience"))
    form = (await manager.ran("form", "confirm", document_id, "form.xlsx")).stdout.strip()
    await does("resume")
    await reviewable(client, document_id, timeline=1, experience=1, price=1, **{form: 1})
    assert "118" in await does("show", "price")
    assert "letter.pdf, p. 1" in (await does("show", "timeline", "--citations")).replace("\\", "")
    for section in ("timeline", "experience", "price", form):
        await does("approve", section, "--version", 1)

    amended = as_pdf(tmp_path / "amended.pdf", AMENDED)
    shown = await does("amend", amended, "--input", "letter.pdf", "--apply")
    assert all(words in shown for words in ("April 15, 2016", "three (3)", "stale would be: timeline"))
    assert await manager.stale() == {"timeline": ["letter.pdf"]}
    changed = await does("ledger", "--read", "--no-brief")
    assert all(f"changed {name}" in changed for name in (closing, summaries))
    assert await manager.stale() == {"timeline": ["letter.pdf", closing], "experience": [summaries]}
    await does("keep", "experience", "--version", 1)
    await does("regenerate", "timeline", "--version", 1)
    await reviewable(client, document_id, timeline=2)
    assert "April 15, 2016" in await does("show", "timeline")
    await does("approve", "timeline", "--version", 2)
    assert await manager.stale() == {}

    filled, offer = tmp_path / "filled.xlsx", tmp_path / "offer.docx"
    told = await does("export", "--form", "form.xlsx", "-o", filled, exits=5)
    assert "Name your zoologist" in told
    assert b"Backups are kept at a second site" in parts_of(filled.read_bytes())["xl/worksheets/sheet1.xml"]
    await does("export", "--matrix", "-o", offer, exits=5)
    words = words_of(offer)
    assert all(part in words for part in (closing, summaries, "letter.pdf, p. 3", "April 15, 2016"))
