from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from generation_asking import ASKING, run_on
from generation_workshop import Workshop
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_generation_graph.app import service
from stemma_generation_graph.checkpoints import open_checkpointer, set_up
from stemma_generation_graph.runner import Runner
from stemma_provisioning import NatsServer
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path / "nats") as running:
        yield running


@pytest.mark.req("F4")
async def test_threads_are_told_again_and_again_while_the_service_runs(
    server: NatsServer, tmp_path: Path, workshop: Workshop, job: GenerateSection
) -> None:
    told = access(server, subjects.GENERATION)
    settings = service.load_settings(**told, data_dir=tmp_path, sweep_every_s=0.05)
    await set_up(settings.checkpoint_place)
    async with (
        connected(server) as client,
        at_work(service.run(settings)),
        open_checkpointer(settings.checkpoint_place) as checkpointer,
    ):
        runner = Runner({"asking": ASKING}, workshop.tools(ScriptedModel(script=[])).deps, checkpointer)
        for number in range(1, 4):
            await run_on(runner, job.model_copy(update={"thread_id": f"doc.{number}.generate.approach"}), "")

            async def are_told(threads: int = number) -> bool:
                subject = subjects.outcome(subjects.GENERATION, "threads-held")
                with suppress(NotFoundError):
                    last = await client.jetstream().get_last_msg(subjects.OUTCOMES, subject)
                    return len(ThreadsHeld.model_validate_json(last.data or b"").threads) == threads
                return False

            await eventually(are_told)
