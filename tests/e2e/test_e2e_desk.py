"""The review desk against the real processes: what is pressed in a Chromium stands in the log of the document."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Browser, Page, expect
from stemma_cli.demo import reviewer
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.base import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import Remark
from stemma_testkit.browser import chromium, opened
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.pictures import SIZE, shown

from .conftest import run

pytestmark = pytest.mark.asyncio(loop_scope="session")
ROOT = Path(__file__).parents[2]
STARTED_MS = 180_000
"""In which a part that was killed is there again, and what waited for it is done, on a machine that is busy."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all people here, each of whom has cookies of its own."""
    async with chromium() as running:
        yield running


async def sign_in(stemma: LocalStemma, page: Page, person: str, folder: Path, path: str) -> None:
    """Add a person, who signs in by name and password and comes to a page of the desk."""
    login = folder / f"{person}.login"
    env = {"STEMMA_DATA_DIR": str(stemma.folder.root)}
    added = await run(env, "user", "add", person, "--role", "author", "--output", login, "--json")
    await page.goto(f"{stemma.gateway_url}{path}")
    await page.get_by_label("Name").fill(person)
    await page.get_by_label("Password").fill(json.loads(added.stdout)["password"])
    await page.get_by_role("button", name="Sign in").first.click()
    await page.wait_for_url(f"**{path}")


def waits(event: Contract) -> bool:
    return isinstance(event, e.SectionReviewRequested)


@pytest.mark.timeout(300)
@pytest.mark.req("H2", "H5")
async def test_two_people_decide_on_one_section_and_the_log_tells_who_did_what(
    stemma: LocalStemma, browser: Browser, client: Client, tmp_path: Path
) -> None:
    document_id = await request_sample(client)
    section_id = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    async with opened(browser) as ada, opened(browser) as bob:
        await sign_in(stemma, ada, "adele", tmp_path, here)
        await sign_in(stemma, bob, "bruno", tmp_path, here)
        await ada.keyboard.press("e")
        await ada.wait_for_url("**/edit")
        await ada.locator(".cm-content").focus()
        await ada.keyboard.press("Control+a")
        await ada.keyboard.type("# Research\n\nAda's own words.\n")
        await ada.keyboard.press("Control+s")
        await expect(ada.get_by_role("status")).to_contain_text("Edit text")
        await expect(ada.locator(".rendered")).to_contain_text("Ada's own words.")
        await bob.keyboard.press("a")
        await expect(bob.get_by_role("alert")).to_be_visible()
        await expect(bob.locator(".rendered")).to_contain_text("Ada's own words.")
    decided = [event.contract for event in await client.history(document_id)]
    assert [one for one in decided if isinstance(one, e.SectionApproved)] == []
    [written] = [one for one in decided if isinstance(one, e.SectionEdited)]
    assert (written.section_id, written.actor, written.actor_verified) == (section_id, "adele", True)


@pytest.mark.req("H1", "H5")
async def test_the_command_opens_the_desk_signed_in_by_an_address_that_is_good_once(
    stemma: LocalStemma, browser: Browser, tmp_path: Path
) -> None:
    told = tmp_path / "address"
    env = {"STEMMA_DATA_DIR": str(stemma.folder.root), "BROWSER": f"/bin/sh -c 'echo %s > {told}'"}
    command = [sys.executable, "-c", "from stemma_cli.main import main; main()", "desk"]
    opening = await asyncio.create_subprocess_exec(*command, env={**os.environ, **env})
    assert await asyncio.wait_for(opening.wait(), 60) == 0
    async with opened(browser) as page, opened(browser) as later:
        await page.goto(link := told.read_text().strip())
        assert page.url == f"{stemma.gateway_url}/desk"
        await expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
        await later.goto(link)
        await expect(later.get_by_role("alert")).to_contain_text("was followed before")


