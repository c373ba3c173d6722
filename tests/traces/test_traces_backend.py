"""The trace of a request as people see it: sent to Arize Phoenix, in an environment of its own, and read back."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.ports import free_port

REQUIREMENTS = Path(__file__).parent / "requirements-backend.lock"
REQUESTED = "process stemma.request.v1.{tenant}.create-document"
REVIEWED = "process stemma.outcome.v1.validator.draft-validated"
ARRIVE_S = 60.0
LOOK_AGAIN_S = 0.2
INSTALL_S = 300.0
READY_S = 180.0
PAGE = 200
# Nothing but traces: no assistant, no shell, no access to the network, no account of its use.
CONFINED = {
    "PHOENIX_TELEMETRY_ENABLED": "false",
    "PHOENIX_DISABLE_AGENT_ASSISTANT": "true",
    "PHOENIX_AGENTS_DISABLE_BASH": "true",
    "PHOENIX_AGENTS_DISABLE_GITHUB": "true",
    "PHOENIX_AGENTS_DISABLE_WEB_ACCESS": "true",
    "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
}


@dataclass(frozen=True)
class BackendSpan:
    """One span as the backend gives it back."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class TraceBackend:
    """A running backend; ``endpoint`` takes OTLP over HTTP."""

    endpoint: str

    async def spans(self) -> list[BackendSpan]:
        found: list[BackendSpan] = []
        cursor: str | None = ""
        while cursor is not None:
            query = urlencode({"limit": PAGE, **({"cursor": cursor} if cursor else {})})
            page = await asyncio.to_thread(_get, f"{self.endpoint}/v1/projects/default/spans?{query}")
            found += map(_span, page["data"])
            cursor = page["next_cursor"]
        return found


@asynccontextmanager
async def trace_backend(folder: Path, requirements: Path) -> AsyncIterator[TraceBackend]:
    """Install the backend below ``folder`` and run it, on the loopback interface alone."""
    await _install(folder / "venv", requirements)
    port = free_port()
    own = {"HOME": str(folder), "PHOENIX_WORKING_DIR": str(folder / "data"), "PHOENIX_HOST": "127.0.0.1"}
    ports = {"PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port())}
    with (folder / "backend.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            str(folder / "venv" / "bin" / "phoenix"),
            "serve",
            env={"PATH": os.environ["PATH"], **own, **ports, **CONFINED},
            stdout=log,
            stderr=log,
        )
    backend = TraceBackend(f"http://127.0.0.1:{port}")
    try:
        await _ready(backend, process)
        yield backend
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _install(venv: Path, requirements: Path) -> None:
    uv, python = Path(sys.executable).with_name("uv"), venv / "bin" / "python"
    await _run(str(uv), "venv", "--quiet", "--python", sys.executable, str(venv))
    pinned = ("--require-hashes", "-r", str(requirements))
    await _run(str(uv), "pip", "install", "--quiet", "--python", str(python), *pinned)


async def _run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command)
    async with asyncio.timeout(INSTALL_S):
        if await process.wait():
            raise RuntimeError(f"{command[1]} failed")


async def _ready(backend: TraceBackend, process: asyncio.subprocess.Process) -> None:
    deadline = time.monotonic() + READY_S
    while process.returncode is None and time.monotonic() < deadline:
        try:
            await backend.spans()
        except (URLError, OSError):
            await asyncio.sleep(LOOK_AGAIN_S)
        else:
            return
    raise RuntimeError("the backend did not start; see backend.log")


def _get(url: str) -> Any:
    with urlopen(url, timeout=30) as response:
        return json.load(response)


def _span(told: Mapping[str, Any]) -> BackendSpan:
    ids = told["context"]
    return BackendSpan(told["name"], ids["trace_id"], ids["span_id"], told["parent_id"] or "", told["attributes"])


def waits(version: int) -> Callable[[Contract], bool]:
    return lambda event: isinstance(event, e.SectionReviewRequested) and event.version == version


async def arrived(backend: TraceBackend, document_id: str, name: str) -> list[BackendSpan]:
    """The spans of a document once the one of this name, which is sent last, is there."""
    async with asyncio.timeout(ARRIVE_S):
        while True:
            spans = [s for s in await backend.spans() if s.attributes.get("stemma.document_id") == document_id]
            if name in {span.name for span in spans}:
                return spans
            await asyncio.sleep(LOOK_AGAIN_S)


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
