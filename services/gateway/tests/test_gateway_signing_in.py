"""People with browsers: a session in a cookie, which holds what a token holds, and which no other site can use."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from starlette.requests import Request
from stemma_client.logins import new_password
from stemma_gateway.app import service
from stemma_gateway.cookies import CookieRules, Cookies
from stemma_gateway.limits import Owner
from stemma_gateway.problems import Invalid, SessionEnded
from stemma_gateway.resources.signing_in import GOOD_FOR_S, MOST, OF_ONE_CALLER, Links
from stemma_messaging import BadSettings
from stemma_provisioning.roles import Role

from .conftest import PAGES, Caller, Person, at, problem

KEYS = "k" * 32
ELSEWHERE = ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"})
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(gateway: Any) -> AsyncIterator[str]:
    """A gateway."""
    async with gateway(cookie_keys=KEYS, refusals_at_once=100) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def browser(address: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps its cookies."""
    async with at(address) as client:
        yield client


@pytest.mark.req("H1")
async def test_a_person_signs_in_by_name_and_password_and_decides_as_this_person(
    browser: httpx.AsyncClient, person: Person
) -> None:
    signed_in = await browser.post("/sign-in", json=person("ada"))
    assert (signed_in.status_code, signed_in.json()["user"], signed_in.json()["kind"]) == (200, "ada", "person")
    assert (await browser.get("/documents")).status_code == 200
    decided = await browser.post("/documents/d1/approve-section", json={"section_id": "research", "version": 1})
    assert decided.status_code == 202
    assert (await browser.get("/session")).json()["user"] == "ada"
    assert (await browser.post("/sign-out")).status_code == 204
    assert problem(await browser.get("/session")) == (401, "unauthenticated")


@pytest.mark.req("H1")
async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites_and_tells_nothing(
    browser: httpx.AsyncClient, person: Person
) -> None:
    typed = person("eva")
    told = (await browser.post("/sign-in", json=typed)).headers["set-cookie"]
    assert {part.strip().partition("=")[0] for part in told.split(";")} == {
        "stemma", "HttpOnly", "Max-Age", "Path", "SameSite",
    }  # fmt: skip
    assert "SameSite=lax" in told
    assert "eva" not in told
    https = {"X-Forwarded-Proto": "https", "Origin": str(browser.base_url).replace("http:", "https:").rstrip("/")}
    safe = (await browser.post("/sign-in", json=typed, headers=https)).headers["set-cookie"]
    assert safe.startswith("__Host-stemma=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=lax"} <= {part.strip() for part in safe.split(";")}


@pytest.mark.req("H1")
async def test_a_form_leads_to_the_page_that_was_asked_for_and_out_again(
    browser: httpx.AsyncClient, person: Person
) -> None:
    typed = person("uta") | {"tenant": "default"}
    assert (await browser.get("/", headers=PAGES)).headers["location"] == "/desk"
    asked = await browser.get("/desk/settings", headers=PAGES)
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?next=%2Fdesk%2Fsettings")
    form = await browser.get(asked.headers["location"], headers=PAGES)
    assert 'name="password"' in form.text
    assert "frame-ancestors 'none'" in form.headers["content-security-policy"]
    wrong = await browser.post("/sign-in", data=typed | {"password": new_password()}, headers=PAGES)
    assert (wrong.status_code, "name or password is wrong" in wrong.text, 'value="uta"' in wrong.text) == (
        401, True, True,
    )  # fmt: skip
    led = await browser.post(asked.headers["location"], data=typed, headers=PAGES)
    assert (led.status_code, led.headers["location"]) == (303, "/desk/settings")
    said = (await browser.get("/desk/settings", headers=PAGES)).text
    assert "You are signed in as uta of default." in said
    out = await browser.post("/sign-out", headers=PAGES)
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    assert (await browser.get("/desk/settings", headers=PAGES)).status_code == 303


