"""A German brief gives a German document, with the sections that its outline asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
import typst
from stemma_client import Client
from stemma_client.outlines import read_outline
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import CancelDocument
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import wait_for

BRIEF = "# Ein Lesegarten\n\nSchlage einen Lesegarten auf der Wiese neben der Stadtbibliothek vor.\n"
FACTS = "# Fakten\n\nDie Wiese misst 640 Quadratmeter. Die Bepflanzung kostet 4.250 Euro.\n"
OUTLINE = "## Budget\n\nmax 400 Wörter\n\n## Unser Team\n\nWer den Garten anlegt.\n"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.req("T5", "P19")
async def test_a_german_brief_with_an_outline_gives_a_german_document(client: Client, tmp_path: Path) -> None:
    (tmp_path / "fakten.md").write_text(FACTS, encoding="utf-8")
    accepted = await client.create_document(
        "proposal",
        brief=BRIEF,
        inputs=[tmp_path / "fakten.md"],
        review=ReviewMode.NONE,
        outline=read_outline("outline.md", OUTLINE),
    )
    document = accepted.document_id
    await wait_for(client, document, lambda event: isinstance(event, e.DocumentCompleted))
    view = await client.document(document)
    assert {name: section.title for name, section in view.sections.items()} == {
        "budget": "Budget",
        "unser_team": "Unser Team",
    }
    done = await client.export(document, ExportFormat.HTML)
    page = (await client.artifact(document, done.artifact)).decode()
    assert 'lang="de' in page
    assert "4.250 Euro" in page
    assert "Unser Team" in page


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.req("T5", "I1")
async def test_a_german_brief_as_pdf_gives_a_german_document_once_it_is_read(client: Client, tmp_path: Path) -> None:
    source, brief = tmp_path / "brief.typ", tmp_path / "auftrag.pdf"
    source.write_text(BRIEF.replace("# ", "= "), encoding="utf-8")
    typst.compile(source, brief)
    accepted = await client.create_document("proposal", brief=brief)
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, e.DocumentInputRead))
    view = await client.document(accepted.document_id)
    assert (view.language, view.sections["research"].title) == ("de", "Ausgangslage")
    await client.request(CancelDocument(document_id=accepted.document_id))
