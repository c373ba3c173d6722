"""Kill -9 in the middle of a run: everything comes back, the document is finished, nothing is paid twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from faults_here import asked, here
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.defects import acknowledges_first, planted
from stemma_testkit.driving import DEADLINE_S, ENDS, request_sample, wait_for
from stemma_testkit.model_server import ModelServer, model_server

CALLS_PER_DOCUMENT = 18
REPEATED = 2
"""The call in flight, and the probe of the judge, which each process asks once."""
ALL = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR, subjects.CONVERTER)


@dataclass(frozen=True)
class Broken:
    """An installation that is broken on purpose, and the model that counts what it is asked."""

    stemma: LocalStemma
    client: Client
    model: ModelServer


@asynccontextmanager
async def installation(
    folder: Path, more: Mapping[str, str] = MappingProxyType({}), processes: Sequence[str] = ALL
) -> AsyncIterator[Broken]:
    """``more`` is in the environment of generation-graph."""
    with model_server(latency_s=0.2) as model:
        env = {
            "generation-graph": {
                "STEMMA_GENERATION_GRAPH_MODEL": "openai/offline",
                "STEMMA_GENERATION_GRAPH_API_BASE": model.base,
                "OPENAI_API_KEY": "none",
                **more,
            }
        }
        local = LocalStemma(folder, processes=True, services=processes, ack_wait_s=2, env=env)
        async with local as stemma, stemma.client() as client:
            yield Broken(stemma, client, model)


def drafted(section_id: str) -> Callable[[Contract], bool]:
    return lambda event: isinstance(event, e.SectionDrafted) and event.section_id == section_id


async def completed(client: Client, document_id: str, within_s: float = DEADLINE_S) -> None:
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS), within_s)
    assert (await client.document(document_id)).status is DocumentStatus.COMPLETED


@pytest.mark.req("E1")
async def test_the_writer_and_the_server_may_be_killed_and_no_call_is_made_twice_but_the_one_in_flight(
    tmp_path: Path,
) -> None:
    async with (
        installation(tmp_path, processes=[subjects.GENERATION]) as broken,
        here(broken.stemma, (subjects.ORCHESTRATOR, subjects.VALIDATOR), broken.stemma.url),
    ):
        document_id = await asked(broken.client, ReviewMode.NONE, "killed", "connections")
        finished = asyncio.create_task(completed(broken.client, document_id))
        await wait_for(broken.client, document_id, drafted("research"))
        await broken.model.wait_for_calls(broken.model.total + 1)
        broken.stemma.services[subjects.GENERATION].kill()
        await wait_for(broken.client, document_id, drafted("solution"))
        broken.stemma.nats.kill()
        await finished
        assert broken.model.repeated <= REPEATED


@pytest.mark.full
@pytest.mark.req("E1")
async def test_each_service_and_the_server_may_be_killed_and_no_call_is_made_twice_but_the_one_in_flight(
    tmp_path: Path,
) -> None:
    async with installation(tmp_path) as broken:
        client, services = broken.client, broken.stemma.services
        document_id = await request_sample(client, ReviewMode.NONE)
        finished = asyncio.create_task(completed(client, document_id))
        await wait_for(client, document_id, drafted("research"))
        services["validator"].kill()
        await wait_for(client, document_id, drafted("solution"))
        services["orchestrator"].kill()
        before = broken.model.total
        await broken.model.wait_for_calls(before + 1)
        services["generation-graph"].kill()
        await wait_for(client, document_id, drafted("connections"))
        broken.stemma.nats.kill()
        await finished
        assert broken.model.repeated <= REPEATED
        assert broken.model.total <= CALLS_PER_DOCUMENT + REPEATED

        exporting = asyncio.create_task(client.export(document_id, ExportFormat.PDF))
        await wait_for(client, document_id, lambda event: isinstance(event, e.ExportRequested))
        services["converter"].kill()
        assert (await asyncio.wait_for(exporting, 60)).warnings == ()


async def killed_at_its_first_call(folder: Path, more: Mapping[str, str], within_s: float) -> None:
    """generation-graph is killed while its first call is answered, and the document is completed."""
    async with installation(folder, more) as broken:
        document_id = await request_sample(broken.client, ReviewMode.NONE)
        await broken.model.wait_for_calls(1)
        broken.stemma.services["generation-graph"].kill()
        await completed(broken.client, document_id, within_s)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_an_acknowledgement_before_its_message_is_handled(tmp_path: Path) -> None:
    await killed_at_its_first_call(tmp_path / "sound", {}, DEADLINE_S)
    hasty = planted(tmp_path / "defect", acknowledges_first)
    with pytest.raises(TimeoutError):
        await killed_at_its_first_call(tmp_path / "hasty", hasty, within_s=30)
