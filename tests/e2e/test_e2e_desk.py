"""The review desk against the real processes: what is pressed in a Chromium stands in the log of the document."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Browser, Page, expect
from stemma_cli.demo import reviewer
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.samples import sample_folder
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.base import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import Remark
from stemma_contracts.v1.exports import ExportFormat
from stemma_testkit.browser import chromium, opened
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.pictures import SIZE, shown

from .conftest import run

pytestmark = pytest.mark.asyncio(loop_scope="session")
ROOT = Path(__file__).parents[2]
STARTED_MS = 180_000
"""In which a part that was killed is there again, and what waited for it is done, on a machine that is busy."""
PASSAGE = "The pilot costs EUR 480,000 a year."
TEXT = f"# Research\n\n{PASSAGE}\n\nNothing else is known.\n"


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
        await expect(ada.get_by_role("status")).to_contain_text("Edit the text")
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
@pytest.mark.timeout(300)
@pytest.mark.req("H2", "H5", "I5")
async def test_what_two_people_start_amend_and_write_together_on_the_desk_stands_in_the_log(
    stemma: LocalStemma, browser: Browser, client: Client, tmp_path: Path
) -> None:
    async with opened(browser) as carla, opened(browser) as dino:
        await sign_in(stemma, carla, "carla", tmp_path, "/desk/new")
        await carla.get_by_role("radio", name="proposal").check()
        await carla.get_by_label("Brief: what the document is for").fill(
            (sample_folder("proposal") / "brief.md").read_text()
        )
        terms: Any = {"name": "terms.md", "mimeType": "text/markdown", "buffer": b"# Terms\n\nTen weeks.\n"}
        await carla.get_by_label("Evidence:").set_input_files(terms)
        await carla.get_by_role("button", name="Start the document").click()
        await carla.wait_for_url("**/inputs?new=true**")
        document_id = urlsplit(carla.url).path.split("/")[3]
        found = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
        await carla.get_by_label("The file:").set_input_files(terms | {"buffer": b"# Terms\n\nTwelve weeks.\n"})
        await carla.get_by_role("button", name="Show what it changes").click()
        await expect(carla.locator(".at-words ins")).to_contain_text("Twelve", timeout=60_000)
        await carla.keyboard.press("y")
        await expect(carla.get_by_role("status").first).to_contain_text("it counts from now on")
        here = f"/desk/documents/{document_id}/sections/{found}"
        await sign_in(stemma, dino, "dino", tmp_path, f"{here}/edit")
        await carla.goto(f"{stemma.gateway_url}{here}/edit")
        await dino.locator(".cm-content").press("Control+End")
        await dino.keyboard.type("\n\nThe words of Dino.")
        image = BytesIO()
        Image.new("RGB", (4, 4)).save(image, "PNG")
        plan: Any = {"name": "plan.png", "mimeType": "image/png", "buffer": image.getvalue()}
        await carla.get_by_label("Images:").set_input_files(plan)
        await expect(carla.locator("[data-rendered]")).to_contain_text("plan-")
        await carla.get_by_role("button", name="Save as").click()
        await expect(carla.get_by_role("status").first).to_contain_text("Edit the text")
        assert (
            await carla.locator(".rendered img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 4
        )
        await dino.get_by_role("button", name="Merge it into your text").click()
        await expect(dino.locator("[data-rendered] img")).to_be_visible()
        await dino.locator(".cm-content").press("Control+s")
        await expect(dino.get_by_role("status").first).to_contain_text("Edit the text")
    said = [event.contract for event in await client.history(document_id)]
    [asked] = [one for one in said if isinstance(one, e.DocumentRequested)]
    [staged] = [one for one in said if isinstance(one, e.DocumentInputReplaced)]
    [applied] = [one for one in said if isinstance(one, e.DocumentInputApplied)]
    first, second = [one for one in said if isinstance(one, e.SectionEdited)]
    assert (asked.actor, staged.staged, applied.actor, applied.version) == ("carla", True, "carla", 2)
    assert (first.actor, [one.name.partition("-")[0] for one in first.assets]) == ("carla", ["plan"])
    text = await client.text(document_id, second.draft)
    assert (second.actor, "](plan-" in text, "The words of Dino." in text) == ("dino", True, True)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.req("H2", "H5")
async def test_a_comment_of_one_person_stays_with_its_passage_through_the_edits_of_another(
    stemma: LocalStemma, browser: Browser, client: Client, tmp_path: Path
) -> None:
    document_id = await request_sample(client)
    section_id = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    version = (await client.document(document_id)).sections[section_id].version
    await client.edit(document_id, section_id, version, text=TEXT)
    async with opened(browser) as ada, opened(browser) as bob:
        await sign_in(stemma, ada, "agatha", tmp_path, here)
        await ada.keyboard.press("c")
        await ada.keyboard.type("From which budget?")
        await ada.get_by_label("The words of the text").fill("EUR 480,000 a year")
        await ada.get_by_role("button", name="Send all together").click()
        await expect(ada.locator(".thread")).to_contain_text("From which budget?")
        edited = TEXT.replace("# Research\n", "# Research\n\nA new beginning.\n").replace("Nothing else", "No more")
        await client.edit(document_id, section_id, version + 1, text=edited)
        await sign_in(stemma, bob, "berthold", tmp_path, here)
        await expect(bob.locator(".thread")).to_contain_text("line 5")
        await ada.keyboard.press("s")
        await ada.get_by_label("To whom").fill("berthold")
        await ada.get_by_label("Until when").fill("2099-12-01T17:00")
        await ada.keyboard.press("Enter")
        await expect(ada.locator(".facts")).to_contain_text("berthold")
        await bob.goto(f"{stemma.gateway_url}/desk?whose=mine")
        row = bob.locator(".item").filter(has=bob.locator(f'[href$="{here}"]'))
        await expect(row).to_contain_text("berthold")
        await row.locator("[name=item]").check()
        await bob.keyboard.press("s")
        await bob.get_by_label("To whom").fill("agatha")
        await bob.get_by_role("button", name="Assign what is ticked", exact=True).click()
        await expect(bob.get_by_text("1 assigned", exact=True)).to_be_visible()
        await bob.goto(f"{stemma.gateway_url}{here}")
        await client.edit(document_id, section_id, version + 2, text=edited.replace(PASSAGE, "It is free."))
        await bob.reload()
        await expect(bob.locator(".thread")).to_contain_text("not in the text any more")
        await bob.get_by_role("button", name="Resolve").click()
        await expect(bob.get_by_text("Resolved: 1")).to_be_visible()
    decided = [event.contract for event in await client.history(document_id)]
    [commented] = [one for one in decided if isinstance(one, e.SectionCommented)]
    [resolved] = [one for one in decided if isinstance(one, e.SectionThreadResolved)]
    assert (commented.actor, commented.actor_verified, commented.version) == ("agatha", True, version + 1)
    assert (resolved.actor, resolved.thread_id) == ("berthold", commented.comments[0].thread_id)
    assigned = [one for one in decided if isinstance(one, e.SectionAssigned)]
    people = [(one.actor, one.actor_verified, one.assignee, one.due is not None) for one in assigned]
    assert people == [("agatha", True, "berthold", True), ("berthold", True, "agatha", False)]
    exported = await client.export(document_id, ExportFormat.MD)
    assert exported.artifact is not None
    assert b"From which budget?" not in await client.artifact(document_id, exported.artifact)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.req("H2", "H5", "L1")
async def test_what_a_request_demands_is_read_and_decided_on_the_desk_and_the_log_tells_it(
    stemma: LocalStemma, browser: Browser, client: Client, tmp_path: Path
) -> None:
    brief = "# Records\n\nThe contractor shall train ten users.\n\nThe offeror must sign form A.\n"
    document_id = (await client.create_document("proposal", brief=brief)).document_id
    async with opened(browser) as page:
        await sign_in(stemma, page, "rosa", tmp_path, f"/desk/documents/{document_id}/requirements")
        await page.get_by_role("button", name="Read the requirements").click()
        await expect(page.locator(".ledger tbody tr")).to_have_count(2, timeout=60_000)
        await page.reload()
        await page.keyboard.press("j")
        await page.keyboard.press("a")
        await expect(page.get_by_role("status").first).to_contain_text("Confirm")
        await page.get_by_label("Choose R2").check()
        await page.keyboard.press("s")
        await page.keyboard.type("Solution")
        await page.get_by_role("button", name="Assign").click()
        await expect(page.get_by_role("status").first).to_contain_text("Assign")
        await page.get_by_role("link", name="brief, line 3").click()
        await expect(page.locator("#line-3")).to_have_text("The contractor shall train ten users.")
    said = [event.contract for event in await client.history(document_id)]
    [asked] = [one for one in said if isinstance(one, e.RequirementsRequested)]
    confirmed, assigned = [one for one in said if isinstance(one, e.RequirementsDecided)]
    assert (asked.actor, asked.actor_verified, asked.without_brief) == ("rosa", True, False)
    assert [(one.actor, one.actor_verified) for one in (confirmed, assigned)] == [("rosa", True)] * 2
    assert [(one.requirement_id, one.confirmed) for one in confirmed.decisions] == [("R1", True)]
    assert [(one.requirement_id, one.section_id) for one in assigned.decisions] == [("R2", "solution")]


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
            await emil.get_by_role("button", name="Send all together").click()
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
