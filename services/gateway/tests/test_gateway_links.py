"""Links that sign a browser in: once, shortly, and nobody whom another site led there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from stemma_gateway.limits import Owner
from stemma_gateway.resources.signing_in import GOOD_FOR_S, MOST, OF_ONE_CALLER, Links

from .conftest import PAGES, Caller, Person, at, problem

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(gateway: Any) -> AsyncIterator[str]:
    """A gateway."""
    async with gateway() as url:
        yield url


async def link_of(http: httpx.AsyncClient, path: str) -> str:
    """The path of a link that leads to a page."""
    made = await http.post("/sign-in/links", json={"next": path})
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    return str(made.json()["path"])


@pytest.mark.req("H1")
async def test_a_link_signs_a_browser_in_once_and_leads_on_to_an_address_without_it(
    address: str, caller: Caller
) -> None:
    async with caller(address) as http, at(address) as browser, at(address) as other:
        link = await link_of(http, "/desk/keys")
        led = await browser.get(link, headers=PAGES | {"Sec-Fetch-Site": "none"})
        assert (led.status_code, led.headers["location"]) == (303, "/desk/keys")
        assert (await browser.get("/session")).json()["user"] == "client-default"
        again = await other.get(link, headers=PAGES)
        assert (again.status_code, "was followed before" in again.text) == (401, True)
        assert problem(await other.get("/session")) == (401, "unauthenticated")


@pytest.mark.req("H1")
async def test_a_page_of_another_site_can_sign_nobody_in_as_somebody_else(address: str, caller: Caller) -> None:
    async with caller(address) as http, at(address) as browser:
        link = await link_of(http, "/desk")
        for site in ("cross-site", "same-site"):
            led = await browser.get(link, headers={"Sec-Fetch-Site": site})
            assert problem(led) == (403, "from-elsewhere")
        assert (await browser.get(link, headers=PAGES)).status_code == 303


@pytest.mark.req("H1")
async def test_only_who_shows_a_token_gets_a_link_and_only_to_a_page_of_this_gateway(
    address: str, caller: Caller, person: Person
) -> None:
    async with at(address) as browser, caller(address) as http:
        assert (await browser.post("/sign-in/links", json={})).status_code == 401
        await browser.post("/sign-in", json=person("lea"))
        assert problem(await browser.post("/sign-in/links", json={})) == (401, "unauthenticated")
        for path in ("//evil.example", "http://evil.example", "desk"):
            assert (await http.post("/sign-in/links", json={"next": path})).status_code == 422, path


@pytest.mark.req("H1")
async def test_a_link_ends_after_a_minute_and_no_number_of_them_fills_the_memory() -> None:
    now = 0.0
    links = Links(lambda: now)
    first, last = links.make(Owner("a", "ada"), "t", "/"), ""
    for number in range(MOST):
        last = links.make(Owner("a", f"person-{number}"), "t", "/")
    assert links.take(first) is None
    now = GOOD_FOR_S
    assert links.take(last) is None


@pytest.mark.req("H1", "S5")
async def test_who_makes_many_links_has_the_last_ones_and_takes_none_of_others() -> None:
    links = Links()
    other, own = links.make(Owner("a", "ben"), "t", "/"), [links.make(Owner("a", "ada"), "t", "/") for _ in range(MOST)]
    assert [links.take(code) is not None for code in own[-OF_ONE_CALLER - 1 :]] == [False] + [True] * OF_ONE_CALLER
    assert links.take(other)
