"""A document agent whose worker is lost in the middle of its loop: another replica goes on at the next step."""

from dataclasses import replace
from pathlib import Path

import pytest
from generation_agency import CHAPTER, FINISH, SAVE, SCORES, Agency, append, call
from generation_workshop import Workshop
from stemma_contracts.v1.outcomes import GraphPaused
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.handlers import on_generate_section
from stemma_models import MemoryRecordStore
from stemma_models.records import Record, RecordStore
from stemma_testkit.scripted import ScriptedModel


class Failing(MemoryRecordStore):
    """Keeps records in another store, until it cannot be reached any more."""

    def __init__(self, store: RecordStore, puts: int) -> None:
        super().__init__()
        self._store = store
        self._left = puts

    async def get(self, tenant: str, document_id: str, key: str) -> Record | None:
        return await self._store.get(tenant, document_id, key)

    async def put(self, tenant: str, document_id: str, key: str, record: Record) -> None:
        if self._left == 0:
            raise ConnectionError
        self._left -= 1
        await self._store.put(tenant, document_id, key, record)


@pytest.mark.req("P2", "G11")
@pytest.mark.parametrize("empty_place", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)], indirect=True)
async def test_another_replica_goes_on_at_the_next_step_and_pays_for_no_step_twice(
    place: Path | str, workshop: Workshop
) -> None:
    async with open_checkpointer(place) as first, open_checkpointer(place) as second:
        lost = replace(workshop, records=Failing(workshop.records, puts=2))
        dying, living = Agency(lost, checkpointer=first), Agency(workshop, checkpointer=second)
        job = await dying.job()
        tools = dying.tools(ScriptedModel(script=[call("list_files"), append(CHAPTER), SAVE]))
        with pytest.raises(ConnectionError):
            await on_generate_section(job, tools=tools)
        model = ScriptedModel(script=[SAVE, FINISH, SCORES])
        paused = await on_generate_section(job, tools=living.tools(model))
        assert isinstance(paused, GraphPaused)
        assert model.calls == 1
        assert paused.usage.calls == 3, "the steps before count, too"
        again = await on_generate_section(job, tools=living.tools(ScriptedModel(script=[])))
        assert again == paused
        outcome = await living.drive(job, model)
        assert await workshop.read(outcome.draft) == CHAPTER + "\n"
        assert not outcome.partial
