"""The trace of a request as people see it: sent to a real backend and read back through its API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.trace_backend import BackendSpan, TraceBackend, trace_backend

REQUIREMENTS = Path(__file__).parent / "requirements-backend.lock"
REQUESTED = "process stemma.request.v1.{tenant}.create-document"
REVIEWED = "process stemma.outcome.v1.validator.draft-validated"
ARRIVE_S = 60.0


def waits(version: int) -> Callable[[Contract], bool]:
    return lambda event: isinstance(event, e.SectionReviewRequested) and event.version == version


async def arrived(backend: TraceBackend, document_id: str, name: str) -> list[BackendSpan]:
    """The spans of a document once the one of this name, which is sent last, is there."""
    async with asyncio.timeout(ARRIVE_S):
        while True:
            spans = [s for s in await backend.spans() if s.attributes.get("stemma.document_id") == document_id]
            if name in {span.name for span in spans}:
                return spans
            await asyncio.sleep(0.5)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("E5")
async def test_a_backend_shows_a_request_as_one_trace_and_every_service(tmp_path: Path) -> None:
    async with trace_backend(tmp_path / "backend", REQUIREMENTS) as backend:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": backend.endpoint, "OTEL_METRICS_EXPORTER": "none"}
        stemma = LocalStemma(tmp_path / "stemma", processes=True, env=dict.fromkeys(subjects.SERVICES, env))
        async with stemma, stemma.client() as client:
            document_id = await request_sample(client)
            await wait_for(client, document_id, waits(1))
            await client.revise(document_id, "research", 1, "shorten")
            await wait_for(client, document_id, waits(2))
            await client.export(document_id, ExportFormat.MD)
        # The services have ended, and with them the last export.
        spans = await arrived(backend, document_id, "process stemma.outcome.v1.converter.document-converted")
    assert {span.attributes["stemma.service"] for span in spans} == set(subjects.SERVICES)
    (root,) = (span for span in spans if span.name == REQUESTED)
    trace = [span for span in spans if span.trace_id == root.trace_id]
    ids = {span.span_id for span in trace}
    assert [span.name for span in trace if span.parent_id not in ids] == [REQUESTED]
    services = {span.attributes["stemma.service"] for span in trace}
    assert services == {subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR, subjects.NOTIFIER}
    assert REVIEWED in {span.name for span in trace}
    assert {span.attributes["stemma.document_id"] for span in trace} == {document_id}
