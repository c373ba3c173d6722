"""Looks at the installation from time to time."""

from __future__ import annotations

import asyncio

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.kv import KeyValue
from stemma_messaging.outages import reason_of
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges

from . import census, fleet

_GAUGES = Gauges(*fleet.METRICS, *census.METRICS)


class Observer:
    """Measures what no single message tells. While it cannot look, it tells nothing: what was seen then is not true."""

    def __init__(self, nats: Client, jetstream: JetStreamContext, views: KeyValue, most_stored: int) -> None:
        self._fleet = fleet.Fleet(jetstream, _GAUGES, most_stored)
        self._census = census.Census(nats, views, _GAUGES)

    async def observe_for_ever(self, every_s: float) -> None:
        """Look now and every so many seconds, until cancelled."""
        try:
            while True:
                await self._look()
                await asyncio.sleep(every_s)
        finally:
            _GAUGES.forget()

    async def _look(self) -> None:
        try:
            await self._fleet.look()
            await self._census.look()
        except Exception as error:
            _GAUGES.forget()
            get_logger().warning(names.Log.OBSERVING_FAILED, error=error, reason=reason_of(error))
