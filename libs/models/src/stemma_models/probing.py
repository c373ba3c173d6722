"""What a model can do, found out by asking it: can it follow a schema, choose the true sentence, and stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, ConfigDict
from stemma_contracts.model_check import ModelCheck
from stemma_contracts.v1.usage import Usage

from .client import Meter, ModelClient
from .errors import ModelError
from .pace import known_pace
from .providers import is_loaded, open_chat_model
from .records import Request
from .schemas import response_format
from .settings import ModelSettings

QUESTIONS = (
    (
        "The museum has 412 visitors a day and closes at six.",
        ("The museum has 42 visitors a day.", "The museum closes at six.", "It closes at nine.", "It opens at six."),
        2,
    ),
    (
        "Anna pays the rent. Ben pays the water.",
        ("Ben pays the rent.", "Nobody pays the water.", "Ben pays the water.", "Anna pays the water."),
        3,
    ),
    (
        "The bridge was built in 1921 and repaired in 1987.",
        ("It was built in 1921.", "It was built in 1987.", "It was repaired in 1921.", "It was never repaired."),
        1,
    ),
    (
        "The offer is valid until 30 June.",
        ("It is valid until 30 July.", "It is valid from 30 June.", "It is not valid.", "It ends on 30 June."),
        4,
    ),
)
SENTENCE = "Say in one short sentence that the meeting is on Monday."
LONGEST_ANSWER, ENOUGH_TOKENS = 200, 100
LOADING_S, LOADED_WITHIN_S = 2.0, 600.0


class Choice(BaseModel):
    """Which of the sentences is true."""

    model_config = ConfigDict(extra="forbid")

    choice: Literal[1, 2, 3, 4]


async def probe(settings: ModelSettings, say: Callable[[str], None]) -> ModelCheck:
    """Ask a model a few short questions; a server that still loads its model is waited for."""
    client, meter = ModelClient(await open_chat_model(settings), settings), Meter()
    seen = dict[str, Any]()
    try:
        await _loaded(settings, say)
        seen |= await _sentence(client, meter)
        seen |= await _choices(client, meter)
        seen |= {"tools": await _tools(client, meter)}
    except ModelError as error:
        seen |= {"problem": error.detail}
    pace = known_pace(settings.name, settings.api_base)
    return ModelCheck(model=settings.name, questions=len(QUESTIONS)).model_copy(
        update={
            **seen,
            "context": client.holds,
            "usage": meter.total,
            "cached_tokens": meter.total.cached_tokens,
            "dollars_a_million": _price(settings.name),
            "tokens_a_second": round(pace.speed, 1) if pace else 0.0,
            "calls_at_a_time": pace.allowed if pace else 1,
        }
    )


async def _loaded(settings: ModelSettings, say: Callable[[str], None]) -> None:
    if await is_loaded(settings):
        return
    say(f"{settings.name}: its server still loads the model, waiting")
    for _ in range(int(LOADED_WITHIN_S / LOADING_S)):
        await asyncio.sleep(LOADING_S)
        if await is_loaded(settings):
            return


async def _sentence(client: ModelClient, meter: Meter) -> dict[str, Any]:
    pieces = list[str]()

    async def hear(piece: str) -> None:
        pieces.append(piece)

    answer, usage = await _ask(client, meter, SENTENCE, on_token=hear)
    reason = str(answer.response_metadata.get("finish_reason") or "")
    ends = reason not in ("length", "max_tokens") and usage.output_tokens <= ENOUGH_TOKENS
    return {"stops": ends and bool(str(answer.text).strip()), "streams": len(list(filter(None, pieces))) > 1}


async def _choices(client: ModelClient, meter: Meter) -> dict[str, Any]:
    right, followed = 0, True
    for facts, sentences, true in QUESTIONS:
        told = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
        asked = f'Facts: {facts}\n\nWhich of these sentences is true?\n{told}\n\nAnswer in JSON: {{"choice": NUMBER}}'
        answer, _ = await _ask(client, meter, asked, response_format=response_format(Choice, {}))
        try:
            right += Choice.model_validate_json(str(answer.text)).choice == true
        except ValueError:
            followed = False
    return {"right": right, "schema_followed": followed}


async def _tools(client: ModelClient, meter: Meter) -> bool:
    parameters = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    function = {"name": "note_day", "description": "Note the day of the meeting.", "parameters": parameters}
    tool = {"type": "function", "function": function}
    try:
        answer, _ = await _ask(client, meter, "Note by the tool that the meeting is on Monday.", tools=[tool])
    except ModelError:
        return False
    return any(call["name"] == "note_day" for call in answer.tool_calls)


async def _ask(
    client: ModelClient, meter: Meter, words: str, *, on_token: Any = None, tools: Sequence[Any] = (), **more: Any
) -> tuple[AIMessage, Usage]:
    request = Request({"max_tokens": LONGEST_ANSWER}, [HumanMessage(words)], tools, **more)
    return await client.call(request, meter, on_token)


def _price(name: str) -> tuple[float, float] | None:
    """Dollars for a million tokens that are read, and written, as LiteLLM knows them."""
    import litellm

    known = litellm.model_cost.get(name) or litellm.model_cost.get(name.partition("/")[2]) or {}
    read, written = known.get("input_cost_per_token"), known.get("output_cost_per_token")
    return None if read is None or written is None else (round(read * 1e6, 4), round(written * 1e6, 4))
