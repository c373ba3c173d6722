"""Composition root of the editor agent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from faststream import FastStream
from langchain_core.language_models import BaseChatModel
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_kinds import KindError, digests, find_kinds, merged
from stemma_messaging import BadSettings, Opened, Service, WorkerBroker, WorkerSettings, config_dir
from stemma_messaging.same_kind import same_kind
from stemma_models import (
    JetStreamRecordStore,
    KeyMissing,
    ModelCaller,
    ModelFields,
    ModelSettings,
    PromptError,
    Prompts,
    open_chat_model,
)

from .editors import GRAPH, Editors, EditorsError, load_editor_prompts, load_editors, recipes
from .handlers import Tools, routes


class EditorSettings(ModelFields, WorkerSettings):
    """What the editor agent can be told."""


def load_config(folder: Path) -> tuple[Editors, Prompts]:
    """The editors and their prompts; raises `BadSettings` naming the file."""
    try:
        documents = tuple(find_kinds().values())
        editors = load_editors(documents, folder / "editors.json")
        brought = merged(documents, "prompts", ".md")
        here = {name: file for name, file in brought.items() if name.startswith(f"{GRAPH}/")}
        return editors, load_editor_prompts(folder / "prompts", editors, here)
    except (EditorsError, KindError, PromptError) as error:
        raise BadSettings([str(error)]) from None


def build_app(settings: EditorSettings) -> FastStream:
    broker, tools = WorkerBroker(subjects.EDITOR, settings), Opened[Tools]()
    broker.include_router(routes(tools))

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with broker.connected():
            made = await make_tools(settings, broker)
            tools.give(made)
            told = recipes(settings.model, made.prompts, made.editors)
            await broker.publish_capabilities({"editors": sorted(made.editors.names), "recipes": told})
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


async def make_tools(settings: EditorSettings, broker: WorkerBroker) -> Tools:
    """The model and the prompts, and where texts lie."""
    editors, prompts = load_config(config_dir("stemma_editor_agent"))
    artifacts = JetStreamArtifactStore(broker.jetstream)
    chosen = settings.settings_of_model()
    models = ModelCaller(await _open_model(chosen), chosen, JetStreamRecordStore(broker.jetstream), artifacts)
    return Tools(artifacts, models, prompts, editors, same_kind(broker, digests()))


async def _open_model(chosen: ModelSettings) -> BaseChatModel:
    try:
        return await open_chat_model(chosen)
    except KeyMissing as missing:
        raise BadSettings([str(missing)]) from None


def check(_settings: EditorSettings) -> None:
    """Raises `BadSettings` for editors or prompts that cannot be read."""
    load_config(config_dir("stemma_editor_agent"))


service = Service(subjects.EDITOR, EditorSettings, build_app, check)


def main() -> None:
    service.main()
