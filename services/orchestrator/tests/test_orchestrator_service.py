"""The orchestrator as it runs, on a real server; callers and workers are played by the tests."""

import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from domain_story import PROVENANCE, evaluation, ref
from nats.aio.client import Client
from nats.js.errors import NotFoundError
from stemma_client import Client as StemmaClient
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.v1.events import DocumentPaused, SectionDrafted
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.outcomes import GraphPaused, JobDead, Outcome, SectionGenerated, ThreadsHeld
from stemma_contracts.v1.requests import PauseDocument, ResumeDocument
from stemma_eventlog import JetStreamEventLog, Recorded, StreamId
from stemma_messaging import Publisher
from stemma_orchestrator.app import service
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work

BRIEF = {"kind": "proposal", "brief": "Write it.", "sections": ["solution"]}


@dataclass
class Bus:
    """All rights on a server, and what the tests do with them."""

    server: NatsServer
    client: Client

    async def ask(self, name: str, body: dict[str, Any] | bytes, tenant: str = "default") -> int:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        acknowledged = await self.client.jetstream().publish(f"stemma.request.v1.{tenant}.{name}", data)
        return acknowledged.seq

    async def answers(self, request_id: str, number: int = 1, tenant: str = "default") -> list[Any]:
        subject = subjects.answer(tenant, request_id)
        found: list[Any] = []

        async def there() -> bool:
            found[:] = await self.stored(subjects.ANSWERS, subject)
            return len(found) >= number

        await eventually(there)
        return found

    async def stored(self, stream: str, subject: str) -> list[Any]:
        """Everything under a subject, as dictionaries."""
        found: list[Any] = []
        sequence = 1
        while True:
            try:
                message = await self.client.jetstream().get_msg(
                    stream, seq=sequence, subject=subject, next=True, direct=stream != subjects.JOBS
                )
            except NotFoundError:
                return found
            found.append(json.loads(message.data or b"{}"))
            sequence = (message.seq or 0) + 1

    async def stored_bytes(self) -> int:
        streams = await self.client.jetstream().streams_info()
        artifacts = [one for one in streams if "artifact" in (one.config.name or "").lower()]
        assert artifacts
        return sum(one.state.bytes for one in artifacts)

    async def events(self, document_id: str) -> list[Contract]:
        recorded = await JetStreamEventLog(self.client).read(StreamId("default", document_id))
        return [one.event for one in recorded if isinstance(one, Recorded)]

    async def create(self, request_id: str) -> str:
        await self.ask("create-document", {**BRIEF, "request_id": request_id})
        [answer] = await self.answers(request_id)
        return str(answer["document_id"])

    async def seen(self, document_id: str, name: str) -> bool:
        return any(type(event).__name__ == name for event in await self.events(document_id))


@asynccontextmanager
async def orchestrator(server: NatsServer, **told: Any) -> AsyncIterator[None]:
    async with at_work(service.run(service.load_settings(**told, **access(server, subjects.ORCHESTRATOR)))):
        yield


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path, tenants=("default", "other")) as server:
        yield server


@pytest.fixture
async def bus(server: NatsServer) -> AsyncIterator[Bus]:
    async with connected(server) as client, orchestrator(server):
        yield Bus(server, client)


@pytest.mark.req("E3")
async def test_messages_that_nobody_can_answer_do_not_hold_up_those_of_others(bus: Bus) -> None:
    for number in range(50):
        await bus.ask("create-document", {"number": number}, tenant="a%1")
    await bus.ask("create-document", {**BRIEF, "request_id": "after"})
    [answer] = await bus.answers("after")
    assert answer["document_id"]


@pytest.mark.req("E3")
async def test_the_same_id_for_another_document_is_rejected(bus: Bus) -> None:
    first, second = await bus.create("one"), await bus.create("two")
    for document_id in (first, second):
        await bus.ask("pause-document", {"document_id": document_id, "request_id": "mine"})
    accepted, rejected = await bus.answers("mine", 2)
    assert accepted["document_id"] == first
    assert [problem["field"] for problem in rejected["problems"]] == ["request_id"]
    assert not await bus.seen(second, "DocumentPaused")


