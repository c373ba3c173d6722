"""The committed OpenAPI is what the gateway offers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stemma_gateway.app import service

OPEN = {"show_sign_in", "sign_in", "sign_out", "visit_provider", "come_back", "follow_link"}
COMMITTED = Path(__file__).parents[1] / "openapi.json"


@pytest.mark.req("H1", "P15")
def test_the_committed_openapi_is_what_the_gateway_offers() -> None:
    offered = service.build_app(service.load_settings()).openapi()
    assert offered["openapi"].startswith("3.1")
    assert json.loads(COMMITTED.read_text(encoding="utf-8")) == json.loads(json.dumps(offered)), "run `make contracts`"


@pytest.mark.req("P15")
def test_every_operation_says_what_goes_wrong_and_who_may_ask() -> None:
    document = json.loads(COMMITTED.read_text(encoding="utf-8"))
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    known: list[dict[str, list[str]]] = [{"bearer": []}, {"cookie": []}]
    assert {each["operationId"] for each in operations if each.get("security") != known} == OPEN
    assert [
        each["operationId"] for each in operations if not {"401", "404", "422", "429"} <= each["responses"].keys()
    ] == []
    assert len({each["operationId"] for each in operations}) == len(operations)
