"""The five services and NATS, with a model of the bench, and what their processes cost."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nats
import psutil
from nats.aio.client import Client as Nats
from stemma_cli.local.processes import ManagedProcess
from stemma_cli.local.supervisor import GATEWAY_PORT, LocalStemma, free_port, service_names
from stemma_contracts import subjects
from stemma_kinds import find_kinds
from stemma_messaging import config_dir
from stemma_provisioning import PROVISIONER, Bounds, inbox_prefix
from stemma_provisioning.topology import DEFAULT_BOUNDS, DEFAULT_TENANTS

HERE = Path(__file__).parent
START_S = 60.0


@dataclass(frozen=True)
class Installation:
    """Everything runs; ``generation`` is the one service whose model is that of the bench."""

    stemma: LocalStemma
    generation: ManagedProcess
    admin: Nats
    more: Mapping[str, ManagedProcess] = field(default_factory=dict)
    """Second and further processes of services, by the name of the service and a number."""

    @property
    def processes(self) -> Mapping[str, psutil.Process]:
        """Every process by name."""
        services = {**self.stemma.services, subjects.GENERATION: self.generation, **self.more}
        pids = {name: service.pid for name, service in services.items()} | {"nats": self.stemma.nats.pid}
        return {name: psutil.Process(pid) for name, pid in sorted(pids.items())}

    def cpu_seconds(self) -> dict[str, float]:
        """CPU time since each process began, with that of its children, such as the linters of the validator."""
        return {name: _cpu_seconds(process) for name, process in self.processes.items()}

    def memory_mb(self) -> dict[str, float]:
        """Resident memory."""
        return {name: process.memory_info().rss / 1e6 for name, process in self.processes.items()}


def _cpu_seconds(process: psutil.Process) -> float:
    alive = process.children(recursive=True)
    return float(sum(process.cpu_times()[:4]) + sum(sum(child.cpu_times()[:4]) for child in alive))


@asynccontextmanager
async def installation(
    model: str = "trivial",
    milliseconds: int = 0,
    env: Mapping[str, str] | None = None,
    tenants: Sequence[str] = DEFAULT_TENANTS,
    bounds: Bounds = DEFAULT_BOUNDS,
    processes: int = 1,
) -> AsyncIterator[Installation]:
    """A fresh installation with so many processes of each service, in a folder that is removed at the end."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stemma-bench-")))
        others = [name for name in service_names() if name != subjects.GENERATION]
        every = {name: dict(env or {}) for name in others}
        local = LocalStemma(folder / "data", processes=True, services=others, env=every, tenants=tenants, bounds=bounds)
        stemma = await stack.enter_async_context(local)
        own = {**(env or {}), "STEMMA_GENERATION_GRAPH_CONFIG_DIR": str(_config(folder, model))}
        making = partial(_generation, stemma, model, milliseconds, own)
        generation = await _started(stack, making(subjects.GENERATION))
        more: dict[str, ManagedProcess] = {}
        for number in range(2, processes + 1):
            more |= {f"{name} {number}": await _started(stack, _again(stemma, name, number)) for name in others}
            name = f"{subjects.GENERATION} {number}"
            more[name] = await _started(stack, making(name))
        yield Installation(stemma, generation, await _admin(stack, stemma), more)


async def _started(stack: AsyncExitStack, process: ManagedProcess) -> ManagedProcess:
    stack.push_async_callback(process.stop)
    await process.start(START_S)
    return process


def _again(stemma: LocalStemma, service: str, number: int) -> ManagedProcess:
    """One more process of a service, with the same environment; a gateway listens elsewhere."""
    name = f"{service} {number}"
    ready_file = stemma.folder.ready_file(name)
    own = {"STEMMA_READY_FILE": str(ready_file), GATEWAY_PORT: str(free_port())}
    return ManagedProcess(
        name,
        [sys.executable, "-m", "stemma_cli.local.run", service],
        {**stemma.environment_of(service), **own},
        log=stemma.folder.log(name),
        ready_file=ready_file,
        report=lambda *_: None,
    )


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


def _generation(
    stemma: LocalStemma, model: str, milliseconds: int, env: Mapping[str, str], name: str
) -> ManagedProcess:
    user, data = subjects.GENERATION, stemma.folder
    own = {
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": user,
        "STEMMA_NATS_PASSWORD": stemma.password(user),
        "STEMMA_READY_FILE": str(data.ready_file(name)),
        "STEMMA_DATA_DIR": str(data.root),
    }
    return ManagedProcess(
        name,
        [sys.executable, str(HERE / "bench_generation.py"), model, str(milliseconds)],
        {**os.environ, **env, **own},
        log=data.log(name),
        ready_file=data.ready_file(name),
        report=lambda *_: None,
    )


def _config(folder: Path, model: str) -> Path:
    """The shipped configuration; for the trivial model without searches and schemas: two calls for each section."""
    shipped = config_dir("stemma_generation_graph")
    if model == "offline":
        return shipped
    copy = shutil.copytree(shipped, folder / "config")
    tables = (kind.path / "sections.json" for kind in find_kinds().values())
    kinds = [name for table in tables if table.is_file() for name in json.loads(table.read_text())]
    (copy / "kinds.json").write_text(json.dumps({name: {} for name in kinds}))
    return copy
