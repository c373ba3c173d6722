"""From one server to three, as docs/operate.md says: what is under way goes on, and what waits for a person waits."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from faults_cluster import IN_STEP_WITHIN_S
from faults_here import as_user, asked, completes
from faults_soak import ACK_WAIT_S
from stemma_cli.local.supervisor import ALL, LocalStemma
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_provisioning import PROVISIONER, NatsServer
from stemma_testkit.clusters import ClusterStemma
from stemma_testkit.driving import wait_for
from stemma_testkit.servers import eventually

QUEUED = r.CreateDocument(
    request_id="queued",
    kind="proposal",
    brief="Write a proposal for a ferry in Aumont.",
    sections=("research",),
    review=ReviewPolicy(mode=ReviewMode.NONE),
)
"""Asked for while no service runs, so that it waits in its queue."""


async def provisioned(url: str, password: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STEMMA_NATS_URL": url, "STEMMA_NATS_PASSWORD": password, "STEMMA_REPLICAS": "3"}
    command = [sys.executable, "-m", "stemma_provisioning", "--ack-wait", str(ACK_WAIT_S), *arguments]
    return await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, check=False, timeout=200
    )


class Grown(ClusterStemma):
    """An installation on three servers, into which is loaded what one server had."""

    async def _provision(self, tenants: Sequence[str]) -> None:
        loading = await provisioned(self.url, self.password(PROVISIONER), "--load", str(self.saved))
        assert loading.returncode == 0, loading.stderr
        again = await provisioned(self.url, self.password(PROVISIONER), "--load", str(self.saved))
        assert again.returncode == 2
        assert "load into servers that are empty" in again.stderr
        await self._restart_in_turn()
        assert await self._is_known_again()

    async def _restart_in_turn(self) -> None:
        for node in self.cluster.nodes.values():
            await asyncio.to_thread(node.stop)
            await asyncio.to_thread(node.start)
            await eventually(self._is_in_step, IN_STEP_WITHIN_S)

    async def _is_known_again(self) -> bool:
        """Whether the servers know the id of the request that waits, and would not take it twice."""
        async with as_user(self, PROVISIONER) as provisioner:
            jetstream = provisioner.jetstream(timeout=10)
            first = (await jetstream.stream_info(subjects.REQUESTS)).state.first_seq
            waits = await jetstream.get_msg(subjects.REQUESTS, first)
            stored = await jetstream.publish(waits.subject or "", waits.data or b"", headers=waits.headers)
        return bool(stored.duplicate)

    async def _is_in_step(self) -> bool:
        return (await provisioned(self.url, self.password(PROVISIONER), "--check")).returncode == 0

    @property
    def saved(self) -> Path:
        return self.folder.root / "saved"


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("O1")
async def test_one_server_becomes_three_with_a_document_under_way(tmp_path: Path) -> None:
    single = LocalStemma(tmp_path, ack_wait_s=ACK_WAIT_S)
    async with single as stemma, stemma.client() as client:
        waits = await asked(client, ReviewMode.HUMAN, "waits")
        await wait_for(client, waits, lambda event: isinstance(event, e.SectionReviewRequested))
        under_way = await asked(client, ReviewMode.NONE, "under-way", "connections")
        await wait_for(client, under_way, lambda event: isinstance(event, e.SectionDrafted))
        await stemma.services[ALL].stop()
        await client.send(QUEUED)
        passwords = stemma.folder.make_passwords([])

    with NatsServer(tmp_path / "nats", passwords=passwords) as alone:
        saving = await provisioned(alone.url, passwords[PROVISIONER], "--save", str(tmp_path / "saved"))
    assert saving.returncode == 0, saving.stderr

    async with Grown(tmp_path, ack_wait_s=ACK_WAIT_S) as stemma, stemma.client() as client:
        await completes(client, under_way)
        queued = (await client.answer("queued")).document_id
        await wait_for(client, queued, lambda event: isinstance(event, e.SectionDrafted))
        before = await client.history(waits)
        assert [section.section_id for section in (await client.document(waits)).waiting] == ["research"]
        await client.approve(waits, "research", 1)
        await completes(client, waits)
        after = (await client.history(waits))[: len(before)]
        assert [(one.sequence, one.contract) for one in after] == [(one.sequence, one.contract) for one in before]
