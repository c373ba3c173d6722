"""The service that admits says whether it lives and has its server."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from stemma_provisioning import NatsServer
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.server import ADMITTED
from stemma_testkit.ports import free_port
from stemma_testkit.servers import eventually

PATHS = ("/health", "/ready", "/elsewhere")
COMMAND = [sys.executable, "-c", "from stemma_admission.app import main; main()"]


@asynccontextmanager
async def admission(server: NatsServer, port: int) -> AsyncIterator[None]:
    env = os.environ | {
        "STEMMA_NATS_URL": server.url,
        "STEMMA_NATS_PASSWORD": server.passwords[ADMISSION],
        "STEMMA_ADMISSION_FOLDER": str(server.folder / ADMITTED),
        "STEMMA_ADMISSION_HEALTH_PORT": str(port),
        "STEMMA_ADMISSION_OBSERVE_EVERY_S": "0.1",
    }
    process = await asyncio.create_subprocess_exec(*COMMAND, env=env)
    try:
        yield
    finally:
        process.terminate()
        assert await process.wait() == 0


def missing(port: int) -> float | None:
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            families = text_string_to_metric_families(answer.read().decode())
    except URLError:
        return None
    samples = [sample for family in families for sample in family.samples if sample.name == "stemma_service_missing"]
    return next((sample.value for sample in samples if sample.labels["stemma_missing"] == "server"), None)


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


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "STEMMA_NATS_PASSWORD"),
        (
            {"STEMMA_NATS_PASSWORD": "x", "STEMMA_OIDC_ISSUER": "https://login.example"},
            "STEMMA_OIDC_CLIENT_ID",
        ),
        ({"STEMMA_NATS_PASSWORD": "x", "STEMMA_ADMISSION_FOLDR": "x"}, "STEMMA_ADMISSION_FOLDR: no such setting"),
    ],
)
def test_settings_with_which_nobody_could_be_admitted_refuse_start(variables: dict[str, str], words: str) -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("STEMMA_")}
    done = subprocess.run(COMMAND, env=bare | variables, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
