"""What a person decides on the desk is sent until it is answered, and done once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect
from stemma_contracts.v1.requests import ApproveSection, CommentSection, Request, ReviseSection
from stemma_gateway.desk import forms
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened
from stemma_testkit.ports import free_port

from .desk_pages import Desk, section, signed_in

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "H5", "E1")]
KEY = "k" * 32
WAITS = "It is not answered yet."


async def test_a_decision_that_is_sent_while_the_gateway_is_away_is_done_once_it_is_back(
    browser: Browser, gateway: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    port = free_port()
    async with opened(browser) as page:
        async with gateway(port=port, cookie_keys=KEY) as url:
            await signed_in(page, url, token(), section(document_id))
            await page.keyboard.press("r")
            await page.keyboard.type("Shorter.")
        await page.get_by_role("button", name="Send back").click()
        await expect(page.get_by_text(WAITS)).to_be_visible()
        await expect(page.get_by_label("What is to change").first).to_have_value("Shorter.")
        async with gateway(port=port, cookie_keys=KEY):
            await expect(page.get_by_text("Done: Send back")).to_be_visible(timeout=20_000)
    [(_, asked)] = bus.received
    assert isinstance(asked, ReviseSection)
    assert (asked.feedback, asked.version) == ("Shorter.", 2)


@pytest.mark.full
async def test_a_decision_that_is_taken_and_never_answered_is_told_of_and_sent_again(
    browser: Browser, gateway: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    port, taken = free_port(), asyncio.Queue[bytes]()

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if request.startswith(b"POST"):
            await taken.put(*re.findall(rb"(?i)idempotency-key: \S+", request))
        await reader.read()

    async with opened(browser) as page:
        await page.clock.install()
        async with gateway(port=port, cookie_keys=KEY) as url:
            await signed_in(page, url, token(), section(document_id))
        async with await asyncio.start_server(silent, "127.0.0.1", port):
            await page.keyboard.press("a")
            first = await taken.get()
            await page.clock.fast_forward(4_000)
            await expect(page.get_by_text(WAITS)).to_be_visible()
            await page.clock.fast_forward(25_000)
            await page.clock.fast_forward(1_000)
            assert await taken.get() == first


@pytest.mark.full
async def test_a_decision_that_nobody_answers_is_sent_again_under_the_same_id(
    desk: Desk, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "WAIT_S", 0.2)
    back = asyncio.Event()

    async def away(_: Request) -> None:
        await back.wait()

    bus.on_request = away
    async with desk(section(document_id)) as page:
        await page.keyboard.press("a")
        await expect(page.get_by_text(WAITS)).to_be_visible()
        back.set()
        await expect(page.get_by_text("Done: Approve")).to_be_visible(timeout=20_000)
    assert all(isinstance(request, ApproveSection) for _, request in bus.received)
    assert len({request.request_id for _, request in bus.received}) == 1


async def test_what_is_sent_twice_under_one_key_is_asked_once_and_under_another_twice(
    address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    form = {"version": "2", "quote": "", "before": "", "text": "Once."}
    async with httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {token()}"}) as http:
        for key in ("one", "one", "two"):
            sent = await http.post(f"{section(document_id)}/comments", data=form, headers={"Idempotency-Key": key})
            assert sent.status_code == 204, sent.text
            assert sent.headers["location"].startswith(section(document_id))
    asked = [request for _, request in bus.received]
    assert all(isinstance(request, CommentSection) for request in asked)
    assert len({request.request_id for request in asked}) == 2
