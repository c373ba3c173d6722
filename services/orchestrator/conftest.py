"""Fixtures of the orchestrator's tests."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from domain_story import Story
from stemma_artifacts.store import MemoryArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_orchestrator.catalog import Catalog, load_catalog
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


@pytest.fixture(scope="session")
def intake_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """What ships; nobody changes it."""
    return load_catalog(Path(__file__).parent / "config")


@pytest.fixture
def uploaded() -> dict[str, UploadStore]:
    """Where the intake finds uploads, for a test that has any: the others need no server."""
    return {}


@pytest.fixture
async def uploads(intake_server: NatsServer, uploaded: dict[str, UploadStore]) -> AsyncIterator[UploadStore]:
    async with connected(intake_server, client_user("default")) as caller:
        uploaded["default"] = UploadStore(caller.jetstream(), "default")
        yield uploaded["default"]


@pytest.fixture
def intake(catalog: Catalog, uploaded: dict[str, UploadStore]) -> Intake:
    async def graphs() -> frozenset[str]:
        return frozenset({"section"})

    return Intake(catalog, MemoryArtifactStore(), uploaded.__getitem__, graphs, Limits(1_000, 2_500, 900, 500))
