"""One request is one trace through every service; a decision begins a new one that links back. Read from OTLP bytes."""

import json
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from faults_here import replica
from stemma_cli.local.supervisor import ALL, LocalStemma
from stemma_client import RecordedEvent
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import CancelDocument
from stemma_testkit.driving import request_sample, sample_folder, wait_for
from stemma_testkit.otlp import OtlpReceiver, ReceivedSpan, otlp_receiver
from stemma_testkit.servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

AGAIN = "orchestrator-again"
SERVICES = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR, subjects.CONVERTER)
REQUESTED = "process stemma.request.v1.{tenant}.create-document"
APPROVED = "process stemma.request.v1.{tenant}.approve-section"
EXPORTED = "process stemma.request.v1.{tenant}.export-document"
GENERATE = "stemma.job.v1.generation-graph.generate-section"
GENERATED = "stemma.outcome.v1.generation-graph.section-generated"
VALIDATE = "stemma.job.v1.validator.validate-draft"
VALIDATED = "stemma.outcome.v1.validator.draft-validated"
Edge = tuple[str, str, str, str]
SECTION_EDGES: set[Edge] = {
    ("orchestrator", REQUESTED, "orchestrator", f"send {GENERATE}"),
    ("orchestrator", f"send {GENERATE}", "generation-graph", f"process {GENERATE}"),
    ("generation-graph", f"process {GENERATE}", "generation-graph", "invoke_workflow section"),
    ("generation-graph", "invoke_workflow section", "generation-graph", "node generate"),
    ("generation-graph", "node generate", "generation-graph", "chat offline"),
    ("generation-graph", "node tools", "generation-graph", "execute_tool search_inputs"),
    ("generation-graph", f"process {GENERATE}", "generation-graph", f"send {GENERATED}"),
    ("generation-graph", f"send {GENERATED}", "orchestrator", f"process {GENERATED}"),
    ("orchestrator", f"process {GENERATED}", "orchestrator", f"send {VALIDATE}"),
    ("orchestrator", f"send {VALIDATE}", "validator", f"process {VALIDATE}"),
    ("validator", f"process {VALIDATE}", "validator", f"send {VALIDATED}"),
    ("validator", f"send {VALIDATED}", "orchestrator", f"process {VALIDATED}"),
}


@dataclass(frozen=True)
class Told:
    """What one document, one decision and one export left behind: spans, events, log lines.

    ``after`` are the spans since the orchestrator was started again, in which the document was cancelled.
    """

    document_id: str
    spans: list[ReceivedSpan]
    after: list[ReceivedSpan]
    events: list[RecordedEvent]
    logs: list[str]

    def named(self, name: str) -> list[ReceivedSpan]:
        return [span for span in self.spans if span.name == name]

    def trace_of(self, name: str) -> list[ReceivedSpan]:
        """The spans of the trace that begins with the one span of this name."""
        (root,) = self.named(name)
        return [span for span in self.spans if span.trace_id == root.trace_id]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Told]:
    """The sample up to its first review, one approval, up to the next, an export; a new orchestrator, and the end."""
    with otlp_receiver() as receiver:
        env, folder = exporting(receiver.endpoint), tmp_path_factory.mktemp("traces")
        stemma = LocalStemma(folder, services=SERVICES, env=env)
        async with stemma, stemma.client() as client:
            document_id = await request_sample(client)
            await wait_for(client, document_id, waits("research"))
            await client.approve(document_id, "research", 1)
            await wait_for(client, document_id, waits("solution"))
            await client.export(document_id, ExportFormat.MD)
            events = await client.history(document_id)
            await stemma.services[ALL].stop()
            stopped_ns = time.time_ns()
            async with replica(stemma, AGAIN, env[subjects.ORCHESTRATOR], subjects.ORCHESTRATOR) as orchestrator:
                await client.request(CancelDocument(document_id=document_id))
                orchestrator.terminate()
                await eventually(partial(_has_ended, orchestrator))
        # The services have ended, and with them the last export.
        logs = [stemma.folder.log(name).read_text() for name in (*stemma.services, AGAIN)]
        spans = of_document(receiver, document_id)
        before = [span for span in spans if span.started_ns <= stopped_ns]
        after = [span for span in spans if span.started_ns > stopped_ns]
        yield Told(document_id, before, after, events, logs)


async def _has_ended(process: psutil.Process) -> bool:
    return not process.is_running()


def exporting(endpoint: str) -> dict[str, dict[str, str]]:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_BSP_SCHEDULE_DELAY": "200", "OTEL_METRICS_EXPORTER": "none"}
    env["STEMMA_GENERATION_GRAPH_MAX_INPUT_CHARS"] = "1000"  # inputs that fit are not searched
    return dict.fromkeys(subjects.SERVICES, env)


def waits(section_id: str) -> Callable[[Contract], bool]:
    return lambda event: isinstance(event, e.SectionReviewRequested) and event.section_id == section_id


def of_document(receiver: OtlpReceiver, document_id: str) -> list[ReceivedSpan]:
    return [span for span in receiver.spans if span.attributes.get("stemma.document_id") == document_id]


