"""Two running installations for all modules that a worker runs: each ends with the last of them, as idle services work.

``stemma`` has the offline writer, and each service is a process; the model of ``scripted`` answers from a script.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from stemma_cli.local.supervisor import ALL, LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_testkit.customizing import path_with
from stemma_testkit.house import add_kind, house
from stemma_testkit.provider import Provider, provider

SCRIPTED = (
    subjects.ORCHESTRATOR,
    subjects.GENERATION,
    subjects.VALIDATOR,
    subjects.CONVERTER,
    subjects.NOTIFIER,
)
LOCAL_RECEIVERS = {"STEMMA_NOTIFIER_ALLOWED_NETWORKS": '["127.0.0.0/8"]'}
ROLE_LIMITS = {"STEMMA_GENERATION_GRAPH_ROLES": '{"role_limit_s": 5, "graph_limit_s": 15}'}
NOTE = {
    "kind": "note",
    "title": "Note",
    "review": {"mode": "none"},
    "max_lint_rounds": 1,
    "sections": [{"id": "note", "title": "Note", "kind": "note", "purpose": "What the hall costs and when it opens."}],
}
KINDS = {
    "note": NOTE,
    "judged-note": NOTE | {"kind": "judged-note", "review": {"mode": "auto", "min_score": 0.5}},
}
"""The same document under the policies that ask nobody: ``none``, and ``auto`` with a score that the model reaches."""
CRITERIA = [{"id": "clarity", "description": "It can be understood.", "weight": 1, "threshold": 0.5}]


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def stemma(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    """All services."""
    env = {subjects.NOTIFIER: LOCAL_RECEIVERS, subjects.GENERATION: ROLE_LIMITS}
    async with LocalStemma(tmp_path_factory.mktemp("stemma"), processes=True, ack_wait_s=3, env=env) as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def client(stemma: LocalStemma) -> AsyncIterator[Client]:
    """A caller of the tenant ``default``."""
    async with stemma.client() as client:
        yield client


@pytest.fixture(scope="package")
def model() -> Iterator[Provider]:
    """The model of ``scripted``."""
    with provider() as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def scripted(tmp_path_factory: pytest.TempPathFactory, model: Provider) -> AsyncIterator[Client]:
    """A caller of services in one process, with kinds of their own."""
    folder = tmp_path_factory.mktemp("scripted")
    kinds = house(folder)
    for kind, blueprint in KINDS.items():
        criteria = add_kind(kinds, blueprint, kind) / "criteria"
        criteria.mkdir()
        (criteria / "note.json").write_text(json.dumps(CRITERIA), encoding="utf-8")
    written_by = {
        "STEMMA_GENERATION_GRAPH_MODEL": "openai/scripted",
        "STEMMA_GENERATION_GRAPH_API_BASE": model.base,
        "OPENAI_API_KEY": "none",
    }
    env = {subjects.GENERATION: written_by, subjects.NOTIFIER: LOCAL_RECEIVERS, ALL: path_with(folder)}
    async with LocalStemma(folder / "data", services=SCRIPTED, env=env) as stemma, stemma.client() as client:
        yield client
