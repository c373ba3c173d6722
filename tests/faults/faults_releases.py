"""Services of a release that stood before beside those of this one, and documents that are written all the while."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import release
from faults_here import asked, completes, edited
from stemma_cli.local.supervisor import SIGNING_SECRET, LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, wait_for
from stemma_testkit.house import add_kind, house
from stemma_testkit.servers import eventually

WITHIN_S = 900.0
"""A document, with what it waits while its kind is another one for orchestrator and workers."""
STARTS_WITHIN_S = 120.0
AT_A_TIME = 3
KIND = "memo"
"""A document kind that both releases have as it is: one of a package of its own."""

LATER = (SIGNING_SECRET,)
"""Settings that releases before this one do not know, and refuse; deployments of theirs have none."""


def programs_of(version: str) -> Path:
    """The programs of a release, built once for this environment."""
    folder = Path(sys.prefix) / "releases" / version
    return release.build(version, folder)


@dataclass
class Running:
    """The processes of services, each by its service and the folder of its programs."""

    stemma: LocalStemma
    kinds: Path
    processes: dict[tuple[str, Path], asyncio.subprocess.Process] = field(default_factory=dict)
    _number: count[int] = field(default_factory=lambda: count(1))

    async def set_up(self, programs: Path) -> None:
        """The checkpoints are as a release has them."""
        env = self._environment_of(subjects.GENERATION)
        process = await asyncio.create_subprocess_exec(
            str(programs / f"stemma-{subjects.GENERATION}"), "--setup", env=env
        )
        assert await process.wait() == 0

    async def start(self, service: str, programs: Path) -> None:
        """A service of a release is at work, beside whatever else is."""
        name = f"{service}-{next(self._number)}"
        ready = self.stemma.folder.ready_file(name)
        env = {**self._environment_of(service), "STEMMA_READY_FILE": str(ready)}
        if programs != Path(sys.executable).parent:
            env = {name: value for name, value in env.items() if name not in LATER}
        with self.stemma.folder.log(name).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                str(programs / f"stemma-{service}"), env=env, stdout=log, stderr=log
            )
        self.processes[service, programs] = process

        async def is_ready() -> bool:
            assert process.returncode is None, self.stemma.folder.log(name).read_text()
            return ready.exists()

        await eventually(is_ready, STARTS_WITHIN_S)

    async def stop(self, service: str, programs: Path) -> None:
        """A service of a release has ended, as it does when it is told to."""
        process = self.processes.pop((service, programs))
        assert process.returncode is None, f"{service} of {programs} ended by itself"
        process.terminate()
        async with asyncio.timeout(STARTS_WITHIN_S):
            assert await process.wait() in (0, -signal.SIGTERM)

    def _environment_of(self, service: str) -> dict[str, str]:
        return {**self.stemma.environment_of(service), "PYTHONPATH": str(self.kinds)}

    async def kill(self) -> None:
        """All have ended."""
        for process in self.processes.values():
            if process.returncode is None:
                process.kill()
            await process.wait()


@dataclass
class Load:
    """Documents that are written, reviewed, edited and exported, some at a time."""

    client: Client
    kind: str
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    waiting: list[asyncio.Task[None]] = field(default_factory=list)
    _number: count[int] = field(default_factory=count)
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def go_on(self) -> None:
        """One document after the other, until that is over."""
        while not self._over.is_set():
            await self._write(await self._begin())

    async def finish(self) -> None:
        """No more are begun, and those that were begun beside the others have ended."""
        self._over.set()
        await asyncio.gather(*self.waiting)

    async def one_completes(self) -> None:
        """A document that begins from now on ends."""
        before = len(self.begun)
        async with asyncio.timeout(WITHIN_S), self._changed:
            await self._changed.wait_for(lambda: bool({*self.begun[before:]} & {*self.ended}))

    async def one_begins(self) -> None:
        """A document begins now, and is written beside the others; it may have to wait for a service."""
        self.waiting.append(asyncio.create_task(self._write(await self._begin())))

    async def _begin(self) -> str:
        request_id = f"document-{next(self._number)}"
        document_id = await asked(self.client, ReviewMode.HUMAN, request_id, within_s=WITHIN_S, kind=self.kind)
        self.begun.append(document_id)
        return document_id

    async def _write(self, document_id: str) -> None:
        *_, last = await wait_for(
            self.client, document_id, lambda event: isinstance(event, (e.SectionReviewRequested, *ENDS)), WITHIN_S
        )
        assert isinstance(last.contract, e.SectionReviewRequested)
        await self.client.approve(document_id, "research", 1)
        await completes(self.client, document_id, WITHIN_S)
        await edited(self.client, document_id, WITHIN_S)
        assert (await self.client.export(document_id, ExportFormat.MD)).artifact is not None
        async with self._changed:
            self.ended.append(document_id)
            self._changed.notify_all()


@asynccontextmanager
async def under_load(client: Client, kind: str) -> AsyncIterator[Load]:
    """Documents of a kind are written while the block runs; all that were begun have ended when it is left."""
    load = Load(client, kind)
    async with asyncio.TaskGroup() as group:
        for _ in range(AT_A_TIME):
            group.create_task(load.go_on())
        yield load
        await load.finish()


def kinds_of_both(folder: Path) -> Path:
    """A folder with a package that has a document kind, whose data are then the same for both releases."""
    section = {
        "id": "research",
        "title": "Research",
        "kind": "research",
        "purpose": "What is known about the need.",
        "required_headings": ["Findings"],
    }
    add_kind(house(folder), {"kind": KIND, "title": "Memo", "sections": [section]}, KIND)
    return folder


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Running]:
    """The server and its streams, as of this release; no service."""
    async with LocalStemma(folder, services=[]) as stemma:
        processes = Running(stemma, kinds_of_both(folder / "packages"))
        try:
            yield processes
        finally:
            await processes.kill()
