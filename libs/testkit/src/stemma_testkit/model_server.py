"""An OpenAI-compatible HTTP server with the offline writer behind it: real HTTP, counted at the model.

The offline writer judges nothing; a model behind HTTP is asked to, so evaluations are answered here.
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, convert_to_messages
from langchain_core.runnables import Runnable
from stemma_models.prompting import Block, parse_blocks
from stemma_offline_writer import OfflineWriter

from .provider import ChatServer, Reply, fails
from .serving import serving

PIECE = r"(?s).{1,200}"

NONSENSE = "Lorem ipsum dolor sit amet"


class ModelServer(ChatServer):
    """Answers after ``latency_s`` seconds. ``calls`` counts requests by the hash of what they ask.

    While it is ``broken`` it answers with an error of its own; it charges each token so many ``times``.
    """

    def __init__(self, latency_s: float = 0.0) -> None:
        super().__init__()
        self.latency_s = latency_s
        self.broken = False
        self.times = 1
        self.calls: Counter[str] = Counter()
        self.arrived = threading.Condition()

    @property
    def repeated(self) -> int:
        return sum(number - 1 for number in self.calls.values())

    @property
    def total(self) -> int:
        return sum(self.calls.values())

    async def wait_for_calls(self, number: int, within_s: float = 60.0) -> None:
        """Wait until this many requests came, the last of them not answered yet. Raises `TimeoutError`."""

        def wait() -> bool:
            with self.arrived:
                return self.arrived.wait_for(lambda: self.total >= number, within_s)

        if not await asyncio.to_thread(wait):
            raise TimeoutError(f"{self.total} of {number} calls")

    def reply(self, asked: dict[str, Any]) -> Reply:
        with self.arrived:
            self.calls[_digest(asked)] += 1
            self.arrived.notify_all()
        self.stopping.wait(self.latency_s)
        if self.broken:
            return fails(500)
        answer = asyncio.run(_answer(asked))
        reason = "tool_calls" if answer.tool_calls else "stop"
        return Reply(_message(answer), reason, usage=_usage(answer, self.times), piece=PIECE)


@contextmanager
def model_server(latency_s: float = 0.0) -> Iterator[ModelServer]:
    server = ModelServer(latency_s)
    with serving(server, server.stopping):
        yield server


def _digest(body: dict[str, Any]) -> str:
    asked = {key: body.get(key) for key in ("messages", "tools", "response_format")}
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


async def _answer(body: dict[str, Any]) -> AIMessage:
    messages = convert_to_messages(body["messages"])
    blocks = {block.tag: block for block in parse_blocks(str(messages[-1].text))}
    return judgement(blocks) if "criteria" in blocks else await _bound(body).ainvoke(messages)


def judgement(blocks: Mapping[str, Block]) -> AIMessage:
    """The best score by every criterion, and the worst for what is planted as nonsense."""
    ids = [line.removeprefix("- ").partition(":")[0] for line in blocks["criteria"].text.splitlines()]
    score = 0.0 if NONSENSE in blocks["draft"].text else 1.0
    return AIMessage(json.dumps({"scores": dict.fromkeys(ids, score), "feedback": "Nothing has to be improved here."}))


def _bound(body: dict[str, Any]) -> Runnable[LanguageModelInput, AIMessage]:
    model = OfflineWriter()
    if body.get("tools"):
        return model.bind_tools(body["tools"])
    if body.get("response_format"):
        return model.bind(response_format=body["response_format"])
    return model


def _message(answer: AIMessage) -> dict[str, Any]:
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in answer.tool_calls
    ]
    return {"content": str(answer.content), **({"tool_calls": calls} if calls else {})}


def _usage(answer: AIMessage, times: int) -> dict[str, int]:
    usage = answer.usage_metadata
    told = (usage["input_tokens"], usage["output_tokens"]) if usage else (1, 1)
    prompt, completion = (number * times for number in told)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
