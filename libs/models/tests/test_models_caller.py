import asyncio
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolCall
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import BaseModel, Field
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.usage import Usage
from stemma_models import (
    CallContext,
    MalformedAnswerError,
    MemoryRecordStore,
    ModelCaller,
    ModelSettings,
    ModelUnavailableError,
)
from stemma_models.pace import pace_of
from stemma_models.prompting import block, has_block_tag
from stemma_models.schemas import response_format
from stemma_testkit.scripted import ScriptedModel

SETTINGS = ModelSettings(name="scripted", backoff=0.001, retries=2)
PROMPT = [HumanMessage("Write.")]


LONG = " ".join(map(str, range(1000)))


class Colour(BaseModel):
    name: str
    red: int = Field(ge=0, le=255)


class StatusError(Exception):
    def __init__(self, status_code: int, retry_after: str | None = None) -> None:
        super().__init__("the provider quotes the prompt here")
        self.status_code = status_code
        self.headers = {"retry-after": retry_after} if retry_after else {}


class Desk:
    """A scripted model with stores that outlive one caller, as they outlive one process."""

    def __init__(self) -> None:
        self.records, self.artifacts = MemoryRecordStore(), MemoryArtifactStore()

    def caller(self, *script: Any, settings: ModelSettings = SETTINGS) -> tuple[ModelCaller, ScriptedModel]:
        model = ScriptedModel(script=list(script))
        return ModelCaller(model, settings, self.records, self.artifacts), model


@pytest.fixture
def desk() -> Desk:
    return Desk()


def context(job_id: str = "job-1") -> CallContext:
    return CallContext("default", "doc", "research", job_id)


@pytest.mark.req("M6")
async def test_the_text_parts_of_an_answer_are_its_text_and_thoughts_are_not(desk: Desk) -> None:
    parts: list[str | dict[Any, Any]] = [
        {"type": "thinking", "thinking": "The lawn?"},
        {"type": "text", "text": "# The "},
        {"type": "text", "text": "lawn"},
    ]
    caller, _ = desk.caller(AIMessage(parts))
    assert (await caller.text(context(), "generate", PROMPT)).value == "# The lawn"


@pytest.mark.req("P2")
@pytest.mark.parametrize("text", ["short", LONG])
async def test_a_job_that_runs_again_finds_its_answer_and_another_call_is_a_new_one(desk: Desk, text: str) -> None:
    first, _ = desk.caller(text)
    ctx = context()
    paid = await first.text(ctx, "generate", PROMPT)
    assert paid.usage == ctx.meter.total == Usage(calls=1, input_tokens=10, output_tokens=5)
    second, model = desk.caller()
    replayed = await second.text(context(), "generate", PROMPT)
    assert (replayed.value, replayed.ref, replayed.usage, model.calls) == (text, paid.ref, paid.usage, 0)
    stored = await desk.artifacts.get("default", "doc", paid.ref) if paid.ref else b""
    assert stored == (LONG.encode() if text == LONG else b"")
    hot = SETTINGS.model_copy(update={"temperature": 1.0})
    for job, name, prompt, settings in (
        ("job-2", "generate", PROMPT, SETTINGS),
        ("job-1", "evaluate", PROMPT, SETTINGS),
        ("job-1", "generate", [HumanMessage("Other.")], SETTINGS),
        ("job-1", "generate", PROMPT, hot),
    ):
        other, _ = desk.caller("new", settings=settings)
        assert (await other.text(context(job), name, prompt)).value == "new"


@pytest.mark.req("M5")
@pytest.mark.parametrize("text", ["short", LONG])
async def test_a_recorded_answer_is_given_to_any_document_that_asks_the_same(
    desk: Desk, tmp_path: Path, text: str
) -> None:
    settings = SETTINGS.model_copy(update={"recordings": tmp_path / "kept"})
    first, _ = desk.caller(text, settings=settings)
    paid = await first.text(context(), "generate", PROMPT)
    second, model = desk.caller("new", settings=settings)
    other = CallContext("default", "other", "research", "job-9")
    heard = await second.text(other, "generate", PROMPT)
    assert (heard.value, heard.usage, other.meter.total, model.calls) == (text, paid.usage, paid.usage, 0)
    for kept in (tmp_path / "kept").iterdir():
        kept.write_text(kept.read_text()[:20])
    assert (await second.text(context("job-2"), "generate", PROMPT)).value == "new", "a damaged one is made anew"


