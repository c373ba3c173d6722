"""A proposal from a request to the files that are handed in: read, ledger, written, amended, form, matrix."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypandoc  # type: ignore[import-untyped]
import pytest
import typst
from docx import Document as Word
from forms_made import parts_of
from stemma_client import Client
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_testkit.driving import wait_for
from typer.testing import Result

from .conftest import run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("I1", "I3", "I4", "L1", "L2", "L7")]
CORPUS = Path(__file__).parents[2] / "services" / "converter" / "tests" / "corpus"
CLOSING = "official closing date and time of April 8, 2016"
SUMMARIES = "short summaries of tw (2) front-end dashboards"
ZOOLOGIST = "The quoter shall name its zoologist."
SHORT = f"""# Request for quotation

Quotes shall be submitted by the {CLOSING}.

The quoter shall submit {SUMMARIES} that it delivered for previous clients.

{ZOOLOGIST}
"""
BRIEF = "# Quotation for the FedRAMP dashboard\n\nOur quotation for ID09160019, by the letter of 30 March 2016.\n"
HOSTING = """
## Hosting

id: hosting

Where backups are kept.
"""
OUTLINE = """## Schedule

id: timeline
kind: timeline

The dates by which offers and questions have to be there.

## Similar experience

id: experience

Two front-end dashboards that we delivered for previous clients.
"""
FACTS = """# Facts

Backups are kept at a second site, and are made every night.

