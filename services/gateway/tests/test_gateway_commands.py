"""Commands: made of the contracts, delivered once, and answered with the words of the orchestrator."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from stemma_contracts import Family, registry
from stemma_contracts.v1 import requests
from stemma_contracts.v1.answers import Problem
from stemma_gateway.app import service
from stemma_gateway.delivery import preferences
from stemma_testkit.backstage import Backstage

from .desk_pages import requested

APPROVAL = {"section_id": "research", "version": 1}
WAITING = {"Prefer": "wait=10"}
COMMITTED = Path(__file__).parents[1] / "openapi.json"


@pytest.mark.req("H1", "S5")
def test_a_caller_waits_as_long_as_it_likes_and_no_longer_than_the_gateway_lets_it() -> None:
    app = FastAPI()
    app.state.max_wait_s = 5.0
    asked = Request({"type": "http", "app": app})
    waits = [preferences(asked, prefer).wait_s for prefer in ("wait=3", "wait=999999", "respond-async", None)]
    assert waits == [3, 5, 0, 0]


@pytest.mark.req("H1", "P15")
def test_every_request_of_the_contracts_is_a_command_with_its_fields() -> None:
    document = json.loads(COMMITTED.read_text(encoding="utf-8"))
    for entry in registry.entries(Family.REQUEST):
        schema = document["components"]["schemas"][entry.cls.__name__]
        path = "/documents"
        if issubclass(entry.cls, requests.DocumentRequest):
            path = f"/documents/{{document_id}}/{entry.token}"
        body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert body == {"$ref": f"#/components/schemas/{entry.cls.__name__}"}
        assert schema["properties"].keys() == entry.cls.model_fields.keys() - {"document_id"}


@pytest.mark.req("H1")
async def test_a_request_is_stored_at_once_and_its_answer_is_where_it_says(
    http: httpx.AsyncClient, backstage: Backstage
) -> None:
    stored = await http.post("/documents/d1/approve-section", json={**APPROVAL, "request_id": "later-1"})
    assert (stored.status_code, stored.headers["location"]) == (202, "/requests/later-1")
    assert stored.json() == {"request_id": "later-1", "location": "/requests/later-1"}
    answer = await http.get("/requests/later-1", headers=WAITING)
    assert (answer.status_code, answer.json()["document_id"]) == (200, "d1")
    [(_, request)] = backstage.received
    assert request == requests.ApproveSection(request_id="later-1", document_id="d1", section_id="research", version=1)
    assert (await http.get("/requests/never")).status_code == 404


@pytest.mark.req("H1")
async def test_who_prefers_to_wait_gets_the_result_and_where_it_is(
    http: httpx.AsyncClient, backstage: Backstage
) -> None:
    created = await http.post("/documents", json={"kind": "proposal", "brief": "A garden."}, headers=WAITING)
    assert (created.status_code, created.headers["location"]) == (201, "/documents/new-document")
    assert created.headers["preference-applied"] == "wait=10"
    approved = await http.post("/documents/d1/approve-section", json=APPROVAL, headers=WAITING)
    assert (approved.status_code, approved.json()["document_id"]) == (200, "d1")
    exporting = await http.post("/documents/d1/export-document", json={"format": "docx"}, headers={"Prefer": "wait=1"})
    assert (exporting.status_code, exporting.headers["location"]) == (202, "/documents/d1/exports/x1")


@pytest.mark.req("H1")
async def test_the_same_key_is_one_request(http: httpx.AsyncClient, backstage: Backstage) -> None:
    headers = {**WAITING, "Idempotency-Key": '"once-1"'}
    first, second = [await http.post("/documents/d1/approve-section", json=APPROVAL, headers=headers) for _ in range(2)]
    assert first.json() == second.json()
    assert first.json()["request_id"] == "once-1"
    assert len({(message.data, (message.headers or {})["Nats-Msg-Id"]) for message, _ in backstage.received}) == 1
    other = await http.post("/documents/d1/approve-section", json={**APPROVAL, "request_id": "x"}, headers=headers)
    assert (other.status_code, other.json()["type"]) == (400, "urn:stemma:problem:bad-header")


@pytest.mark.req("H1", "P15")
async def test_a_rejection_names_the_fields_as_the_orchestrator_does(
    http: httpx.AsyncClient, backstage: Backstage
) -> None:
    backstage.problems = (Problem.of("version_old", "version", version=1, current_version=2),)
    backstage.rejected = {"document_id": "d1", "ignored_fields": ("colour",)}
    refused = await http.post("/documents/d1/approve-section", json=APPROVAL, headers=WAITING)
    assert (refused.status_code, refused.headers["content-type"]) == (409, "application/problem+json")
    said = refused.json()
    assert said["problems"] == [backstage.problems[0].model_dump()]
    assert (said["document_id"], said["ignored_fields"], said["type"]) == (
        "d1", ["colour"], "urn:stemma:problem:rejected"
    )  # fmt: skip
    backstage.problems, backstage.rejected = (Problem(field="document_id", message="there is no such document"),), {}
    assert (await http.post("/documents/d2/pause-document", json={}, headers=WAITING)).status_code == 404


@pytest.mark.req("H1")
@pytest.mark.parametrize(
    ("name", "body", "fields"),
    [
        ("approve-section", {"section_id": "research", "version": 0}, ["version"]),
        ("approve-section", {**APPROVAL, "colour": "red"}, ["colour"]),
        ("edit-section", APPROVAL, ["instruction"]),
        ("assign-section", {"section_id": "research", "assignee": "bea", "due": "2099-12-01T17:00"}, ["due"]),
        ("keep-sections", {"sections": [APPROVAL, APPROVAL]}, ["sections.1.section_id"]),
    ],
)
async def test_what_cannot_be_meant_is_refused_by_its_fields_and_not_sent(
    http: httpx.AsyncClient, backstage: Backstage, name: str, body: dict[str, Any], fields: list[str]
) -> None:
    refused = await http.post(f"/documents/d1/{name}", json=body)
    assert refused.status_code == 422
    assert [problem["field"] for problem in refused.json()["problems"]] == fields
    assert backstage.received == []


@pytest.mark.req("H1")
async def test_a_form_with_files_asks_for_a_document(http: httpx.AsyncClient, backstage: Backstage) -> None:
    files = [
        ("brief", ("brief.md", b"# A garden")),
        ("inputs", ("media/plan.png", b"png")),
        ("inputs", ("facts.md", b"# Facts")),
    ]
    fields = {"kind": "proposal", "review": json.dumps({"mode": "none"})}
    created = await http.post("/documents", data=fields, files=files, headers=WAITING)
    assert created.status_code == 201, created.text
    request = requested(backstage, requests.CreateDocument)
    assert (request.brief, [upload.name for upload in request.inputs]) == ("# A garden", ["media/plan.png", "facts.md"])
    bad = await http.post("/documents", data={"kind": "proposal", "brief": "x", "review": "{"}, files=files[1:])
    assert (bad.status_code, bad.json()["problems"][0]["field"]) == (422, "review")


@pytest.mark.req("H1", "S5")
async def test_a_body_that_is_too_long_is_refused_whatever_it_says_of_its_length(gateway: Any, caller: Any) -> None:
    async def pieces() -> Any:
        for _ in range(20):
            yield b"x" * 100

    async with gateway(max_body_bytes=1000) as url, caller(url) as http:
        told = await http.post("/uploads?name=a.md", content=b"x" * 1001)
        untold = await http.post("/uploads?name=a.md", content=pieces())
        within = await http.post("/uploads?name=a.md", content=b"x" * 1000)
    assert [told.status_code, untold.status_code, within.status_code] == [413, 413, 201]
    assert within.json()["size"] == 1000


OPEN = {"show_sign_in", "sign_in", "sign_out", "visit_provider", "come_back", "follow_link"}


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
