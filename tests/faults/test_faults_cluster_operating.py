"""What an operator does, on three servers: look whether all is well, also while one is lost, and make a backup."""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from faults_cluster import IN_STEP_WITHIN_S, DisturbedCluster, on_three_servers
from faults_here import asked, completes
from faults_people import reached
from nats.errors import Error as NatsError
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import PROVISIONER
from stemma_testkit.clusters import NAMES
from stemma_testkit.servers import eventually
from test_faults_backup import BackedUp, back_up, goes_on, histories, in_files, restored

Findings = list[dict[str, Any]]


async def found_by_the_doctor(disturbed: DisturbedCluster) -> Findings:
    environ = {
        "STEMMA_NATS_URL": disturbed.stemma.url,
        "STEMMA_NATS_USER": PROVISIONER,
        "STEMMA_NATS_PASSWORD": disturbed.stemma.password(PROVISIONER),
        "STEMMA_REPLICAS": str(len(NAMES)),
    }
    # In a process of its own, as what connections of this one tell would be printed between.
    command = [str(Path(sys.executable).parent / "stemma"), "doctor", "--json"]
    done = await asyncio.to_thread(
        subprocess.run, command, env={**os.environ, **environ}, stdout=subprocess.PIPE, check=False, timeout=120
    )
    findings: Findings = json.loads(done.stdout)["findings"]
    return findings


async def is_led(disturbed: DisturbedCluster) -> bool:
    """Whether each stream has a leader that runs."""
    lost = {node.name for node in disturbed.cluster.nodes.values() if not node.running}
    with suppress(NatsError):
        infos = await disturbed.jetstream.streams_info()
        return bool(infos) and all(info.cluster and info.cluster.leader not in {None, *lost} for info in infos)
    return False


@pytest.mark.full
@pytest.mark.req("O1", "O3")
async def test_the_doctor_tells_what_a_lost_server_does_not_have_and_nothing_once_it_is_back(tmp_path: Path) -> None:
    async with on_three_servers(tmp_path) as disturbed:
        await disturbed.in_step()
        assert await found_by_the_doctor(disturbed) == []
        lost = disturbed.cluster.nodes[NAMES[-1]]
        lost.kill()
        told = await found_by_the_doctor(disturbed)
        await asyncio.to_thread(lost.start)
        await disturbed.in_step()
        assert await found_by_the_doctor(disturbed) == []
    assert {finding["check"] for finding in told} >= {"drift"}
    assert any("EVENTS" in finding["words"] for finding in told)


@pytest.mark.full
@pytest.mark.req("O1", "O3")
async def test_a_backup_of_three_servers_of_which_one_is_lost_goes_on_on_one(tmp_path: Path) -> None:
    old, new = in_files(tmp_path)
    async with on_three_servers(tmp_path / "old") as disturbed, disturbed.stemma.client() as client:
        document_id = await asked(client, ReviewMode.NONE, "before")
        await completes(client, document_id)
        await disturbed.in_step()
        disturbed.cluster.nodes[NAMES[-1]].kill()
        await eventually(partial(is_led, disturbed), IN_STEP_WITHIN_S)
        waits = await reached(lambda: asked(client, ReviewMode.HUMAN, "waits"))
        manifest = await back_up(disturbed.stemma, old, tmp_path / "backup")
        before = await reached(lambda: histories(client, [document_id, waits]))
    made = BackedUp(tmp_path / "backup", manifest, before)
    await goes_on(made, tmp_path / "new", {}, await restored(made, tmp_path / "new", new))