async def test_the_answer_is_recorded_before_it_is_used(desk: Desk) -> None:
    caller, _ = desk.caller('{"name": "wrong"}', RuntimeError("killed"))
    with pytest.raises(RuntimeError):
        await caller.structured(context(), "colour", PROMPT, Colour)
    again, model = desk.caller('{"name": "teal", "red": 0}')
    answer = await again.structured(context(), "colour", PROMPT, Colour)
    assert (answer.value.name, model.calls) == ("teal", 1)


async def test_gives_up_after_the_retries_without_quoting_the_provider_and_raises_a_bug_as_it_is(desk: Desk) -> None:
    caller, model = desk.caller(ConnectionResetError(), StatusError(429), StatusError(503))
    with pytest.raises(ModelUnavailableError) as failure:
        await caller.text(context(), "generate", PROMPT)
    assert (failure.value.detail, failure.value.usage.calls, model.calls) == ("StatusError (503)", 3, 3)
    caller, _ = desk.caller(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await caller.text(context(), "generate", PROMPT)


async def test_a_call_ends_at_its_time_limit_with_all_its_retries_and_tells_the_last_error(desk: Desk) -> None:
    caller, _ = desk.caller(StatusError(429, "60"), "late", settings=SETTINGS.model_copy(update={"call_limit": 0.05}))
    with pytest.raises(ModelUnavailableError) as failure:
        await caller.text(context(), "generate", PROMPT)
    assert failure.value.detail == "no answer within 0.05 s, after StatusError (429)"


@pytest.mark.req("P13")
async def test_a_malformed_answer_is_asked_again_with_what_is_wrong(desk: Desk) -> None:
    caller, model = desk.caller('Sure: {"name": "red", "red": 300}', '```json\n{"name": "red", "red": 255}\n```')
    answer = await caller.structured(context(), "colour", PROMPT, Colour)
    assert (answer.value, answer.usage.calls) == (Colour(name="red", red=255), 2)
    assert "- red: Input should be less than or equal to 255" in model.prompt_text(1)
    assert model.options[0]["response_format"] == response_format(Colour, {})


JSON = '{"name": "red", "red": 255}'
FITTING: dict[str, str | AIMessage] = {
    "fence": f"```json\n{JSON}\n```",
    "fence in prose": f"Here is {{the colour}} that you asked for:\n\n```json\n{JSON}\n```\n\nTell me if it is.",
    "prose": f"Sure! {JSON} I hope that helps.",
    "the last of two that fit": f'An example is {{"name": "blue", "red": 0}}. The answer is {JSON}',
    "the one that fits": f'The schema is {{"type": "object"}}. {JSON} Its range is {{"red": [0, 255]}}.',
    "a fence, and a comma behind the last": f"Here:\n```json\n{JSON[:-1]},}}\n```\nThank you.",
    "numbers as strings": JSON.replace("255", '"255"'),
    "another value in its thought": f'<think>\nI give {{"name": "blue", "red": 0}}\n</think>\n{JSON}',
    "tags of thoughts in it": '{"name": "red", "red": 255, "note": "the stray </think> and {what follows}"}',
    "its words as a thought": AIMessage("", additional_kwargs={"reasoning_content": JSON}),
    "a fence in a thought": AIMessage("", additional_kwargs={"reasoning_content": f"```json\n{JSON}\n```"}),
}


@pytest.mark.req("M6", "P13")
@pytest.mark.parametrize("answer", FITTING.values(), ids=FITTING)
async def test_a_value_is_read_whatever_is_around_it(desk: Desk, answer: str | AIMessage) -> None:
    caller, model = desk.caller(answer)
    found = await caller.structured(context(), "colour", PROMPT, Colour)
    assert (found.value, model.calls) == (Colour(name="red", red=255), 1)


HOSTILE = {
    "braces": "{" * 400_000,
    "objects": '{"a":' * 80_000,
    "open strings": '{"a": "' * 60_000,
    "quotes": '"' + '\\"' * 200_000,
    "commas": "{" + "," * 400_000,
    "braces in strings": '{"a": ",}' * 60_000,
    "opening tags": "x<think>" * 50_000,
    "closing tags": "```\n</think>\n" * 30_000,
    "pairs": "\n<think></think>" * 30_000,
    "half tags": "<think " * 60_000,
    "spaces": " " * 400_000 + "<think",
    "spaces before closing tags": " " * 200_000 + "x</think>" * 20_000,
    "lines of tags and backticks": "`x<think>y</think>`" * 20_000,
}


@pytest.mark.timeout(60)
@pytest.mark.req("M6", "P13")
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
async def test_a_hostile_answer_is_read_to_its_end(desk: Desk, hostile: str) -> None:
    caller, _ = desk.caller(hostile, hostile)
    with pytest.raises(MalformedAnswerError):
        await caller.structured(context(), "colour", PROMPT, Colour)


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    "bad",
    [
        "no JSON",
        "",
        AIMessage("", additional_kwargs={"refusal": "I will not"}),
        AIMessage('{"name": "red", "red": 1}', response_metadata={"finish_reason": "length"}),
    ],
    ids=["no json", "empty", "refused", "cut"],
)
async def test_too_many_malformed_answers_are_a_typed_error_without_their_text(desk: Desk, bad: Any) -> None:
    caller, _ = desk.caller(bad, bad)
    ctx = context()
    with pytest.raises(MalformedAnswerError) as failure:
        await caller.structured(ctx, "colour", PROMPT, Colour)
    assert failure.value.usage.calls == ctx.meter.total.calls == 2
    assert "no JSON" not in failure.value.detail


