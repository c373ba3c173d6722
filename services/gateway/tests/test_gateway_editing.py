"""The editor of the desk in a real Chromium: preview, images, drafts, and two people on one section."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import EditSection
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import review_requested, section_drafted

from .conftest import Caller
from .desk_pages import PNG, Desk, plain, section

pytestmark = pytest.mark.asyncio(loop_scope="session")
OURS, THEIRS = "# Research\n\nOur words.\n\nThe end.\n", "# Research\n\nTheir words.\n\nThe very end.\n"
BASE = "# Research\n\nOld words.\n\nThe end.\n"
EDITOR = Path(__file__).parents[1] / "editor"
DROP = """([target, name]) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(%r), each => each.charCodeAt(0))], name, {type: "image/png"}));
  const about = {dataTransfer: given, bubbles: true, cancelable: true, composed: true, clientX: 60, clientY: 400};
  target.dispatchEvent(new DragEvent("drop", about));
}"""


PASTE = """(target, text) => {
  const given = new DataTransfer();
  given.setData("text/plain", text);
  target.dispatchEvent(new ClipboardEvent("paste", {clipboardData: given, bubbles: true, cancelable: true}));
}"""


def editor(page: Page) -> Any:
    return page.locator(".cm-content")


async def write(page: Page, text: str) -> None:
    """Put a text in the place of the one in the editor, as a person does who pastes it."""
    await editor(page).focus()
    await page.keyboard.press("Control+a")
    await editor(page).evaluate(PASTE, text)


async def edited(bus: Backstage, document_id: str, text: str, version: int = 3) -> None:
    """Another version of the section, which waits for review."""
    draft = await bus.text(document_id, text)
    await bus.append(document_id, section_drafted("research", draft, version), review_requested("research", version))


def asked(bus: Backstage) -> list[EditSection]:
    return [request for _, request in bus.received if isinstance(request, EditSection)]


@pytest.mark.req("H2", "H4", "H5")
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
async def test_the_editor_and_what_it_merged_fit_320_pixels_and_axe_finds_nothing_in_them(
    desk: Desk, scheme: Any, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    size: Any = {"width": 320, "height": 640}
    async with desk(f"{section(document_id)}/edit", viewport=size, color_scheme=scheme) as page:
        await expect(editor(page)).to_contain_text("Old words.")
        assert await violations(page) == []
        await write(page, OURS)
        await edited(bus, document_id, THEIRS, version=4)
        await page.get_by_role("button", name="Merge it into your text").click()
        await expect(page.get_by_role("heading", name="Merged into your text: version 4")).to_be_visible()
        assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.full
@pytest.mark.req("H2", "H5")
async def test_what_is_written_is_shown_as_it_will_look_and_asked_for_about_the_version_that_was_seen(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id)) as page:
        await page.keyboard.press("e")
        await page.wait_for_url("**/edit")
        await expect(editor(page)).to_contain_text("U+202E")
        await editor(page).focus()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("# Mine\n\nGood *words*.\n")
        await expect(page.locator("[data-rendered] em")).to_have_text("words")
        await page.keyboard.press("Control+s")
        await expect(page.get_by_role("status").first).to_contain_text("Edit the text")
        await page.wait_for_function("!Object.keys(localStorage).some(key => key.startsWith('draft'))")
    [request] = asked(bus)
    assert (request.version, request.text, request.images) == (2, "# Mine\n\nGood *words*.\n", ())


@pytest.mark.full
@pytest.mark.req("H2", "I5")
async def test_an_image_that_is_dropped_or_chosen_stands_in_the_text_and_goes_along_with_it(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, "# Mine\n")
        name = "..\\\u202e our <b>plan.png"
        await editor(page).evaluate(f"(target, name) => ({DROP % b64encode(PNG).decode()})([target, name])", name)
        await expect(page.locator("[data-rendered] .picture")).to_contain_text("our-b-plan-")
        file: Any = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"}
        await page.get_by_label("Images:").set_input_files(file)
        await expect(page.locator("[data-said]")).to_contain_text("a text shows PNG, JPEG, GIF and WebP")
        await page.get_by_role("button", name="Save as version 3").click()
        await expect(page.get_by_role("status").first).to_contain_text("Edit the text")
    [request] = asked(bus)
    [image] = request.images
    assert f"]({image.name})" in str(request.text)
    assert (image.digest, image.media_type) == (sha256(PNG).hexdigest(), "image/png")


@pytest.mark.req("H2", "H5")
async def test_of_two_people_who_change_one_sentence_no_word_is_lost(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, OURS)
        await edited(bus, document_id, THEIRS, version=4)
        bus.problems = (Problem(field="version", message="version 4 is current"),)
        await page.keyboard.press("Control+s")
        await expect(page.get_by_role("alert")).to_contain_text("version 4 is current")
        await expect(editor(page)).to_contain_text("Our words.")
        await expect(editor(page)).to_contain_text("The very end.")
        await expect(page.locator(".conflicts")).to_contain_text("Their words.")
        await page.get_by_role("button", name="Take the other").click()
        await expect(editor(page)).to_contain_text("Their words.")
        bus.problems = ()
        await page.get_by_role("button", name="Save as version 5").click()
        await expect(page.get_by_role("status").first).to_contain_text("Edit the text")
    first, second = asked(bus)
    assert (first.version, first.text) == (3, OURS)
    assert (second.version, second.text) == (4, THEIRS)


@pytest.mark.req("H2", "H5")
async def test_a_draft_survives_a_closed_tab_and_is_merged_into_what_came_meanwhile(
    desk: Desk, address: str, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    here = f"{address}{section(document_id)}/edit"
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, OURS.replace("The end.", "The end, mine."))
        await expect(page.locator("[data-rendered]")).to_contain_text("The end, mine.")
        beside = await page.context.new_page()
        await beside.goto(here)
        await write(page, OURS.replace("The end.", "The end, mine. "))
        await expect(beside.locator("[data-said]")).to_contain_text("You write this section in another tab too")
        await beside.close()
        await page.close()
        await edited(bus, document_id, THEIRS, version=4)
        again = await page.context.new_page()
        await again.goto(here)
        await expect(editor(again)).to_contain_text("The end, mine.")
        await expect(again.get_by_text("This is the draft that you left here.")).to_be_visible()
        await again.get_by_role("button", name="Merge it into your text").click()
        await expect(again.locator(".conflicts")).to_contain_text("Their words.")
        await again.goto(here)
        await expect(editor(again)).to_contain_text("The end, mine.")
        await again.get_by_role("button", name="Drop the draft").click()
        await expect(editor(again)).to_contain_text("The very end.")
        await again.reload()
        await expect(editor(again)).to_contain_text("The very end.")
        await expect(again.get_by_text("This is the draft that you left here.")).to_be_hidden()


@pytest.mark.req("H2", "H4", "H5")
async def test_without_scripts_a_plain_field_does_the_same(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    here, picture = f"{section(document_id)}/edit", {"picture": ("our plan.png", PNG, "image/png")}
    async with caller(address, follow_redirects=True) as http:
        assert '<textarea id="text" name="text"' in (await http.get(here)).text
        looked = (await http.post(f"{here}/look", data={"version": "2", "text": "# Mine\n"}, files=picture)).text
        [kept] = re.findall('name="image" value="([^"]*)"', looked)
        text = unescape(looked.partition('<textarea id="text"')[2].partition(">\n")[2].partition("</textarea>")[0])
        form = {"version": "2", "text": text, "image": unescape(kept)}
        saved = await http.post(here, data=form, files={"picture": ("", b"")})
    assert re.search(r"data-rendered><h2[^>]*>(<[^>]*>)?Mine", looked)
    assert "Done: Edit the text" in plain(saved.text)
    [request] = asked(bus)
    [image] = request.images
    assert request.text == f"# Mine\n\n![our plan]({image.name})\n"
    assert (image.digest, image.media_type) == (sha256(PNG).hexdigest(), "image/png")


@pytest.mark.req("H2")
@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"text": "x"}, 422, "version: this is no number of a version"),
        ({"text": "x", "version": "9"}, 422, "has no version 9"),
        ({"text": "x", "version": "2", "image": "{}"}, 422, "image: this names no upload"),
        ({"text": " \n", "version": "2"}, 422, "text"),
    ],
)
async def test_a_form_that_no_page_of_the_desk_sends_is_refused_in_words(
    web: httpx.AsyncClient, bus: Backstage, document_id: str, fields: Any, status: int, said: str
) -> None:
    bus.problems = (Problem(field="version", message="another one is current"),)
    answer = await web.post(f"{section(document_id)}/edit", data=fields, files={"picture": ("", b"")})
    plain = await web.post(f"{section(document_id)}/edit", data=fields)
    assert (answer.status_code, plain.status_code) == (status, 415)
    assert said in answer.text


@pytest.mark.req("H4")
@pytest.mark.parametrize("name", ["codemirror", "htmx"])
async def test_what_others_wrote_is_built_of_what_is_pinned_and_brings_its_licences(name: str) -> None:
    folder = files("stemma_gateway") / "desk" / "static"
    about = json.loads((folder / f"{name}.json").read_text())
    locked = json.loads((EDITOR / "npm-shrinkwrap.json").read_text())["packages"]
    assert sha256((folder / f"{name}.js").read_bytes()).hexdigest() == about["sha256"]
    assert {each: locked[f"node_modules/{each}"]["version"] for each in about["packages"]} == about["packages"]
    licences = (folder / f"{name}.LICENSE.txt").read_text()
    assert all(f"{each} {version}\n" in licences for each, version in about["packages"].items())


@pytest.mark.req("H4")
async def test_all_scripts_but_the_editor_have_less_than_sixty_kilobytes() -> None:
    scripts = [file for file in (files("stemma_gateway") / "desk" / "static").iterdir() if file.name.endswith(".js")]
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in scripts}
    assert sizes.pop("codemirror.js") > 60_000
    assert sum(sizes.values()) < 60_000


@pytest.mark.req("H2", "S8")
async def test_the_name_of_a_draft_becomes_no_header(web: httpx.AsyncClient, bus: Backstage, document_id: str) -> None:
    form, key = {"text": "# Mine", "version": "2", "draft": "a\r\nX-Odd: 1"}, {"Idempotency-Key": "one"}
    sent = await web.post(f"{section(document_id)}/edit", data=form, files={"picture": ("", b"")}, headers=key)
    assert sent.status_code == 204, sent.text
    assert ("x-odd" in sent.headers, "draft=a%0AX-Odd%3A%201" in sent.headers["location"]) == (False, True)
