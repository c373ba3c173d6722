"""An installation that a real Prometheus watches, with the committed alerts in a faster time."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from faults_here import as_user
from metrics_scaling import write_scaled
from nats.js import JetStreamContext
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.server import ADMITTED
from stemma_testkit.model_server import ModelServer, model_server
from stemma_testkit.prometheus import Prometheus, prometheus
from stemma_testkit.servers import eventually
from stemma_testkit.serving import free_port

SERVICES = (*subjects.SERVICES, subjects.GATEWAY)
JOBS = (*SERVICES, ADMISSION)
"""Whom Prometheus asks."""
FACTOR = 30
"""So many times faster than the committed files say."""
MODEL = "openai/gpt-4o-mini"
"""A name that the price list has."""
MOST_STORED = 4_000_000
MOST_STREAMS = 1
RETRY_S = 0.5
OBSERVE_S = 15 / FACTOR
UP_WITHIN_S = 300.0
ADMISSION_PROGRAM = "from stemma_admission.app import main; main()"


@dataclass(frozen=True)
class Plant:
    """What runs, and who watches it; ``ports`` are those of the metrics, by job."""

    stemma: LocalStemma
    client: Client
    model: ModelServer
    prometheus: Prometheus
    ports: Mapping[str, int]

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[JetStreamContext]:
        """The account of the streams, as its provisioner has it."""
        async with as_user(self.stemma, PROVISIONER) as nats:
            yield nats.jetstream(timeout=30)


@asynccontextmanager
async def plant(folder: Path) -> AsyncIterator[Plant]:
    """All services, the admission and a model behind HTTP, each of them answering Prometheus."""
    ports = {job: free_port() for job in JOBS}
    with model_server() as model:
        env = {service: environment(service, ports[service], model) for service in SERVICES}
        stemma = LocalStemma(
            folder / "stemma", processes=True, services=SERVICES, env=env, ack_wait_s=3, ready_within_s=UP_WITHIN_S
        )
        async with (
            stemma,
            stemma.client() as client,
            admission(stemma, ports[ADMISSION]),
            prometheus(write_scaled(folder, ports, FACTOR), folder / "series") as watching,
        ):
            running = Plant(stemma, client, model, watching, ports)
            await eventually(lambda: all_answer(running), UP_WITHIN_S)
            yield running


def environment(service: str, port: int, model: ModelServer) -> dict[str, str]:
    """A service that is looked at often, calls this model once, and is not patient."""
    own = {"HEALTH_PORT": port, "OBSERVE_EVERY_S": OBSERVE_S, "RETRY_BASE_S": RETRY_S}
    calling = {"MODEL": MODEL, "API_BASE": model.base, "CALL_RETRIES": 0}
    more: Mapping[str, Mapping[str, object]] = {
        subjects.GENERATION: calling,
        subjects.EDITOR: calling,
        subjects.ORCHESTRATOR: {"MAX_STORED_BYTES": MOST_STORED},
        subjects.GATEWAY: {"MAX_STREAMS": MOST_STREAMS},
    }
    prefix = f"STEMMA_{service.upper().replace('-', '_')}_"
    settings = {**own, **more.get(service, {})}
    return {"OPENAI_API_KEY": "none", **{f"{prefix}{name}": str(value) for name, value in settings.items()}}


@asynccontextmanager
async def admission(stemma: LocalStemma, port: int) -> AsyncIterator[None]:
    """The command that admits, beside the one that the server of one machine has in it."""
    env = os.environ | {
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_PASSWORD": stemma.password(ADMISSION),
        "STEMMA_ADMISSION_FOLDER": str(stemma.folder.root / "nats" / ADMITTED),
        "STEMMA_ADMISSION_HEALTH_PORT": str(port),
        "STEMMA_ADMISSION_OBSERVE_EVERY_S": str(OBSERVE_S),
    }
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", ADMISSION_PROGRAM, env=env)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def all_answer(running: Plant) -> bool:
    """Whether every process was asked and answered, and streams and documents were measured."""
    up = await running.prometheus.query("up == 1")
    return len(up) == len(running.ports) and bool(await running.prometheus.query("stemma_tenant_stored_limit_bytes"))
