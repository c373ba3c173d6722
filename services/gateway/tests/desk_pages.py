"""What the tests of the desk have in common: a gateway, a Chromium, a document, and signing in."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import chromium, opened, violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
LONG_WORD = 5000
NARROW: Any = {"width": 320, "height": 640}


def hostile(word: int) -> str:
    """A text with markup that would run, and a word of so many letters; a browser takes seconds for 100,000."""
    return (
        "# A\n\n<script>document.title='run'</script>\n\n[x](javascript:alert(1)) ![y](http://evil.example/p.png)\n\n"
        f"\u202eabc {'x' * word}\n"
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(gateway: Any) -> AsyncIterator[str]:
    """A gateway."""
    async with gateway() as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all pages of a file, each of which is of a person with cookies of its own.

    Nobody reads what it says between files: one that was left alone for minutes did not answer when it was closed.
    """
    async with chromium() as running:
        yield running


@pytest.fixture
def long_word() -> int:
    """How many letters the longest word of the text has that is reviewed."""
    return LONG_WORD


@pytest_asyncio.fixture(loop_scope="session")
async def bus(
    server: Any, open_backstage: Callable[..., Any], document_id: str, long_word: int
) -> AsyncIterator[Backstage]:
    """The other side, with a document whose section `research` waits for review, in version 2."""
    async with open_backstage(server) as stage:
        texts = ("# Research\n\nOld words.\n", hostile(long_word))
        drafts = [await stage.text(document_id, text) for text in texts]
        events = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
        await stage.append(document_id, document_requested(), *events, review_requested("research", 2))
        await stage.list_research(document_id, version=2)
        yield stage


async def signed_in(page: Page, address: str, token: str, path: str) -> None:
    """Sign in as a page of the gateway does, and go to a page."""
    answer = await page.request.post(f"{address}/sign-in", data={"token": token}, headers={"Origin": address})
    assert answer.ok, await answer.text()
    await page.goto(f"{address}{path}")
    assert urlsplit(page.url).path == path.partition("?")[0]


Desk = Callable[..., AbstractAsyncContextManager[Page]]
"""Opens a page of the desk for a program of the tenant, with options of the browser."""


@pytest.fixture
def desk(browser: Browser, address: str, token: Callable[..., str]) -> Desk:
    @asynccontextmanager
    async def visited(path: str, **options: Any) -> AsyncIterator[Page]:
        async with opened(browser, **options) as page:
            await signed_in(page, address, token(), path)
            yield page

    return visited


@pytest_asyncio.fixture(loop_scope="session")
async def web(address: str, caller: Callable[..., Any]) -> AsyncIterator[httpx.AsyncClient]:
    """The same program without a browser."""
    async with caller(address) as client:
        yield client


async def check(page: Page, state: str = "") -> None:
    """What is shown now fits, and axe finds nothing in it."""
    assert await violations(page) == [], state or page.url
    assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], state or page.url


def section(document_id: str) -> str:
    return f"/desk/documents/{document_id}/sections/research"


def plain(html: str) -> str:
    """What a page says, without its markup."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())
