"""A model on paper of a fleet: what one document takes of each part, and which part is full first.

Nothing here is measured. A part does so many documents a second, and the least of these is what the fleet does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MS = 1000.0
BULK_SHARE = 0.75
"""Of the slots of a process, what a crowd of documents may have; the rest is left to other callers."""
SERVER = "nats"
CALLER = "caller"
CORES, DISK, CALLS = "cores", "disk", "model calls"
ORCHESTRATOR = "orchestrator"
WHAT_THEN = {
    CORES: "more cores or machines",
    CALLS: "more slots or processes of generation-graph, as many calls as the provider allows",
    DISK: "a faster disk, or tenants on several installations; a stream is not divided",
    ORCHESTRATOR: "tenants on several installations: more processes of it cost each other what they give",
}


@dataclass(frozen=True)
class Document:
    """What one document takes: CPU by service, messages that are stored by stream, and calls of models.

    ``more_ms`` is the CPU that each further process of a service adds: what one process knows of a document, another
    reads anew.
    """

    cpu_ms: Mapping[str, float]
    stored: Mapping[str, int]
    calls: int
    more_ms: Mapping[str, float] = field(default_factory=dict)

    def cpu_of(self, name: str, processes: int = 1) -> float:
        """CPU of a service that has so many processes."""
        return self.cpu_ms[name] + self.more_ms.get(name, 0.0) * (processes - 1)

    def all_cpu_ms(self, processes: int = 1) -> float:
        """CPU of everything, the caller included where it is in ``cpu_ms``."""
        return sum(self.cpu_of(name, processes) for name in self.cpu_ms)


@dataclass(frozen=True)
class Disk:
    """Messages a second that are stored and synced: in one stream, and in all together."""

    one_stream: float
    all_streams: float


@dataclass(frozen=True)
class Fleet:
    """So many processes of each service on so many cores, which call models with so many slots each."""

    processes: int
    cores: float
    slots: int = 16
    call_s: float = 0.0


class Limit(NamedTuple):
    """A part, and how many documents a second it can do."""

    part: str
    per_s: float


def limits(document: Document, fleet: Fleet, disk: Disk) -> list[Limit]:
    """What each part can do, the one that is full first before the others."""
    services = (
        Limit(name, fleet.processes * MS / document.cpu_of(name, fleet.processes))
        for name, cpu in document.cpu_ms.items()
        if cpu > 0 and name not in (SERVER, CALLER)
    )
    found = [Limit(CORES, fleet.cores * MS / document.all_cpu_ms(fleet.processes)), _disk(document, disk), *services]
    if fleet.call_s > 0:
        found.append(Limit(CALLS, fleet.processes * fleet.slots * BULK_SHARE / (document.calls * fleet.call_s)))
    return sorted(found, key=lambda limit: limit.per_s)


def _disk(document: Document, disk: Disk) -> Limit:
    of_one = disk.one_stream / max(document.stored.values())
    return Limit(DISK, min(of_one, disk.all_streams / sum(document.stored.values())))


def cores_for(document: Document, per_s: float, processes: int = 1) -> float:
    """How many cores so many documents a second take."""
    return per_s * document.all_cpu_ms(processes) / MS


def what_then(part: str) -> str:
    """What helps where this part is the limit."""
    return WHAT_THEN.get(part, f"more processes of {part}")
