"""Headers of every answer, and the names that the gateway answers to."""

from typing import Any

import httpx
import pytest
from stemma_gateway.middlewares import SafeHeaders
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted
from stemma_testkit.servers import eventually

from .conftest import PAGES

pytestmark = pytest.mark.req("H1")
HTTPS = {"X-Forwarded-Proto": "https"}
ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


def is_safe(answer: httpx.Response) -> bool:
    named = {name: answer.headers.get_list(name) for name in ALWAYS}
    return (
        named == {name: [value] for name, value in ALWAYS.items()}
        and "camera=()" in answer.headers["permissions-policy"]
    )


async def test_every_answer_is_kept_by_nobody_and_guessed_at_by_no_browser(
    http: httpx.AsyncClient, backstage: Backstage, document_id: str
) -> None:
    ref = await backstage.text(document_id, "The budget.")
    await backstage.append(document_id, document_requested(), section_drafted("research", ref))
    text = f"/documents/{document_id}/sections/research/text"
    etag = {"If-None-Match": f'"{ref.digest}"'}
    answers = {
        "page": await http.get("/desk", headers=PAGES),
        "sign-in": await http.get("/sign-in", headers=PAGES),
        "json": await http.get("/documents"),
        "download": await http.get(text),
        "not modified": await http.get(text, headers=etag),
        "agent": await http.post("/mcp", json={}),
        "no such page": await http.get("/nowhere", headers=PAGES),
        "no such method": await http.delete("/documents"),
        "no token": await http.get("/documents", headers={"Authorization": ""}),
        "wrong token": await http.get("/desk", headers={"Authorization": "Bearer x"} | PAGES),
        "too large": await http.post("/sign-in", json={"user": "x" * 20_000}),
        "other host": await http.get("/sign-in", headers={"Host": "evil.example"}),
        "sign-out": await http.post("/sign-out", headers=PAGES),
    }
    async with http.stream("GET", f"/documents/{document_id}/events") as events:
        answers["events"] = events
    assert [name for name, answer in answers.items() if not is_safe(answer)] == []
    assert {answer.headers.get("strict-transport-security") for answer in answers.values()} == {None}
    secure = await http.get("/nowhere", headers=HTTPS)
    assert secure.headers["strict-transport-security"] == "max-age=31536000"


async def test_a_defect_is_answered_with_these_headers_too() -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 500, "headers": [(b"cache-control", b"private")]})
        await send({"type": "http.response.body"})

    transport = httpx.ASGITransport(SafeHeaders(app, is_https=True))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        answer = await http.get("/")
    assert is_safe(answer)
    assert "strict-transport-security" in answer.headers


async def test_a_gateway_answers_to_its_own_names_alone(gateway: Any) -> None:
    names = {"trusted_hosts": "desk.example", "public_url": "https://stemma.example/here"}
    async with gateway(**names) as url, httpx.AsyncClient(base_url=url) as http:
        hosts = ("desk.example", "desk.example:8080", "STEMMA.example", "evil.example", "127.0.0.1", "a b", "")
        answers = [await http.get("/sign-in", headers={"Host": host}) for host in hosts]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 400, 400, 400, 400]


DURATION = "http_server_request_duration_seconds_count"


def labels(status: int, route: str) -> frozenset[tuple[str, str]]:
    named = {"http_request_method": "GET", "http_response_status_code": str(status), "http_route": route}
    return frozenset(named.items())


@pytest.mark.req("O2", "H1")
async def test_requests_streams_and_what_limits_refused_are_measured(process: Any, caller: Any) -> None:
    limits = {"max_streams": 1, "requests_per_s": 0.001, "requests_at_once": 4}
    async with process(**limits) as running, caller(running.url) as http:
        async with http.stream("GET", "/events"):
            answers = [await http.get(path) for path in ("/events", "/kinds", "/documents/none", "/kinds")]
            assert [answer.status_code for answer in answers] == [503, 200, 404, 429]
            open_ones = await running.metrics()

        async def closed() -> bool:
            return bool((await running.metrics())["stemma_http_streams", frozenset()] == 0)

        await eventually(closed)
        measured = await running.metrics()
    assert open_ones["stemma_http_streams", frozenset()] == 1
    counted = {key: value for key, value in measured.items() if key[0] == DURATION}
    assert counted == {
        (DURATION, labels(200, "/events")): 1,
        (DURATION, labels(503, "/events")): 1,
        (DURATION, labels(200, "/kinds")): 1,
        (DURATION, labels(429, "/kinds")): 1,
        (DURATION, labels(404, "/documents/{document_id}")): 1,
    }
    limited = "stemma_http_limited_total"
    assert {dict(key[1])["stemma_http_limit"]: value for key, value in measured.items() if key[0] == limited} == {
        "requests": 1,
        "streams": 1,
    }
    assert measured["stemma_service_missing", frozenset({("stemma_missing", "server")})] == 0


@pytest.mark.req("O2", "S5")
async def test_what_operators_ask_is_not_answered_where_callers_are(http: httpx.AsyncClient) -> None:
    for path in ("/metrics", "/ready", "/health"):
        assert (await http.get(path)).status_code == 404
