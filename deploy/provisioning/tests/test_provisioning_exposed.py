"""The command that admits tells who asks whether it lives and has its server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from stemma_provisioning import NatsServer
from stemma_provisioning.admission_cli import MISSING, Beat, exposed
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.server import ADMITTED
from stemma_telemetry.metrics import exposed_names
from stemma_telemetry.names import Metric
from stemma_testkit.ports import free_port
from stemma_testkit.servers import eventually

PATHS = ("/health", "/ready", "/elsewhere")
PROGRAM = "from stemma_provisioning.admission_cli import main; main()"


@asynccontextmanager
async def admission(server: NatsServer, port: int) -> AsyncIterator[None]:
    env = os.environ | {
        "STEMMA_NATS_URL": server.url,
        "STEMMA_NATS_PASSWORD": server.passwords[ADMISSION],
        "STEMMA_ADMISSION_METRICS_PORT": str(port),
    }
    arguments = [sys.executable, "-c", PROGRAM, str(server.folder / ADMITTED)]
    process = await asyncio.create_subprocess_exec(*arguments, env=env)
    try:
        yield
    finally:
        process.terminate()
        assert await process.wait() == 0


def missing(port: int) -> float | None:
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            [family] = text_string_to_metric_families(answer.read().decode())
    except URLError:
        return None
    [sample] = family.samples
    assert (sample.name, sample.labels) == (MISSING, {"stemma_missing": "server"})
    return sample.value


def status(port: int, path: str) -> int:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


@pytest.mark.req("O2")
async def test_the_admission_tells_whether_it_has_its_server_until_it_ends(tmp_path: Path) -> None:
    port = free_port()

    async def tells(value: float | None) -> bool:
        return await asyncio.to_thread(missing, port) == value

    with NatsServer(tmp_path / "nats") as server:
        async with admission(server, port):
            await eventually(lambda: tells(0), 60)
            assert [await asyncio.to_thread(status, port, path) for path in PATHS] == [200, 200, 404]
            server.stop()
            await eventually(lambda: tells(1), 60)
            assert [await asyncio.to_thread(status, port, path) for path in PATHS] == [200, 503, 404]
            server.start()
            await eventually(lambda: tells(0), 60)
        assert await tells(None)


@pytest.mark.req("O2")
def test_an_event_loop_that_stands_still_is_told_whatever_the_server_does() -> None:
    with exposed("127.0.0.1", 0, lambda: False, lambda: True) as port:
        assert [status(port, path) for path in PATHS] == [503, 503, 404]


@pytest.mark.req("O2")
async def test_a_loop_that_has_not_gone_on_for_a_while_is_missed_until_it_does() -> None:
    beat, stopping = Beat(), asyncio.Event()
    beat._last -= 60
    assert not beat.alive()
    beating = asyncio.create_task(beat.until(stopping))

    async def goes_on() -> bool:
        return beat.alive()

    await eventually(goes_on)
    stopping.set()
    await beating


@pytest.mark.req("O2")
def test_its_metric_is_that_of_services() -> None:
    assert exposed_names(Metric.MISSING) == (MISSING,)
