"""A model is asked past LangChain's callbacks, and the answer is the one that LangChain would give."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.globals import set_debug
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.outputs import ChatGenerationChunk, LLMResult
from langchain_core.rate_limiters import BaseRateLimiter
from stemma_models.asking import Asking
from stemma_testkit.scripted import ScriptedModel

ASKED = [HumanMessage("Who runs the ferry?")]
ANSWER = AIMessage("The town of Aller does.", response_metadata={"finish_reason": "stop"})

pytestmark = pytest.mark.req("E10")


class Following(AsyncCallbackHandler):
    """Hears of every call, as LangSmith would."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def on_chat_model_start(self, *_: Any, run_id: UUID, **__: Any) -> None:
        self.heard.append("start")

    async def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        self.heard.append(response.generations[0][0].text)


class Limiter(BaseRateLimiter):
    """Counts who asks to be let through."""

    asked = 0

    def acquire(self, *, blocking: bool = True) -> bool:
        raise NotImplementedError

    async def aacquire(self, *, blocking: bool = True) -> bool:
        self.asked += 1
        return True


class Reasoned(ScriptedModel):
    """Says why it ended beside its last piece, as ChatLiteLLM does."""

    async def _astream(self, *args: Any, **options: Any) -> AsyncIterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk(content="The town"))
        yield ChatGenerationChunk(message=AIMessageChunk(content=""), generation_info={"finish_reason": "length"})


class Whole(ScriptedModel):
    """Cannot be streamed from."""

    disable_streaming: bool = True


async def joined(pieces: AsyncIterator[BaseMessage]) -> AIMessage:
    chunks = [piece async for piece in pieces if isinstance(piece, AIMessageChunk)]
    return add_ai_message_chunks(AIMessageChunk(content=""), *chunks)


async def test_an_answer_is_the_one_that_langchain_gives() -> None:
    ours = await Asking(ScriptedModel(script=[ANSWER])).whole(ASKED)
    theirs = await ScriptedModel(script=[ANSWER]).ainvoke(ASKED)
    assert ours.model_copy(update={"id": None}) == theirs.model_copy(update={"id": None})


async def test_a_stream_has_the_pieces_that_langchain_gives() -> None:
    ours = await joined(Asking(ScriptedModel(script=[ANSWER])).pieces(ASKED))
    theirs = await joined(ScriptedModel(script=[ANSWER]).astream(ASKED))
    assert (ours.text, ours.usage_metadata) == (theirs.text, theirs.usage_metadata)
    assert ours.response_metadata == theirs.response_metadata == {"finish_reason": "stop"}


async def test_a_stream_tells_why_it_ended_also_where_a_model_says_so_beside_its_pieces() -> None:
    assert (await joined(Asking(Reasoned(script=[])).pieces(ASKED))).response_metadata == {"finish_reason": "length"}


async def test_a_model_that_cannot_be_streamed_from_answers_in_one_piece() -> None:
    asking = Asking(Whole(script=["In one piece."]))
    assert [str(piece.text) async for piece in asking.pieces(ASKED)] == ["In one piece."]


async def test_what_is_bound_to_a_call_reaches_the_model_either_way() -> None:
    model = ScriptedModel(script=["one", "two"])
    await Asking(model).whole(ASKED, response_format={"type": "json_schema"})
    await joined(Asking(model).pieces(ASKED, response_format={"type": "json_schema"}))
    assert [options["response_format"]["type"] for options in model.options] == ["json_schema", "json_schema"]


async def test_whoever_follows_a_model_hears_of_every_call() -> None:
    following = Following()
    asking = Asking(ScriptedModel(script=["one", "two"], callbacks=[following]))
    await asking.whole(ASKED)
    await joined(asking.pieces(ASKED))
    assert following.heard == ["start", "one", "start", "two"]


async def test_a_limit_of_calls_in_time_is_kept_either_way() -> None:
    limiter = Limiter()
    asking = Asking(ScriptedModel(script=["one", "two"], rate_limiter=limiter))
    await asking.whole(ASKED)
    await joined(asking.pieces(ASKED))
    assert limiter.asked == 2


async def test_whoever_debugs_langchain_sees_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    set_debug(True)
    try:
        await Asking(ScriptedModel(script=["one"])).whole(ASKED)
    finally:
        set_debug(False)
    assert "one" in capsys.readouterr().out