async def test_half_of_a_message_is_no_step(desk: Desk) -> None:
    caller, _ = desk.caller(*[WRONG["cut"][0]] * 2)
    with pytest.raises(MalformedAnswerError, match="cut at the token limit") as failure:
        await caller.message(context(), "step-1", PROMPT)
    assert failure.value.usage.calls == 2


TOLD = [
    SystemMessage("You write one section of a longer document, from the material alone."),
    HumanMessage(
        "<brief>The lawn belongs to the town.</brief>\n\n"
        "Write the section in the language of the document.\n- Begin with the heading of the section, and nothing else."
    ),
]
SENTENCE = "The lawn belongs to the town and is kept by its gardeners. "
LOOP = "It is kept by the gardeners of the town, and by nobody else. "
GOOD = "# The lawn\n\nThe lawn belongs to the town.\n"
WRONG: dict[str, tuple[str | AIMessage, str, str | None]] = {
    "cut": (AIMessage(f"{SENTENCE}And th", response_metadata={"finish_reason": "length"}), "cut at the", SENTENCE[:-1]),
    "the same line": (f"{SENTENCE}\n\n" + f"{LOOP}\n\n" * 9, "repeats itself", f"{SENTENCE}\n\n{LOOP[:-1]}"),
    "in German": ("Der Rasen der Stadt.", "the answer is in German", "Der Rasen der Stadt."),
    "the same words": (" ".join(map(str, range(900))) + ". " + "so it is. " * 500, "repeats itself", None),
}