@pytest.mark.req("P10")
async def test_the_answer_says_what_a_section_that_is_to_be_written_anew_waits_for(bus: Bus) -> None:
    about = {"document_id": await bus.create("one"), "section_id": "solution"}
    await bus.ask("edit-section", {**about, "version": 0, "text": "Ours.", "request_id": "mine"})
    [written] = await bus.answers("mine")
    await bus.ask("regenerate-section", {**about, "version": 1, "replace_edited": True, "request_id": "anew"})
    [queued] = await bus.answers("anew")
    assert (written.get("held_up_by"), queued["held_up_by"]) == (None, {"solution": ["research"]})


@pytest.mark.req("L6")
async def test_a_plan_tells_what_a_change_leads_to_and_leaves_nothing_behind(bus: Bus) -> None:
    about = {"document_id": (document_id := await bus.create("one")), "version": 0}
    for name, text in (("research", "It takes 12 weeks.\n"), ("solution", "Ours.\n")):
        await bus.ask("edit-section", {**about, "section_id": name, "text": text, "request_id": name})
        await bus.answers(name)
    before, stored = await bus.events(document_id), await bus.stored_bytes()
    change = {"section_id": "research", "version": 1, "text": "It takes 14 weeks.\n"}
    asked = {"document_id": document_id, "change": "edit-section", "body": change}
    await bus.ask("plan-change", {**asked, "request_id": "planned"})
    await bus.ask("plan-change", {**asked, "body": {**change, "version": 7}, "request_id": "old"})
    [planned], [old] = await bus.answers("planned"), await bus.answers("old")
    assert (planned["plan"]["stale"], planned["plan"]["certain"]) == (["solution"], True)
    assert [(problem["field"], problem["code"]) for problem in old["problems"]] == [("body.version", "version_old")]
    assert (await bus.events(document_id), await bus.stored_bytes()) == (before, stored)


@pytest.mark.req("E2")
async def test_all_that_it_publishes_names_it_as_the_source(bus: Bus) -> None:
    await bus.create("one")
    streams = (subjects.EVENTS, subjects.ANSWERS, subjects.JOBS)
    first = [await bus.client.jetstream().get_msg(stream, seq=1, subject=">", next=True) for stream in streams]
    assert [(one.headers or {})["ce-source"] for one in first] == [subjects.ORCHESTRATOR] * len(streams)


@pytest.mark.req("P17")
async def test_an_outcome_that_cannot_be_read_fails_its_section_which_can_be_retried(bus: Bus) -> None:
    document_id = await bus.create("one")
    job_id = f"{document_id}.1.generate.research"
    await bus.client.jetstream().publish(
        subjects.outcome(subjects.GENERATION, "section-generated"),
        json.dumps({"job_id": job_id, "tenant": "default", "document_id": document_id, "news": True}).encode(),
        headers={"ce-type": "stemma.section.generated.v9", "ce-id": "x", "ce-source": "t", "ce-subject": "s"},
    )
    await eventually(lambda: bus.seen(document_id, "SectionJobDead"))
    await bus.ask("retry-section", {"document_id": document_id, "section_id": "research", "request_id": "again"})
    await bus.answers("again")
    jobs = await bus.stored(subjects.JOBS, subjects.job(subjects.GENERATION, "generate-section"))
    assert len({job["job_id"] for job in jobs}) == 2


@pytest.mark.req("P17")
async def test_a_job_that_the_server_gave_up_is_swept_and_fails_its_section(bus: Bus) -> None:
    document_id = await bus.create("one")
    jobs = subjects.job(subjects.GENERATION, "generate-section")
    message = await bus.client.jetstream().get_msg(subjects.JOBS, subject=jobs, seq=1, next=True)
    advisory = {"stream": subjects.JOBS, "consumer": subjects.GENERATION, "stream_seq": message.seq, "deliveries": 8}
    await bus.client.publish(
        f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{subjects.JOBS}.{subjects.GENERATION}",
        json.dumps(advisory).encode(),
    )
    await eventually(lambda: bus.seen(document_id, "SectionJobDead"))
    assert await bus.stored(subjects.JOBS, jobs) == []
    assert len(await bus.stored(subjects.DEAD, subjects.dead(subjects.ORCHESTRATOR, "generate-section"))) == 1