We delivered two front-end dashboards for previous clients: the harbour board and the water board.
"""
WITHIN_S = 300.0
BACKUPS, NAME = "Where are backups kept (max. 12 words)?", "Name your zoologist"
SECOND_SITE = "Backups are kept at a second site"


def amended(letter: str) -> str:
    """The letter with another closing date, and another number of summaries."""
    return letter.replace(CLOSING, CLOSING.replace("8,", "15,")).replace(
        SUMMARIES, SUMMARIES.replace("tw (2)", "three (3)")
    )


def as_pdf(path: Path, markdown: str) -> Path:
    """The letter as the buyer sends it."""
    template = f"--template={CORPUS / 'bare.typ'}"
    body = pypandoc.convert_text(markdown, "typst", format="gfm", extra_args=["--standalone", "--wrap=none", template])
    path.write_bytes(typst.compile(f'#set page(paper: "a4", numbering: "1 / 1")\n{body}'.encode()))
    return path


def declaration(path: Path) -> Path:
    """A form as DOCX."""
    word = Word()
    word.add_heading("Declaration of the quoter", 1)
    table = word.add_table(rows=2, cols=2)
    for line, question in enumerate((f"{NAME}:", BACKUPS)):
        table.cell(line, 0).text = question
    word.add_paragraph("The quoter declares that all of this is true.")
    word.save(str(path))
    return path


@dataclass
class Manager:
    """Who makes the quotation, with the command."""

    settings: dict[str, str]
    document_id: str = ""

    async def ran(self, *arguments: object, exits: int = 0) -> Result:
        """A command that ended as it should."""
        done = await run(self.settings, *arguments)
        assert done.exit_code == exits, done.output
        return done

    async def does(self, verb: str, *arguments: object, exits: int = 0) -> str:
        """What a verb says of the document."""
        return (await self.ran(verb, self.document_id, *arguments, exits=exits)).output

    async def told(self, verb: str, *arguments: object) -> Any:
        """The same for programs."""
        return json.loads((await self.ran(verb, self.document_id, *arguments, "--json")).stdout)

    async def begins(self, folder: Path, letter: str, outline: str, *given: object) -> None:
        """Give what came, and have nothing written before it is known what is asked."""
        for name, words in (("brief.md", BRIEF), ("outline.md", outline), ("facts.md", FACTS)):
            (folder / name).write_text(words, encoding="utf-8")
        files = ("--request", as_pdf(folder / "letter.pdf", letter), "--input", folder / "facts.md", *given)
        plan = ("--brief", folder / "brief.md", "--outline", folder / "outline.md")
        self.document_id = (await self.ran("new", "proposal", *plan, *files)).stdout.strip()
        await self.does("pause")

    async def assigns(self, *pairs: tuple[str, str]) -> list[str]:
        """Give rows of the ledger to sections; their ids."""
        rows = [one["row"] for one in await self.told("ledger", "--read", "--no-brief")]
        found = [next(r for r in rows if words in r["quote"]) for words, _ in pairs]
        assert {one["source"] for one in found} == {"letter.pdf"}
        ids = [str(one["requirement_id"]) for one in found]
        given = [f"--assign={name}={section}" for name, (_, section) in zip(ids, pairs, strict=True)]
        await self.does("ledger", *(f"--confirm={name}" for name in ids), *given)
        return ids

    async def confirms(self, form: Path, *dropped: str) -> str:
        """Have the fields of a form answered, but for those that ask for something; the section that does."""
        fields = json.loads((await self.ran("form", "proposed", self.document_id, form.name, "--json")).stdout)
        left_out = [f"--drop={one['field_id']}" for one in fields if one["question"] in dropped]
        return (await self.ran("form", "confirm", self.document_id, form.name, *left_out)).stdout.strip()

    async def approves(self, *sections: str) -> None:
        for section in sections:
            await self.does("approve", section, "--version", 1)

    async def stale(self) -> dict[str, list[str]]:
        """The sections that are stale, each with the inputs and requirements that made it so."""
        told = await self.told("stale")
        return {
            one["section_id"]: [each["name"] for each in one["stale_inputs"]]
            + [each["requirement_id"] for each in one["stale_requirements"]]
            for one in (each["section"] for each in told)
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


async def amends(manager: Manager, client: Client, new: Path, stale: Mapping[str, Sequence[str]]) -> None:
    """The letter is amended: what answers it is stale, one section is kept, and a person writes the other one."""
    shown = await manager.does("amend", new, "--input", "letter.pdf", "--apply")
    assert all(words in shown for words in ("April 15, 2016", "three (3)"))
    assert all(f"changed {because[-1]}" in shown for because in stale.values())
    assert await manager.stale() == stale
    await manager.does("keep", "experience", "--version", 1)
    written = new.with_name("timeline.md")
    written.write_text("# Schedule\n\nOur offer will be there by April 15, 2016.\n", encoding="utf-8")
    await manager.does("edit", "timeline", "--version", 1, "--file", written)
    await wait_for(client, manager.document_id, lambda event: isinstance(event, e.SectionEdited), WITHIN_S)
    assert "letter.pdf, p. 1" in await manager.does("show", "timeline"), "what it has to answer stands beside it"
    await manager.does("keep", "timeline", "--version", 2)
    assert await manager.stale() == {}


async def fills(manager: Manager, form: Path, part: str, opened: str) -> Path:
    """The form with its answer in that part, and nothing else of it changed; ``opened`` is a field without one."""
    filled = form.with_name(f"filled-{form.name}")
    assert opened in await manager.does("export", "--form", form.name, "-o", filled, exits=5)
    before, after = parts_of(form.read_bytes()), parts_of(filled.read_bytes())
    assert SECOND_SITE in after[part].decode()
    assert {name for name in after if before.get(name) != after[name]} <= {part, "xl/workbook.xml"}
    return filled


async def test_a_letter_is_read_answered_amended_and_handed_in_with_its_form_and_matrix(
    client: Client, settings: dict[str, str], tmp_path: Path
) -> None:
    manager = Manager(settings)
    form = declaration(tmp_path / "declaration.docx")
    await manager.begins(tmp_path, SHORT, OUTLINE + HOSTING, "--form", form)
    await read(client, manager.document_id, 2)
    rows = closing, summaries = await manager.assigns((CLOSING, "timeline"), (SUMMARIES, "experience"))
    answers = await manager.confirms(form, NAME)
    await manager.does("resume")
    await reviewable(client, manager.document_id, timeline=1, experience=1, hosting=1, **{answers: 1})
    assert "zoologist" not in await manager.does("show", answers)
    await manager.approves("timeline", "experience", "hosting", answers)
    stale = {"timeline": [closing], "experience": [summaries]}
    await amends(manager, client, as_pdf(tmp_path / "amended.pdf", amended(SHORT)), stale)
    await fills(manager, form, "word/document.xml", NAME)
    offer = tmp_path / "offer.md"
    assert "requirements without a sure answer" in await manager.does("export", "--matrix", "-o", offer, exits=5)
    words = offer.read_text(encoding="utf-8")
    assert all(part in words for part in (*rows, "letter.pdf, p. 1", "April 15, 2016", ZOOLOGIST))
