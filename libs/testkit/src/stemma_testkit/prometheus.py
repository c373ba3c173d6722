"""A real Prometheus: the program of the distribution, on services of this machine."""

import asyncio
import json
import shutil
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from stemma_testkit.serving import free_port

READY_S = 60.0
POLL_S = 0.2
Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Prometheus:
    url: str

    async def query(self, expression: str, at: float | None = None) -> dict[Labels, float]:
        """The values of an expression by their labels, now or at a time; raises `URLError` for one that is none."""
        found = await self._get("query", query=expression, time=at or time.time())
        return {_labels(one["metric"]): float(one["value"][1]) for one in found["result"]}

    async def firing(self) -> dict[Labels, int]:
        """The alerts that fire now: how many of each name and labels."""
        alerts = [alert for alert in (await self._get("alerts"))["alerts"] if alert["state"] == "firing"]
        return {_labels(alert["labels"]): 1 for alert in alerts}

    async def _get(self, what: str, **query: Any) -> Any:
        return (await asyncio.to_thread(_read, f"{self.url}/api/v1/{what}?{urlencode(query)}"))["data"]


def _labels(labels: Mapping[str, str]) -> Labels:
    return frozenset(labels.items())


def _read(url: str) -> Any:
    with urlopen(url, timeout=10) as answer:
        return json.load(answer)


def program(name: str) -> str:
    """``prometheus`` or ``promtool``; raises `FileNotFoundError`, which names what to install."""
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not on the path: install the package prometheus of your distribution")
    return found


@asynccontextmanager
async def prometheus(configuration: Path, data: Path) -> AsyncIterator[Prometheus]:
    address = f"127.0.0.1:{free_port()}"
    arguments = (f"--config.file={configuration}", f"--storage.tsdb.path={data}", f"--web.listen-address={address}")
    with (data.parent / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(program("prometheus"), *arguments, stdout=log, stderr=log)
    try:
        await _until_ready(process, f"http://{address}")
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        await process.wait()


async def _until_ready(process: Process, url: str) -> None:
    async with asyncio.timeout(READY_S):
        while True:
            assert process.returncode is None, "prometheus ended"
            try:
                await asyncio.to_thread(lambda: urlopen(f"{url}/-/ready", timeout=2).close())
            except URLError:
                await asyncio.sleep(POLL_S)
            else:
                return
