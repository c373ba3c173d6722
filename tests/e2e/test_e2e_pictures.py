"""An image that a person adds to a written section is in the text, and in what is exported of it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image
from stemma_cli.pictures import name_of, with_image
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")


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
