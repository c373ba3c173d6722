"""A model that plays every role in its own time, and a clock that jumps where nobody works."""

import asyncio
import json
import selectors
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from generation_workshop import CONFIG, RECIPE, Workshop, evaluation
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import ROLES
from stemma_generation_graph.graphs.roles.nodes import build_roles_graph
from stemma_generation_graph.handlers import Tools, on_generate_section
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.settings import ROLE, GenerationSettings
from stemma_generation_graph.sources import Library
from stemma_models import ModelCaller
from stemma_models.prompting import parse_blocks
from stemma_testkit.working import ANY_KIND

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.skipped += timeout or 0
        return super().select(None if timeout is None else 0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Where everything waits, the clock jumps to the next timer; what runs in a thread takes no time."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.skipped

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


class ProviderError(Exception):
    """What a provider answers with a status."""

    def __init__(self, status_code: int) -> None:
        super().__init__("quotes the prompt")
        self.status_code = status_code


Play = Callable[[], AsyncIterator[str]]


async def said(*parts: str, after: float = 0.0, then: float = 0.0) -> AsyncIterator[str]:
    """Words after some seconds, and more time before each further part."""
    await asyncio.sleep(after)
    for number, part in enumerate(parts):
        if number:
            await asyncio.sleep(then)
        yield part


class Company(BaseChatModel):
    """Asks ``plays`` what to say: by the id of the role, else by the task of the prompt."""

    plays: dict[str, Any]
    _asked: list[tuple[float, str]] = PrivateAttr(default_factory=list)
    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "company"

    @property
    def asked(self) -> list[tuple[float, str]]:
        """When whom was spoken to."""
        return self._asked

    def prompts_of(self, name: str) -> list[str]:
        """The prompts that somebody got."""
        pairs = zip(self._asked, self._prompts, strict=True)
        return ["\n".join(str(m.text) for m in messages) for (_, who), messages in pairs if who == name]

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "".join([part async for part in self._said(messages)])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for part in self._said(messages):
            yield ChatGenerationChunk(message=AIMessageChunk(content=part))

    async def _said(self, messages: Sequence[BaseMessage]) -> AsyncIterator[str]:
        blocks = {found.tag: found for found in parse_blocks(str(messages[1].text))}
        task = blocks["task"].text
        name = blocks["section"].attributes["id"] if task == "contribution" else task
        self._asked.append((asyncio.get_running_loop().time(), name))
        self._prompts.append(list(messages))
        play: Play = self.plays[name]
        async for part in play():
            yield part


def role(name: str, priority: int, **other: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.capitalize(),
        "description": f"Knows {name}.",
        "prompt_template": "As {name}, from {perspective}: answer {user_request} in {braces}.",
        "perspective": f"the view of {name}",
        "priority": priority,
        "confidence": 0.9,
        **other,
    }


def analysis(*roles: Mapping[str, Any]) -> str:
    return json.dumps({"identified_roles": list(roles), "reasoning": "Each sees another side."})


REQUEST = "Say how the ferry of Aller is kept running in winter, and what that costs."


def plays(*names: str, seconds: Mapping[str, float] | None = None) -> dict[str, Play]:
    """A company in which all goes well; a role takes one second if nothing else is said."""
    took = seconds or {}
    roles = [role(name, 10 + number) for number, name in enumerate(names)]
    found: dict[str, Play] = {"role analysis": lambda: said(analysis(*roles), after=1)}
    for name in names:
        found[name] = lambda name=name: said(f"# {name}\n\nWhat {name} says.", after=took.get(name, 1))  # type: ignore[misc]
    found["synthesis"] = lambda: said("# Text\n\nOne text of all.\n", after=1)
    found["evaluation"] = lambda: said(evaluation("roles"), after=1)
    return found


def failing(*errors: Exception, then: Play) -> Play:
    """Raises one error after the other, then goes on."""
    left = list(errors)

    async def play() -> AsyncIterator[str]:
        if left:
            raise left.pop(0)
        async for part in then():
            yield part

    return play


@dataclass
class Stage:
    """One run of the roles graph with a company, in virtual time."""

    company: Company
    settings: GenerationSettings = field(default_factory=GenerationSettings)
    workshop: Workshop = field(default_factory=Workshop)
    request: str = REQUEST
    build: Callable[..., Any] = build_roles_graph

    def tools(self) -> Tools:
        w = self.workshop
        recipe = RECIPE.model_copy(update={"backoff": 1.0, "call_limit": 500.0})
        by_role = recipe.model_copy(update={"retries": self.settings.model_settings(ROLE).retries})
        models = Models(
            ModelCaller(self.company, recipe, w.records, w.artifacts),
            {ROLE: ModelCaller(self.company, by_role, w.records, w.artifacts)},
        )
        graphs = {"roles": replace(ROLES, build=self.build)}
        deps = load_deps(self.settings, models, graphs, CONFIG)
        return Tools(Runner(graphs, deps, None), deps, Library(w.artifacts), w.publish, ANY_KIND)

    async def job(self, **fields: Any) -> GenerateSection:
        job = await self.workshop.job("roles", brief=await self.workshop.store(self.request), **fields)
        return job.model_copy(update={"section": job.section.model_copy(update={"graph": "roles", "title": "Text"})})

    async def outcome(self, **fields: Any) -> Any:
        return await on_generate_section(await self.job(**fields), tools=self.tools())

    def play(self, then: Callable[[Any], Awaitable[T]] | None = None, **fields: Any) -> tuple[Any, float]:
        """The outcome, and how long it took."""

        async def timed() -> tuple[Any, float]:
            outcome = await self.outcome(**fields)
            return outcome, asyncio.get_running_loop().time()

        return in_virtual_time(timed())

    def draft(self, outcome: Any) -> str:
        return in_virtual_time(self.workshop.read(outcome.draft))