@pytest.mark.req("F4")
async def test_threads_that_the_log_does_not_need_are_dropped_and_the_log_says_nothing_of_it(bus: Bus) -> None:
    document_id = await bus.create("one")
    held = ThreadsHeld(
        job_id=f"{document_id}.threads",
        tenant="default",
        document_id=document_id,
        threads=("old", f"{document_id}.1.generate.research"),
    )
    publisher = Publisher(bus.client.jetstream(), "/test")
    await publisher.publish(subjects.outcome(subjects.GENERATION, "threads-held"), held, id="held", about="default")
    await eventually(lambda: _empty(bus, subjects.OUTCOMES))
    [job] = await bus.stored(subjects.JOBS, subjects.job(subjects.GENERATION, "drop-threads"))
    assert job["threads"] == ["old"]
    assert [type(event).__name__ for event in await bus.events(document_id)] == ["DocumentRequested"]


async def test_a_deleted_summary_is_written_again_and_holds_up_nobody(bus: Bus) -> None:
    document_id = await bus.create("one")
    views = await bus.client.jetstream().key_value(subjects.VIEWS_BUCKET)
    key = subjects.view_key("default", document_id)

    async def written() -> bool:
        try:
            return bool((await views.get(key)).value)
        except NotFoundError:
            return False

    await eventually(written)
    await views.delete(key)
    await bus.ask("pause-document", {"document_id": document_id, "request_id": "p"})
    await eventually(written)
    assert json.loads((await views.get(key)).value or b"")["status"] == "paused"


@pytest.mark.req("E4")
async def test_an_answer_says_at_which_sequence_its_request_is_in_the_log_also_when_it_is_asked_again(bus: Bus) -> None:
    document_id = await bus.create("one")
    pause = {"document_id": document_id, "request_id": "p"}
    await bus.ask("pause-document", pause)
    await bus.answers("p")
    await bus.ask("resume-document", {"document_id": document_id, "request_id": "r"})
    await bus.answers("r")
    await bus.ask("pause-document", pause)
    first, again = await bus.answers("p", 2)
    log = await JetStreamEventLog(bus.client).read(StreamId("default", document_id))
    found = {one.sequence: type(one.event) for one in log if isinstance(one, Recorded)}
    assert (found[first["sequence"]], again["sequence"]) == (DocumentPaused, first["sequence"])


@pytest.mark.req("E4")
async def test_whoever_waits_for_the_sequence_of_an_answer_reads_what_was_asked_for(bus: Bus) -> None:
    document_id = await bus.create("one")
    password = bus.server.passwords["client-default"]
    async with StemmaClient.connect(bus.server.url, user="client-default", password=password) as client:
        for number in range(2):
            paused = await client.request(PauseDocument(document_id=document_id))
            overview = await client.overview(document_id, at_least=paused.sequence)
            assert (overview.document.status, overview.document.last_sequence >= paused.sequence) == ("paused", True)
            edited = await client.edit(document_id, "research", number, text=f"# Research\n\nText {number}.\n")
            overview = await client.overview(document_id, at_least=edited.sequence)
            assert overview.sections["research"].version == number + 1
            assert overview.sections["research"].versions[-1].sequence == edited.sequence
            view = await client.document(document_id, at_least=edited.sequence)
            assert view.sections["research"].version == number + 1
            await client.request(ResumeDocument(document_id=document_id))


def _generated(document_id: str, job_id: str, text: str) -> SectionGenerated:
    return SectionGenerated(
        job_id=job_id,
        tenant="default",
        document_id=document_id,
        section_id="research",
        draft=ref(text),
        evaluation=evaluation(),
        provenance=PROVENANCE,
    )


async def _tell(bus: Bus, sender: str, outcome: Outcome, id: str, token: str = "") -> None:
    subject = subjects.outcome(sender, token or registry.entry_of(outcome).token)
    await Publisher(bus.client.jetstream(), "/test").publish(subject, outcome, id=id, about="default")


