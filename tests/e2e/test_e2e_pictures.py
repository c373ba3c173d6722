"""An image that a person adds to a written section is in the text, and in what is exported of it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from docx import Document as Word
from PIL import Image
from stemma_client import Client
from stemma_client.pictures import drawn, name_of, with_image
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
<rect width="200" height="100" fill="navy"/><image href="file:///etc/passwd"/></svg>"""
VISITS = "The ferry carries 40 people to the island every morning."
RETURN = "The ferry returns with 25 crates of oysters every evening."


@pytest.mark.req("I5", "P9")
async def test_an_image_that_a_person_adds_is_in_the_exported_document(client: Client, tmp_path: Path) -> None:
    plan = tmp_path / "plan.png"
    Image.new("RGB", (40, 30), "navy").save(plan)
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    before = (await client.document(document_id)).sections["budget"]
    text = with_image(await client.text(document_id, before.draft), name_of(plan), "The plan", None)
    image = await client.upload(plan, name=name_of(plan))
    await client.edit(document_id, "budget", before.version, text=text, images=(image,))
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionEdited))
    done = await client.export(document_id, ExportFormat.DOCX)
    with ZipFile(BytesIO(await client.artifact(document_id, done.artifact))) as package:
        pictures = [package.read(name) for name in package.namelist() if name.startswith("word/media/")]
    assert (40, 30) in [Image.open(BytesIO(picture)).size for picture in pictures]


@pytest.mark.req("I5")
async def test_a_drawing_is_shown_as_the_picture_that_the_converter_drew(client: Client, tmp_path: Path) -> None:
    (tmp_path / "site.svg").write_text(DRAWING)
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    before = (await client.document(document_id)).sections["budget"]
    shown = await drawn(client, document_id, tmp_path / "site.svg", "site-1a.svg")
    assert await drawn(client, document_id, tmp_path / "site.svg", "site-1a.svg") == shown, "it is one input"
    text = with_image(await client.text(document_id, before.draft), shown, "The site", None)
    await client.edit(document_id, "budget", before.version, text=text)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionEdited))
    done = await client.export(document_id, ExportFormat.DOCX)
    with ZipFile(BytesIO(await client.artifact(document_id, done.artifact))) as package:
        pictures = [package.read(name) for name in package.namelist() if name.startswith("word/media/")]
    assert (1200, 600) in [Image.open(BytesIO(picture)).size for picture in pictures]


@pytest.mark.req("I5")
async def test_a_picture_of_an_input_stands_where_it_stood_when_the_text_around_it_is_used(
    client: Client, tmp_path: Path
) -> None:
    picture, word = tmp_path / "ferry.png", Word()
    Image.new("RGB", (60, 40), "teal").save(picture)
    word.add_heading("The ferry", 1)
    word.add_paragraph(VISITS)
    word.add_picture(str(picture))
    word.add_paragraph(RETURN)
    word.save(str(tmp_path / "ferry.docx"))
    section = OutlineSection(section_id="ferry", title="The ferry", purpose="What the ferry carries.", kind="approach")
    accepted = await client.create_document(
        "proposal",
        brief="Describe the ferry: how many people and crates it carries.",
        inputs=[tmp_path / "ferry.docx"],
        review=ReviewMode.NONE,
        outline=(section,),
    )
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, ENDS))
    view = await client.document(accepted.document_id)
    text = await client.text(accepted.document_id, view.sections["ferry"].draft)
    assert text.index(VISITS) < text.index("](ferry-image-") < text.index(RETURN), text
