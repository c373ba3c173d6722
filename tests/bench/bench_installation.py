"""The five services and NATS, with a model of the bench, and what their processes cost."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
import psutil
from nats.aio.client import Client as Nats
from stemma_cli.local.processes import ManagedProcess
from stemma_cli.local.supervisor import LocalStemma, service_names
from stemma_contracts import subjects
from stemma_kinds import find_kinds
from stemma_messaging import config_dir
from stemma_provisioning import PROVISIONER, inbox_prefix

HERE = Path(__file__).parent
START_S = 60.0


@dataclass(frozen=True)
class Installation:
    """Everything runs; ``generation`` is the one service whose model is that of the bench."""

    stemma: LocalStemma
    generation: ManagedProcess
    admin: Nats

    @property
    def processes(self) -> Mapping[str, psutil.Process]:
        """Every process by name."""
        services = {**self.stemma.services, subjects.GENERATION: self.generation}
        pids = {name: service.pid for name, service in services.items()} | {"nats": self.stemma.nats.pid}
        return {name: psutil.Process(pid) for name, pid in sorted(pids.items())}

    def cpu_seconds(self) -> dict[str, float]:
        """CPU time since each process began, with that of its children, such as the linters of the validator."""
        return {name: _cpu_seconds(process) for name, process in self.processes.items()}


def _cpu_seconds(process: psutil.Process) -> float:
    alive = process.children(recursive=True)
    return float(sum(process.cpu_times()[:4]) + sum(sum(child.cpu_times()[:4]) for child in alive))


@asynccontextmanager
async def installation(milliseconds: int = 0) -> AsyncIterator[Installation]:
    """A fresh installation in a folder that is removed at the end."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stemma-bench-")))
        others = [name for name in service_names() if name != subjects.GENERATION]
        local = LocalStemma(folder / "data", processes=True, services=others)
        stemma = await stack.enter_async_context(local)
        generation = _generation(stemma, milliseconds, _config(folder))
        stack.push_async_callback(generation.stop)
        await generation.start(START_S)
        yield Installation(stemma, generation, await _admin(stack, stemma))


@asynccontextmanager
async def ended(process: asyncio.subprocess.Process) -> AsyncIterator[None]:
    """A process that is not left behind when the bench is stopped."""
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def _admin(stack: AsyncExitStack, stemma: LocalStemma) -> Nats:
    prefix = inbox_prefix(PROVISIONER)
    admin = await nats.connect(stemma.url, user=PROVISIONER, password=stemma.password(PROVISIONER), inbox_prefix=prefix)
    stack.push_async_callback(admin.close)
    return admin


def _generation(stemma: LocalStemma, milliseconds: int, config: Path) -> ManagedProcess:
    user, data = subjects.GENERATION, stemma.folder
    own = {
        "STEMMA_GENERATION_GRAPH_CONFIG_DIR": str(config),
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": user,
        "STEMMA_NATS_PASSWORD": stemma.password(user),
        "STEMMA_READY_FILE": str(data.ready_file(user)),
        "STEMMA_DATA_DIR": str(data.root),
    }
    return ManagedProcess(
        user,
        [sys.executable, str(HERE / "bench_generation.py"), str(milliseconds)],
        {**os.environ, **own},
        log=data.log(user),
        ready_file=data.ready_file(user),
        report=lambda *_: None,
    )


def _config(folder: Path) -> Path:
    """The shipped configuration without searches and schemas: two calls for each section."""
    copy = shutil.copytree(config_dir("stemma_generation_graph"), folder / "config")
    tables = (kind.path / "sections.json" for kind in find_kinds().values())
    kinds = [name for table in tables if table.is_file() for name in json.loads(table.read_text())]
    (copy / "kinds.json").write_text(json.dumps({name: {} for name in kinds}))
    return copy
