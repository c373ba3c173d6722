"""Sessions in cookies: how long they last, and which of them are read."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from stemma_gateway.app import service
from stemma_gateway.cookies import CookieRules, Cookies
from stemma_gateway.problems import Invalid, SessionEnded
from stemma_messaging import BadSettings


def request_with(cookie: str = "", *more: tuple[bytes, bytes]) -> Request:
    headers = [(b"cookie", cookie.encode()), (b"host", b"x"), *more]
    return Request({"type": "http", "method": "GET", "path": "/", "scheme": "http", "headers": headers, "state": {}})


def cookie_of(request: Request) -> str:
    [cookie] = request.state.set_cookies.values()
    return str(cookie).partition(";")[0]


@pytest.mark.req("H1")
def test_a_session_slides_while_it_is_used_and_ends_idle_and_in_any_case() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token")
    cookie = cookie_of(begun)
    for at, renewed in ((1005.0, False), (1090.0, True), (1180.0, True), (1240.0, True)):
        now = at
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
def test_no_session_outlives_the_token_of_its_provider_however_much_it_is_used() -> None:
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
def test_what_an_open_page_asks_by_itself_keeps_no_session() -> None:
    now = 1000.0
    cookies = Cookies(["k"], CookieRules(idle_s=100, longest_s=250), clock=lambda: now)
    cookies.begun(begun := request_with(), "token")
    now = 1090.0
    assert cookies.of(asked := request_with(cookie_of(begun), (b"hx-request", b"true"))) is not None
    assert not hasattr(asked.state, "set_cookies")


@pytest.mark.req("H1")
def test_a_cookie_that_was_changed_or_is_of_another_key_is_none_and_one_too_long_is_not_made() -> None:
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
def test_a_key_that_could_be_guessed_is_refused_and_not_quoted() -> None:
    with pytest.raises(BadSettings, match="cookie_keys") as told:
        service.check(service.load_settings(cookie_keys="secret"))
    assert "secret" not in str(told.value)
