"""One running installation for all modules that a worker runs: every service a process of its own on a real server.

It ends with the last of them, for which this folder is a package: idle services take 2 % of a processor.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def stemma(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    """All five services."""
    here = {subjects.NOTIFIER: {"STEMMA_NOTIFIER_ALLOWED_NETWORKS": '["127.0.0.0/8"]'}}
    async with LocalStemma(tmp_path_factory.mktemp("stemma"), processes=True, ack_wait_s=3, env=here) as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def client(stemma: LocalStemma) -> AsyncIterator[Client]:
    """A caller of the tenant ``default``."""
    async with stemma.client() as client:
        yield client
