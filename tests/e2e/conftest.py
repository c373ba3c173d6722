"""Running installations for all modules that a worker runs; each ends with the last of them, as idle services work.

``stemma`` has the offline writer and all services in this process; in ``apart`` each is a process. The model of
``scripted`` answers from a script.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import structlog
from faults_here import here
from stemma_cli.local.supervisor import LocalStemma, service_names
from stemma_cli.main import app
from stemma_client import Client
from stemma_contracts import subjects
from stemma_testkit.house import add_kind, house
from stemma_testkit.provider import Provider, provider
from stemma_testkit.serving import serving
from typer.testing import CliRunner, Result

SCRIPTED = (
    subjects.ORCHESTRATOR,
    subjects.GENERATION,
    subjects.VALIDATOR,
    subjects.CONVERTER,
    subjects.NOTIFIER,
)
LOCAL_RECEIVERS = {"STEMMA_NOTIFIER_ALLOWED_NETWORKS": '["127.0.0.0/8"]'}
ROLE_LIMITS = {"STEMMA_GENERATION_GRAPH_ROLES": '{"role_limit_s": 5, "graph_limit_s": 15}'}
UNRECOGNISED = {"STEMMA_CONVERTER_MAX_RECOGNISED_PAGES": "0"}
"""Where tesseract is installed, three pages of each PDF would be recognised as well, a second of CPU each."""
ENVIRONMENT = {
    subjects.NOTIFIER: LOCAL_RECEIVERS,
    subjects.GENERATION: ROLE_LIMITS,
    subjects.CONVERTER: UNRECOGNISED,
}
NOTE = {
    "kind": "note",
    "title": "Note",
    "review": {"mode": "none"},
    "max_lint_rounds": 1,
    "sections": [{"id": "note", "title": "Note", "kind": "note", "purpose": "What the hall costs and when it opens."}],
}
KINDS = {
    "note": NOTE,
    "judged-note": NOTE
    | {"kind": "judged-note", "review": {"mode": "auto", "min_score": 0.5}, "max_unsupported": None},
}
"""The same document under the policies that ask nobody: ``none``, and ``auto`` with a score that the model reaches.

Whatever is said in the second one stays: no quotations take its place.
"""
CRITERIA = [{"id": "clarity", "description": "It can be understood.", "weight": 1, "threshold": 0.5}]


@pytest.fixture(scope="package", autouse=True)
def logged_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Services would log to the stdout of the commands that run in this process."""
    before = structlog.get_config()
    with (tmp_path_factory.mktemp("log") / "services.log").open("w", encoding="utf-8") as log:
        structlog.configure(logger_factory=structlog.PrintLoggerFactory(log))
        yield
        structlog.configure(**before)


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def stemma(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    local = LocalStemma(tmp_path_factory.mktemp("stemma"), services=[], ack_wait_s=3, env=ENVIRONMENT)
    async with local as running, here(running, service_names(), running.url):
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def apart(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    """Each service is a process, which a test may stop and kill."""
    folder = tmp_path_factory.mktemp("apart")
    async with LocalStemma(folder, processes=True, ack_wait_s=3, env=ENVIRONMENT) as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def client(stemma: LocalStemma) -> AsyncIterator[Client]:
    """A caller of the tenant ``default``."""
    async with stemma.client() as client:
        yield client


@pytest.fixture
def settings(stemma: LocalStemma, tmp_path: Path) -> dict[str, str]:
    """The environment of a command at the machine of the installation."""
    return {"STEMMA_DATA_DIR": str(stemma.folder.root), "XDG_CONFIG_HOME": str(tmp_path)}


async def run(settings: dict[str, str], *arguments: object) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, list(map(str, arguments)), env=settings)


@pytest.fixture(scope="package")
def model() -> Iterator[Provider]:
    """The model of ``scripted``."""
    with provider() as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def scripted(tmp_path_factory: pytest.TempPathFactory, model: Provider) -> AsyncIterator[Client]:
    """A caller of services that have kinds of their own."""
    folder = tmp_path_factory.mktemp("scripted")
    kinds = house(folder)
    for kind, blueprint in KINDS.items():
        criteria = add_kind(kinds, blueprint, kind) / "criteria"
        criteria.mkdir()
        (criteria / "note.json").write_text(json.dumps(CRITERIA), encoding="utf-8")
    written_by = {"model": "openai/scripted", "api_base": model.base}
    stemma = LocalStemma(folder / "data", services=[], env={subjects.NOTIFIER: LOCAL_RECEIVERS})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("OPENAI_API_KEY", "none")
        async with stemma, here(stemma, SCRIPTED, stemma.url, written_by), stemma.client() as client:
            yield client


class Receiver(ThreadingHTTPServer):
    """What comes is in ``told``, for the loop that made it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told = asyncio.Queue[dict[str, Any]]()
        self._loop = asyncio.get_running_loop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def hand_on(self, call: dict[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self.told.put_nowait, call)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.server.hand_on(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def receiving() -> Iterator[Receiver]:
    with serving(server := Receiver(), threading.Event()):
        yield server
