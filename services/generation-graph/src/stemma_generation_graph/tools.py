"""Tools that a model may call: what they are, how calls are run, and those that search inputs and the web."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Generic, Protocol, TypeVar

import httpx
from langchain_core.messages import InvalidToolCall, ToolCall, ToolMessage
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_contracts.misfits import misfits
from stemma_models.prompting import block
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

from .passages import Corpus

P = TypeVar("P")


class ToolRefused(Exception):
    """A call that cannot be done as it was made; the message tells the model why."""


def tool_name(arguments: type) -> str:
    """The name of a tool, which is the title of its schema: ``search_web`` of `SearchWeb`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", arguments.__name__).lower()


@dataclass(frozen=True)
class Tool(Generic[P]):
    """A tool; ``arguments`` gives its name, description and schema.

    ``run`` gives what the model is told, or nothing if its answer comes later. It raises `ToolRefused`.
    """

    arguments: type[BaseModel]
    run: Callable[[Any, P], Awaitable[str | None]]

    @property
    def name(self) -> str:
        return tool_name(self.arguments)


MAX_CALLS = 8
BROKEN = "The arguments of this call are no JSON object, so it was not made: make it again with valid JSON."

log = get_logger()


async def run_tool_calls(calls: Sequence[ToolCall], tools: Mapping[str, Tool[P]], place: P) -> list[ToolMessage]:
    """One answer per call, in their order, but for those that are answered later; calls beyond a bound are refused."""
    answers = [answer for call in calls[:MAX_CALLS] if (answer := await _answer(call, tools, place))]
    refused = [_message(call, f"refused: at most {MAX_CALLS} calls at once", False) for call in calls[MAX_CALLS:]]
    return answers + refused


def answers_to_broken(calls: Sequence[InvalidToolCall]) -> list[ToolMessage]:
    """One answer for each call whose arguments could not be read."""
    return [_message(ToolCall(name=call["name"] or "", args={}, id=call["id"]), BROKEN, False) for call in calls]


async def _answer(call: ToolCall, tools: Mapping[str, Tool[P]], place: P) -> ToolMessage | None:
    tool = tools.get(call["name"])
    if tool is None:
        return _message(call, f"There is no such tool; there are: {', '.join(tools)}.", False)
    try:
        arguments = tool.arguments.model_validate(call["args"])
    except ValidationError as error:
        return _message(call, f"The arguments do not fit: {misfits(error)[0]}", False)
    attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.EXECUTE_TOOL.value, Attr.GEN_AI_TOOL: tool.name}
    name = f"{Span.EXECUTE_TOOL} {tool.name}"
    with span(name, attributes=attributes, expected=(ToolRefused,)):
        return await _run(tool, call, arguments, place)


async def _run(tool: Tool[P], call: ToolCall, arguments: BaseModel, place: P) -> ToolMessage | None:
    try:
        told = await tool.run(arguments, place)
    except ToolRefused as refusal:
        return _message(call, str(refusal), False)
    return None if told is None else _message(call, told, True)


def _message(call: ToolCall, content: str, success: bool) -> ToolMessage:
    log.info("tool_called", tool=call["name"][:64], success=success)
    return ToolMessage(content, tool_call_id=call["id"], status="success" if success else "error")


RESULT_CHARS = 6000


class SearchInputs(BaseModel):
    """Search the supplied input documents and get the passages that fit best, each in a block that says whose it is."""

    model_config = ConfigDict(model_title_generator=tool_name)

    query: str = Field(min_length=1, max_length=500, description="words that the passages should contain")

    async def run(self, corpus: Corpus) -> str:
        """The best passages, each in a block that names its input."""
        found, room = list[str](), RESULT_CHARS
        for passage in await asyncio.to_thread(corpus.search, self.query):
            if len(passage.alone) > room:
                continue
            room -= len(passage.alone)
            about = {"place": passage.place, "heading": passage.above}
            known = {name: value for name, value in about.items() if value}
            found.append(block(corpus.tag_of(passage), passage.alone, name=passage.source, **known))
        return "\n".join(found) or "Nothing in the inputs matches."


GROUP = "stemma.web_search"


class WebSearchSettings(BaseModel):
    """Which provider of web search there is; by default none, and no node has the tool then."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str = Field(default="", description="'searxng', or what a package adds as stemma.web_search; '': none")
    url: str = Field(default="", description="address of the provider")
    results: int = Field(default=5, ge=1, le=20, description="finds of one search")
    limit_s: float = Field(default=10.0, gt=0, description="seconds for one search")


@dataclass(frozen=True)
class WebResult:
    title: str
    address: str
    excerpt: str


class WebSearchFailed(Exception):
    """The provider gave no answer that can be read; the message holds no query and no address."""


class WebSearch(Protocol):
    """What a provider of web search offers."""

    async def search(self, query: str, limit: int) -> Sequence[WebResult]:
        """At most ``limit`` results, best first; raises `WebSearchFailed`."""
        ...


MakeWebSearch = Callable[[WebSearchSettings], WebSearch]


class WebSearchUnusable(ValueError):
    """The settings of web search lead to no provider; the message names the field."""


class _Find(BaseModel):
    title: str = ""
    url: str
    content: str | None = None


class _Finds(BaseModel):
    results: list[_Find]


class SearxNG:
    """A server of one's own that asks many search engines; its JSON form has to be switched on."""

    def __init__(self, settings: WebSearchSettings) -> None:
        if httpx.URL(settings.url).scheme not in ("http", "https"):
            raise WebSearchUnusable("web_search.url: searxng needs its address, such as http://127.0.0.1:8080")
        self._settings = settings

    async def search(self, query: str, limit: int) -> Sequence[WebResult]:
        try:
            async with httpx.AsyncClient(base_url=self._settings.url, timeout=self._settings.limit_s) as client:
                answer = await client.get("/search", params={"q": query, "format": "json"})
            found = _Finds.model_validate_json(answer.raise_for_status().content)
        except (httpx.HTTPError, ValidationError) as error:
            raise WebSearchFailed(type(error).__name__) from error
        return [WebResult(find.title, find.url, find.content or "") for find in found.results[:limit]]


def find_provider(settings: WebSearchSettings) -> WebSearch | None:
    """The provider that the settings name, nothing if they name none; raises `WebSearchUnusable`."""
    if not settings.provider:
        return None
    known: dict[str, MakeWebSearch] = {"searxng": SearxNG}
    known |= {entry.name: entry.load() for entry in entry_points(group=GROUP)}
    if settings.provider not in known:
        raise WebSearchUnusable(
            f"web_search.provider: there is no {settings.provider!r}; there are {', '.join(sorted(known))}"
        )
    return known[settings.provider](settings)


class SearchWeb(BaseModel):
    """Search the web for facts that the inputs do not hold."""

    model_config = ConfigDict(model_title_generator=tool_name)

    query: str = Field(min_length=1, max_length=500)


def web_tool(provider: WebSearch, most: int) -> Tool[Corpus]:
    async def run(arguments: SearchWeb, _: Corpus) -> str:
        try:
            results = await provider.search(arguments.query, most)
        except WebSearchFailed as failed:
            raise ToolRefused(f"The web search failed ({failed}); go on without it.") from None
        found = [block("web", f"{result.title}\n\n{result.excerpt}", address=result.address) for result in results]
        return "\n".join(found) or "Nothing was found on the web."

    return Tool(SearchWeb, run)
