"""People with browsers: a session in a cookie, which holds what a token holds, and which no other site can use."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from stemma_client.logins import new_password
from stemma_gateway.app import service
from stemma_gateway.cookies import CookieRules, Cookies
from stemma_gateway.limits import Owner
from stemma_gateway.problems import Invalid, SessionEnded
from stemma_gateway.resources.signing_in import GOOD_FOR_S, MOST, OF_ONE_CALLER, Links
from stemma_messaging import BadSettings
from stemma_provisioning.roles import Role

from .conftest import KEYS, PAGES, Caller, Person, at, problem

ELSEWHERE = ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"})


@pytest.mark.req("H1")
async def test_a_person_signs_in_by_name_and_password_and_decides_as_this_person(
    visitor: httpx.AsyncClient, person: Person
) -> None:
    signed_in = await visitor.post("/sign-in", json=person("ada"))
    assert (signed_in.status_code, signed_in.json()["user"], signed_in.json()["kind"]) == (200, "ada", "person")
    assert (await visitor.get("/documents")).status_code == 200
    decided = await visitor.post("/documents/d1/approve-section", json={"section_id": "research", "version": 1})
    assert decided.status_code == 202
    assert (await visitor.get("/session")).json()["user"] == "ada"
    assert (await visitor.post("/sign-out")).status_code == 204
    assert problem(await visitor.get("/session")) == (401, "unauthenticated")


@pytest.mark.req("H1")
async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites_and_tells_nothing(
    visitor: httpx.AsyncClient, person: Person
) -> None:
    typed = person("eva")
    told = (await visitor.post("/sign-in", json=typed)).headers["set-cookie"]
    assert {part.strip().partition("=")[0] for part in told.split(";")} == {
        "stemma", "HttpOnly", "Max-Age", "Path", "SameSite",
    }  # fmt: skip
    assert "SameSite=lax" in told
    assert "eva" not in told
    https = {"X-Forwarded-Proto": "https", "Origin": str(visitor.base_url).replace("http:", "https:").rstrip("/")}
    safe = (await visitor.post("/sign-in", json=typed, headers=https)).headers["set-cookie"]
    assert safe.startswith("__Host-stemma=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=lax"} <= {part.strip() for part in safe.split(";")}


@pytest.mark.req("H1", "H4")
async def test_a_form_leads_to_the_page_that_was_asked_for_and_out_again(
    visitor: httpx.AsyncClient, person: Person
) -> None:
    typed = person("uta") | {"tenant": "default"}
    assert (await visitor.get("/", headers=PAGES)).headers["location"] == "/desk"
    asked = await visitor.get("/desk/settings", headers=PAGES)
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?next=%2Fdesk%2Fsettings")
    form = await visitor.get(asked.headers["location"], headers=PAGES)
    assert 'name="password"' in form.text
    assert "frame-ancestors 'none'" in form.headers["content-security-policy"]
    wrong = await visitor.post("/sign-in", data=typed | {"password": new_password()}, headers=PAGES)
    assert (wrong.status_code, "name or password is wrong" in wrong.text, 'value="uta"' in wrong.text) == (
        401, True, True,
    )  # fmt: skip
    german = await visitor.post("/sign-in", data=typed | {"password": "x"}, headers=PAGES | {"Accept-Language": "de"})
    assert all(words in german.text for words in ('<html lang="de">', "Name oder Passwort ist falsch"))
    led = await visitor.post(asked.headers["location"], data=typed, headers=PAGES)
    assert (led.status_code, led.headers["location"]) == (303, "/desk/settings")
    said = (await visitor.get("/desk/settings", headers=PAGES)).text
    assert "You are signed in as uta of default." in said
    out = await visitor.post("/sign-out", headers=PAGES)
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    assert (await visitor.get("/desk/settings", headers=PAGES)).status_code == 303


@pytest.mark.req("H1", "H4")
async def test_a_person_is_told_where_other_gateways_could_not_be_told_of_the_sign_out(
    visitor: httpx.AsyncClient, person: Person, gateway: Any
) -> None:
    await visitor.post("/sign-in", json=person("uli"))
    async with gateway(cookie_keys=KEYS, nats_url="nats://127.0.0.1:1") as lonely, at(lonely) as http:
        http.cookies = visitor.cookies
        out = await http.post("/sign-out", headers=PAGES)
        assert (out.status_code, "set-cookie" in out.headers) == (303, True)
        for language, said in (("en", "ask those who run Stemma"), ("de", "lassen Sie sich")):
            page = await http.get(out.headers["location"], headers=PAGES | {"Accept-Language": language})
            assert said in page.text
    assert "ask those who run" not in (await visitor.get("/sign-in", headers=PAGES)).text


@pytest.mark.req("H1")
async def test_nobody_is_led_to_another_site(visitor: httpx.AsyncClient, person: Person) -> None:
    typed = person("ida")
    hosts = ("https://evil.example", "https://[", "//evil.example", "//[", "//", "evil", "")
    for path in (*hosts, "/\\evil.example", "/\t/evil", "/\r\nSet-Cookie: x=1"):
        shown = await visitor.get("/sign-in", params={"next": path})
        refused = await visitor.post("/sign-in", params={"next": path}, json=typed)
        assert [problem(shown), problem(refused)] == [(422, "invalid")] * 2, path
        assert "set-cookie" not in refused.headers


@pytest.mark.req("H1")
async def test_a_change_with_a_cookie_comes_from_here_or_shows_what_the_session_alone_knows(
    visitor: httpx.AsyncClient, person: Person
) -> None:
    proof = (await visitor.post("/sign-in", json=(typed := person("ora")))).json()["csrf_token"]
    body, path = {"section_id": "research", "version": 1}, "/documents/d1/approve-section"
    del visitor.headers["Origin"]
    for wrong in ({}, {"X-CSRF-Token": "x"}, *ELSEWHERE, ELSEWHERE[0] | {"X-CSRF-Token": proof}):
        assert problem(await visitor.post(path, json=body, headers=wrong)) == (403, "from-elsewhere"), wrong
    assert (await visitor.get("/kinds", headers=ELSEWHERE[0])).status_code == 200
    for right in ({"X-CSRF-Token": proof}, {"Sec-Fetch-Site": "same-origin"}):
        assert (await visitor.post(path, json=body, headers=right)).status_code == 202, right
    visitor.cookies.clear()  # nor where the browser sends no cookie along
    for headers in ELSEWHERE:
        assert problem(await visitor.post("/sign-in", data=typed, headers=headers)) == (403, "from-elsewhere")
        refused = await visitor.post("/sign-out", headers=headers | PAGES)
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


@pytest.mark.req("H1")
async def test_a_token_alone_needs_no_origin_and_is_not_mixed_with_a_cookie(
    visitor: httpx.AsyncClient, person: Person, token: Callable[..., str]
) -> None:
    await visitor.post("/sign-in", json=person("isa"))
    shown = {"Authorization": f"Bearer {token()}", "Origin": "http://evil.example"}
    assert (await visitor.get("/session", headers=shown)).json() == {
        "tenant": "default", "user": "client-default", "kind": "program", "ends_at": None, "csrf_token": None,
    }  # fmt: skip
    assert problem(await visitor.get("/session", headers={"Authorization": "Bearer x"})) == (401, "unauthenticated")
    signed_in = await visitor.post("/sign-in", json={"token": token()})
    assert (signed_in.json()["user"], signed_in.json()["kind"]) == ("client-default", "program")


@pytest.mark.req("H1", "S4")
async def test_gateways_with_one_key_serve_one_session_until_it_ends_at_all_with_what_a_copy_follows(
    gateway: Any, person: Person
) -> None:
    """Also where its person used up all requests, and for each role, of which a reader may publish the least."""
    slow = gateway(cookie_keys=KEYS, requests_per_s=0.001, requests_at_once=8)
    other_keys = {"cookie_keys": ",".join(["a" * 32, KEYS])}
    async with slow as first, gateway(**other_keys) as second, gateway() as keyless:
        for role in (Role.READER, Role.REVIEWER):
            typed = person(f"uri-{role}", role)
            async with at(first) as own, at(first) as other:
                await own.post("/sign-in", json=typed)
                await other.post("/sign-in", json=typed)
                async with httpx.AsyncClient(base_url=second, cookies=dict(own.cookies), timeout=30) as thief:
                    async with thief.stream("GET", "/events") as stolen:
                        assert stolen.status_code == 200
                        while (await own.get("/session")).status_code == 200:
                            """The person's requests are used up."""
                        copy = dict(own.cookies)
                        assert (await own.post("/sign-out")).status_code == 204
                        assert problem(await thief.get("/session")) == (401, "unauthenticated")
                        assert b"the session has ended" in await stolen.aread()
                    thief.cookies = httpx.Cookies(copy)
                    assert problem(await thief.get(f"{first}/session")) == (401, "unauthenticated")
                    other_session = await other.get(f"{second}/session")
                    assert other_session.json()["user"] == f"uri-{role}", "another session of the same person goes on"
                    ended = await other.get(f"{keyless}/session")
                    assert problem(ended) == (401, "unauthenticated")
                    assert "Max-Age=0" in ended.headers["set-cookie"]