@pytest.mark.req("M6")
@pytest.mark.parametrize(("wrong", "named", "kept"), WRONG.values(), ids=WRONG)
async def test_a_text_that_is_wrong_is_asked_for_once_more_and_then_kept_with_what_is_wrong(
    desk: Desk, wrong: str | AIMessage, named: str, kept: str | None
) -> None:
    def problem(text: str) -> str:
        return "the answer is in German" if "Rasen" in text else ""

    caller, model = desk.caller(wrong, GOOD)
    mended = await caller.text(context("good"), "generate", TOLD, problem=problem)
    assert (mended.value, mended.shortcoming, model.calls) == (GOOD, "", 2)
    assert named != "the answer is in German" or "- The answer is in German." in model.prompt_text(1)
    assert len(model.prompt_text(1)) < len(model.prompt_text(0)) + 2000, "no loop is shown to its model in full"
    for number, second in enumerate((wrong, StatusError(401))):
        caller, model = desk.caller(wrong, second)
        answer = await caller.text(context(f"job-{number}"), "generate", TOLD, problem=problem)
        assert answer.usage.calls == 2, "it is kept, too, if the model fails when it is asked again"
        assert named in answer.shortcoming
        assert answer.value == (kept or answer.value)
        assert len(answer.value) < 5000


CUT = AIMessage("The cut", response_metadata={"finish_reason": "length"})
COMPLAINT = "**The answer was cut at the length limit; be shorter.**"
COPIED = {
    "instructions": [f"{TOLD[0].text}\n\n- Begin with the heading of the section, and nothing else."] * 2,
    "one instruction alone": [f"# The lawn\n\n{TOLD[0].text}"] * 2,
    "a tag of the prompt": [f'<section id="lawn">\n{SENTENCE}\n</section>'] * 2,
    "what was said of the last answer": [CUT, f"# The lawn\n\n{COMPLAINT}", f"{SENTENCE}{COMPLAINT}"],
    "a tag, cut": [AIMessage(f'<section id="lawn">\n{SENTENCE}', response_metadata={"finish_reason": "length"})] * 2,
}


@pytest.mark.req("M6")
@pytest.mark.parametrize("answers", COPIED.values(), ids=COPIED)
async def test_a_text_that_copies_what_the_model_was_told_is_asked_for_once_more_and_never_kept(
    desk: Desk, answers: list[str | AIMessage]
) -> None:
    caller, model = desk.caller(*answers[:-1], GOOD)
    mended = await caller.text(context("good"), "generate", TOLD)
    assert (mended.value, mended.shortcoming, model.calls) == (GOOD, "", len(answers))
    assert "be shorter" not in model.prompt_text(len(answers) - 1), "what it copied is not shown again"
    caller, model = desk.caller(*answers)
    with pytest.raises(MalformedAnswerError, match="quotes") as failure:
        await caller.text(context(), "generate", TOLD)
    assert failure.value.usage.calls == model.calls == len(answers)


