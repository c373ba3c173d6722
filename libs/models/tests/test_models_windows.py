"""A prompt that a model cannot hold is noticed before the call, and told with both numbers."""

from typing import Any

import pytest
from langchain_core.language_models import ModelProfile
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolCall
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.usage import Usage
from stemma_models import CallContext, ContextTooLongError, MemoryRecordStore, ModelCaller, ModelSettings
from stemma_testkit.scripted import ScriptedModel

pytestmark = pytest.mark.req("P13")
HOLDS = 2000


def words(text: str) -> list[int]:
    return [0] * len(text.split())


def asked(holds: int | None = HOLDS, *script: Any, **settings: Any) -> tuple[ModelCaller, ScriptedModel]:
    profile = ModelProfile(max_input_tokens=holds) if holds else None
    model = ScriptedModel(script=list(script) or ["Good."], profile=profile, custom_get_token_ids=words)
    chosen = ModelSettings.model_validate({"name": "scripted", "max_tokens": 100} | settings)
    return ModelCaller(model, chosen, MemoryRecordStore(), MemoryArtifactStore()), model


def context() -> CallContext:
    return CallContext("default", "doc", "research", "job")


async def test_a_prompt_that_is_too_long_is_not_sent_and_the_words_say_how_long_it_is() -> None:
    caller, model = asked()
    ctx = context()
    with pytest.raises(ContextTooLongError) as failure:
        await caller.text(ctx, "generate", [SystemMessage("Be brief."), HumanMessage("long " * 3000)])
    assert (failure.value.prompt_tokens, failure.value.context_tokens) == (3010, 2000)
    assert failure.value.detail == (
        "the prompt has about 3010 tokens and scripted holds 2000 tokens, of which the answer needs 100: "
        "take one that holds more (CONTEXT_TOKENS), or less input (MAX_INPUT_CHARS)"
    )
    assert (model.calls, ctx.meter.total) == (0, Usage())


@pytest.mark.parametrize(("length", "fits"), [(1896, True), (1897, False)])
async def test_the_answer_has_its_room_to_the_token(length: int, fits: bool) -> None:
    caller, model = asked()
    prompt = [HumanMessage("word " * length)]
    if fits:
        await caller.text(context(), "generate", prompt)
    else:
        with pytest.raises(ContextTooLongError):
            await caller.text(context(), "generate", prompt)
    assert model.calls == fits


async def test_an_answer_that_may_be_long_takes_no_more_than_a_quarter_of_what_the_model_holds() -> None:
    caller, model = asked(max_tokens=8192)
    await caller.text(context(), "generate", [HumanMessage("word " * 1400)])
    with pytest.raises(ContextTooLongError, match="the answer needs 500:"):
        await caller.text(context(), "more", [HumanMessage("word " * 1600)])
    assert model.calls == 1


@pytest.mark.req("M6")
@pytest.mark.parametrize(("length", "needed", "given"), [(10, 300, 300), (10, None, 900), (1300, None, 631)])
async def test_an_answer_may_be_as_long_as_its_task_needs_and_the_prompt_leaves(
    length: int, needed: int | None, given: int
) -> None:
    caller, model = asked(max_tokens=900)
    await caller.text(context(), "generate", [HumanMessage("word " * length)], max_tokens=needed)
    assert model.options[0]["max_tokens"] == given


async def test_tools_and_their_calls_count_too() -> None:
    caller, _ = asked(None)  # what it holds is not known: it is asked
    big = {"type": "object", "title": "Big", "description": "word " * 3000, "properties": {}}
    await caller.message(context(), "step", [HumanMessage("Go.")], [big])
    bounded, _ = asked()
    with pytest.raises(ContextTooLongError):
        await bounded.message(context(), "step", [HumanMessage("Go.")], [big])
    call = ToolCall(name="append", args={"content": "word " * 3000}, id="1")
    with pytest.raises(ContextTooLongError):
        await bounded.message(context(), "step", [HumanMessage("Go."), AIMessage("", tool_calls=[call])])


async def test_what_was_asked_again_is_measured_again() -> None:
    caller, model = asked(HOLDS, AIMessage("long " * 1500, response_metadata={"finish_reason": "length"}))
    with pytest.raises(ContextTooLongError) as failure:
        await caller.text(context(), "generate", [HumanMessage("word " * 1700)])
    assert (model.calls, failure.value.usage.calls) == (1, 1)
