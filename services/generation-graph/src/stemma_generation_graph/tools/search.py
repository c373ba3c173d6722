"""Search over the supplied inputs, and over the web where a provider is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from stemma_models.prompting import block

from stemma_generation_graph.sources.corpus import Corpus

Place = TypeVar("Place", contravariant=True)

RESULT_CHARS = 6000
WEB_RESULTS = 5


class Tool(Protocol[Place]):
    """A tool that a model may call; ``arguments`` gives its name (title), description and schema."""

    @property
    def name(self) -> str:
        """The name by which it is called."""

    @property
    def arguments(self) -> type[BaseModel]:
        """The schema of what it is called with."""

    async def run(self, arguments: Any, place: Place, /) -> str | None:
        """What the model is told, or nothing if its answer comes later; ``arguments`` were checked.

        Raises `ToolRefused` in words for the model.
        """


class ToolRefused(Exception):
    """A call that cannot be done as it was made; the message tells the model why."""


class InputQuery(BaseModel):
    """Search the supplied input documents and get the passages that fit best."""

    model_config = ConfigDict(title="search_inputs")

    query: str = Field(min_length=1, max_length=500, description="words that the passages should contain")


class SearchInputs:
    """Finds passages in the inputs of the document."""

    name = "search_inputs"
    arguments: type[BaseModel] = InputQuery

    async def run(self, arguments: InputQuery, corpus: Corpus) -> str:
        """The best passages, each in a block that names its input."""
        found, room = list[str](), RESULT_CHARS
        for passage in corpus.search(arguments.query):
            if len(passage.text) > room:
                continue
            room -= len(passage.text)
            found.append(block("input", passage.text, name=passage.source))
        return "\n".join(found) or "Nothing in the inputs matches."


@dataclass(frozen=True)
class WebResult:
    """One find on the web."""

    title: str
    address: str
    excerpt: str


class WebSearch(Protocol):
    """What a provider of web search offers."""

    async def search(self, query: str, limit: int) -> Sequence[WebResult]:
        """At most ``limit`` results, best first."""
        ...


class WebQuery(BaseModel):
    """Search the web for facts that the inputs do not hold."""

    model_config = ConfigDict(title="search_web")

    query: str = Field(min_length=1, max_length=500)


class SearchWeb:
    """Asks a provider of web search."""

    name = "search_web"
    arguments: type[BaseModel] = WebQuery

    def __init__(self, provider: WebSearch) -> None:
        self._provider = provider

    async def run(self, arguments: WebQuery, corpus: Corpus) -> str:
        """The results, each in a block that names its address."""
        results = await self._provider.search(arguments.query, WEB_RESULTS)
        found = [block("input", f"{result.title}\n\n{result.excerpt}", name=result.address) for result in results]
        return "\n".join(found) or "Nothing was found on the web."
