"""The command that admits tells Prometheus whether it has its server."""

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
from stemma_provisioning.exposed import MISSING
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.server import ADMITTED
from stemma_telemetry.metrics import exposed_names
from stemma_telemetry.names import Metric
from stemma_testkit.ports import free_port
from stemma_testkit.servers import eventually

PROGRAM = "from stemma_provisioning.admission_cli import main; main()"


@asynccontextmanager
async def admission(server: NatsServer, port: int, ready: Path) -> AsyncIterator[None]:
    env = os.environ | {
        "STEMMA_NATS_URL": server.url,
        "STEMMA_NATS_PASSWORD": server.passwords[ADMISSION],
        "STEMMA_READY_FILE": str(ready),
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


@pytest.mark.req("O2")
async def test_the_admission_tells_whether_it_has_its_server_until_it_ends(tmp_path: Path) -> None:
    port = free_port()

    async def tells(value: float | None) -> bool:
        return await asyncio.to_thread(missing, port) == value

    with NatsServer(tmp_path / "nats") as server:
        async with admission(server, port, tmp_path / "ready"):
            await eventually(lambda: tells(0), 60)
            with pytest.raises(HTTPError):
                await asyncio.to_thread(urlopen, f"http://127.0.0.1:{port}/elsewhere")
            server.stop()
            await eventually(lambda: tells(1), 60)
            server.start()
            await eventually(lambda: tells(0), 60)
        assert await tells(None)


@pytest.mark.req("O2")
def test_its_metric_is_that_of_services() -> None:
    assert exposed_names(Metric.MISSING) == (MISSING,)
