"""The review desk against the real processes: what is pressed in a Chromium stands in the log of the document."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_client import Client
from stemma_contracts.base import Contract
from stemma_contracts.v1 import events as e
from stemma_testkit.browser import chromium, opened
from stemma_testkit.driving import request_sample, wait_for
from typer.testing import CliRunner

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def sign_in(stemma: LocalStemma, page: Page, person: str, folder: Path, path: str) -> None:
    """Add a person, who signs in by name and password and comes to a page of the desk."""
    command = ["user", "add", person, "--role", "author", "--output", str(folder / f"{person}.login"), "--json"]
    env = {"STEMMA_DATA_DIR": str(stemma.folder.root)}
    added = await asyncio.to_thread(CliRunner().invoke, app, command, env=env)
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
    stemma: LocalStemma, client: Client, tmp_path: Path
) -> None:
    document_id = await request_sample(client)
    section_id = getattr((await wait_for(client, document_id, waits))[-1].contract, "section_id", "")
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    async with chromium() as browser, opened(browser) as ada, opened(browser) as bob:
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
    stemma: LocalStemma, tmp_path: Path
) -> None:
    told = tmp_path / "address"
    env = {"STEMMA_DATA_DIR": str(stemma.folder.root), "BROWSER": f"/bin/sh -c 'echo %s > {told}'"}
    command = [sys.executable, "-c", "from stemma_cli.main import main; main()", "desk"]
    opening = await asyncio.create_subprocess_exec(*command, env={**os.environ, **env})
    assert await asyncio.wait_for(opening.wait(), 60) == 0
    async with chromium() as browser, opened(browser) as page, opened(browser) as later:
        await page.goto(link := told.read_text().strip())
        assert page.url == f"{stemma.gateway_url}/desk"
        await expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
        await later.goto(link)
        await expect(later.get_by_role("alert")).to_contain_text("was followed before")
