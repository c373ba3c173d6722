"""From what waits to a decision by a link: told by a webhook, signed in with a password, decided once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_client import Client
from stemma_client.notifications import new_secret
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.receiving import receiving
from typer.testing import CliRunner

pytestmark = pytest.mark.asyncio(loop_scope="session")
WITHIN_S = 60


@pytest.mark.timeout(300)
@pytest.mark.req("H1", "H7")
async def test_a_link_of_a_webhook_decides_once_as_the_person_who_signs_in(
    stemma: LocalStemma, client: Client, tmp_path: Path
) -> None:
    login = tmp_path / "lia.login"
    command = ["user", "add", "lia", "--role", "reviewer", "--output", str(login), "--json"]
    env = {"STEMMA_DATA_DIR": str(stemma.folder.root)}
    added = await asyncio.to_thread(CliRunner().invoke, app, command, env=env)
    with receiving() as receiver:
        async with Client.connect(login=login) as lia:
            await lia.notifications.add(
                NotificationRule(rule_id="mine", on=(Occasion.WAITING,), webhook=receiver.url, secret=new_secret())
            )
        document_id = await request_sample(client)
        async with asyncio.timeout(WITHIN_S):
            while (call := (await receiver.told.get())["data"])["document_id"] != document_id:
                pass
    there = call["links"]["approve"]
    async with httpx.AsyncClient(base_url=stemma.gateway_url, timeout=60) as http:
        assert (await http.get(there, headers={"Accept": "text/html"})).status_code == 303
        typed = {"user": "lia", "password": json.loads(added.stdout)["password"]}
        assert (await http.post("/sign-in", json=typed)).status_code == 200
        browser = {"Accept": "text/html", "Origin": stemma.gateway_url}
        assert "You approve it as lia" in (await http.get(there, headers=browser)).text
        assert "was approved" in (await http.post(there, headers=browser)).text
        again = await http.post(there, headers=browser)
        assert (again.status_code, "this link was used" in again.text) == (409, True)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionApproved))
    decided = [event.contract for event in await client.history(document_id)]
    approvals = [one for one in decided if isinstance(one, e.SectionApproved)]
    assert [(one.section_id, one.actor, one.actor_verified) for one in approvals] == [
        (call["sections"][0]["section_id"], "lia", True)
    ]
