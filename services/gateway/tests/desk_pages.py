"""What the tests of the desk have in common: a gateway, a Chromium, a document, and signing in."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from html import unescape
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from stemma_contracts.v1.requests import Request
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
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all pages of a file, each of which is of a person with cookies of its own.

    Nobody reads what it says between files: one that was left alone for minutes did not answer when it was closed.
    """
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def bus(
    server: Any, open_backstage: Callable[..., Any], document_id: str, request: pytest.FixtureRequest
) -> AsyncIterator[Backstage]:
    """The other side, with the document that the module of the test tells of in ``prepare``, else `reviewed`."""
    async with open_backstage(server) as stage:
        await getattr(request.module, "prepare", reviewed)(stage, document_id)
        yield stage


async def reviewed(bus: Backstage, document_id: str) -> None:
    """A document whose section `research` waits for review, in version 2."""
    texts = ("# Research\n\nOld words.\n", hostile(LONG_WORD))
    drafts = [await bus.text(document_id, text) for text in texts]
    events = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
    await bus.append(document_id, document_requested(), *events, review_requested("research", 2))
    await bus.list_research(document_id, version=2)


async def signed_in(page: Page, address: str, token: str, path: str) -> None:
    """Sign in as a page of the gateway does, and go to a page."""
    answer = await page.request.post(f"{address}/sign-in", data={"token": token}, headers={"Origin": address})
    assert answer.ok, await answer.text()
    await page.goto(f"{address}{path}")
    assert urlsplit(page.url).path == path.partition("?")[0]


R = TypeVar("R", bound=Request)
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


async def check(page: Page, state: str = "") -> None:
    """What is shown now fits, and axe finds nothing in it."""
    assert await violations(page) == [], state or page.url
    assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], state or page.url


def requested(bus: Backstage, kind: type[R]) -> R:
    """The only request that came, which is of this kind."""
    [(_, request)] = bus.received
    assert isinstance(request, kind)
    return request


def all_requested(bus: Backstage, *kinds: type[Request]) -> list[Any]:
    """The requests that came, which are of these kinds."""
    assert [type(request) for _, request in bus.received] == list(kinds)
    return [request for _, request in bus.received]


def section(document_id: str) -> str:
    return f"/desk/documents/{document_id}/sections/research"


def plain(html: str) -> str:
    """What a page says, without its markup."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())