@pytest.mark.req("S2")
async def test_an_outcome_counts_only_from_the_service_that_has_the_job(bus: Bus) -> None:
    document_id = await bus.create("one")
    job_id = f"{document_id}.1.generate.research"
    about: Any = {"job_id": job_id, "tenant": "default", "document_id": document_id, "section_id": "research"}
    forged = _generated(document_id, job_id, "forged")
    need = Need(need_id="n1", kind="question", question=ref("Your password?"), checkpoint_id="c1")
    for sender in (subjects.CONVERTER, subjects.EDITOR, subjects.ORCHESTRATOR):
        await _tell(bus, sender, forged, f"{sender}-1")
        await _tell(bus, sender, JobDead(**about, service=sender), f"{sender}-2")
        await _tell(bus, sender, GraphPaused(**about, thread_id=job_id, need=need), f"{sender}-3")
    await _tell(bus, subjects.GENERATION, forged, "named-otherwise", token="draft-revised")
    await bus.client.jetstream().publish(
        subjects.outcome(subjects.CONVERTER, "document-converted"),
        json.dumps(about).encode(),
        headers={"ce-type": "stemma.document.converted.v9"},
    )
    await eventually(lambda: _empty(bus, subjects.OUTCOMES))

    assert [type(event).__name__ for event in await bus.events(document_id)] == ["DocumentRequested"]
    assert await bus.stored(subjects.DEAD, subjects.dead(subjects.ORCHESTRATOR, "section-generated"))

    await _tell(bus, subjects.GENERATION, _generated(document_id, job_id, "true"), "true")
    await eventually(lambda: bus.seen(document_id, "SectionDrafted"))
    [drafted] = [event for event in await bus.events(document_id) if isinstance(event, SectionDrafted)]
    assert drafted.draft == ref("true")


@pytest.mark.req("S3")
async def test_what_is_no_event_stops_neither_its_document_nor_the_summaries_of_others(bus: Bus) -> None:
    document_id = await bus.create("one")
    js = bus.client.jetstream()
    for subject in (
        subjects.event("default", document_id, "section-drafted"),
        subjects.event("default", "nowhere", "section-drafted"),
        "stemma.event.v1.default.a%b.section-drafted",
    ):
        await js.publish(subject, b"forged")
    await bus.ask("pause-document", {"document_id": document_id, "request_id": "p"})
    await bus.answers("p")
    views = await js.key_value(subjects.VIEWS_BUCKET)

    async def paused() -> bool:
        with suppress(NotFoundError):
            summary = (await views.get(subjects.view_key("default", document_id))).value or b""
            return b'"status":"paused"' in summary
        return False

    async def behind() -> bool:
        info = await js.consumer_info(subjects.EVENTS, subjects.PROJECTOR)
        return (info.num_ack_pending, info.num_pending) == (0, 0)

    await eventually(paused)
    await eventually(behind)


@pytest.mark.req("S5")
async def test_requests_with_spoilt_uploads_are_rejected_and_others_do_not_wait_behind_them(server: NatsServer) -> None:
    upload = {"size": 3, "media_type": "text/markdown", "name": "a.md"}
    spoilt = [
        b"no JSON",
        b"{}",
        b"[]",
        b'{"nuid": "*", "chunks": 1}',
        b'{"nuid": "a", "chunks": "x"}',
        b'{"options": 7}',
    ]
    async with connected(server) as client:
        bus = Bus(server, client)
        for number, description in enumerate(spoilt):
            digest = f"{number:064x}"
            name = urlsafe_b64encode(digest.encode()).decode()
            await client.jetstream().publish(f"$O.{subjects.uploads_bucket('default')}.M.{name}", description)
            body = {"kind": "proposal", "brief": "b", "inputs": [{**upload, "object_name": digest, "digest": digest}]}
            for again in range(50):
                await bus.ask("create-document", {**body, "request_id": f"spoilt-{number}-{again}"})
        await bus.ask("create-document", {**BRIEF, "request_id": "after"}, tenant="other")
        async with orchestrator(server):
            [answer] = await bus.answers("after", tenant="other")
            [rejected] = await bus.answers("spoilt-0-0")
        place = await client.jetstream().get_last_msg(subjects.ANSWERS, subjects.answer("other", "after"))
    assert answer["document_id"]
    assert [problem["field"] for problem in rejected["problems"]] == ["inputs.0"]
    assert (place.seq or 0) < 100, "it came after 300 others, and has not waited for them"


@pytest.mark.req("S5")
async def test_requests_of_a_tenant_behind_which_too_many_wait_are_rejected_whoever_asks_and_for_whatever(
    server: NatsServer,
) -> None:
    async with connected(server) as client:
        bus = Bus(server, client)
        people = [f"p{number}" for number in range(6)]
        for person in people:
            name = subjects.request_of("default", person, "create-document")
            await client.jetstream().publish(name, json.dumps({**BRIEF, "request_id": person}).encode())
        await bus.ask("create-document", {**BRIEF, "request_id": "theirs"}, tenant="other")
        async with orchestrator(server, max_waiting_requests=2):
            answers = [(await bus.answers(person))[0] for person in people]
            [theirs] = await bus.answers("theirs", tenant="other")
    assert [bool(answer.get("document_id")) for answer in answers] == [False, False, False, True, True, True]
    words = "as many requests wait as a tenant may have, 2 (max_waiting_requests)"
    assert words in answers[0]["problems"][0]["message"]
    assert theirs["document_id"]