@pytest.mark.full
@pytest.mark.req("H2", "H4")
async def test_a_command_takes_the_pictures_of_the_guide_in_each_language(
    stemma: LocalStemma, browser: Browser, tmp_path: Path
) -> None:
    told = await asyncio.to_thread(subprocess.check_output, ["make", "-n", "pictures"], cwd=ROOT, text=True)
    assert "-m stemma_testkit.pictures docs" in told
    _, token = await asyncio.to_thread(reviewer, stemma)
    files = {language: tmp_path / f"desk.{language}.png" for language in ("en", "de")}
    await shown(browser, stemma, token, "/desk", files)
    assert len({file.read_bytes() for file in files.values()}) == 2
    for file in (*files.values(), ROOT / "docs" / "desk.png"):
        with Image.open(file) as picture:
            assert (picture.format, picture.size) == ("PNG", (SIZE["width"], SIZE["height"]))
        assert file.stat().st_size < 400_000


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("H3", "H5", "E1")
async def test_what_is_decided_while_gateway_server_and_orchestrator_are_killed_stands_in_the_log_once(
    apart: LocalStemma, browser: Browser, tmp_path: Path
) -> None:
    async with apart.client() as client:
        document_id = await request_sample(client)
        section_id = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    kills = {name: apart.services[name].kill for name in (subjects.GATEWAY, subjects.ORCHESTRATOR)}
    kills["nats"] = apart.nats.kill
    async with opened(browser) as emil, opened(browser) as looks:
        await sign_in(apart, emil, "emil", tmp_path, here)
        await sign_in(apart, looks, "frida", tmp_path, here)
        for number, (name, kill) in enumerate(kills.items(), 1):
            await emil.keyboard.press("c")
            await emil.keyboard.type(f"While {name} is killed.")
            kill()
            await emil.get_by_role("button", name="Send all comments").click()
            await expect(emil.get_by_text("Done: Comment")).to_be_visible(timeout=STARTED_MS)
            await emil.wait_for_load_state()
            await expect(emil.locator(".thread")).to_have_count(number)
            await expect(looks.locator(".thread")).to_have_count(number, timeout=STARTED_MS)
            await expect(looks.get_by_text("The connection is lost.")).to_be_hidden()
        apart.nats.kill()
        await looks.keyboard.press("a")
        await expect(looks.get_by_text("Done: Approve")).to_be_visible(timeout=STARTED_MS)
        await expect(emil.locator(".facts .status").first).to_have_text("approved", timeout=STARTED_MS)
    async with apart.client() as client:
        decided = [event.contract for event in await client.history(document_id)]
        comments = [one.comments for one in decided if isinstance(one, e.SectionCommented)]
        approvals = [one for one in decided if isinstance(one, e.SectionApproved) and one.section_id == section_id]
        said = [Remark.model_validate_json(await client.artifact(document_id, made.remark)).text for [made] in comments]
    assert said == [f"While {name} is killed." for name in kills]
    assert [one.actor for one in approvals] == ["frida"]


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("H3", "H5")
async def test_what_a_person_asks_of_a_part_that_was_just_killed_comes_to_the_page_that_is_open(
    apart: LocalStemma, browser: Browser, tmp_path: Path
) -> None:
    async with apart.client() as client:
        document_id = await request_sample(client)
        section_id = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
        await client.approve(document_id, section_id, 1)
    here = f"/desk/documents/{document_id}"
    async with opened(browser) as page:
        await sign_in(apart, page, "gerd", tmp_path, here)
        section = page.locator(f"#section-{section_id}")
        await expect(section.locator(".rendered").first).not_to_be_empty()
        apart.services[subjects.EDITOR].kill()
        await section.locator("h2 a").focus()
        await page.keyboard.press("o")
        await page.keyboard.type('Replace "Only 4 %" with "Just 4 %"')
        await page.keyboard.press("Control+Enter")
        await expect(section.get_by_role("link", name="Proposed")).to_be_visible(timeout=STARTED_MS)
        await section.locator("h2 a").focus()
        await page.keyboard.press("n")
        await expect(page.get_by_text("Done: Reject the edit")).to_be_visible()
        for part in (subjects.GENERATION, subjects.VALIDATOR):
            apart.services[part].kill()
        await section.locator("h2 a").focus()
        await page.keyboard.press("g")
        await page.keyboard.press("Control+Enter")
        await expect(section.locator(".facts .status").first).to_have_text("waiting for review", timeout=STARTED_MS)
        apart.services[subjects.CONVERTER].kill()
        await page.keyboard.press("X")
        await page.get_by_role("button", name="Export").click()
        await expect(page.locator("[data-part=exports] a[download][href$=content]")).to_be_visible(timeout=STARTED_MS)
        await expect(page.get_by_text("The connection is lost.")).to_be_hidden()
