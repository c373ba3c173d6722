"""An image that a person adds to a written section."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from stemma_client.errors import InvalidInputError
from stemma_client.pictures import name_of, with_image
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.inputs import InputReading, Unreadable
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile

TEXT = "# Solution\n\nWords.\n\n## Plan\n\nSteps.\n\n## Price\n\nCosts.\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path, buffer = tmp_path / "our plan!.png", BytesIO()
    Image.new("RGB", (4, 4)).save(buffer, "PNG")
    path.write_bytes(buffer.getvalue())
    return path


@pytest.fixture
async def written(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    await backstage.append(document_id, requested, drafted("research", await backstage.text(document_id, TEXT)))
    return document_id


@pytest.mark.req("I5")
def test_an_image_stands_at_the_end_or_below_what_a_heading_says() -> None:
    assert with_image(TEXT, "a.png", "", None) == f"{TEXT}\n![](a.png)\n"
    below = with_image(TEXT, "a.png", "The [plan]\nof *us*", " plan")
    assert below == TEXT.replace("\n## Price", "\n![The \\[plan\\] of \\*us\\*](a.png)\n\n## Price")
    with pytest.raises(InvalidInputError, match="no heading of the section says 'Team'"):
        with_image(TEXT, "a.png", "", "Team")


@pytest.mark.req("I5")
def test_the_name_of_an_image_is_of_its_content(plan: Path, tmp_path: Path) -> None:
    other = tmp_path / "our plan?.PNG"
    other.write_bytes(b"another")
    assert name_of(plan).startswith("our-plan-")
    assert name_of(plan).endswith(".png")
    assert name_of(plan) != name_of(other)
    with pytest.raises(InvalidInputError, match="cannot be shown in a document"):
        name_of(tmp_path / "plan.bmp")


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    path = tmp_path / "site.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    return path


def read_as(backstage: Any, name: str | None) -> Any:
    """Whoever takes requests, and reads the drawing that comes as an input as an image of a name, or cannot."""

    async def take(request: Any) -> None:
        about: dict[str, Any] = {"input_id": "input-1", "version": 1, "job_id": "j9"}
        document_id = request.document_id
        if isinstance(request, requests.EditSection):
            draft = await backstage.text(document_id, request.text)
            edited = events.SectionEdited(section_id="research", version=2, draft=draft, origin=Origin.WRITTEN)
            await backstage.append(document_id, edited)
            return
        file = InputFile(name=request.upload.name, artifact=await backstage.text(document_id, "svg"))
        added = events.DocumentInputAdded(input_id="input-1", version=1, file=file, to_read=True)
        if name is None:
            why = Unreadable(reason="entities", detail="It defines entities.")
            await backstage.append(document_id, added, events.DocumentInputUnreadable(**about, unreadable=why))
            return
        image = InputFile(name=name, artifact=file.artifact)
        reading = InputReading(text=file.artifact, images=(image,))
        await backstage.append(document_id, added, events.DocumentInputRead(**about, reading=reading))

    return take


@pytest.mark.req("I5")
async def test_a_drawing_becomes_an_input_and_the_text_shows_the_image_that_was_drawn_of_it(
    cli: Any, backstage: Any, written: str, drawing: Path
) -> None:
    backstage.on_request = read_as(backstage, "site-image-1a.png")
    done = await cli("edit", written, "research", "--image", str(drawing), "--caption", "The site")
    assert done.exit_code == 0, done.output
    request = backstage.received[-1][1]
    assert request.images == ()
    assert request.text.endswith("![The site](site-image-1a.png)\n")


@pytest.mark.req("I5")
async def test_a_drawing_that_cannot_be_drawn_is_not_shown(
    cli: Any, backstage: Any, written: str, drawing: Path
) -> None:
    backstage.on_request = read_as(backstage, None)
    done = await cli("edit", written, "research", "--image", str(drawing))
    assert done.exit_code != 0
    assert "cannot be drawn: It defines entities." in done.output
    assert not any(isinstance(request, requests.EditSection) for _, request in backstage.received)


@pytest.mark.req("I5")
async def test_an_image_is_sent_with_the_text_that_shows_it(cli: Any, backstage: Any, written: str, plan: Path) -> None:
    backstage.on_request = read_as(backstage, None)
    done = await cli("edit", written, "research", "--image", str(plan), "--caption", "The plan", "--under", "Plan")
    assert done.exit_code == 0, done.output
    request = backstage.received[-1][1]
    [image] = request.images
    assert (image.name, image.media_type) == (name_of(plan), "image/png")
    assert f"Steps.\n\n![The plan]({image.name})\n\n## Price" in request.text


async def test_a_caption_goes_with_an_image(cli: Any, written: str) -> None:
    done = await cli("edit", written, "research", "-m", "Shorter.", "--caption", "x")
    assert (done.exit_code, "go with --image" in done.output) == (2, True)
