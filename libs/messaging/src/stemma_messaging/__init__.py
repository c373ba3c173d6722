"""Delivery in one place: settlement, retries, heartbeats, dead letters, envelopes, health.

A worker is made with `worker_service` from plain handlers. A service with other needs is a `Service` whose ``open``
registers subscriptions itself::

    @asynccontextmanager
    async def open(settings: OrchestratorSettings, bus: Bus) -> AsyncIterator[None]:
        bus.subscribe_push(subjects.OUTCOMES, (subjects.ORCHESTRATOR,), on_outcome)
        bus.subscribe_latest(subjects.EVENTS, subjects.PROJECTOR, document_of, 0.25, on_event)
        yield

    service = Service(subjects.ORCHESTRATOR, OrchestratorSettings, open)

A handler gets a `Delivery`. It returns, and the message is acknowledged; it raises `InvalidMessage`, and the message
is dead-lettered; it raises anything else, and the message comes again with growing delays, a bounded number of times.
"""

from .bus import Bus, open_bus
from .delivery import Delivery
from .errors import BusFailed, ForeignMessage, InvalidMessage, MessageTooLarge
from .handling import Handler
from .publisher import Publisher
from .running import account
from .service import Service
from .settings import BadSettings, ServiceSettings, WorkerSettings, config_dir, load_settings
from .worker import Handlers, Worker, worker_service

__all__ = [
    "BadSettings",
    "Bus",
    "BusFailed",
    "Delivery",
    "ForeignMessage",
    "Handler",
    "Handlers",
    "InvalidMessage",
    "MessageTooLarge",
    "Publisher",
    "Service",
    "ServiceSettings",
    "Worker",
    "WorkerSettings",
    "account",
    "config_dir",
    "load_settings",
    "open_bus",
    "worker_service",
]
