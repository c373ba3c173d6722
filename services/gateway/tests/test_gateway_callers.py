"""Who may call: whoever shows a token that the bus admits, and for what belongs to its tenant."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from stemma_client.bearer import InvalidBearerError, address_of, bearer_of
from stemma_client.settings import ServerAddress
from stemma_gateway.limits import counted_as
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested
from stemma_testkit.servers import admit

APPROVAL = {"section_id": "research", "version": 1}
DECISIONS: dict[str, dict[str, object]] = {
    "approve-section": APPROVAL,
    "withdraw-approval": APPROVAL,
    "accept-suggestion": APPROVAL | {"thread_id": "c1", "comment_id": "c1"},
    "take-back-changes": APPROVAL | {"since": 1, "changes": [1], "shown": 2},
}


def shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def problem(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == response.status_code
    return response.status_code, response.json()["type"].removeprefix("urn:stemma:problem:")


def get_operations() -> list[str]:
    paths = json.loads((Path(__file__).parents[1] / "openapi.json").read_text(encoding="utf-8"))["paths"]
    values = {"version": "1", "digest": "0" * 64}
    return [
        re.sub(r"{(\w+)}", lambda match: values.get(match[1], "x1"), path)
        for path, operations in paths.items()
        if "get" in operations and "security" in operations["get"]
    ]


@pytest.mark.req("H1", "P15")
async def test_nobody_is_answered_without_a_token_or_with_a_wrong_one(address: str, token: Callable[..., str]) -> None:
    paths = get_operations()
    wrong = [{"Authorization": "Basic eDp5"}, shown("x"), shown(token()[:-3]), shown(token(password="wrong"))]
    async with httpx.AsyncClient(base_url=address, timeout=30) as http:
        answers = [await http.get("/documents", headers=headers) for headers in wrong]
        answers += [await http.get(path) for path in paths]
    assert {problem(answer) for answer in answers} == {(401, "unauthenticated")}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}


@pytest.mark.req("H1", "P15", "S1")
async def test_a_document_of_another_tenant_is_not_there(
    http: httpx.AsyncClient, token: Callable[..., str], backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested())
    addresses = [f"/documents/{document_id}{rest}" for rest in ("", "/history", "/sections", "/events", "/live")]
    own = [(await http.get(address)).status_code for address in addresses[:3]]
    others = [await http.get(address, headers=shown(token("garden"))) for address in addresses]
    assert own == [200] * 3
    assert {problem(answer) for answer in others} == {(404, "not-found")}


@pytest.mark.req("H1", "S4")
async def test_a_person_does_what_its_role_allows_and_is_let_in_no_more_when_removed(
    visitor: httpx.AsyncClient, server: NatsServer, backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested())
    login = admit(server, "ada", Role.READER)
    token = bearer_of(ServerAddress(server.url, login.tenant, login.person, login=login))
    await visitor.post("/sign-in", json={"token": token})
    path = f"/documents/{document_id}"
    ways: tuple[dict[str, str], ...] = ({}, shown(token))
    for headers in ways:
        assert (await visitor.get(path, headers=headers)).status_code == 200
        for name, body in DECISIONS.items():
            assert problem(await visitor.post(f"{path}/{name}", json=body, headers=headers)) == (403, "forbidden")
    server.admitted("default").remove("ada")
    for headers in ways:
        while (answer := await visitor.get(path, headers=headers)).status_code in (200, 503):
            pass
        assert problem(answer) == (401, "unauthenticated")


@pytest.mark.req("H1")
def test_a_token_stands_for_a_login_or_a_program_and_one_that_was_changed_for_nobody(server: NatsServer) -> None:
    login = admit(server, "bert", Role.OWNER)
    addresses = [
        ServerAddress(server.url, "default", "bert", login=login),
        ServerAddress(server.url, "default", "client-default", "a password"),
        ServerAddress(server.url, "default", "client-default", seed=login.reading_seed),
    ]
    for address in addresses:
        token = bearer_of(address)
        assert address_of(token, server.url, {}) == address
        for broken in (token[:-1], token.replace("stemma_", ""), f"{token[:12]}A{token[13:]}", token + "AAAA"):
            with pytest.raises(InvalidBearerError):
                address_of(broken, server.url, {})
    with pytest.raises(InvalidBearerError):
        bearer_of(ServerAddress(server.url))


@pytest.mark.req("H1", "S5")
async def test_who_asks_too_often_is_told_when_to_come_again(gateway: Any, caller: Any, token: Any) -> None:
    async with gateway(requests_per_s=0.5, requests_at_once=2) as url, caller(url) as http:
        answers = [await http.get("/kinds") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert problem(answers[-1]) == (429, "too-many-requests")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 2
        assert (await http.get("/kinds", headers=shown(token("garden")))).status_code == 200


@pytest.mark.req("H1", "S5")
def test_the_addresses_of_one_network_are_one_stranger() -> None:
    pairs = {
        "2001:db8:0:1::1": "2001:db8:0:1::/64", "2001:db8:0:1:ffff::2": "2001:db8:0:1::/64",
        "2001:db8:0:2::1": "2001:db8:0:2::/64", "::ffff:192.0.2.1": "192.0.2.1", "192.0.2.1": "192.0.2.1",
        "fe80::1%eth0": "fe80::/64", "unknown": "unknown", "": "",
    }  # fmt: skip
    assert {host: counted_as(host) for host in pairs} == pairs


@pytest.mark.req("H1", "S5")
async def test_sessions_are_bounded_and_the_longest_idle_makes_room(gateway: Any, caller: Any, token: Any) -> None:
    async with gateway(max_sessions=1) as url, caller(url) as http:
        for tenant in ("default", "garden", "default"):
            assert (await http.get("/kinds", headers=shown(token(tenant)))).status_code == 200
        async with http.stream("GET", "/events") as stream:
            assert stream.status_code == 200
            refused = await http.get("/kinds", headers=shown(token("garden")))
        assert problem(refused) == (503, "busy")
        assert int(refused.headers["retry-after"]) > 0
