"""A chat model that takes a fixed time and costs next to nothing."""

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from stemma_models.prompting import parse_blocks
from stemma_testkit.model_server import judgement

PARAGRAPH = (
    "The quick brown fox of section {title} jumps over the lazy dog {times}, and comes home before it is "
    "dark, where nobody has asked for it and everybody is glad to see it all the same."
)
TIMES = ("again", "at last", "as ever", "in haste", "at length", "by chance", "in vain", "for good")
"""What tells the paragraphs apart: a number would be a claim, which nothing supports."""


class TrivialModel(BaseChatModel):
    """Eight paragraphs under the headings asked for, or top marks for every criterion, after ``latency_s``.

    What it answers is remembered: the CPU of a model is not what is measured.
    """

    latency_s: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "trivial"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        asked = str(messages[-1].text)
        answer = AIMessage(_evaluation(asked) if "response_format" in kwargs else "".join(_paragraphs(asked)))
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(update={"usage_metadata": _usage()}))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await asyncio.sleep(self.latency_s)
        return self._generate(messages, stop, **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        await asyncio.sleep(self.latency_s)
        for text in _paragraphs(str(messages[-1].text)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text))
        last = AIMessageChunk(content="", usage_metadata=_usage(), chunk_position="last")
        yield ChatGenerationChunk(message=last)


@lru_cache
def _paragraphs(asked: str) -> tuple[str, ...]:
    blocks = {block.tag: block for block in parse_blocks(asked)}
    section = blocks.get("section")
    title = section.attributes.get("title", "Section") if section else asked[:40]
    headings = _listed(blocks["headings"].text) if "headings" in blocks else ["Contents"]
    bodies = [PARAGRAPH.format(title=title, times=times) + "\n" for times in TIMES]
    return (f"# {title}\n", *(f"\n## {heading}\n" for heading in headings), *(f"\n{body}" for body in bodies))


@lru_cache
def _evaluation(asked: str) -> str:
    blocks = {block.tag: block for block in parse_blocks(asked)}
    return str(judgement(blocks).text)


def _listed(text: str) -> list[str]:
    return [line.removeprefix("- ") for line in text.splitlines()]


def _usage() -> UsageMetadata:
    return UsageMetadata(input_tokens=1000, output_tokens=400, total_tokens=1400)
