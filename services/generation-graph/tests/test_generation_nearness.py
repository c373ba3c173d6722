"""Passages are found by what they mean, too, where a model of embeddings is set."""

import json
from dataclasses import replace
from typing import Any

import pytest
from generation_workshop import Workshop, call_context, evaluation
from stemma_contracts.v1.jobs import OutlineEntry
from stemma_generation_graph.app import open_nearness
from stemma_generation_graph.handlers import on_generate_section
from stemma_generation_graph.nearness import Nearness
from stemma_generation_graph.passages import Corpus, read_source
from stemma_generation_graph.settings import ContextLimits, GenerationSettings
from stemma_generation_graph.sources import Library
from stemma_generation_graph.writing import load_material
from stemma_messaging import BadSettings
from stemma_models.embedding import BATCH, Embedder
from stemma_testkit.provider import Provider, Reply, fails
from stemma_testkit.provider import provider as scripted_provider
from stemma_testkit.scripted import ScriptedModel

pytestmark = pytest.mark.req("M2")
TOKENS = 1000
FILLER = "Filler words without any meaning. " * 5
TEXT = "\n\n".join(f"# Part {n}\n\n{'The quay is long. ' * (n == 17)}{FILLER}" for n in range(BATCH + 20))


def embedded(asked: dict[str, Any]) -> Reply:
    """A quay and a pier mean the same; the vectors come in another order than the texts."""
    vectors = [[2.0, 0.0] if "quay" in text or "pier" in text else [0.0, 1.0] for text in asked["input"]]
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    usage = {"prompt_tokens": TOKENS, "total_tokens": TOKENS}
    body = {"object": "list", "data": data[::-1], "model": "e5", "usage": usage}
    return Reply(body=json.dumps(body).encode())


@pytest.fixture
def provider() -> Any:
    with scripted_provider() as running:
        yield running


def near(provider: Provider) -> Nearness:
    return Nearness(Embedder("openai/e5", provider.base))


async def test_a_section_is_given_a_passage_that_has_none_of_its_words(workshop: Workshop, provider: Provider) -> None:
    provider.script = [embedded] * 8
    outline = (OutlineEntry(section_id="approach", title="The pier", kind="approach"),)
    job = await workshop.job("approach", files={"a.md": TEXT}, outline=outline)
    limits = ContextLimits(inputs=2_000)
    by_words = await load_material(job, Library(workshop.artifacts), limits, {}, call_context())
    both = await load_material(job, Library(workshop.artifacts, nearness=near(provider)), limits, {}, call_context())
    assert ("The quay is long." in by_words, "The quay is long." in both) == (False, True)


async def test_what_its_passages_cost_counts_in_the_usage_of_a_section(workshop: Workshop, provider: Provider) -> None:
    provider.script = [embedded] * 8
    tools = workshop.tools(ScriptedModel(script=["# Approach\n\nBy pier.\n", evaluation("approach")]), "section")
    nearness = Nearness(Embedder("openai/text-embedding-3-small", provider.base))
    tools = replace(tools, library=Library(workshop.artifacts, nearness=nearness))
    outcome = await on_generate_section(await workshop.job("approach", files={"a.md": TEXT}), tools=tools)
    asked = len(provider.requests)
    assert (outcome.usage.calls, outcome.usage.input_tokens // TOKENS) == (2 + asked, asked)
    assert outcome.usage.cost == pytest.approx(asked * TOKENS * 2e-8)


async def test_each_text_is_asked_for_once(provider: Provider) -> None:
    provider.script = [embedded] * 9
    corpus, nearness, ctx = Corpus([read_source("a.md", TEXT)], ()), near(provider), call_context()
    first = await nearness.ranked(corpus, ["pier", "", "x", "pier"], ctx)
    assert await nearness.ranked(corpus, ["x", "pier"], ctx) == first[::-1]
    assert ctx.meter.total.calls == len(provider.requests)
    asked = [text for request in provider.requests for text in request["input"]]
    assert len(asked) == len(set(asked)) == len(corpus.passages) + 2
    assert corpus.passages[first[0][0]].heading == "Part 17"


def answers(vector: Any) -> Reply:
    return Reply(body=json.dumps({"object": "list", "data": vector, "model": "e5"}).encode())


@pytest.mark.parametrize(
    "replies",
    [
        [fails(400)],
        *([answers(told)] for told in (None, [None], [{"index": 0, "embedding": ["a"]}])),
        [embedded, answers([{"index": 0, "embedding": [1.0]}])],
    ],
    ids=["refused", "nothing", "no vector", "no numbers", "of another length"],
)
async def test_what_is_chosen_by_words_is_chosen_without_the_model_too_and_it_is_not_asked_again_at_once(
    provider: Provider, replies: list[Any]
) -> None:
    provider.script = [*replies]
    corpus, nearness = Corpus([read_source("a.md", "# One\n\nThe quay.")], ()), near(provider)
    assert await nearness.ranked(corpus, ["pier"], call_context()) == []
    assert await nearness.ranked(corpus, ["pier"], call_context()) == []
    assert len(provider.requests) == len(replies)


async def test_a_model_without_its_key_is_named_when_the_service_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(BadSettings, match=r"embeddings: .*OPENAI_API_KEY"):
        await open_nearness(GenerationSettings(embeddings="openai/text-embedding-3-small"))
    assert await open_nearness(GenerationSettings()) is None