@pytest.mark.req("H1", "H4")
async def test_a_person_is_told_where_other_gateways_could_not_be_told_of_the_sign_out(
    browser: httpx.AsyncClient, person: Person, gateway: Any
) -> None:
    await browser.post("/sign-in", json=person("uli"))
    async with gateway(cookie_keys=KEYS, nats_url="nats://127.0.0.1:1") as lonely, at(lonely) as http:
        http.cookies = browser.cookies
        out = await http.post("/sign-out", headers=PAGES)
        assert (out.status_code, "set-cookie" in out.headers) == (303, True)
        for language, said in (("en", "ask those who run Stemma"), ("de", "lassen Sie sich")):
            page = await http.get(out.headers["location"], headers=PAGES | {"Accept-Language": language})
            assert said in page.text
    assert "ask those who run" not in (await browser.get("/sign-in", headers=PAGES)).text


@pytest.mark.req("H1")
async def test_nobody_is_led_to_another_site(browser: httpx.AsyncClient, person: Person) -> None:
    typed = person("ida")
    hosts = ("https://evil.example", "https://[", "//evil.example", "//[", "//", "evil", "")
    for path in (*hosts, "/\\evil.example", "/\t/evil", "/\r\nSet-Cookie: x=1"):
        shown = await browser.get("/sign-in", params={"next": path})
        refused = await browser.post("/sign-in", params={"next": path}, json=typed)
        assert [problem(shown), problem(refused)] == [(422, "invalid")] * 2, path
        assert "set-cookie" not in refused.headers


@pytest.mark.req("H1")
async def test_a_change_with_a_cookie_comes_from_here_or_shows_what_the_session_alone_knows(
    browser: httpx.AsyncClient, person: Person
) -> None:
    proof = (await browser.post("/sign-in", json=person("ora"))).json()["csrf_token"]
    body, path = {"section_id": "research", "version": 1}, "/documents/d1/approve-section"
    del browser.headers["Origin"]
    for wrong in ({}, {"X-CSRF-Token": "x"}, *ELSEWHERE, ELSEWHERE[0] | {"X-CSRF-Token": proof}):
        assert problem(await browser.post(path, json=body, headers=wrong)) == (403, "from-elsewhere"), wrong
    assert (await browser.get("/kinds", headers=ELSEWHERE[0])).status_code == 200
    for right in ({"X-CSRF-Token": proof}, {"Sec-Fetch-Site": "same-origin"}):
        assert (await browser.post(path, json=body, headers=right)).status_code == 202, right
    assert problem(await browser.post("/sign-out", headers=ELSEWHERE[0])) == (403, "from-elsewhere")


@pytest.mark.req("H1")
async def test_no_other_site_signs_a_browser_in_or_out_also_where_the_browser_sends_it_no_cookie(
    browser: httpx.AsyncClient, person: Person
) -> None:
    typed = person("uwe")
    for headers in ELSEWHERE:
        assert problem(await browser.post("/sign-in", data=typed, headers=headers)) == (403, "from-elsewhere")
        refused = await browser.post("/sign-out", headers=headers | PAGES)
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


@pytest.mark.req("H1")
async def test_a_token_alone_needs_no_origin_and_is_not_mixed_with_a_cookie(
    browser: httpx.AsyncClient, person: Person, token: Callable[..., str]
) -> None:
    await browser.post("/sign-in", json=person("isa"))
    shown = {"Authorization": f"Bearer {token()}", "Origin": "http://evil.example"}
    assert (await browser.get("/session", headers=shown)).json() == {
        "tenant": "default", "user": "client-default", "kind": "program", "ends_at": None, "csrf_token": None,
    }  # fmt: skip
    assert problem(await browser.get("/session", headers={"Authorization": "Bearer x"})) == (401, "unauthenticated")
    signed_in = await browser.post("/sign-in", json={"token": token()})
    assert (signed_in.json()["user"], signed_in.json()["kind"]) == ("client-default", "program")


