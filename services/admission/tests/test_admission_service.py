"""The service that admits says whether it lives and has its server."""

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
from stemma_admission.app import service
from stemma_messaging import BadSettings
from stemma_provisioning import NatsServer
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.server import ADMITTED
from stemma_testkit.servers import eventually
from stemma_testkit.serving import free_port

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


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without a setting of ours."""
    for name in [name for name in os.environ if name.startswith("STEMMA_")]:
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.req("P16")
async def test_a_provider_that_cannot_be_used_refuses_the_start(bare: pytest.MonkeyPatch) -> None:
    for name, value in {"STEMMA_NATS_PASSWORD": "x", "STEMMA_OIDC_ISSUER": "https://login.example"}.items():
        bare.setenv(name, value)
    process = await asyncio.create_subprocess_exec(*COMMAND, stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    assert (process.returncode, b"STEMMA_OIDC_CLIENT_ID" in said) == (2, True), said


@pytest.mark.req("P16")
def test_no_password_and_a_setting_that_there_is_not_are_refused_by_name(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSettings, match="STEMMA_NATS_PASSWORD"):
        service.load_settings().seals()
    bare.setenv("STEMMA_ADMISSION_FOLDR", "x")
    with pytest.raises(BadSettings, match="STEMMA_ADMISSION_FOLDR: no such setting"):
        service.load_settings()
