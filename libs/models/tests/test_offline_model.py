"""The offline writer as a chat model: streaming, tools, structured answers, evaluations."""

from typing import Annotated, Literal, TypeVar

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from stemma_models.offline import OfflineWriter
from stemma_models.prompting import block

T = TypeVar("T", bound=BaseModel)
BRIEF = """# A reading room in the old mill

The mill on the Aller stands empty, and the village has no place to read. The reading room opens in May 2027.

The room must seat 24 people. It must not cost more than €30,000.
"""
COSTS = """# Quotes

| Item | Price | Offer of |
| --- | ---: | --- |
| Windows | €12,400 | Glaser Timm |
| Shelves | €6,250.50 | Joinery Lund |
| Lamps | €1,800 | Lichthaus |

The quotes include value added tax. The price of the heating is not yet known.
"""
SURVEY = (
    "# Survey of the village\n\nOf 310 villagers, 62 % asked for a reading room. Most villagers read in the evening.\n"
)


def ask(kind: str, *, task: str = "section", **extra: str) -> list[SystemMessage | HumanMessage]:
    title = kind.replace("_", " ").capitalize()
    outline = [
        block("entry", "", id=key, kind=key, title=key.capitalize()) for key in ("research", "budget", "solution")
    ]
    blocks = [
        block("task", task),
        block("section", "", id=kind, kind=kind, title=title),
        block("outline", outline),
        block("brief", BRIEF),
        block("input", COSTS, name="quotes.md"),
        block("input", SURVEY, name="survey.md"),
        *(block(tag, text) for tag, text in extra.items()),
    ]
    return [SystemMessage("You write one section."), HumanMessage("\n".join(blocks))]


