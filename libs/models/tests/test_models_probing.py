"""What a model can do is found out by asking it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stemma_contracts.model_check import ModelCheck
from stemma_models import ModelSettings
from stemma_models.probing import QUESTIONS, probe
from stemma_testkit.provider import Provider, Reply, fails, says

pytestmark = pytest.mark.req("P13")

CALL = {"id": "1", "type": "function", "function": {"name": "note_day", "arguments": '{"day": "Monday"}'}}
SENTENCE = "The meeting is on Monday."


async def found(
    provider: Provider, *choices: str, sentence: Reply | None = None, tool: Reply | None = None
) -> ModelCheck:
    provider.script = [sentence or says(SENTENCE), *map(says, choices), tool or Reply({"tool_calls": [CALL]})]
    settings = ModelSettings(name="openai/gpt-4o-mini", api_base=provider.base, retries=0, backoff=0)
    return await probe(settings, print)


def rightly(wrong: int = 0) -> list[str]:
    chosen = [true for _, _, true in QUESTIONS]
    return [json.dumps({"choice": true % 4 + 1 if number < wrong else true}) for number, true in enumerate(chosen)]


async def test_a_model_that_follows_stops_and_chooses_rightly_can_write(provider: Provider) -> None:
    told = await found(provider, *rightly(wrong=1))
    assert (told.can_write, told.right, told.schema_followed, told.stops) == (True, 3, True, True)
    assert (told.tools, told.streams, told.usage.calls, told.context) == (True, True, 6, 128_000)
    assert told.dollars_a_million == (0.15, 0.6)


@pytest.mark.parametrize(
    ("choices", "more", "lacks"),
    [
        (rightly(wrong=2), {}, {"right": 2}),
        (["one", *rightly()[1:]], {}, {"schema_followed": False}),
        (rightly(), {"sentence": says("and so on " * 9, finish_reason="length")}, {"stops": False}),
        (rightly(), {"sentence": fails(401)}, {"right": 0}),
    ],
    ids=["guesses", "no schema", "does not stop", "wrong key"],
)
async def test_a_model_that_lacks_one_of_them_cannot(
    provider: Provider, choices: list[str], more: dict[str, Any], lacks: dict[str, Any]
) -> None:
    told = await found(provider, *choices, **more)
    assert not told.can_write
    assert told.model_dump(include={*lacks}) == lacks
    assert bool(told.problem) == ("sentence" in more and more["sentence"].status == 401)


async def test_a_model_without_tools_can_write_all_the_same(provider: Provider) -> None:
    told = await found(provider, *rightly(), tool=fails(400))
    assert (told.can_write, told.tools) == (True, False)


@pytest.mark.parametrize("api_base", ["http://127.0.0.1:1/v1", "127.0.0.1:8080"], ids=["nobody serves", "no scheme"])
async def test_an_address_at_which_no_server_is_reached_is_named_as_the_reason(
    provider: Provider, api_base: str
) -> None:
    told = await probe(ModelSettings(name="openai/gpt-4o-mini", api_base=api_base, retries=0, backoff=0), print)
    assert "no server is reached; check its address (api_base)" in told.problem
