"""Fixtures of the orchestrator's tests."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from domain_story import Story
from stemma_artifacts.store import MemoryArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_orchestrator.catalog import load_catalog
from stemma_orchestrator.inputs import Limits
from stemma_orchestrator.intake import Intake
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected, provisioned_server


@pytest.fixture
def story() -> Story:
    """A story in which nothing was requested yet."""
    return Story()


@pytest.fixture
def begun(story: Story) -> Story:
    """A story whose document was requested."""
    story.create()
    return story


@pytest.fixture(scope="module")
def intake_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture
async def uploads(intake_server: NatsServer) -> AsyncIterator[UploadStore]:
    async with connected(intake_server, client_user("default")) as caller:
        yield UploadStore(caller.jetstream(), "default")


@pytest.fixture
def intake(uploads: UploadStore) -> Intake:
    async def graphs() -> frozenset[str]:
        return frozenset({"section"})

    catalog = load_catalog(Path(__file__).parent / "config")
    return Intake(catalog, MemoryArtifactStore(), lambda _: uploads, graphs, Limits(1_000, 2_500, 900, 500))