@pytest.mark.req("S5")
async def test_a_tenant_that_has_enough_open_is_told_until_some_of_it_is_done(server: NatsServer) -> None:
    async with connected(server) as client, orchestrator(server, max_open_jobs=1):
        bus = Bus(server, client)
        document_id = await bus.create("one")
        await bus.ask("create-document", {**BRIEF, "request_id": "two"})
        [full] = await bus.answers("two")
        assert "as many jobs are open as a tenant may have, 1" in full["problems"][0]["message"]
        await bus.ask("pause-document", {"document_id": document_id, "request_id": "decision"})
        [decided] = await bus.answers("decision")
        assert decided["document_id"] == document_id
        await bus.ask("create-document", {**BRIEF, "request_id": "three"})
        [taken] = await bus.answers("three")
        await bus.ask("create-document", {**BRIEF, "request_id": "theirs"}, tenant="other")
        [theirs] = await bus.answers("theirs", tenant="other")
        assert taken["document_id"]
        assert theirs["document_id"]


@pytest.mark.req("S5")
async def test_jobs_beyond_a_tenants_number_go_behind_those_of_others_until_there_is_room(server: NatsServer) -> None:
    first, bulk = (lane(subjects.GENERATION, "generate-section") for lane in (subjects.job, subjects.bulk_job))
    async with connected(server) as client, orchestrator(server, bulk_from_open_jobs=2):
        bus = Bus(server, client)
        documents = [await bus.create(request_id) for request_id in ("one", "two", "three")]
        await bus.ask("create-document", {**BRIEF, "request_id": "theirs"}, tenant="other")
        [theirs] = await bus.answers("theirs", tenant="other")
        assert [_document(job) for job in await bus.stored(subjects.JOBS, first)] == [
            *documents[:2],
            theirs["document_id"],
        ]
        assert [_document(job) for job in await bus.stored(subjects.JOBS, bulk)] == documents[2:]
        for document_id in documents[:2]:
            await bus.ask("cancel-document", {"document_id": document_id, "request_id": f"cancel-{document_id}"})
            await bus.answers(f"cancel-{document_id}")
        fourth = await bus.create("four")
        assert _document((await bus.stored(subjects.JOBS, first))[-1]) == fourth


@pytest.mark.req("S5")
async def test_open_exports_are_counted_as_the_log_has_them_and_stored_bytes_as_the_server_has_them(
    server: NatsServer,
) -> None:
    async with connected(server) as client, orchestrator(server, max_open_exports=1, max_stored_bytes=1000):
        bus = Bus(server, client)
        document_id = await bus.create("one")
        body = {"document_id": document_id, "format": "md"}
        await bus.ask("export-document", {**body, "request_id": "first"})
        [first] = await bus.answers("first")
        await bus.ask("export-document", {**body, "request_id": "second"})
        [second] = await bus.answers("second")
        assert "exports are open" in second["problems"][0]["message"]
        [job] = await bus.stored(subjects.JOBS, subjects.job(subjects.CONVERTER, "convert-document"))
        dead = JobDead(job_id=job["job_id"], tenant="default", document_id=document_id)
        async with orchestrator(server):  # another process takes the outcome in as likely as not
            await _tell(bus, subjects.CONVERTER, dead, "dead")
            await eventually(lambda: bus.seen(document_id, "ExportJobDead"))
        await bus.ask("export-document", {**body, "request_id": "third"})
        [third] = await bus.answers("third")
        assert first["export_id"] != third["export_id"]
        await client.jetstream().publish("$O.artifacts-default.C.x", b"x" * 1000)
        await bus.ask("create-document", {**BRIEF, "request_id": "two"})
        [full] = await bus.answers("two")
        assert "bytes are stored" in full["problems"][0]["message"]


def _document(job: Any) -> str:
    return str(job["document"]["document_id"])


async def _empty(bus: Bus, stream: str) -> bool:
    return (await bus.client.jetstream().stream_info(stream)).state.messages == 0