@pytest.mark.req("H1")
async def test_two_gateways_with_one_key_serve_one_session_and_one_without_a_key_ends_it(
    gateway: Any, person: Person
) -> None:
    keys = ("a" * 32, "b" * 32)
    async with (
        gateway(cookie_keys=keys[0]) as first,
        gateway(cookie_keys=",".join(reversed(keys))) as second,
        gateway() as other,
        at(first) as browser,
    ):
        await browser.post("/sign-in", json=person("udo"))
        assert (await browser.get(f"{second}/session")).json()["user"] == "udo"
        refused = await browser.get(f"{other}/session")
        assert problem(refused) == (401, "unauthenticated")
        assert "Max-Age=0" in refused.headers["set-cookie"]


@pytest.mark.req("H1", "S4")
@pytest.mark.parametrize("role", [Role.READER, Role.REVIEWER])
async def test_a_copy_of_a_cookie_ends_with_its_session_at_every_gateway_and_what_it_follows_with_it(
    gateway: Any, person: Person, role: Role
) -> None:
    async with gateway(cookie_keys=KEYS) as first, gateway(cookie_keys=KEYS) as second, at(first) as browser:
        typed = person(f"uri-{role}", role)
        await browser.post("/sign-in", json=typed)
        copy = dict(browser.cookies)
        async with at(first) as other, httpx.AsyncClient(base_url=second, cookies=copy, timeout=30) as thief:
            await other.post("/sign-in", json=typed)
            async with thief.stream("GET", "/events") as stolen:
                assert stolen.status_code == 200
                assert (await browser.post("/sign-out")).status_code == 204
                assert problem(await thief.get("/session")) == (401, "unauthenticated")
                assert b"the session has ended" in await stolen.aread()
            thief.base_url = httpx.URL(first)
            thief.cookies = httpx.Cookies(copy)
            assert problem(await thief.get("/session")) == (401, "unauthenticated")
            assert (await other.get("/session")).json()["user"] == f"uri-{role}", (
                "another session of the same person goes on"
            )


@pytest.mark.req("H1", "S4")
async def test_a_copy_of_a_cookie_ends_also_where_it_used_up_the_requests_of_its_person(
    gateway: Any, person: Person
) -> None:
    slow = gateway(cookie_keys=KEYS, requests_per_s=0.001, requests_at_once=4)
    async with slow as first, gateway(cookie_keys=KEYS) as second, at(first) as browser:
        await browser.post("/sign-in", json=person("udine"))
        copy = dict(browser.cookies)
        while (await browser.get("/session")).status_code == 200:
            """The person's requests are used up."""
        assert (await browser.post("/sign-out")).status_code == 204
        async with httpx.AsyncClient(base_url=second, cookies=copy, timeout=30) as thief:
            assert problem(await thief.get("/session")) == (401, "unauthenticated")


@pytest.mark.req("H1", "S4")
async def test_a_wrong_password_lets_nobody_in(browser: httpx.AsyncClient, person: Person) -> None:
    typed = person("ewa")
    wrong = [
        typed | {"password": new_password()}, typed | {"password": "short"}, typed | {"user": "nobody"},
        typed | {"tenant": "garden"}, typed | {"tenant": "not here"}, {"token": "stemma_x"},
    ]  # fmt: skip
    answers = [await browser.post("/sign-in", json=each) for each in wrong]
    assert {problem(answer) for answer in answers} == {(401, "unauthenticated")}
    assert len({answer.json()["detail"] for answer in answers[:-1]}) == 1
    for unreadable in ({}, {"user": "ewa"}, typed | {"token": "x"}, typed | {"colour": "red"}):
        assert problem(await browser.post("/sign-in", json=unreadable)) == (422, "invalid")
    assert problem(await browser.post("/sign-in", content=b"x", headers={"Content-Type": "text/csv"}))[0] == 415
    assert problem(await browser.post("/sign-in", json={"user": "x" * 20_000}))[0] == 413


@pytest.mark.req("H1", "S5")
async def test_wrong_passwords_delay_the_right_one_and_never_refuse_it(gateway: Any, person: Person) -> None:
    async with gateway(refusals_at_once=1, refusals_per_s=20) as url, at(url) as browser:
        typed = person("ulf")
        wrong = [browser.post("/sign-in", json=typed | {"password": new_password()}) for _ in range(12)]
        right = browser.post("/sign-in", json=typed)
        assert [answer.status_code for answer in await asyncio.gather(*wrong, right)] == [401] * 12 + [200]


