"""Dead letters, looked after by an operator on a real server."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nats.js import JetStreamContext
from stemma_cli.main import app
from stemma_cli.operating.dead_letters import DeadLetters, put_back
from stemma_contracts import Contract, Registry, registry, subjects
from stemma_contracts.envelope import envelope_for
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.events import DocumentRequested
from stemma_contracts.v1.outcomes import SectionGenerated
from stemma_messaging import Delivery, Publisher
from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.verdict import FOREIGN, DeadLetter
from stemma_provisioning import NatsServer
from stemma_provisioning.permissions import OPERATOR
from stemma_testkit.document_events import REF, document_requested
from stemma_testkit.servers import connected
from typer.testing import CliRunner

pytestmark = pytest.mark.req("O3")
OPEN, CLOSED = "d1.1.generate.research", "d1.1.generate.solution"
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Bench:
    """A log with one document, of which the section research is generated, and a place for dead letters."""

    server: NatsServer
    js: JetStreamContext
    folder: Path

    async def bury(self, subject: str, body: bytes, headers: dict[str, str], reason: str = "exhausted") -> int:
        """Put a message aside as a service does; its number."""
        stream = subjects.OUTCOMES if ".outcome." in subject else subjects.REQUESTS
        place = 7 + (await self.js.stream_info(subjects.DEAD)).state.last_seq
        delivery = Delivery(subject, headers, body, stream, "orchestrator", place, 19, AT)
        publisher = Publisher(self.js, "/orchestrator")
        verdict, error = DeadLetter(reason), ValueError("secret words")
        await publish_dead_letter(delivery, verdict, error, subjects.ORCHESTRATOR, publisher)
        return (await self.js.stream_info(subjects.DEAD)).state.last_seq

    async def bury_outcome(self, job_id: str, reason: str = "exhausted", body: bytes | None = None) -> int:
        outcome = generated(job_id)
        subject = subjects.outcome(subjects.GENERATION, "section-generated")
        return await self.bury(subject, body or registry.encode(outcome), envelope(outcome, job_id), reason)

    async def outcomes(self) -> list[bytes]:
        """What lies in the queue of outcomes of jobs that were generated."""
        found = []
        state = (await self.js.stream_info(subjects.OUTCOMES)).state
        for sequence in range(max(1, state.first_seq), state.last_seq + 1):
            message = await self.js.get_msg(subjects.OUTCOMES, sequence)
            if message.subject == subjects.outcome(subjects.GENERATION, "section-generated"):
                found.append(message.data or b"")
        return found

    async def run(self, *arguments: str, as_user: str = OPERATOR, stdin: str | None = None) -> Any:
        command = ["dead", *arguments]
        return await asyncio.to_thread(CliRunner().invoke, app, command, input=stdin, env=self.environment(as_user))

    def environment(self, user: str = OPERATOR) -> dict[str, str]:
        return {
            "STEMMA_NATS_URL": self.server.url,
            "STEMMA_NATS_USER": user,
            "STEMMA_NATS_PASSWORD": self.server.passwords[user],
            "STEMMA_DATA_DIR": str(self.folder),
        }

    async def listed(self, *arguments: str) -> list[dict[str, Any]]:
        done = await self.run("list", "--json", *arguments)
        assert done.exit_code == 0, done.stderr
        return list(json.loads(done.stdout))


def generated(job_id: str) -> SectionGenerated:
    sample = Path(__file__).parents[3] / "contracts/golden/0.1.0/stemma.section.generated.v1.json"
    known = SectionGenerated.model_validate(json.loads(sample.read_bytes())["full"]["data"])
    about = {"tenant": "default", "document_id": "d1", "section_id": job_id.rpartition(".")[2], "draft": REF}
    return known.model_copy(update={"job_id": job_id, **about})


def envelope(contract: Contract, id: str) -> dict[str, str]:
    entry = registry.entry_of(contract)
    return envelope_for(entry, id=id, source="/test", subject="default/d1", time=AT, sequence=1).headers()


@pytest.fixture
async def bench(own_server: NatsServer, tmp_path: Path) -> AsyncIterator[Bench]:
    async with connected(own_server) as client:
        js = client.jetstream(timeout=10)
        requested = document_requested()
        subject = subjects.event("default", "d1", "document-requested")
        await js.publish(subject, registry.encode(requested), headers=envelope(requested, "e1"))
        yield Bench(own_server, js, tmp_path / "nowhere")


async def test_an_operator_lists_dead_letters_by_tenant_service_and_reason(bench: Bench) -> None:
    outcome = await bench.bury_outcome(OPEN)
    request = await bench.bury(subjects.request("garden", "create-document"), b"{}", {}, "invalid")

    assert [one["number"] for one in await bench.listed()] == [outcome, request]
    assert [one["number"] for one in await bench.listed("--tenant", "garden")] == [request]
    assert [one["number"] for one in await bench.listed("--service", "generation-graph")] == [outcome]
    assert [one["number"] for one in await bench.listed("--reason", "invalid")] == [request]
    assert await bench.listed("--tenant", "nobody") == []
    other = await bench.run("list", as_user="validator")
    assert (other.exit_code, "this is for operator" in other.stderr) == (2, True)


@pytest.mark.req("E2", "O3")
async def test_one_is_shown_with_its_error_and_job_and_not_put_back_where_this_release_cannot_read_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await bench.bury_outcome(OPEN)
    shown = json.loads((await bench.run("show", str(number), "--json")).stdout)
    assert (shown["error"], shown["reason"], shown["deliveries"]) == ("ValueError", "exhausted", 19)
    assert (shown["job"], json.loads(shown["body"])["job_id"]) == ("open", OPEN)
    assert OPEN in (await bench.run("show", str(number))).stdout
    release = Registry()
    for cls in (SectionGenerated, DocumentRequested):
        entry = registry.entry_of(cls)
        later = entry.ce_type.replace(".v1", ".v9")
        release.contract(later, entry.family, entry.service)(cls)
        release.upcaster(entry.ce_type, cls, later)(lambda _: {})
    monkeypatch.setattr("stemma_cli.operating.dead_letters.registry", release)
    shown = json.loads((await bench.run("show", str(number), "--json")).stdout)
    assert shown["job"].startswith("not known: this release cannot read event 1 of the log: ")
    done = await bench.run("requeue", str(number))
    assert (done.exit_code, "this release cannot read it" in done.stderr) == (1, True)


async def test_one_is_put_back_exactly_once_and_tells_what_was_done_when_it_is_put_aside_again(bench: Bench) -> None:
    number = await bench.bury_outcome(OPEN)
    async with connected(bench.server, OPERATOR) as client:
        dead = DeadLetters(client)
        letter = await dead.get(number)
        assert [await put_back(dead.jetstream, letter) for _ in range(2)] == [False, True]

    first, second = [await bench.run("requeue", str(number)) for _ in range(2)]

    assert (first.exit_code, second.exit_code) == (0, 1)
    assert "had it requeued" in second.stderr
    assert await bench.outcomes() == [registry.encode(generated(OPEN))]
    assert await bench.listed() == []

    delivery_again = generated(OPEN)
    subject = subjects.outcome(subjects.GENERATION, "section-generated")
    headers = {**envelope(delivery_again, OPEN), "Nats-Msg-Id": "x"}
    delivery = Delivery(subject, headers, registry.encode(delivery_again), subjects.OUTCOMES, "orchestrator", 8, 19, AT)
    await publish_dead_letter(delivery, DeadLetter("exhausted"), None, "orchestrator", Publisher(bench.js, "/o"))
    (again,) = await bench.listed()

    shown = json.loads((await bench.run("show", str(again["number"]), "--json")).stdout)

    assert [line["deed"] for line in shown["history"]] == ["requeued", "put aside"]


async def test_what_is_foreign_or_superseded_is_refused_with_the_reason(bench: Bench) -> None:
    numbers = []
    for job_id, reason, said in (
        (CLOSED, "exhausted", f"superseded: {CLOSED} is not open any more"),
        ("d2.1.generate.research", "exhausted", "is not open any more"),
        (OPEN, FOREIGN, "foreign: generation-graph spoke of what is another service's"),
    ):
        numbers.append(await bench.bury_outcome(job_id, reason))
        done = await bench.run("requeue", str(numbers[-1]))
        assert (done.exit_code, said in done.stderr) == (3, True), done.stderr
    assert await bench.outcomes() == []
    assert [one["number"] for one in await bench.listed()] == numbers


async def test_one_that_does_not_fit_its_contract_goes_once_it_was_mended(bench: Bench, tmp_path: Path) -> None:
    number = await bench.bury_outcome(
        OPEN, "invalid", body=b'{"job_id": "' + OPEN.encode() + b'", "tenant": "default", "document_id": "d1"}'
    )
    mended, other = tmp_path / "mended.json", tmp_path / "other.json"
    mended.write_bytes(registry.encode(generated(OPEN)))
    other.write_bytes(registry.encode(generated(CLOSED)))

    as_it_is = await bench.run("requeue", str(number))
    another = await bench.run("edit", str(number), "--file", str(other))
    wrong = await bench.run("edit", str(number), "--file", "-", stdin='{"job_id": 7}')
    right = await bench.run("edit", str(number), "--file", str(mended))

    assert (as_it_is.exit_code, "draft: Field required" in as_it_is.stderr) == (3, True), as_it_is.stderr
    assert (another.exit_code, f"job_id says whose it is, and stays {OPEN}" in another.stderr) == (3, True)
    assert (wrong.exit_code, "job_id" in wrong.stderr) == (3, True)
    assert right.exit_code == 0, right.stderr
    assert await bench.outcomes() == [mended.read_bytes()]


async def test_a_text_that_is_refused_is_kept_in_the_file_of_the_editor(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await bench.bury_outcome(OPEN)
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i s/default/elsewhere/ $1\n")
    editor.chmod(0o700)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # The command runs beside the test here, in a thread that cannot take signals.
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setenv("VISUAL", str(editor))
    done = await bench.run("edit", str(number))
    kept = Path(done.stderr.split("your text is kept in ")[1].splitlines()[0])
    assert (done.exit_code, '"tenant": "elsewhere"' in kept.read_text()) == (3, True)


async def test_an_edited_request_goes_under_an_id_of_its_own(bench: Bench) -> None:
    subject = subjects.request("default", "pause-document")
    body = registry.encode(r.PauseDocument(request_id="mine", document_id="d1"))
    number = await bench.bury(subject, body, {})

    done = await bench.run(
        "edit", str(number), "--file", "-", "--json", stdin='{"request_id":"mine","document_id":"d2"}'
    )

    assert json.loads(done.stdout)["request_id"] == f"mine-edited-{number}"
    sent = await bench.js.get_msg(subjects.REQUESTS, 1)
    assert (sent.subject, json.loads(sent.data or b"")["document_id"]) == (subject, "d2")


async def test_dropping_asks_and_leaves_a_trace(bench: Bench) -> None:
    number = await bench.bury_outcome(OPEN)

    asked = await bench.run("drop", str(number))
    left = await bench.listed()
    done = await bench.run("drop", str(number), "--yes")

    assert (asked.exit_code, len(left), done.exit_code) == (2, 1, 0)
    assert f"stemma dead drop {number} --yes" in asked.stderr
    assert await bench.listed() == []
    trace = await bench.js.get_last_msg(subjects.DEAD, subjects.dead(OPERATOR, "dropped"))
    assert (trace.headers or {})["stemma-dead-of"] == str(number)
    assert "had it dropped" in (await bench.run("show", str(number))).stderr
