"""Schemas of answers: closed as far as a task tells all, and asked for in the way that a model takes."""

import json
import os
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, Field, RootModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import CallContext, MemoryRecordStore, ModelCaller, ModelSettings, chat_model
from stemma_models.providers import structure_of
from stemma_models.schemas import Closed, response_format, without_lengths
from stemma_testkit.provider import Provider, Reply, says

pytestmark = pytest.mark.req("M3", "M6", "P13")

PROMPT = [HumanMessage("Judge.")]


class Finding(BaseModel):
    title: str = Field(min_length=1, max_length=300)
    section: str
    sources: list[str] = []


class Judgement(BaseModel):
    scores: dict[str, float]
    findings: list[Finding] = []
    default: str | None = None


CLOSED: Closed = {"scores": ["clarity", "proof"], "section": ["a", "b"], "sources": ["facts.md"]}
GOOD = json.dumps({"scores": {"clarity": 1, "proof": 0.5}, "findings": [], "default": None})


KEYS = [f"{name}_API_KEY" for name in ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL")]


def schema_of(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = told["json_schema"]["schema"]
    return found


def test_a_schema_of_a_task_is_closed_and_strict_with_its_keys_and_values() -> None:
    told = response_format(Judgement, CLOSED)
    finding = schema_of(told)["$defs"]["Finding"]
    assert told["json_schema"]["strict"] is True
    assert schema_of(told)["required"] == ["scores", "findings", "default"]
    assert schema_of(told)["properties"]["scores"] == {
        "type": "object",
        "properties": {"clarity": {"type": "number"}, "proof": {"type": "number"}},
        "required": ["clarity", "proof"],
        "additionalProperties": False,
    }
    assert finding["properties"]["section"] == {"type": "string", "enum": ["a", "b"]}
    assert finding["properties"]["sources"]["items"]["enum"] == ["facts.md"]
    assert (finding["required"], finding["additionalProperties"]) == (["title", "section", "sources"], False)


def test_a_property_that_is_called_like_a_keyword_stays() -> None:
    assert set(schema_of(response_format(Judgement, CLOSED))["$defs"]["Finding"]["properties"]) >= {"title"}
    lengths = schema_of(without_lengths(response_format(Judgement, CLOSED)))["$defs"]["Finding"]["properties"]
    assert lengths["title"] == {"type": "string"}


class Register(RootModel[dict[str, Any]]):
    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"cost": {"type": "number"}}, "required": []}


@pytest.mark.parametrize("schema", [Judgement, Register], ids=["open", "with a value that may be left out"])
def test_what_a_strict_mode_would_refuse_or_have_invented_is_not_strict(schema: type[BaseModel]) -> None:
    assert response_format(schema, {})["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("name", "base", "structure"),
    [
        ("openai/gpt-4o-mini", None, "schema"),
        ("openai/gpt-3.5-turbo", None, "tool"),
        ("bedrock/meta.llama3-8b-instruct-v1:0", None, "words"),
        ("openai/local", "http://127.0.0.1:1/v1", "schema"),
        ("hosted_vllm/qwen", "http://127.0.0.1:1/v1", "schema"),
        ("ollama_chat/llama3", None, "schema"),
        ("offline", None, "schema"),
    ],
)
def test_a_model_is_asked_in_the_way_that_litellm_knows_of_it(name: str, base: str | None, structure: str) -> None:
    os.environ |= dict.fromkeys(KEYS, "test-key")
    settings = ModelSettings(name=name, api_base=base)
    assert structure_of(chat_model(settings), settings) == structure
    told = settings.model_copy(update={"structure": "words"})
    assert structure_of(chat_model(told), told) == "words"


def caller(provider: Provider, **settings: Any) -> ModelCaller:
    os.environ["OPENAI_API_KEY"] = "test-key"
    chosen = ModelSettings.model_validate(
        {"name": "openai/local", "api_base": provider.base, "backoff": 0.001, **settings}
    )
    return ModelCaller(chat_model(chosen), chosen, MemoryRecordStore(), MemoryArtifactStore())


async def judged(provider: Provider, **settings: Any) -> Judgement:
    context = CallContext("default", "doc", "lawn", "job")
    answer = await caller(provider, **settings).structured(context, "judge", PROMPT, Judgement, closed=CLOSED)
    return answer.value


async def test_a_tool_gives_the_value_where_a_model_takes_no_schema(provider: Provider) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "Judgement", "arguments": GOOD}}
    provider.script = [Reply({"tool_calls": [call]})]
    assert await judged(provider, structure="tool") == Judgement.model_validate_json(GOOD)
    [request] = provider.requests
    assert request["tools"][0]["function"]["parameters"] == schema_of(response_format(Judgement, CLOSED))
    assert (request["tool_choice"]["function"]["name"], "response_format" in request) == ("Judgement", False)


async def test_words_ask_for_the_value_where_a_model_takes_neither(provider: Provider) -> None:
    provider.script = [says(f"Here it is:\n```json\n{GOOD}\n```")]
    assert await judged(provider, structure="words") == Judgement.model_validate_json(GOOD)
    [request] = provider.requests
    assert {"tools", "response_format"}.isdisjoint(request)
    assert json.dumps(schema_of(response_format(Judgement, CLOSED))) in request["messages"][-1]["content"]


@pytest.mark.parametrize("structure", [None, "tool"])
async def test_a_server_that_refuses_schemas_is_asked_in_words(provider: Provider, structure: str | None) -> None:
    refusal = Reply(status=400, body=b'{"error": {"message": "response_format json_schema or tool_choice: unknown"}}')
    provider.script = [refusal, says(GOOD)]
    assert await judged(provider, structure=structure) == Judgement.model_validate_json(GOOD)
    assert {"tools", "response_format"}.isdisjoint(provider.requests[1])