def structured(schema: type[T], messages: list[SystemMessage | HumanMessage]) -> T:
    wanted = {"type": "json_schema", "json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()}}
    return schema.model_validate_json(OfflineWriter().bind(response_format=wanted).invoke(messages).text)


async def test_streams_in_word_groups_what_it_answers_at_once() -> None:
    model, messages = OfflineWriter(), ask("research")
    whole = await model.ainvoke(messages)
    chunks = [chunk async for chunk in model.astream(messages)]
    assert "".join(chunk.text for chunk in chunks) == whole.text
    assert len(chunks) > 5
    total = chunks[0]
    for chunk in chunks[1:]:
        total = total + chunk
    assert isinstance(total, AIMessageChunk)
    assert total.usage_metadata == whole.usage_metadata


async def test_counts_a_token_for_four_characters() -> None:
    messages = ask("research")
    answer = await OfflineWriter().ainvoke(messages)
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["output_tokens"] == -(-len(answer.text) // 4)
    assert answer.usage_metadata["input_tokens"] == -(-sum(len(message.text) for message in messages) // 4)


def search_inputs(question: str) -> str:
    """Search the inputs."""
    return question


@pytest.mark.req("P14")
async def test_research_searches_the_inputs_once_and_then_writes() -> None:
    model, messages = OfflineWriter().bind_tools([search_inputs]), ask("research")
    asked = await model.ainvoke(messages)
    [call] = asked.tool_calls
    assert call["name"] == "search_inputs"
    assert {"mill", "room"} <= set(call["args"]["question"].split())
    found = block("input", "The miller left 400 books, a survey of the attic found.", name="attic.md")
    answer = await model.ainvoke([*messages, asked, ToolMessage(found, tool_call_id=call["id"])])
    assert answer.tool_calls == []
    assert "The miller left 400 books" in answer.text


async def test_streams_tool_calls_too() -> None:
    total: AIMessageChunk | None = None
    async for chunk in OfflineWriter().bind_tools([search_inputs]).astream(ask("research")):
        assert isinstance(chunk, AIMessageChunk)
        total = chunk if total is None else total + chunk
    assert total is not None
    assert [call["name"] for call in total.tool_calls] == ["search_inputs"]


async def test_other_sections_do_not_search() -> None:
    assert (await OfflineWriter().bind_tools([search_inputs]).ainvoke(ask("solution"))).tool_calls == []


class Item(BaseModel):
    item: str
    basis: str
    amount: Annotated[float, Field(ge=0)] | None = None


class Budget(BaseModel):
    model_config = ConfigDict(extra="forbid")
    summary: Annotated[str, StringConstraints(min_length=1)]
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
    items: list[Item] = Field(min_length=1)
    assumptions: list[str] = []
    total: float | None = None


@pytest.mark.req("P13")
def test_a_budget_holds_the_amounts_of_the_material_and_no_other() -> None:
    budget = structured(Budget, ask("budget"))
    assert [(item.item, item.amount) for item in budget.items] == [
        ("Windows", 12400.0),
        ("Shelves", 6250.5),
        ("Lamps", 1800.0),
    ]
    assert (budget.currency, budget.total) == ("EUR", 20450.5)
    assert budget.items[0].basis == "Glaser Timm"
    assert "The quotes include value added tax." in budget.assumptions


def test_a_budget_without_prices_names_no_price() -> None:
    [message] = ask("budget")[1:]
    without = HumanMessage(message.text.replace(COSTS.strip(), "Nothing is priced."))
    [item] = structured(Budget, [without]).items
    assert item.amount is None
    assert "30,000" in item.basis


class Finding(BaseModel):
    heading: str
    text: str
    sources: list[str] = []


class Research(BaseModel):
    summary: str
    findings: list[Finding] = Field(min_length=1)
    open_questions: list[str] = []


def test_research_names_its_sources_and_what_stays_open() -> None:
    research = structured(Research, ask("research"))
    assert "62 %" in "\n".join(finding.text for finding in research.findings)
    assert "survey.md" in {source for finding in research.findings for source in finding.sources}


class Nested(BaseModel):
    label: str
    level: Literal["low", "high"]
    share: float = Field(ge=0.2, le=0.9)
    count: int = Field(ge=1)
    done: bool
    note: str | None


class Anything(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str = Field(max_length=12)
    body: str = Field(min_length=20)
    parts: list[Nested] = Field(min_length=2, max_length=3)
    tags: list[str] = Field(min_length=1)
    version: Literal[1]
    by_name: dict[str, float]
    child: Nested
    nothing: None


@pytest.mark.req("P13")
@pytest.mark.parametrize("kind", ["research", "budget", "solution", "unheard_of"])
def test_any_other_schema_is_filled_so_that_it_validates(kind: str) -> None:
    value = structured(Anything, ask(kind))
    assert value.version == 1
    assert 2 <= len(value.parts) <= 3


class Evaluation(BaseModel):
    scores: dict[str, Annotated[float, Field(ge=0, le=1)]]
    feedback: str


CRITERIA = "- grounding: Every figure stands in the material.\n- structure: The required headings are there."
GOOD = """# Research

## Findings

Of 310 villagers, 62 % asked for a reading room in the mill.

## Limits

The room must seat 24 people.
"""


def test_an_evaluation_scores_every_criterion_and_names_the_weakest() -> None:
    answer = structured(Evaluation, ask("research", task="evaluation", criteria=CRITERIA, draft=GOOD))
    assert set(answer.scores) == {"grounding", "structure"}
    invented = GOOD.replace("310", "999").replace("62 %", "77 %")
    worse = structured(Evaluation, ask("research", task="evaluation", criteria=CRITERIA, draft=invented))
    assert worse.scores["grounding"] < answer.scores["grounding"]
    assert "grounding" in worse.feedback
    assert 2 <= worse.feedback.count(". ") + 1 <= 4


def test_an_empty_draft_gets_no_points() -> None:
    answer = structured(Evaluation, ask("research", task="evaluation", criteria=CRITERIA, draft=""))
    assert set(answer.scores.values()) == {0.0}


def test_a_missing_heading_costs_points() -> None:
    there = ask("research", task="evaluation", criteria=CRITERIA, draft=GOOD, headings="- Findings")
    missing = ask("research", task="evaluation", criteria=CRITERIA, draft=GOOD, headings="- Findings\n- Sources")
    assert structured(Evaluation, missing).scores["structure"] < structured(Evaluation, there).scores["structure"]


def test_words_without_any_block_are_taken_as_the_brief() -> None:
    text = OfflineWriter().invoke("The village choir needs new lamps. The lamps must be quiet.").text
    assert text.startswith("# ")
    assert "lamps" in text
