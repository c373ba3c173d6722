"""Every pod of the chart runs as a process: with its variables, its probes, and no connection but its own."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from chart import SMALLEST, TABLE, TRACED, of_kind, rendered
from cluster import Cluster, cluster
from composition import fresh_variables
from policies import SERVING, places
from stemma_client import Client
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, request_sample, wait_for
from stemma_testkit.otlp import otlp_receiver
from stemma_testkit.postgres import postgres_server

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]
WITHIN_S = 600.0
VALUES = SMALLEST | {"otlp": TRACED, "autoscaling": {"enabled": True}, "models": {"secret": "stemma-models"}}


@contextmanager
def installed(folder: Path) -> Iterator[Cluster]:
    objects = rendered(VALUES)
    with ExitStack() as stack:
        receiver = stack.enter_context(otlp_receiver())
        made = fresh_variables()
        database = stack.enter_context(postgres_server(made["STEMMA_PASSWORD_POSTGRES"]))
        database.create_database("stemma")
        model = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        dsn = f"postgresql://{database.user}:{database.password}@db.example:5432/stemma"
        running = cluster(
            objects,
            secrets=made | {"STEMMA_CHECKPOINT_DSN": dsn},
            ports={
                ("postgres", 5432): database.port,
                ("otlp", 4318): int(receiver.endpoint.rpartition(":")[2]),
                ("model", 443): model.getsockname()[1],
            },
            places=places(objects),
            admitted=Path(made["STEMMA_ADMITTED"]),
            folder=folder,
        )
        yield stack.enter_context(running)


def lags(running: Cluster) -> dict[str, int]:
    """What KEDA reads for each trigger, as its scaler for JetStream asks."""
    found = {}
    for scaled in of_kind(running.objects, "ScaledObject"):
        for trigger in scaled["spec"]["triggers"]:
            told: dict[str, Any] = trigger["metadata"]
            assert told["natsServerMonitoringEndpoint"] == "stemma-nats.stemma.svc:8222"
            url = f"http://127.0.0.1:{running.ports['nats', 8222]}/jsz?acc={told['account']}&consumers=true&config=true"
            with urlopen(url) as answer:
                [account] = json.load(answer)["account_details"]
            [stream] = [each for each in account["stream_detail"] if each["name"] == told["stream"]]
            [consumer] = [each for each in stream["consumer_detail"] if each["name"] == told["consumer"]]
            found[told["consumer"]] = consumer["num_pending"] + consumer["num_ack_pending"]
    return found


async def write_a_proposal(running: Cluster) -> bytes:
    url = f"nats://127.0.0.1:{running.ports['nats', 4222]}"
    password = running.secrets["STEMMA_PASSWORD_CLIENT_DEFAULT"]
    async with Client.connect(url, tenant="default", user="client-default", password=password) as client:
        document_id = await request_sample(client, ReviewMode.NONE)
        await wait_for(client, document_id, lambda event: isinstance(event, ENDS), WITHIN_S)
        assert (await client.document(document_id)).status is DocumentStatus.COMPLETED
        artifact = (await client.export(document_id, ExportFormat.PDF)).artifact
        return await client.artifact(document_id, artifact)


@pytest.mark.req("O4", "S1")
def test_every_pod_of_the_chart_becomes_ready_and_reaches_its_own_servers_alone(tmp_path: Path) -> None:
    with installed(tmp_path) as running:
        for name, pod in running.pods.items():
            connects = TABLE.get(name, {}).get("connects", [])
            wanted = {place for place, server in SERVING.items() if server in connects}
            assert running.reached(name) == wanted, name
            assert ("livenessProbe" in pod.container) == (name in running.processes)
        consumers = {name for entry in TABLE.values() for name in entry.get("queues", {}).get("consumers", [])}
        assert lags(running) == dict.fromkeys(consumers, 0)
        assert running.stop() == dict.fromkeys(running.processes, 0)
        logs = "".join(running.log(name) for name in running.processes)
        assert [value for key, value in running.secrets.items() if "PASSWORD" in key and value in logs] == []


@pytest.mark.req("O4", "S7")
async def test_a_proposal_is_written_and_exported_by_the_pods_of_the_chart(tmp_path: Path) -> None:
    with installed(tmp_path) as running:
        assert (await write_a_proposal(running)).startswith(b"%PDF")


@pytest.mark.req("O4", "S7")
def test_what_a_pod_may_not_write_or_connect_to_is_refused_by_the_kernel(tmp_path: Path) -> None:
    objects = rendered(VALUES)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ports = {("model", 443): listening.getsockname()[1], ("validator", 8080): 1, ("editor-agent", 8080): 2}
        one = Cluster(objects, {}, ports, places(objects), tmp_path, tmp_path)
        temporary = Path(one.here(one.pods["validator"], "/tmp"))
        temporary.mkdir(parents=True)
        Path(one.here(one.pods["editor-agent"], "/tmp")).mkdir(parents=True)
        assert one.reached("editor-agent") == {("model", 443)}
        assert one.reached("validator") == set()
        for folder, writes in ((temporary, True), (temporary.parent, False)):
            command = one.confined(one.pods["validator"], ["/bin/sh", "-c", f"echo > {folder}/file"])
            assert (subprocess.run(command, check=False, capture_output=True).returncode == 0) == writes
