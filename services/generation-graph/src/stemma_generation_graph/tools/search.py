"""Tools of nodes, and the one that searches the supplied inputs."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from stemma_models.prompting import block

from stemma_generation_graph.sources.corpus import Corpus

Place = TypeVar("Place", contravariant=True)

RESULT_CHARS = 6000


class Tool(Protocol[Place]):
    """A tool that a model may call; ``arguments`` gives its name (title), description and schema."""

    @property
    def name(self) -> str: ...

    @property
    def arguments(self) -> type[BaseModel]: ...

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
    name = "search_inputs"
    arguments: type[BaseModel] = InputQuery

    async def run(self, arguments: InputQuery, corpus: Corpus) -> str:
        """The best passages, each in a block that names its input."""
        found, room = list[str](), RESULT_CHARS
        for passage in await asyncio.to_thread(corpus.search, arguments.query):
            if len(passage.text) > room:
                continue
            room -= len(passage.text)
            place = {"place": passage.place} if passage.place else {}
            found.append(block("input", passage.text, name=passage.source, **place))
        return "\n".join(found) or "Nothing in the inputs matches."
