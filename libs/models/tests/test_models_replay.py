"""Which calls of a job are looked up in the records."""

import asyncio

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
async def test_a_job_that_never_ran_is_looked_up_once() -> None:
    runs = Runs()
    caller, model = runs.begin("a", "b", "c")
    assert [await runs.ask(caller, name) for name in "123"] == ["a", "b", "c"]
    assert (runs.records.looked_up, model.calls) == (1, 3)


@pytest.mark.req("P2")
async def test_a_job_that_was_cut_off_finds_what_it_recorded_and_asks_for_the_rest() -> None:
    runs = Runs()
    caller, _ = runs.begin("a", "b")
    for name in "12":
        await runs.ask(caller, name)
    caller, model = runs.begin("c", "d")
    assert [await runs.ask(caller, name) for name in "1234"] == ["a", "b", "c", "d"]
    assert model.calls == 2


@pytest.mark.req("P2")
async def test_a_job_that_ran_finds_the_calls_behind_one_that_was_lost() -> None:
    runs = Runs()
    caller, _ = runs.begin("a", "c")
    for name in "13":
        await runs.ask(caller, name)
    caller, model = runs.begin("b")
    assert [await runs.ask(caller, name) for name in "123"] == ["a", "b", "c"]
    assert model.calls == 1


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
async def test_another_try_asks_anew_where_the_earlier_one_got_nothing_that_can_be_used() -> None:
    runs = Runs()
    caller, _ = runs.begin("no", "no", "no")
    with pytest.raises(MalformedAnswerError):
        await caller.structured(runs.context, "colour", PROMPT, Colour)
    caller, model = runs.begin('{"colour": "blue"}', job="job-2", before=("job-1",))
    assert (await caller.structured(runs.context, "colour", PROMPT, Colour)).value.colour == "blue"
    assert model.calls == 1


@pytest.mark.req("F6")
async def test_another_try_takes_the_answer_that_the_earlier_one_got_when_it_asked_again() -> None:
    runs = Runs()
    caller, _ = runs.begin("no", '{"colour": "red"}')
    await caller.structured(runs.context, "colour", PROMPT, Colour)
    caller, model = runs.begin(job="job-2", before=("job-1",))
    assert (await caller.structured(runs.context, "colour", PROMPT, Colour)).value.colour == "red"
    assert model.calls == 0


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
