"""How a person has the desk shown, and that all pages have one look."""

import httpx
import pytest
from playwright.async_api import expect
from stemma_gateway.pages import SETTINGS
from stemma_testkit.backstage import Backstage

from .conftest import PAGES
from .desk_pages import NARROW, Desk, check

pytestmark = pytest.mark.req("H4", "H8")
PRESSED = "new KeyboardEvent('keydown', {key: '?', bubbles: true, cancelable: true, composed: true})"
CHOSEN = {"theme": "dark", "language": "de", "keys": "off"}


async def test_settings_are_kept_in_the_browser_and_hold_for_pages_before_the_sign_in(http: httpx.AsyncClient) -> None:
    kept = await http.post("/desk/settings", data=CHOSEN, headers=PAGES, follow_redirects=True)
    assert '<html lang="de" data-theme="dark" data-keys="off">' in kept.text
    assert "Die Einstellungen sind gespeichert." in kept.text
    before = await http.get("/sign-in", headers=PAGES | {"Accept-Language": "en"})
    assert '<html lang="de" data-theme="dark"' in before.text
    again = await http.post("/desk/settings", data={}, headers=PAGES, follow_redirects=True)
    assert '<html lang="en">' in again.text


async def test_a_setting_that_is_not_offered_is_refused_and_one_in_the_cookie_is_not_shown(
    http: httpx.AsyncClient,
) -> None:
    for wrong in ({"theme": "pink"}, {"keys": "<b>"}):
        refused = await http.post("/desk/settings", data=wrong, headers=PAGES)
        assert (refused.status_code, "set-cookie" in refused.headers) == (422, False)
        forged = {"Cookie": f"{SETTINGS}={httpx.QueryParams(wrong)}"}
        assert '<html lang="en">' in (await http.get("/desk/settings", headers=PAGES | forged)).text


async def test_a_key_changes_places_with_the_one_that_had_it_and_all_are_put_back(http: httpx.AsyncClient) -> None:
    for does, key, moved in (("i", "h", "hiih"), ("i", "q", "hiiqqh"), ("i", "i", "hqqh")):
        there = await http.post("/desk/keys", data={"does": does, "key": key}, headers=PAGES, follow_redirects=True)
        assert f'data-moved="{moved}"' in there.text
    await http.post("/desk/settings", data={"theme": "dark"}, headers=PAGES)
    assert 'data-theme="dark" data-moved="hqqh"' in (await http.get("/desk/keys", headers=PAGES)).text
    for wrong in ({"does": "a", "key": "ab"}, {"does": "a", "key": " "}, {"key": "a"}):
        assert (await http.post("/desk/keys", data=wrong, headers=PAGES)).status_code == 422
    back = await http.post("/desk/keys", data={"all": "back"}, headers=PAGES, follow_redirects=True)
    assert "data-moved" not in back.text


async def test_every_page_has_the_look_of_the_desk_and_no_style_or_script_of_its_own(http: httpx.AsyncClient) -> None:
    for path in ("/sign-in", "/desk/documents/none-1", "/desk/settings"):
        page = await http.get(path, headers=PAGES)
        assert "/desk.css" in page.text
        assert "<style" not in page.text
        assert "style-src 'self'; " in page.headers["content-security-policy"]
        assert ('href="/desk/documents"' in page.text) == (path != "/sign-in"), "the navigation of who is signed in"


async def test_keys_that_are_off_do_nothing_and_axe_finds_nothing_in_either_theme(
    desk: Desk, bus: Backstage, address: str
) -> None:
    async with desk("/desk/keys", viewport=NARROW) as page:
        await check(page)
        await page.locator("[name=does]").select_option(",")
        await page.locator("[name=key]").fill("5")
        await page.get_by_role("button", name="Change the key").click()
        await expect(page.locator("kbd", has_text="5")).to_be_visible()
        await page.keyboard.press("5")
        await page.wait_for_url("**/desk/settings")
        await page.get_by_label("Keys of one letter").select_option("off")
        await page.get_by_label("Colours").select_option("dark")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_url("**/desk/settings?done=true")
        assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
        assert await page.evaluate(f"document.body.dispatchEvent({PRESSED})"), "nothing takes the key"
        await check(page)
        await page.get_by_role("button", name="Sign out").click()
        await page.wait_for_url("**/sign-in")
        await check(page)
        assert page.url == f"{address}/sign-in"
