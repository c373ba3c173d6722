"""Providers of web search, by configuration: SearXNG, or any that an installed package adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Protocol

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_models.prompting import block

from stemma_generation_graph.sources.corpus import Corpus

from .search import ToolRefused

NAME = "search_web"
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


class WebQuery(BaseModel):
    """Search the web for facts that the inputs do not hold."""

    model_config = ConfigDict(title=NAME)

    query: str = Field(min_length=1, max_length=500)


class SearchWeb:
    """Asks a provider of web search."""

    name = NAME
    arguments: type[BaseModel] = WebQuery

    def __init__(self, provider: WebSearch, results: int) -> None:
        self._provider = provider
        self._results = results

    async def run(self, arguments: WebQuery, corpus: Corpus) -> str:
        try:
            results = await self._provider.search(arguments.query, self._results)
        except WebSearchFailed as failed:
            raise ToolRefused(f"The web search failed ({failed}); go on without it.") from None
        found = [block("web", f"{result.title}\n\n{result.excerpt}", address=result.address) for result in results]
        return "\n".join(found) or "Nothing was found on the web."
