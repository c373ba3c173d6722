"""Texts of a document become evidence of another of its tenant, on a real server: looked up, told of, never leaked."""

from collections.abc import AsyncIterator, Iterator
from itertools import accumulate
from typing import Any

import pytest
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts.v1 import events as e
from stemma_domain.features.inputs.feature import listed
from stemma_domain.features.inputs.material import as_input
from stemma_eventlog import JetStreamEventLog, Recorded, StreamId
from stemma_orchestrator.inputs import MAX_LIST_BYTES
from stemma_orchestrator.reusing import MOST_SEARCHED, may_have_line_of
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually, provisioned_server
from test_orchestrator_service import BRIEF, Bus, orchestrator

pytestmark = pytest.mark.req("L8")
TEXT = "# Team\n\nAda leads. (team.md, Leads) Our margin is 12 percent.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as running:
        yield running


@pytest.fixture
async def bus(server: NatsServer) -> AsyncIterator[Bus]:
    async with connected(server) as client, orchestrator(server):
        yield Bus(server, client)


async def asked(bus: Bus, request_id: str, name: str, tenant: str = "default", **body: Any) -> Any:
    await bus.ask(name, {**body, "request_id": request_id}, tenant)
    [answer] = await bus.answers(request_id, tenant=tenant)
    return answer


async def written(bus: Bus, name: str) -> str:
    """A document with a section that a person wrote."""
    document_id = await bus.create(name)
    await edit(bus, f"{name}-text", document_id, 0, TEXT)
    return document_id


async def edit(bus: Bus, request_id: str, document_id: str, version: int, text: str) -> None:
    about: dict[str, Any] = {"document_id": document_id, "section_id": "research", "version": version}
    answer = await asked(bus, request_id, "edit-section", **about, text=text)
    assert "problems" not in answer


def entry(document_id: str, version: int = 1) -> dict[str, Any]:
    return {"document_id": document_id, "section_id": "research", "version": version}


async def test_an_approved_text_becomes_evidence_and_its_lapse_is_told_over_documents(bus: Bus) -> None:
    source, target = await written(bus, "from"), await bus.create("to")
    answer = await asked(bus, "take", "reuse-entry", document_id=target, entry=entry(source))
    assert "problems" not in answer
    [added] = [event for event in await bus.events(target) if isinstance(event, e.DocumentInputAdded)]
    taken = await JetStreamArtifactStore(bus.client.jetstream()).get("default", target, added.file.artifact)
    assert (added.file.used_as, taken.decode()) == ("evidence", TEXT)
    assert await bus.seen(source, "EntryUsed")
    await edit(bus, "newer", source, 1, "# Team\n\nBea leads.\n")
    await eventually(lambda: bus.seen(target, "EntryUseLapsed"))
    [old] = (await asked(bus, "late", "reuse-entry", document_id=target, entry=entry(source)))["problems"]
    assert old["code"] == "entry_lapsed"
    await asked(bus, "again", "reuse-entry", document_id=target, entry=entry(source, 2))
    assert await bus.seen(target, "DocumentInputReplaced")


async def test_one_who_took_two_texts_is_told_of_both_when_one_change_makes_both_lapse(bus: Bus) -> None:
    source, target = await written(bus, "both"), await bus.create("taker")
    about: dict[str, Any] = {"document_id": source, "section_id": "solution", "version": 0, "text": "# Work\n\nOurs.\n"}
    await asked(bus, "below", "edit-section", **about)
    for name in ("research", "solution"):
        await asked(bus, f"take-{name}", "reuse-entry", document_id=target, entry={**entry(source), "section_id": name})
    await edit(bus, "above", source, 1, "# Team\n\nBea leads.\n")

    async def told() -> bool:
        found = [event.lapse for event in await bus.events(target) if isinstance(event, e.EntryUseLapsed)]
        return sorted(found) == ["changed", "stale"]

    await eventually(told)
    recorded = await JetStreamEventLog(bus.client).read(StreamId("default", target))
    ids = [one.envelope.id for one in recorded if isinstance(one, Recorded)]
    assert len(ids) == len(set(ids))


async def test_a_document_takes_no_more_texts_than_its_list_of_inputs_may_hold(bus: Bus) -> None:
    source = await written(bus, "small")
    uploads = UploadStore(bus.client.jetstream(), "default")
    upload = await uploads.put(b"# Part\n", name="a.md", media_type="text/markdown")
    files = [upload.model_copy(update={"name": f"{number}{'x' * 180}.md"}) for number in range(100)]
    sizes = accumulate(listed([as_input(one, "evidence")]) for one in files)
    most = sum(size <= MAX_LIST_BYTES for size in sizes)
    about: dict[str, Any] = {**BRIEF, "inputs": [one.model_dump() for one in files[:most]]}
    full = (await asked(bus, "full", "create-document", **about))["document_id"]
    [problem] = (await asked(bus, "more", "reuse-entry", document_id=full, entry=entry(source)))["problems"]
    assert (problem["code"], problem["field"]) == ("inputs_too_many", "entry")


async def test_what_another_tenant_has_is_as_if_it_were_not_there(bus: Bus) -> None:
    source = await written(bus, "ours")
    theirs = await asked(bus, "theirs", "create-document", "other", kind="proposal", brief="Write it.")
    about = {"document_id": theirs["document_id"], "entry": entry(source)}
    [problem] = (await asked(bus, "spy", "reuse-entry", "other", **about))["problems"]
    nowhere = {"document_id": theirs["document_id"], "entry": entry("nowhere")}
    [unknown] = (await asked(bus, "none", "reuse-entry", "other", **nowhere))["problems"]
    assert problem == unknown
    assert not await bus.seen(source, "EntryUsed")


def test_a_text_that_cannot_be_looked_through_may_hold_what_is_confidential() -> None:
    lines = "\n".join(f"line {number} of what is confidential" for number in range(500))
    assert not may_have_line_of("a " * 10_000, [lines] * 100)
    assert may_have_line_of("a " * (MOST_SEARCHED // 1000 + 1), [lines])


async def test_a_text_with_a_passage_that_is_confidential_in_its_document_is_refused(bus: Bus) -> None:
    source, target = await written(bus, "margin"), await bus.create("bid")
    about: dict[str, Any] = {"document_id": source, "input_id": "input-1", "version": 1}
    taken = await asked(bus, "own", "reuse-entry", document_id=source, entry=entry(await written(bus, "third")))
    assert "problems" not in taken
    await asked(bus, "mark", "mark-confidential", **about, passage="margin is 12 percent")
    [problem] = (await asked(bus, "leak", "reuse-entry", document_id=target, entry=entry(source)))["problems"]
    assert problem["code"] == "entry_confidential"
    [own] = (await asked(bus, "self", "reuse-entry", document_id=source, entry=entry(source)))["problems"]
    assert own["code"] == "entry_own"