@pytest.mark.req("H1", "S4")
async def test_a_wrong_password_lets_nobody_in(visitor: httpx.AsyncClient, person: Person) -> None:
    typed = person("ewa")
    wrong = [
        typed | {"password": new_password()}, typed | {"password": "short"}, typed | {"user": "nobody"},
        typed | {"tenant": "garden"}, typed | {"tenant": "not here"}, {"token": "stemma_x"},
    ]  # fmt: skip
    answers = [await visitor.post("/sign-in", json=each) for each in wrong]
    assert {problem(answer) for answer in answers} == {(401, "unauthenticated")}
    assert len({answer.json()["detail"] for answer in answers[:-1]}) == 1
    for unreadable in ({}, {"user": "ewa"}, typed | {"token": "x"}, typed | {"colour": "red"}):
        assert problem(await visitor.post("/sign-in", json=unreadable)) == (422, "invalid")
    assert problem(await visitor.post("/sign-in", content=b"x", headers={"Content-Type": "text/csv"}))[0] == 415
    assert problem(await visitor.post("/sign-in", json={"user": "x" * 20_000}))[0] == 413


@pytest.mark.req("H1", "S5")
async def test_wrong_passwords_delay_the_right_one_and_never_refuse_it(gateway: Any, person: Person) -> None:
    async with gateway(refusals_at_once=1, refusals_per_s=20) as url, at(url) as browser:
        typed = person("ulf")
        wrong = [browser.post("/sign-in", json=typed | {"password": new_password()}) for _ in range(12)]
        right = browser.post("/sign-in", json=typed)
        assert [answer.status_code for answer in await asyncio.gather(*wrong, right)] == [401] * 12 + [200]


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
        for site in ("cross-site", "same-site"):
            assert problem(await other.get(link, headers={"Sec-Fetch-Site": site})) == (403, "from-elsewhere")
        led = await browser.get(link, headers=PAGES | {"Sec-Fetch-Site": "none"})
        assert (led.status_code, led.headers["location"]) == (303, "/desk/keys")
        assert (await browser.get("/session")).json()["user"] == "client-default"
        again = await other.get(link, headers=PAGES)
        assert (again.status_code, "was followed before" in again.text) == (401, True)
        assert problem(await other.get("/session")) == (401, "unauthenticated")


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


@pytest.mark.req("H1", "H3")
def test_no_session_outlives_the_token_of_its_provider_and_what_an_open_page_asks_by_itself_keeps_none() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token", 1050.0)
    now = 1040.0
    assert cookies.of(asked := request_with(cookie_of(begun), (b"hx-request", b"true"))) is not None
    assert not hasattr(asked.state, "set_cookies")
    found = cookies.of(used := request_with(cookie_of(begun)))
    assert found is not None
    assert (cookies.ends_at(found).timestamp(), cookies.ends_in(found)) == (1050, 10)
    now = 1050.0
    with pytest.raises(SessionEnded):
        cookies.of(request_with(cookie_of(used)))


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
