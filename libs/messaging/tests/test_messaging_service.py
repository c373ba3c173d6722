"""A service as a process: logs, health, readiness, and the end of it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from stemma_contracts import subjects
from stemma_testkit.servers import eventually

VERDICTS = ("Ack", "RetryLater", "DeadLetter")
APP = """
import os
import sys
sys.path.insert(0, sys.argv.pop())
from conftest import outcome_of, worker_of

failures = int(os.environ.get("FAILURES", 0))

async def handler(job):
    global failures
    failures -= 1
    if failures >= 0:
        raise RuntimeError
    return outcome_of(job)

worker_of("validator", handler, "push").main()
"""


@pytest.fixture
def ready_file(tmp_path: Path) -> Path:
    return tmp_path / "ready"


@asynccontextmanager
async def _process(lab: Any, ready_file: Path, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The service with a package of its own, so that it reads no settings of the real one."""
    package = ready_file.parent / "stemma_validator"
    (package / "config").mkdir(parents=True)
    (package / "__init__.py").touch()
    program = ready_file.parent / "app.py"
    program.write_text(APP)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        str(Path(__file__).parent),
        env=os.environ
        | {
            "STEMMA_NATS_URL": lab.server.url,
            "STEMMA_NATS_USER": "validator",
            "STEMMA_NATS_PASSWORD": lab.server.passwords["validator"],
            "STEMMA_READY_FILE": str(ready_file),
        }
        | environment,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.req("E1", "E8", "O2")
async def test_a_service_logs_and_measures_each_message_and_ends_when_told(lab: Any, ready_file: Path) -> None:
    job = lab.job()
    failing = {"STEMMA_VALIDATOR_RETRY_BASE_S": "0.01", "FAILURES": "2"}
    async with _process(lab, ready_file, **failing) as process:
        await lab.publish(subjects.VALIDATOR, job)
        await lab.client.publish(subjects.job(subjects.VALIDATOR, "validate-draft"), b"no job")
        await eventually(lab.settled)
        measured = await _measured(ready_file.read_text())
        process.send_signal(signal.SIGTERM)
        output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0
    deliveries = {verdict: measured["messaging_process_duration_seconds_count", verdict] for verdict in VERDICTS}
    assert deliveries == {"Ack": 1, "RetryLater": 2, "DeadLetter": 1}
    assert measured["stemma_messages_redelivered_total", "stemma.job.v1.validator.validate-draft"] == 2
    assert measured["stemma_messages_dead_total", "invalid"] == 1
    lines = [json.loads(line) for line in output.splitlines()]
    assert {line["service"] for line in lines} == {"validator"}
    [handled] = [line for line in lines if line.get("verdict") == "Ack"]
    expected = {
        "subject": "stemma.job.v1.validator.validate-draft",
        "deliveries": 3,
        "tenant": "default",
        "document_id": "d1",
        "section_id": "s1",
        "job_id": job.job_id,
    }
    assert {key: handled[key] for key in expected} == expected
    assert {"trace_id", "span_id", "duration_ms", "timestamp"} <= handled.keys()
    told = [line["event"] for line in lines]
    assert (told[0], told.count("message_handled"), told[-1]) == ("service_ready", 4, "service_stopped")


@pytest.mark.req("E1", "O2")
async def test_a_service_is_ready_as_long_as_its_consumer_is_there_and_measures_what_it_misses(
    own_lab: Any, ready_file: Path
) -> None:
    async with _process(own_lab, ready_file, STEMMA_VALIDATOR_OBSERVE_EVERY_S="0.05") as process:
        await eventually(lambda: _exists(ready_file))
        port = ready_file.read_text()
        assert await _get(port, "/ready") == (200, {"status": "ready", "missing": []})
        await eventually(lambda: _misses(port, consumer=0, server=0))
        await own_lab.jetstream.delete_consumer(subjects.JOBS, subjects.VALIDATOR)
        assert await _get(port, "/ready") == (503, {"status": "not ready", "missing": ["JOBS/validator"]})
        await eventually(lambda: _misses(port, consumer=1, server=0))
        assert (await _get(port, "/health"))[0] == 200
        assert (await _get(port, "/elsewhere"))[0] == 404
        assert process.returncode is None
        own_lab.server.stop()
        await eventually(lambda: _misses(port, consumer=0, server=1))


@pytest.mark.req("E1")
async def test_a_service_whose_consumer_was_never_made_names_it_and_does_not_make_it(
    own_lab: Any, ready_file: Path
) -> None:
    js, (_, bulk) = own_lab.jetstream, subjects.job_consumers(subjects.VALIDATOR)
    await js.delete_consumer(subjects.JOBS, bulk)
    async with _process(own_lab, ready_file) as process:
        output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    failed = json.loads(output.splitlines()[-1])
    assert (failed["event"], failed["error_type"]) == ("service_failed", "BusFailed")
    assert failed["reason"] == f"JOBS/{bulk} is not there: run stemma-provision of this release"
    assert bulk not in {info.name for info in await js.consumers_info(subjects.JOBS)}


async def _exists(path: Path) -> bool:
    return path.exists()


async def _measured(port: str) -> dict[tuple[str, str], float]:
    """What a service has measured, each under its name and one of its labels."""
    text = await asyncio.to_thread(lambda: urlopen(f"http://127.0.0.1:{port}/metrics").read().decode())
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, label): sample.value for sample in samples for label in sample.labels.values()}


async def _misses(port: str, **counts: int) -> bool:
    measured = await _measured(port)
    return all(measured.get(("stemma_service_missing", what)) == count for what, count in counts.items())


async def _get(port: str, path: str) -> tuple[int, Any]:
    return await asyncio.to_thread(_get_blocking, f"http://127.0.0.1:{port}{path}")


def _get_blocking(url: str) -> tuple[int, Any]:
    try:
        with urlopen(url, timeout=20) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)
