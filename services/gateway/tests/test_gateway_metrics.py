"""What a gateway measures, and where it tells: not where its callers are."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from stemma_testkit.servers import eventually

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
