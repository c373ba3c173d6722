"""Links that decide: shown to the person whom they name, and no use to anybody else."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from nats.aio.msg import Msg
from stemma_contracts import subjects
from stemma_contracts.v1.decision_links import DecisionLink, Verb
from stemma_provisioning import client_user
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import PAGES, Person, problem


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document whose section `research` waits for review, in version 1."""
    draft = await bus.text(document_id, "# Research\n")
    await bus.append(
        document_id, document_requested(), section_drafted("research", draft), review_requested("research")
    )


pytestmark = pytest.mark.req("H7")


def link(document_id: str, person: str = "ada", **more: Any) -> DecisionLink:
    known = {"tenant": "default", "person": person, "document_id": document_id, "section_id": "research", "version": 1}
    expires_at = datetime.now(UTC) + timedelta(days=7)
    return DecisionLink.model_validate({"verb": Verb.APPROVE, "expires_at": expires_at, **known, **more})


def path(of: DecisionLink) -> str:
    return f"/decide/{of.token}"


async def test_a_look_shows_what_would_be_decided_and_decides_nothing(
    visitor: httpx.AsyncClient, bus: Backstage, person: Person, document_id: str
) -> None:
    asked: list[Msg] = []

    async def note(message: Msg) -> None:
        asked.append(message)

    await bus.nats.subscribe("stemma.request.>", cb=note)
    await visitor.post("/sign-in", json=person("ada"))
    for verb, words in ((Verb.APPROVE, "Approve version 1"), (Verb.REVISE, 'name="feedback"')):
        page = await visitor.get(path(link(document_id, verb=verb)), headers=PAGES)
        assert page.status_code == 200
        assert words in page.text
    told = (await visitor.get(path(link(document_id)))).json()
    assert (told["state"], told["version"], told["person"]) == ("open", 1, "ada")
    await bus.nats.flush()
    assert asked == []


async def test_what_is_sent_decides_about_this_version_as_this_person_under_the_id_of_the_link(
    visitor: httpx.AsyncClient, bus: Backstage, person: Person, document_id: str
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    async def answer(message: Msg) -> None:
        body = json.loads(message.data)
        asked.append((message.subject, body))
        await bus.answer(body["request_id"], message.data, document_id)

    await bus.nats.subscribe(subjects.request_of("default", "ada", subjects.ANY), cb=answer)
    await bus.nats.flush()
    await visitor.post("/sign-in", json=person("ada"))
    approve, revise = link(document_id), link(document_id, verb=Verb.REVISE)
    assert (await visitor.post(path(approve))).json()["request_id"] == approve.request_id
    page = await visitor.post(path(revise), data={"feedback": "Shorter."}, headers=PAGES)
    assert "Changes to version 1 were requested" in page.text
    known = {"document_id": document_id, "section_id": "research", "version": 1, "actor": "ada"}
    [(subject, approval), (_, revision)] = asked
    assert subject == subjects.request_of("default", "ada", "approve-section")
    assert approval.items() >= (known | {"request_id": approve.request_id}).items()
    assert revision.items() >= (known | {"request_id": revise.request_id, "feedback": "Shorter."}).items()
    assert problem(await visitor.post(path(revise))) == (422, "invalid")


async def test_a_link_is_of_no_use_to_anybody_else(
    visitor: httpx.AsyncClient, bus: Backstage, person: Person, document_id: str, token: Callable[..., str]
) -> None:
    there = path(link(document_id))
    led = await visitor.get(there, headers=PAGES)
    assert (led.status_code, led.headers["location"]) == (303, f"/sign-in?next={there.replace('/', '%2F')}")
    assert problem(await visitor.get(there)) == (401, "unauthenticated")
    assert problem(await visitor.post(there)) == (401, "unauthenticated")
    program = {"Authorization": f"Bearer {token()}"}
    await visitor.post("/sign-in", json=person("bob"))
    for method in ("GET", "POST"):
        for headers in ({}, program):
            refused = await visitor.request(method, there, headers=headers)
            assert problem(refused) == (403, "not-yours")
            assert "this link is for ada of default" in refused.json()["detail"]
        its_own = path(link(document_id, client_user("default")))
        assert problem(await visitor.request(method, its_own, headers=program)) == (403, "not-yours")
    page = await visitor.get(there, headers=PAGES)
    assert (page.status_code, "this link is for ada of default" in page.text) == (403, True)
    await visitor.post("/sign-in", json=person("ada"))
    for method in ("GET", "POST"):
        refused = await visitor.request(method, path(link(document_id, tenant="other")))
        assert problem(refused) == (403, "not-yours"), "of the same name in another tenant"
        assert "this link is for ada of other" in refused.json()["detail"]


async def test_a_link_that_is_over_says_why(
    visitor: httpx.AsyncClient, bus: Backstage, person: Person, document_id: str
) -> None:
    await visitor.post("/sign-in", json=person("ada"))
    expired = path(link(document_id, expires_at=datetime(2026, 3, 1, tzinfo=UTC)))
    for answer in (await visitor.get(expired), await visitor.post(expired)):
        assert problem(answer) == (410, "expired")
        assert "the link expired on 2026-03-01" in answer.json()["detail"]
    for wrong in ("x", link(document_id).token[:-9], link("d-none").token, link(document_id, section_id="x").token):
        assert problem(await visitor.get(f"/decide/{wrong}")) == (404, "not-found")
    await bus.append(document_id, section_drafted("research", version=2), review_requested("research", 2))
    there = path(link(document_id))
    assert (await visitor.get(there)).json()["state"] == "outdated"
    assert problem(await visitor.post(there)) == (409, "not-open")
    await bus.answer(link(document_id).request_id, b"{}", document_id)
    assert (await visitor.get(there)).json()["state"] == "used"
    assert "this link was used: version 1 was approved" in (await visitor.post(there, headers=PAGES)).text