@pytest.mark.req("H4")
async def test_the_page_for_signing_in_and_what_is_wrong_there_are_in_the_language_of_the_browser(
    browser: httpx.AsyncClient,
) -> None:
    german, wrong = {**PAGES, "Accept-Language": "de"}, {"user": "eve", "password": "x" * 40}
    shown = await browser.get("/sign-in", headers=german)
    refused = await browser.post("/sign-in", headers=german, data=wrong)
    english = await browser.post("/sign-in", headers=PAGES, data=wrong)
    assert '<html lang="de">' in shown.text
    assert "<h1>Anmelden</h1>" in shown.text
    assert (refused.status_code, english.status_code) == (401, 401)
    assert "Name oder Passwort ist falsch" in refused.text
    assert "name or password is wrong" in english.text


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


def request_with(cookie: str = "", *more: tuple[bytes, bytes]) -> Request:
    headers = [(b"cookie", cookie.encode()), (b"host", b"x"), *more]
    return Request({"type": "http", "method": "GET", "path": "/", "scheme": "http", "headers": headers, "state": {}})


def cookie_of(request: Request) -> str:
    [cookie] = request.state.set_cookies.values()
    return str(cookie).partition(";")[0]


@pytest.mark.req("H1")
async def test_a_session_slides_while_it_is_used_and_ends_idle_and_in_any_case() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token")
    cookie = cookie_of(begun)
    for moment, renewed in ((1005.0, False), (1090.0, True), (1180.0, True), (1240.0, True)):
        now = moment
        found = cookies.of(request := request_with(cookie))
        assert found is not None
        assert hasattr(request.state, "set_cookies") is renewed
        cookie = cookie_of(request) if renewed else cookie
    assert found is not None
    assert cookies.ends_at(found).timestamp() == 1250
    now = 1250.0
    with pytest.raises(SessionEnded):
        cookies.of(request_with(cookie))
    cookies.begun(begun := request_with(), "token")
    now = 1350.0
    with pytest.raises(SessionEnded):
        cookies.of(request_with(cookie_of(begun)))


@pytest.mark.req("H1")
async def test_no_session_outlives_the_token_of_its_provider_however_much_it_is_used() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token", 1050.0)
    now = 1040.0
    found = cookies.of(used := request_with(cookie_of(begun)))
    assert found is not None
    assert (cookies.ends_at(found).timestamp(), cookies.ends_in(found)) == (1050, 10)
    now = 1050.0
    with pytest.raises(SessionEnded):
        cookies.of(request_with(cookie_of(used)))


@pytest.mark.req("H1", "H3")
async def test_what_an_open_page_asks_by_itself_keeps_no_session() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token")
    now = 1090.0
    assert cookies.of(asked := request_with(cookie_of(begun), (b"hx-request", b"true"))) is not None
    assert not hasattr(asked.state, "set_cookies")


@pytest.mark.req("H1")
async def test_a_cookie_that_was_changed_or_is_of_another_key_is_none_and_one_too_long_is_not_made() -> None:
    rules = CookieRules(100, 100)
    Cookies(["k"], rules).begun(begun := request_with(), "token")
    cookie = cookie_of(begun)
    for wrong, key in ((cookie[:-4] + "AAAA", "k"), ("stemma=x", "k"), (cookie, "another")):
        with pytest.raises(SessionEnded):
            Cookies([key], rules).of(request_with(wrong))
    assert Cookies(["k"], rules).of(request_with()) is None
    with pytest.raises(Invalid, match="longer than what a cookie holds"):
        Cookies(["k"], rules).begun(request_with(), "x" * 4000)


@pytest.mark.req("H1")
async def test_a_key_that_could_be_guessed_is_refused_and_not_quoted() -> None:
    with pytest.raises(BadSettings, match="cookie_keys") as told:
        service.check(service.load_settings(cookie_keys="secret"))
    assert "secret" not in str(told.value)
