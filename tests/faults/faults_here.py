"""Services as tasks of this process, for tests that stop no process, and connections as any user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

import nats
import pytest
from nats.aio.client import Client as Nats
from stemma_cli.local.run import SERVICES_GROUP
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import subjects
from stemma_contracts.connections import servers_in
from stemma_generation_graph.checkpoints import set_up
from stemma_generation_graph.settings import GenerationSettings
from stemma_provisioning import inbox_prefix
from stemma_testkit.servers import eventually
from stemma_testkit.working import assert_at_work, at_work

RETRY_S = 0.001
"""The pause before the first repetition; each that follows is twice as long."""


@asynccontextmanager
async def here(
    stemma: LocalStemma, names: Sequence[str], url: str, generation: Mapping[str, Any] = MappingProxyType({})
) -> AsyncIterator[None]:
    """These services at work on an installation that they reach at ``url``; none may end in the block.

    ``generation`` are settings of generation-graph.
    """
    ready_files = [stemma.folder.ready_file(name) for name in names]
    own = {subjects.GENERATION: generation}
    started = (_run(stemma, name, {"nats_url": url, **own.get(name, {})}) for name in names)
    async with at_work(*started) as tasks:

        async def are_ready() -> bool:
            assert_at_work(tasks)
            return all(file.exists() for file in ready_files)

        await eventually(are_ready, 60)
        yield


async def _run(stemma: LocalStemma, name: str, more: Mapping[str, Any]) -> None:
    (found,) = entry_points(group=SERVICES_GROUP, name=name)
    service: Any = found.load()
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in stemma.environment_of(name).items():
            patch.setenv(variable, value)
        patience = {"retry_base_s": RETRY_S} if name in subjects.SERVICES else {}
        settings = service.load_settings(**patience, **more)
    if isinstance(settings, GenerationSettings):
        await set_up(settings.checkpoint_place)
    await service.run(settings)


@asynccontextmanager
async def as_user(stemma: LocalStemma, user: str, **more: Any) -> AsyncIterator[Nats]:
    """A connection to an installation as one of its users."""
    connection = await nats.connect(
        servers_in(stemma.url), user=user, password=stemma.password(user), inbox_prefix=inbox_prefix(user), **more
    )
    try:
        yield connection
    finally:
        await connection.close()
