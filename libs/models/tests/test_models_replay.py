"""Which calls of a job are looked up in the records."""

import asyncio
from contextlib import suppress

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import CallContext, MalformedAnswerError, MemoryRecordStore, ModelCaller, ModelSettings
from stemma_models.records import Record
from stemma_testkit.scripted import ScriptedModel

PROMPT = [HumanMessage("Write.")]


class CountingStore(MemoryRecordStore):
    def __init__(self) -> None:
        super().__init__()
        self.looked_up = 0

    async def get(self, tenant: str, document_id: str, key: str) -> Record | None:
        self.looked_up += 1
        await asyncio.sleep(0)
        return await super().get(tenant, document_id, key)


class Runs:
    """Runs of one job, each with a model that says what is given, on records that outlive them."""

    def __init__(self) -> None:
        self.records = CountingStore()

    def begin(
        self, *script: str, job: str = "job-1", before: tuple[str, ...] = ()
    ) -> tuple[ModelCaller, ScriptedModel]:
        model, self.records.looked_up = ScriptedModel(script=list(script)), 0
        self.context = CallContext("default", "doc", "research", job, recorded_before=before)
        return ModelCaller(model, ModelSettings(name="scripted"), self.records, MemoryArtifactStore()), model

    async def ask(self, caller: ModelCaller, name: str) -> str:
        return (await caller.text(self.context, name, PROMPT)).value


@pytest.mark.req("P2")
async def test_a_job_that_was_cut_off_finds_what_it_recorded_and_asks_for_the_rest() -> None:
    """One that never ran is looked up once."""
    runs = Runs()
    caller, model = runs.begin("a", "c")
    assert [await runs.ask(caller, name) for name in "13"] == ["a", "c"]
    assert (runs.records.looked_up, model.calls) == (1, 2)
    caller, model = runs.begin("b", "d")
    assert [await runs.ask(caller, name) for name in "1234"] == ["a", "b", "c", "d"]
    assert model.calls == 2


@pytest.mark.req("P2")
async def test_calls_that_begin_together_are_each_looked_up() -> None:
    runs = Runs()
    caller, _ = runs.begin("b")
    await runs.ask(caller, "2")
    caller, model = runs.begin("a")
    assert await asyncio.gather(*(runs.ask(caller, name) for name in "12")) == ["a", "b"]
    assert model.calls == 1


class Colour(BaseModel):
    colour: str


@pytest.mark.req("F6")
async def test_another_try_pays_nothing_again_that_an_earlier_one_recorded() -> None:
    runs = Runs()
    caller, _ = runs.begin("a", "b")
    for name in "12":
        await runs.ask(caller, name)
    caller, model = runs.begin("c", job="job-2", before=("job-0", "job-1"))
    assert [await runs.ask(caller, name) for name in "123"] == ["a", "b", "c"]
    assert (model.calls, runs.context.meter.total.calls) == (1, 1)
    caller, model = runs.begin(job="job-2", before=("job-0", "job-1"))
    assert [await runs.ask(caller, name) for name in "123"] == ["a", "b", "c"]


@pytest.mark.req("F6")
@pytest.mark.parametrize("earlier", [["no", '{"colour": "red"}'], ["no", "no"]], ids=["mended", "never"])
async def test_another_try_takes_what_can_be_used_of_an_earlier_one_and_asks_for_no_more(earlier: list[str]) -> None:
    runs, mended = Runs(), len(set(earlier)) == 2
    caller, _ = runs.begin(*earlier)
    with suppress(MalformedAnswerError):
        await caller.structured(runs.context, "colour", PROMPT, Colour)
    caller, model = runs.begin('{"colour": "blue"}', job="job-2", before=("job-1",))
    found = await caller.structured(runs.context, "colour", PROMPT, Colour)
    assert (found.value.colour, model.calls) == (("red", 0) if mended else ("blue", 1))


@pytest.mark.req("F6")
async def test_a_try_keeps_what_it_recorded_itself_when_an_earlier_one_is_answered_late() -> None:
    runs = Runs()
    caller, _ = runs.begin("mine", job="job-2", before=("job-1",))
    await runs.ask(caller, "1")
    caller, _ = runs.begin("late")
    await runs.ask(caller, "1")
    caller, model = runs.begin(job="job-2", before=("job-1",))
    assert await runs.ask(caller, "1") == "mine"
    assert model.calls == 0
