"""A document leaves as DOCX, people change it in Word, and it comes back by the command: what they did is there."""

from copy import deepcopy
from pathlib import Path

import pytest
from docx import Document as Word
from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import CreateDocument

from .conftest import run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("W1", "W2", "W3")]
NAME = "research"
TEXT = """# Research

The hall opens in March.[^1] It has *two* doors.

The attic stays closed until the roof is mended.

| Part | Weeks |
|------|-------|
| Roof | 4 |

Nobody touches these words.

[^1]: As the request asks.
"""
BACK = (
    TEXT.replace("in March", "in May")
    .replace("stays closed", "is locked")
    .replace("mended.\n\n", "mended.\n\nThe yard is free.\n\n", 1)
    .replace("| Roof | 4 |", "| Roof | 6 |")
)


def _paragraph(document: Document, start: str) -> Paragraph:
    return next(one for one in document.paragraphs if one.text.startswith(start))


def _tracked(paragraph: Paragraph, old: str, new: str) -> None:
    """Bea replaces words with the tracking of changes on."""
    run = next(one for one in paragraph.runs if old in one.text)
    run.text, _, behind = run.text.partition(old)
    rest = Run(deepcopy(run._r), paragraph)
    rest.text = behind
    run._r.addnext(rest._r)
    for number, (kind, letters, words) in enumerate((("ins", "w:t", new), ("del", "w:delText", old)), 901):
        change, inside, said = (OxmlElement(name) for name in (f"w:{kind}", "w:r", letters))
        for name, value in {"author": "Bea Boss", "date": "2026-11-22T10:00:00Z", "id": str(number)}.items():
            change.set(qn(f"w:{name}"), value)
        said.text = words
        inside.append(said)
        change.append(inside)
        run._r.addnext(change)


def in_word(file: Path) -> None:
    """Bea tracks what she does and comments; Dan saves the file with changes that nobody tracked."""
    document = Word(str(file))
    _tracked(_paragraph(document, "The hall"), "March", "May")
    attic = _paragraph(document, "The attic")
    attic.runs[0].text = attic.runs[0].text.replace("stays closed", "is locked")
    new = deepcopy(attic._p)
    attic._p.addnext(new)
    added = Paragraph(new, document)
    for mark in list(new.iter(qn("w:bookmarkStart"), qn("w:bookmarkEnd"))):
        new.remove(mark)
    added.runs[0].text = "The yard is free."
    table = next(one for one in document.tables if one.cell(1, 0).text == "Roof")
    table.cell(1, 1).paragraphs[0].runs[0].text = "6"
    document.add_comment(_paragraph(document, "Nobody").runs, text="Is that so?", author="Carl", initials="C")
    document.core_properties.last_modified_by = "Dan"
    document.save(str(file))


@pytest.mark.full
async def test_what_people_did_in_word_is_shown_taken_over_and_in_the_next_file(
    client: Client, settings: dict[str, str], tmp_path: Path
) -> None:
    async def exported(name: str) -> Path:
        done = await run(settings, "export", document_id, "-o", tmp_path / name)
        assert done.exit_code in (0, 5), done.output
        return tmp_path / name

    async def text() -> str:
        section = (await client.document(document_id)).sections[NAME]
        return await client.text(document_id, section.draft)

    created = CreateDocument(kind="proposal", brief="Write it.", sections=(NAME,))
    document_id = (await client.request(created)).document_id
    await client.edit(document_id, NAME, 0, text=TEXT)
    first = await exported("first.docx")
    in_word(first)

    shown = await run(settings, "import", document_id, first)
    assert shown.exit_code == 0, shown.output
    assert "Bea Boss on 2026-11-22" in shown.stdout
    assert "Carl comments on \u201cNobody touches these words.\u201d" in shown.stdout
    assert await text() == TEXT, "nothing is applied before it is shown"

    applied = await run(settings, "import", document_id, first, "--apply", "--comments", "question")
    assert applied.exit_code == 0, applied.output
    assert await text() == BACK
    events = [event.contract for event in await client.history(document_id)]
    edits = [one for one in events if isinstance(one, e.SectionEdited)][1:]
    assert [(one.actor, one.actor_verified) for one in edits] == [("Dan", False), ("Bea.Boss", False)]
    (commented,) = (one for one in events if isinstance(one, e.SectionCommented))
    assert (commented.actor, [comment.asks for comment in commented.comments]) == ("Carl", [True])

    again = await run(settings, "import", document_id, first, "--apply")
    assert again.exit_code == 0, again.output
    events = [event.contract for event in await client.history(document_id)]
    assert (await text(), sum(isinstance(one, e.SectionCommented) for one in events)) == (BACK, 1), "once is enough"
    second = await exported("second.docx")
    assert "is locked until" in "\n".join(one.text for one in Word(str(second)).paragraphs)
    untouched = await run(settings, "import", document_id, second)
    assert (untouched.exit_code, "nobody changed a section" in untouched.stderr) == (0, True)
