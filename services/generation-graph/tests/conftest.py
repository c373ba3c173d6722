"""Fixtures of the tests of generation-graph."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from generation_workshop import Workshop
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.checkpoints import set_up
from stemma_testkit.postgres import PostgresServer, postgres_server

KINDS = ("sqlite", "postgresql")


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
async def job(workshop: Workshop) -> GenerateSection:
    """A job for the graph that asks."""
    job = await workshop.job("approach")
    return job.model_copy(update={"section": job.section.model_copy(update={"graph": "asking"})})


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture(params=KINDS)
def empty_place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a checkpointer could be: a file that is not there yet, or an empty database."""
    if request.param == "sqlite":
        return tmp_path / "new" / "checkpoints.sqlite"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_database(f"test_{uuid4().hex}")


@pytest.fixture
async def place(empty_place: Path | str) -> Path | str:
    """A checkpointer's place with its tables."""
    await set_up(empty_place)
    return empty_place