def edges(spans: Sequence[ReceivedSpan]) -> set[Edge]:
    by_id = {span.span_id: span for span in spans}
    pairs = [(by_id[span.parent_id], span) for span in spans if span.parent_id in by_id]
    return {(service_of(parent), parent.name, service_of(span), span.name) for parent, span in pairs}


def service_of(span: ReceivedSpan) -> str:
    """All of them run in one process, and the resource is that of the process."""
    return str(span.attributes["stemma.service"])


@pytest.mark.req("E5")
async def test_one_section_is_one_trace_through_the_services(told: Told) -> None:
    assert edges(told.trace_of(REQUESTED)) >= SECTION_EDGES


@pytest.mark.req("E5")
async def test_a_trace_has_one_root_and_no_loose_span(told: Told) -> None:
    for name in (REQUESTED, APPROVED):
        spans = told.trace_of(name)
        ids = {span.span_id for span in spans}
        assert [span.name for span in spans if span.parent_id not in ids] == [name]


@pytest.mark.req("E5")
async def test_a_decision_begins_a_trace_that_links_to_the_one_that_asked(told: Told) -> None:
    (requested,), (approved,) = told.named(REQUESTED), told.named(APPROVED)
    assert approved.trace_id != requested.trace_id
    assert approved.parent_id == ""
    assert approved.links == (requested.trace_id,)
    assert approved.attributes["stemma.section_id"] == "research"
    sections = {span.attributes.get("stemma.section_id") for span in told.trace_of(APPROVED) if "chat" in span.name}
    assert sections == {"solution"}


@pytest.mark.req("E5")
async def test_events_and_log_lines_carry_the_trace_of_what_caused_them(told: Told) -> None:
    ids = {span.span_id: span.trace_id for span in (*told.spans, *told.after)}
    for event in told.events:
        _, trace_id, span_id, _ = event.envelope.trace["traceparent"].split("-")
        assert ids[span_id] == trace_id
    lines = [json.loads(line) for text in told.logs for line in text.splitlines() if line.startswith("{")]
    of_document = [line for line in lines if line.get("document_id") == told.document_id]
    assert {line["service"] for line in of_document} >= {"orchestrator", "generation-graph", "validator", "converter"}
    assert [line for line in of_document if ids.get(line.get("span_id", "")) != line.get("trace_id")] == []
    traces = {line["trace_id"] for line in of_document}
    work = [line for line in lines if line["event"] in ("message_handled", "node_finished", "tool_called")]
    assert [line for line in work if line.get("trace_id") in traces and "document_id" not in line] == []


@pytest.mark.req("E5", "E8")
async def test_every_span_says_where_it_belongs_and_neither_spans_nor_logs_hold_text(told: Told) -> None:
    texts = [path.read_text() for path in (sample_folder() / "brief.md", *_inputs())]
    phrases = {phrase for text in texts for phrase in re.findall(r"[A-Z][^.!?|\n]{30,}[.!?]", text)}
    assert len(phrases) > 20
    for span in told.spans:
        assert {"stemma.service", "stemma.tenant", "stemma.document_id"} <= span.attributes.keys(), span.name
        if GENERATE in span.name or VALIDATE in span.name or span.name.startswith(("chat", "node", "execute_tool")):
            assert "stemma.section_id" in span.attributes, span.name
        assert max(len(str(value)) for value in span.attributes.values()) <= 200
        assert not [phrase for phrase in phrases if phrase in span.text]
    assert not [phrase for phrase in phrases for log in told.logs if phrase in log]


def _inputs() -> list[Path]:
    return [path for path in (sample_folder() / "inputs").rglob("*.md") if path.is_file()]


@pytest.mark.req("E5")
async def test_model_calls_and_messages_follow_the_conventions(told: Told) -> None:
    chats = told.named("chat offline")
    assert len(chats) >= 4
    for chat in chats:
        assert chat.kind == "CLIENT"
        assert chat.attributes["gen_ai.operation.name"] == "chat"
        assert chat.attributes["gen_ai.request.model"] == "offline"
        assert chat.attributes["gen_ai.conversation.id"] == told.document_id
        assert (
            int(chat.attributes["gen_ai.usage.input_tokens"]) > int(chat.attributes["gen_ai.usage.output_tokens"]) > 0
        )
    kinds = {"send": "PRODUCER", "process": "CONSUMER"}
    messages = [span for span in told.spans if span.name.split()[0] in kinds]
    for span in messages:
        assert span.kind == kinds[span.name.split()[0]]
        assert span.attributes["messaging.system"] == "nats"
        assert span.attributes["messaging.operation.type"] == span.name.split()[0]
        assert told.document_id not in span.name


@pytest.mark.req("E5")
async def test_a_restart_that_folds_the_log_again_tells_nothing(told: Told) -> None:
    roots = [span for span in told.after if not span.parent_id]
    assert [span.name for span in roots] == ["process stemma.request.v1.{tenant}.cancel-document"]
    late = [span for span in told.after if span.trace_id != roots[0].trace_id]
    assert [span.name for span in late if not _follows_the_log(span)] == []
    assert roots[0].links == (told.named(EXPORTED)[0].trace_id,)


def _follows_the_log(span: ReceivedSpan) -> bool:
    """The list of documents follows the log: an event that it had not acknowledged comes again, visibly."""
    return span.name.startswith("process stemma.event")
