"""What prompts cost: input tokens of a document, how much of them a provider's cache holds, and money.

A simulated cache: an earlier prompt that was answered by then, at most five minutes old, gives what both begin with, in
steps of 128 tokens from 1,024 on. A schema stands behind the messages, as where it only guides what is generated;
OpenAI puts it first, so that drafts with a schema of their own share nothing there.
"""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_report import row, target, title
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import approve_all, sample_folder
from stemma_testkit.model_server import ModelServer
from stemma_testkit.provider import Reply
from stemma_testkit.serving import serving

LATENCY_S = 1.0
LEAST, STEP, KEPT_S = 1024, 128, 300.0
MODEL = "openai/gpt-4.1"
"""A name by which prompts are known to be cached."""
PRICED_AS = "anthropic.claude-sonnet-4-6"
"""A model whose prices LiteLLM's map has, for tokens of prompts from the cache and not."""
RUN_S = 300.0
REAL = Path(__file__).parents[2] / "libs/evidence/tests/labelled/alaska-search-rfp.md"
"""A request of 126 KB, public domain."""
AGENT = "agentic"
"""A kind whose document is written by tools, step by step."""
CASES = {"sample": (0.6, None), "request": (0.6, REAL), "inputs of 300 KB": (0.75, "annals"), AGENT: (0.6, "chapters")}


@dataclass(frozen=True)
class Asked:
    """A prompt as a provider sees it, and when it was asked and answered."""

    messages: str
    schema: str
    began: float
    ended: float


class ListeningServer(ModelServer):
    """A model that keeps what it is asked."""

    def __init__(self) -> None:
        super().__init__(LATENCY_S)
        self.prompts: list[Asked] = []

    def reply(self, asked: dict[str, Any]) -> Reply:
        began = time.monotonic()
        answer = super().reply(asked)
        schema = [asked[name] for name in ("tools", "response_format") if asked.get(name)]
        messages = "\n".join(map(_told, asked["messages"]))
        self.prompts.append(Asked(messages, json.dumps(schema), began, time.monotonic()))
        return answer


def _told(message: dict[str, Any]) -> str:
    return f"{message['role']}: {_words(message.get('content'))}{json.dumps(message.get('tool_calls', ''))}"


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


async def prompts() -> None:
    """The sample, a real request, long inputs, and a document by an agent."""
    import litellm  # which takes seconds, and no other part needs it

    title("prompts of a proposal of 8 sections, each call of 1 s, with a simulated cache")
    for name, (least, extra) in CASES.items():
        found = sorted(await _asked(extra, AGENT if name == AGENT else "proposal"), key=lambda one: one.began)
        sent, cached = _counted(found, [one.messages + one.schema for one in found])
        first = _counted(found, [one.schema + one.messages for one in found])[1]
        prices = litellm.model_cost[PRICED_AS]
        whole, kept = prices["input_cost_per_token"], prices["cache_read_input_token_cost"]
        dollars = (sent - cached) * whole + cached * kept
        row(f"{name}: calls, input tokens, price", f"{len(found)}, {sent:,}, ${dollars:.3f} of ${sent * whole:.3f}")
        target(f"{name}: not from the cache", 1 - cached / sent, 1 - least)
        row(f"{name}: from the cache with schemas first", f"{first / sent:.0%}")


async def _asked(extra: Path | str | None, kind: str) -> list[Asked]:
    server = ListeningServer()
    with serving(server, server.stopping), tempfile.TemporaryDirectory(prefix="stemma-bench-") as folder:
        own = {"STEMMA_GENERATION_GRAPH_MODEL": MODEL, "STEMMA_GENERATION_GRAPH_API_BASE": server.base}
        env = {subjects.GENERATION: {**own, "STEMMA_GENERATION_GRAPH_CONTEXT_TOKENS": "1000000"}}
        async with LocalStemma(Path(folder) / "data", env=env) as stemma, stemma.client() as client:
            await _run(client, Path(folder), extra, kind)
    return server.prompts


async def _run(client: Client, folder: Path, extra: Path | str | None, kind: str) -> None:
    sample = sample_folder()
    inputs = [] if kind == AGENT else [sample / "inputs"]
    if extra is not None:
        text = extra.read_text() if isinstance(extra, Path) else TEXTS[extra]()
        (folder / "extra.md").write_text(text, encoding="utf-8")
        inputs.append(folder / "extra.md")
    accepted = await client.create_document(
        kind, brief=(sample / "brief.md").read_text(), inputs=inputs, review=ReviewMode.NONE
    )
    await approve_all(client, accepted.document_id, RUN_S)


def _year(number: int) -> str:
    return f"In the year {number} harbour works number {number * 7 % 1013} went on.\n\n"


def _chapters() -> str:
    parts = ("".join(map(_year, range(at, at + 60))) for at in range(0, 480, 60))
    return "# Harbour\n\n" + "".join(f"## Decade {number}\n\n{part}" for number, part in enumerate(parts, 1))


TEXTS = {"annals": lambda: "".join(map(_year, range(5000))), "chapters": _chapters}


def _counted(asked: list[Asked], texts: list[str]) -> tuple[int, int]:
    """Tokens that were sent, and those of them that a cache would hold."""
    import litellm

    tokens = [litellm.encode(model="gpt-3.5-turbo", text=text) for text in texts]
    cached = 0
    for number, one in enumerate(asked):
        known = (tokens[at] for at, other in enumerate(asked) if other.ended <= one.began <= other.ended + KEPT_S)
        common = max((_common(tokens[number], other) for other in known), default=0)
        cached += common // STEP * STEP if common >= LEAST else 0
    return sum(map(len, tokens)), cached


def _common(one: list[int], other: list[int]) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