class Endless(ScriptedModel):
    """Says a sentence and a half, and then nothing for ever."""

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk(content=f"{SENTENCE}And th"))
        await asyncio.Event().wait()

    async def _agenerate(self, *_: Any, **__: Any) -> ChatResult:
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.req("M6")
async def test_a_text_that_is_given_up_while_it_comes_is_kept_and_costs_what_was_written(desk: Desk) -> None:
    async def hear(_: str) -> bool:
        return True

    settings = SETTINGS.model_copy(update={"call_limit": 0.2})
    caller = ModelCaller(Endless(script=[]), settings, desk.records, desk.artifacts)
    answer = await caller.text(context(), "generate", TOLD, on_token=hear)
    assert (answer.value, answer.shortcoming) == (SENTENCE[:-1], "cut at the time limit")
    assert answer.usage.output_tokens == 2 * (len(f"{SENTENCE}And th") // 4)
    assert answer.usage.input_tokens > 0


class Looping(ScriptedModel):
    """Says the same line for ever; in one piece it would never end."""

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for number in count():
            line = f"{SENTENCE}\n" if number == 0 else "The offer is valid for ninety days from its opening.\n"
            yield ChatGenerationChunk(message=AIMessageChunk(content=line))

    async def _agenerate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError


@pytest.mark.req("M3")
async def test_a_machine_of_the_users_is_stopped_once_it_repeats_itself_though_nobody_follows(desk: Desk) -> None:
    heard = list[str]()

    async def hear(text: str) -> bool:
        heard.append(text)
        return False

    settings = SETTINGS.model_copy(update={"name": "ollama_chat/small"})
    pace_of(settings, slots=1)
    caller = ModelCaller(Looping(script=[]), settings, desk.records, desk.artifacts)
    async with asyncio.timeout(30):
        answer = await caller.text(context(), "generate", TOLD, on_token=hear)
    assert answer.shortcoming == "the answer repeats itself"
    assert answer.value.startswith(SENTENCE[:-1])
    assert len(list(filter(None, heard))) == answer.usage.calls == 2, "each answer is told in one piece"


@pytest.mark.req("M6")
async def test_tables_and_code_about_prompts_are_no_loops_and_no_quotations(desk: Desk) -> None:
    rows = "".join(f"| {n} | Fully compliant with the requirement as it stands in the tender. |\n" for n in range(60))
    tag = f'<section id="a">\n{SENTENCE}\n</section>\n'
    code = f"```xml\n{tag}```\n\n~~~xml\n{tag}~~~\n\n````\n```\n{tag}```\n````\n"
    tags = "```\n" + '<section id="a">\n' * 50_000 + "```\n"
    assert not has_block_tag(tags)
    complied = "".join(f"## {name}\n\n{LOOP}\n\n" for name in ("Fire", "Noise", "Dust", "Water", "Waste", "Night"))
    caller, model = desk.caller(f"{complied}{code}\n| no | answer |\n| --- | --- |\n{rows}", SENTENCE + LOOP)
    assert (await caller.text(context(), "generate", TOLD)).shortcoming == ""
    found = HumanMessage(
        "The searches found this:\n" + block("evidence", f"See <https://a.example>\n\n{SENTENCE}{LOOP}")
    )
    assert (await caller.text(context(), "quoted", [*TOLD, found])).value == SENTENCE + LOOP, "what a search found"
    assert model.calls == 2


async def test_tokens_are_handed_on_as_they_come_and_only_once(desk: Desk) -> None:
    told: list[str] = []

    async def on_token(tokens: str) -> None:
        if tokens:
            told.append(tokens)

    text = " ".join(map(str, range(2000)))
    caller, _ = desk.caller(text)
    answer = await caller.text(context(), "generate", PROMPT, on_token=on_token)
    assert (answer.value, "".join(told), told[0]) == (text, text, "0 ")
    assert len(told) < 1000, "tokens that come together are told together"
    told.clear()
    again, _ = desk.caller()
    await again.text(context(), "generate", PROMPT, on_token=on_token)
    assert told == []


@pytest.mark.req("E1")
async def test_an_answer_whose_text_was_lost_with_its_writer_is_asked_for_again_and_both_count(desk: Desk) -> None:
    """Record and text are stored at the same time: a process may die between the two."""
    text = LONG
    first, _ = desk.caller(text)
    paid = await first.text(context(), "generate", PROMPT)
    desk.artifacts = MemoryArtifactStore()
    for script in ([text], []):
        caller, model = desk.caller(*script)
        ctx = context()
        answer = await caller.text(ctx, "generate", PROMPT)
        assert (answer.value, answer.ref, ctx.meter.total.calls) == (paid.value, paid.ref, 2)
        assert len(model.options) == len(script)


async def test_tool_calls_come_back_the_same_from_the_record(desk: Desk) -> None:
    call = ToolCall(name="search_inputs", args={"query": "lone \ud800 surrogate"}, id="c1", type="tool_call")
    caller, model = desk.caller(AIMessage("", tool_calls=[call]))
    tool = {"type": "function", "function": {"name": "search_inputs", "parameters": {"type": "object"}}}
    paid = await caller.message(context(), "search", PROMPT, [tool])
    again, _ = desk.caller()
    replayed = await again.message(context(), "search", PROMPT, [tool])
    assert replayed.value == paid.value
    assert paid.value.tool_calls[0]["args"] == {"query": "lone ? surrogate"}
    assert model.options[0]["tools"] == [tool]
